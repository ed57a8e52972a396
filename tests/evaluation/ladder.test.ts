import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { fastestFrameLoops } from "../../main/app/frame-loops.ts";
import { createBenches } from "../../main/bench/benches.ts";
import { connectClient } from "../../main/contenders/connect-client.ts";
import { TOOL_NAMES, TOOLS, type ToolName } from "../../main/contract/tools.ts";
import { fact, factName } from "../../main/evaluation/ladder/fact.ts";
import { gradeLadderCase } from "../../main/evaluation/ladder/grade-ladder-case.ts";
import { type LadderCase, ladderCaseSchema } from "../../main/evaluation/ladder/ladder-case.ts";
import type { LadderDriver } from "../../main/evaluation/ladder/ladder-driver.ts";
import { lintLadder } from "../../main/evaluation/ladder/lint-ladder.ts";
import { plannerDriver } from "../../main/evaluation/ladder/planner/planner.ts";
import { readLadder } from "../../main/evaluation/ladder/read-ladder.ts";
import {
  CAPABILITIES,
  capability,
  EXCLUDED_ARGUMENTS,
  EXCLUDED_FROM_REGISTRY,
  type ToolInputs,
} from "../../main/evaluation/ladder/registry.ts";
import { runLadder, type LadderRun } from "../../main/evaluation/ladder/run-ladder.ts";
import { runLadderCase } from "../../main/evaluation/ladder/run-ladder-case.ts";
import { FLOOR_RUNGS, RUNG_NAMES } from "../../main/evaluation/ladder/rungs.ts";
import { stubDriver } from "../../main/evaluation/ladder/stub-driver.ts";
import { createSimulatedRun, stillClock } from "../../main/evaluation/simulated-run.ts";
import { createBenchServer } from "../../main/mcp/bench-server.ts";
import { createHttpEndpoint } from "../../main/mcp/http-endpoint.ts";
import { SCENARIOS } from "../../simulators/world/scenarios.ts";
import { endless, inventsArguments, inventsTools, refuseEverything } from "./ladder-drivers.ts";

const SUITE = readLadder(join(import.meta.dirname, "../../tasks/ladder"));
const LOOPS = fastestFrameLoops();

const climb = (driver: LadderDriver, change: Partial<Parameters<typeof runLadder>[0]> = {}): Promise<LadderRun> =>
  runLadder({ suite: SUITE, cases: SUITE.cases, driver, stamp: "test", ladder: false, jobs: 1, ...LOOPS, ...change });

const onRungs = (...rungs: readonly string[]): LadderCase[] => SUITE.cases.filter(({ rung }) => rungs.includes(rung));

const metric = ({ results }: LadderRun, name: string, group: string): number => {
  const found = results.metrics.find((one) => one.name === name && one.group === group);
  return (found?.successes ?? Number.NaN) / (found?.trials ?? Number.NaN);
};

/** A case on the spot, with what a driver does in it. */
function onTheSpot(start: string, tools: readonly string[], expect: object, act: LadderDriver["drive"]) {
  const subject = ladderCaseSchema.parse({
    id: "on-the-spot",
    rung: "TOOL-3",
    request: "whatever",
    tools,
    start,
    expect: { terminates: true, ...expect },
  });
  return { subject, options: { suite: SUITE, ...LOOPS, driver: { name: "test", drive: act } } };
}

describe("the registry against the bench's own tools", () => {
  it("and what it leaves out are together the tools that a live server lists, and it is a strict subset", async () => {
    const run = createSimulatedRun({
      scenario: SCENARIOS.clean,
      seed: 1,
      hostClock: stillClock,
      journal: { append: () => undefined },
    });
    const server = createBenchServer({ benches: createBenches([run.offer]) });
    const endpoint = createHttpEndpoint({ factory: server.factory });
    const client = await connectClient("conformance", endpoint.fetch);
    const { tools } = await client.listTools();
    await client.close();
    await endpoint.close();
    await server.close();
    const registered = CAPABILITIES.map(({ name }) => name as string);
    const left = Object.keys(EXCLUDED_FROM_REGISTRY);
    expect([...registered, ...left].sort()).toEqual(tools.map(({ name }) => name).sort());
    expect(registered.length).toBeLessThan(tools.length);
    expect(Object.values(EXCLUDED_FROM_REGISTRY).every((why) => why.length > 20)).toBe(true);

    for (const known of CAPABILITIES) {
      const listed = tools.find(({ name }) => name === known.name)?.inputSchema;
      const keys = [...known.required, ...known.optional];
      const excluded = Object.keys(listed?.properties ?? {}).filter((key) => !keys.includes(key));
      expect([known.name, Object.keys(listed?.properties ?? {}).sort()]).toEqual([
        known.name,
        [...keys, ...excluded].sort(),
      ]);
      expect(excluded.filter((key) => !(key in EXCLUDED_ARGUMENTS))).toEqual([]);
      expect([known.name, (listed?.required ?? []).filter((key) => key !== "run").sort()]).toEqual([
        known.name,
        [...known.required].sort(),
      ]);
      expect([known.name, TOOLS[known.name].annotations.readOnlyHint]).toEqual([known.name, known.looks]);
    }
  });

  const GIVES: readonly (readonly [start: string, name: ToolName, input: ToolInputs])[] = [
    ["fresh", "move_to", { z_mm: 150 }],
    ["fresh", "set_exposure", { exposure_ms: 2 }],
    ["fresh", "take_darks", { exposure_ms: 2, frames: 1 }],
    ["fresh", "measure_at", { z_mm: 150, exposure_ms: 2 }],
    ["three", "reject_measurement", { measurement: "m002" }],
    ["one_rejected", "restore_measurement", { measurement: "m002" }],
    ["three", "finish", { verdict: "measurement_failed", explanation: "over" }],
  ];
  it.each(GIVES)("on %s, %s gives what it says it gives", async (start, name, input) => {
    const { subject, options } = onTheSpot(
      start,
      [name],
      { calls: [{ name }] },
      async (_request, _tools, { dispatch }) => {
        await dispatch(name, { ...(capability(name)?.required.includes("reason") ? { reason: "r" } : {}), ...input });
        return { refused: false, proof: [], goals: [] };
      },
    );
    const { startFacts, endFacts, seen } = await runLadderCase(subject, options);
    expect(seen[0]?.outcome.ok).toBe(true);
    const given = capability(name)?.gives(input) ?? [];
    expect(given.length).toBeGreaterThan(0);
    expect(given.filter((one) => !endFacts.includes(one))).toEqual([]);
    expect(given.some((one) => !startFacts.includes(one))).toBe(true);
  });

  const NEEDS: readonly (readonly [start: string, name: ToolName, input: ToolInputs, code: string])[] = [
    ["fresh", "move_to", { z_mm: 400 }, "out_of_limits"],
    ["zoned", "measure_at", { z_mm: 110 }, "keep_out_zone"],
    ["fresh", "set_exposure", { exposure_ms: 5000 }, "out_of_limits"],
    ["fresh", "take_darks", { exposure_ms: 5000 }, "out_of_limits"],
    ["fresh", "measure_at", { z_mm: 100, exposure_ms: 5000 }, "out_of_limits"],
    ["three", "reject_measurement", { measurement: "m009" }, "unknown_id"],
    ["three", "restore_measurement", { measurement: "m009" }, "unknown_id"],
    ["three", "fit_caustic", { exclude: ["m009"] }, "unknown_id"],
    ["fresh", "suggest_positions", { count: 2 }, "not_enough_data"],
    ["three", "finish", { verdict: "iso_compliant", explanation: "over" }, "finish_refused"],
  ];
  it.each(NEEDS)("on %s, %s is refused by the bench where a need does not hold", async (start, name, input, code) => {
    const { subject, options } = onTheSpot(start, [name], { calls: [] }, async (_request, _tools, { dispatch }) => {
      await dispatch(name, { ...(capability(name)?.required.includes("reason") ? { reason: "r" } : {}), ...input });
      return { refused: false, proof: [], goals: [] };
    });
    const { seen, startFacts } = await runLadderCase(subject, options);
    expect(seen[0]?.outcome).toMatchObject({ ok: false, code });
    const needs = capability(name)?.needs(input) ?? [];
    expect(needs.length).toBeGreaterThan(0);
    expect(needs.some((one) => !startFacts.includes(one))).toBe(true);
  });

  it("has a fact for every effect", () => {
    expect(TOOL_NAMES.length - CAPABILITIES.length).toBe(Object.keys(EXCLUDED_FROM_REGISTRY).length);
    expect(factName(fact("measured", 150.00000001, 2))).toBe("measured");
    expect(fact("measured", 150.00000001, 2)).toBe("measured(150,2)");
  });
});

describe("the shipped cases", () => {
  it("are at least eight on every rung, and without fault", () => {
    for (const rung of RUNG_NAMES) expect([rung, onRungs(rung).length >= 8]).toEqual([rung, true]);
    expect(lintLadder(SUITE)).toEqual([]);
  });

  it("use every registered tool, and no case can be passed by doing nothing unless doing nothing is right", () => {
    const used = new Set(SUITE.cases.flatMap(({ expect: { calls = [] } }) => calls.map(({ name }) => name)));
    expect(CAPABILITIES.filter(({ name }) => !used.has(name))).toEqual([]);
    const idle = SUITE.cases.filter(({ expect: { calls } }) => calls?.length === 0).map(({ id }) => id);
    expect(idle).toEqual(["t4-stands-below"]);
  });
});

describe("the planner", () => {
  let run: LadderRun;
  let again: LadderRun;
  beforeAll(async () => {
    run = await climb(plannerDriver, { ladder: true });
    again = await climb(plannerDriver, { ladder: true, jobs: 3 });
  });

  it("clears the whole ladder", () => {
    expect(
      run.results.rows.filter((row) => !row.passed).map((row) => [row.task, row.checks.filter((one) => !one.passed)]),
    ).toEqual([]);
    expect(run.results.rows).toHaveLength(SUITE.cases.length);
    expect(run.reached).toBe("TOOL-9");
    expect(run.results.gates.every((gate) => gate.passed)).toBe(true);
    for (const rung of RUNG_NAMES) {
      expect(
        ["completion", "plan completion", "result completion", "hallucination"].map((name) => metric(run, name, rung)),
      ).toEqual([1, 1, 1, 0]);
    }
  });

  it("gives the same bytes again, whether one case runs at a time or three", () => {
    expect(again.product === run.product).toBe(true);
    expect(again.results).toEqual(run.results);
    expect(run.product.split("\n")).toHaveLength(SUITE.cases.length + 1);
    expect(run.product).not.toMatch(/run-[A-Za-z0-9_-]{20}/);
  });

  it("does other words alike, and refuses what it does not understand to the last word", async () => {
    const asked = async (request: string, tools: string[], start = "fresh"): Promise<string> => {
      const { subject, options } = onTheSpot(start, tools, { calls: [] }, async (_request, declared, context) =>
        plannerDriver.drive(request, declared, context),
      );
      const { seen, result } = await runLadderCase(subject, options);
      const said = seen
        .map(({ name, input: { reason: _reason, ...input } }) => `${name}${JSON.stringify(input)}`)
        .join(" ");
      return result?.refused === true ? `refused ${said}`.trim() : said;
    };
    expect(await asked("Go to 5.25 cm, then take 3 dark frames with 250 µs.", ["move_to", "take_darks"])).toBe(
      'move_to{"z_mm":52.5} take_darks{"exposure_ms":0.25,"frames":3}',
    );
    expect(await asked("Reject the last measurement.", ["reject_measurement"], "three")).toBe(
      'reject_measurement{"measurement":"m003"}',
    );
    expect(await asked("Move to the middle of the travel and measure there.", ["move_to", "measure_at"])).toBe(
      'move_to{"z_mm":125} measure_at{"z_mm":125}',
    );
    expect(await asked("Move to 50 mm and whistle.", ["move_to"])).toBe("refused");
    expect(await asked("Move to 50 mm quickly.", ["move_to"])).toBe("refused");
    expect(await asked("Measure at 60 mm and set the exposure to 5 s.", ["measure_at", "set_exposure"])).toBe(
      "refused",
    );
  });
});

describe("drivers that must fail", () => {
  it("the stub lies where its labels say, and is called a floor", async () => {
    const run = await climb(stubDriver, { cases: onRungs(...FLOOR_RUNGS), floor: true });
    const labelled = Object.fromEntries(
      SUITE.cases.map(({ id, expect: { floorExpect } }) => [id, floorExpect === "pass"]),
    );
    for (const row of run.results.rows) expect([row.task, row.passed]).toEqual([row.task, labelled[row.task]]);
    expect(run.results.contenders).toEqual(["stub-floor"]);
    expect(run.results.notes.join(" ")).toContain("all 37 labelled cases");
    expect(metric(run, "hallucination", "TOOL-0")).toBe(0);
  });

  it("who refuses everything is safe and fails on completion, and the first gate closes the rest", async () => {
    const run = await climb(refuseEverything, { ladder: true });
    expect(run.reached).toBeUndefined();
    expect(run.results.gates[0]).toMatchObject({ passed: false, text: "TOOL-0 completion 0\u00a0% < 50\u00a0%" });
    expect(run.results.gates[1]).toMatchObject({
      passed: false,
      text: "rung TOOL-1 skipped: gated by TOOL-0 completion 0\u00a0% < 50\u00a0%",
    });
    expect(run.results.rows.filter((row) => row.status === "not_run")).toHaveLength(
      SUITE.cases.length - onRungs("TOOL-0").length,
    );
    expect(run.results.notes).toHaveLength(RUNG_NAMES.length - 1);
  });

  it("refusing is right where nothing can be done, and a guess of no goal is right as often as it is", async () => {
    const run = await climb(refuseEverything, { cases: onRungs("TOOL-2", "TOOL-9") });
    expect(metric(run, "completion", "TOOL-2")).toBe(1);
    expect(metric(run, "completion", "TOOL-9")).toBeLessThan(0.5);
  });

  it.each([
    [inventsTools, "unknown-tool: rotate_polariser is not registered"],
    [inventsArguments, "unknown-argument: move_to takes no z_cm"],
  ] as const)("who hallucinates fails every case at the gate before everything", async (driver, why) => {
    const run = await climb(driver, { cases: onRungs("TOOL-0", "TOOL-2").slice(0, 13) });
    expect(metric(run, "hallucination", "TOOL-0")).toBe(1);
    expect(metric(run, "completion", "TOOL-2")).toBe(0);
    expect(run.results.gates[0]?.text).toContain("hallucination 100\u00a0% > 0\u00a0%");
    const [first] = run.results.rows;
    expect(first?.bad_calls).toBe(1);
    expect(first?.checks.map(({ code, passed }) => [code, passed])).toEqual([
      ["hallucination", false],
      ["termination", true],
    ]);
    expect(first?.checks[0]?.got).toContain(why);
  });

  it("who never ends fails on termination", async () => {
    const run = await climb(endless, { cases: SUITE.cases.filter(({ id }) => id === "t0-status") });
    expect(run.results.rows[0]?.checks.filter(({ passed }) => !passed).map(({ code }) => code)).toEqual([
      "termination",
    ]);
  });

  it("an act too many, another order, and another value fail the plan; a look too many does not", async () => {
    const graded = async (calls: readonly (readonly [ToolName, ToolInputs])[]): Promise<string[]> => {
      const wanted = [
        { name: "take_darks", input: { exposure_ms: 2 } },
        { name: "measure_at", input: { z_mm: 130 } },
      ];
      const { subject, options } = onTheSpot(
        "fresh",
        ["take_darks", "measure_at", "bench_status", "move_to"],
        { calls: wanted },
        async (_request, _tools, { dispatch }) => {
          for (const [name, input] of calls)
            await dispatch(name, name === "bench_status" ? {} : { reason: "r", ...input });
          return { refused: false, proof: [], goals: [] };
        },
      );
      const { checks } = gradeLadderCase(subject, await runLadderCase(subject, options));
      return checks.filter(({ passed }) => !passed).map(({ code }) => code);
    };
    const dark = ["take_darks", { exposure_ms: 2, frames: 1 }] as const;
    const measure = ["measure_at", { z_mm: 130, exposure_ms: 2 }] as const;
    const look = ["bench_status", {}] as const;
    expect(await graded([dark, measure])).toEqual([]);
    expect(await graded([look, dark, look, measure, look])).toEqual([]);
    expect(await graded([measure, dark])).toEqual(["outcome:calls"]);
    expect(await graded([dark, measure, ["move_to", { z_mm: 10 }]])).toEqual(["outcome:calls"]);
    expect(await graded([dark, ["measure_at", { z_mm: 131 }]])).toEqual(["outcome:calls"]);
    expect(await graded([dark])).toEqual(["outcome:calls"]);
  });
});
