import { expect, test } from "vitest";
import { controllersEngine } from "../../main/app/procedures/controllers-engine.ts";
import type { Contender } from "../../main/contenders/contender.ts";
import { driveBench } from "../../main/evaluation/drive.ts";
import { runAndJudge } from "../../main/evaluation/procedures/run-program.ts";
import { sessionBench } from "../../main/evaluation/procedures/session-bench.ts";
import { simulatorEngine } from "../../main/evaluation/procedures/simulator-engine.ts";
import { createSimulatedRun } from "../../main/evaluation/simulated-run.ts";
import { parseProcedure } from "../../main/procedures/parse.ts";
import { type ProcedureOutcome, runProcedure } from "../../main/procedures/run.ts";
import { SCENARIOS } from "../../simulators/world/scenarios.ts";

const WORLD = { scenario: "clean", seed: 12 };
const PROGRAM = `take_darks exposure = 1 ms, frames = 3
for z in 110 mm to 150 mm step 20 mm {
  measure_at z = z, exposure = 1 ms, frames = 1 into scan
}
fit_caustic as caustic
result waist = caustic.x.z0
result widths = [m.d4sigma_x for m in scan]
move_to z = 260 mm
`;

const simulated = () =>
  createSimulatedRun({ scenario: SCENARIOS.clean, seed: 12, journal: { append: () => undefined } });

test("a procedure does the same through a session and through an MCP client, to the words of a refusal", async () => {
  const here = simulated();
  const session = await here.offer.open();
  const caller = { kind: "script", name: "procedure", id: "procedure" } as const;
  const direct = await runProcedure(parseProcedure(PROGRAM), sessionBench(session, caller), { bench: session.bench });
  await here.close();

  const there = simulated();
  let overMcp: ProcedureOutcome | undefined;
  const contender: Contender = {
    name: "procedure",
    async drive(client, { bench }) {
      overMcp = await runProcedure(parseProcedure(PROGRAM), client, { bench });
    },
  };
  await driveBench({ offer: there.offer, contender });

  expect(overMcp).toEqual(direct);
  expect(direct.results["waist"]).toMatchObject({ unit: "mm" });
  expect(direct).toMatchObject({
    ok: false,
    error: { code: "out_of_range", line: 8, column: 13, bench_code: "out_of_limits" },
  });
});

test.each([simulatorEngine(), controllersEngine()])(
  "nothing of a program is left for the next one ($name)",
  async (engine) => {
    const assertions = [
      { expr: "results.waist", value: 130, unit: "mm", tol: 5, line: 6 },
      { expr: "len(measurements) + len(darks)", value: 4, line: 3 },
      { expr: "status.exposure", value: 2, unit: "ms", line: 1 },
    ];
    const program = PROGRAM.replace("move_to z = 260 mm", "set_exposure exposure = 2 ms");
    const first = await runAndJudge(engine, { world: WORLD, program, assertions });
    expect(first.verdicts.map(({ passed }) => passed)).toEqual([true, true, true]);
    const second = await runAndJudge(engine, { world: WORLD, program: "", assertions });
    expect(second.verdicts.map(({ passed }) => passed)).toEqual([false, false, false]);
    const again = await runAndJudge(engine, { world: WORLD, program, assertions });
    expect(again).toEqual(first);
  },
);

test("both engines refuse in their own words", async () => {
  const beyond = { world: WORLD, program: "move_to z = 260 mm\n", assertions: [] };
  for (const engine of [simulatorEngine(), controllersEngine()]) {
    const { error } = await runAndJudge(engine, beyond);
    expect(error?.message).toBe(
      "line 1, column 13: move_to: z_mm = 260 mm lies outside 0…250 mm. Choose z_mm from 0 to 250.",
    );
  }
});
