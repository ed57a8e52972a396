import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import { openEvaluationBench } from "../../main/app/bench-file/evaluation-bench.ts";
import { parseBenchFile } from "../../main/app/bench-file/read-bench-file.ts";
import { hostOnTcp } from "../../main/app/emulation.ts";
import { RealClock } from "../../main/app/real-clock.ts";
import type { ProgressEvent } from "../../main/contract/evaluation-progress.ts";
import type { EvaluationResults } from "../../main/contract/evaluation-results.ts";
import type { BenchEvent } from "../../main/contract/events.ts";
import { type Plan, planSchema } from "../../main/contract/plan.ts";
import type { EvaluationBench } from "../../main/evaluation/evaluation-bench.ts";
import { currentParts, type Parts, planHash } from "../../main/evaluation/freeze.ts";
import { planProblems } from "../../main/evaluation/plan-problems.ts";
import { readPlan } from "../../main/evaluation/read-plan.ts";
import { reportFolder } from "../../main/evaluation/report-folder.ts";
import { runPlan } from "../../main/evaluation/run-plan.ts";
import { readRun } from "../../main/store/run-folder.ts";
import { ZaberAsciiController } from "../../simulators/controllers/zaber-ascii/zaber-ascii-controller.ts";

/* Cases on a bench: what is known of the beam is what the plan says, one unit has the bench at a time, and a bench can fail. */

const ROOT = join(import.meta.dirname, "../..");
const scratch = mkdtempSync(join(tmpdir(), "caustic-bench-evaluation-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
let folders = 0;
const newFolder = (): string => join(scratch, String(folders++));

const EXAMPLE = readPlan(join(ROOT, "tasks/plans/bench-repeatability.yaml"));
const SIMULATED = `bench: bench-s
wavelength_nm: 632.8
instruments:
  stage: { driver: simulated }
  camera: { driver: simulated, scenario: clean, seed: 7 }
  shutter: { driver: simulated }
limits: { z_min_mm: 10, z_max_mm: 240 }
operator_note: Mind the lens at 245 mm.
`;

/** The example with other cases. */
const planWith = (bench_cases: unknown, more: object = {}): Plan =>
  planSchema.parse({ ...EXAMPLE, groups: [{ ...EXAMPLE.groups[0], bench_cases, ...more }] });

let parts: Parts | undefined;

interface Asked {
  readonly plan?: Plan;
  readonly by?: readonly string[];
  readonly epochs?: number;
  readonly out?: string;
  readonly file?: string;
  readonly bench?: (bench: EvaluationBench) => EvaluationBench;
}

async function evaluate({ plan = EXAMPLE, by, epochs = 1, out = newFolder(), file = SIMULATED, bench }: Asked) {
  parts ??= currentParts(ROOT);
  const progress: ProgressEvent[] = [];
  const { results, complete } = await runPlan({
    plan,
    planPath: "example.yaml",
    registration: {
      registered: false,
      plan_hash: planHash(plan),
      unchanged: false,
      differences: [],
      changed_parts: [],
      why: ["an example"],
      history: { freezes: [] },
    },
    parts,
    selection: { ...(by === undefined ? {} : { by: [...by] }), epochs },
    out,
    jobs: 4,
    exploratory: true,
    versions: { caustic: "test" },
    openBench: async () => {
      const opened = await openEvaluationBench(parseBenchFile(file, "bench.yaml"));
      return bench?.(opened) ?? opened;
    },
    onProgress: (event) => void progress.push(event),
  });
  return { results, complete, progress, out, bytes: readFileSync(join(out, "results.json"), "utf8") };
}

const rowsOf = ({ rows }: EvaluationResults) => rows.map((row) => `${row.case} ${row.contender} ${row.status}`);

/** The bench with another way to be made ready, or to hear of events. */
function altered(
  bench: EvaluationBench,
  ways: { readonly makeReady?: (count: number) => void; readonly heard?: (event: BenchEvent) => void },
): EvaluationBench {
  let count = 0;
  return {
    facts: bench.facts,
    file: bench.file,
    ...(bench.operatorNote === undefined ? {} : { operatorNote: bench.operatorNote }),
    async makeReady(start, cancellation) {
      ways.makeReady?.(count++);
      return bench.makeReady(start, cancellation);
    },
    offer: (unit) =>
      bench.offer({
        ...unit,
        journal: {
          append(event) {
            unit.journal.append(event);
            ways.heard?.(event);
          },
        },
      }),
    stop: () => bench.stop(),
    close: () => bench.close(),
  };
}

describe("an evaluation on a bench", () => {
  test("without a reference no accuracy is stated, and runs are compared with each other", async () => {
    const { results, complete, progress, out, bytes } = await evaluate({ epochs: 2 });
    expect(complete).toBe(true);
    expect(results.rows).toHaveLength(12);
    for (const row of results.rows) {
      expect(row.held_against?.kind).toBe("no_reference");
      expect([row.expected, row.correct, row.m2_error_x, row.m2_pull_y]).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
      const accuracy = row.grades.find(({ grader }) => grader === "accuracy");
      expect(accuracy).toMatchObject({
        answer: "not_applicable",
        why: expect.stringContaining("no reference") as string,
      });
    }
    const { repeatability = [], agreement = [], groups } = results.summary;
    const scripted = repeatability.find((one) => one.case === "H1" && one.contender === "scripted");
    expect(scripted).toMatchObject({ runs: 2, verdicts: { iso_compliant: 2 }, consistent: true });
    expect(scripted?.m2.map(({ axis, runs }) => [axis, runs])).toEqual([
      ["x", 2],
      ["y", 2],
    ]);
    const [x] = agreement.filter((one) => one.case === "H1" && one.axis === "x");
    expect(x).toMatchObject({ first: "scripted", second: "naive", same_verdict: false });
    const mean = (contender: string) =>
      repeatability.find((one) => one.case === "H1" && one.contender === contender)?.m2[0]?.mean ?? Number.NaN;
    expect(x?.difference).toBeCloseTo(mean("scripted") - mean("naive"), 12);
    expect(groups.map(({ correct, m2_error_median }) => [correct, m2_error_median])).toEqual(
      groups.map(() => [undefined, undefined]),
    );
    expect(results.bench).toMatchObject({ bench: "bench-s", kind: "emulated" });

    // One at a time, whatever --jobs says.
    const order = progress
      .filter(({ type }) => type === "unit_started" || type === "unit_ended")
      .map(({ type }) => type);
    expect(order).toEqual(Array.from({ length: 12 }, () => ["unit_started", "unit_ended"]).flat());
    // Each from its own end of the travel that the bench allows, with the bench's own note.
    for (const [name, start_z_mm] of [
      ["H1", 10],
      ["H2", 240],
    ] as const) {
      const { record, events } = readRun(join(out, "runs", `${name}-naive-e2`));
      expect(record).toMatchObject({ bench: "bench-s", simulated: true, note: "Mind the lens at 245 mm." });
      expect(record.instruments).toMatchObject({ start_z_mm, bench_file: { bench: "bench-s" } });
      expect(events.find((event) => event.type === "move_started")).toMatchObject({ z_from_mm: start_z_mm });
      expect(existsSync(join(out, "runs", `${name}-naive-e2`, "frames", "m001-0.tiff"))).toBe(true);
    }
    // What is there is not run again, and gives the same bytes; so does the report from the runs alone.
    const again = await evaluate({ epochs: 2, out });
    expect(again.progress.filter(({ type }) => type === "unit_started")).toEqual([]);
    expect(again.bytes).toBe(bytes);
    await reportFolder(out, parts ?? currentParts(ROOT));
    expect(readFileSync(join(out, "results.json"), "utf8")).toBe(bytes);
    for (const name of ["results.md", "report.html"]) {
      const text = readFileSync(join(out, name), "utf8");
      expect(text).toContain("EMULATED");
      expect(text).toContain("cannot be made again");
      expect(text).not.toContain("All benches of this evaluation are simulated");
    }
  });

  test("against a reference, errors carry the uncertainty of both", async () => {
    const reference = { m2_x: { value: 1.25, u: 0.02 }, source: "knife edge" };
    const cases = [
      {
        case: "H1",
        start_travel_fraction: 0,
        reference,
        expected: "iso_compliant",
        m2_within: 0.05,
        scored_axes: ["x"],
      },
      {
        case: "H2",
        start_travel_fraction: 0,
        reference,
        expected: "iso_compliant",
        m2_within: 0.01,
        scored_axes: ["x"],
      },
    ];
    const { results } = await evaluate({ plan: planWith(cases), by: ["scripted"] });
    const [near, narrow] = results.rows;
    const m2 = near?.m2_x ?? { value: Number.NaN, u: Number.NaN };
    expect(m2.value).toBeCloseTo(1.2, 1);
    expect(near?.m2_error_x).toBeCloseTo(m2.value / 1.25 - 1, 12);
    expect(near?.m2_error_u_x).toBeCloseTo(Math.hypot(m2.u, 0.02) / 1.25, 12);
    expect(near?.m2_pull_x).toBeCloseTo((m2.value - 1.25) / Math.hypot(m2.u, 0.02), 12);
    expect(near?.m2_error_y).toBeUndefined();
    expect([near?.correct, narrow?.correct]).toEqual([true, false]);
    expect(near?.held_against).toEqual({ kind: "reference", ...reference });
  });

  test("an accuracy that nothing can be held against is refused by its line of the plan", () => {
    const plan = planWith([{ case: "H1", start_travel_fraction: 0, m2_within: 0.01 }]);
    expect(planProblems(plan).map(({ message }) => message)).toEqual([
      "case H1: it asks how far M² on x and y is off, and no reference gives that",
      "case H1: it narrows an expected verdict, and none is expected",
    ]);
  });

  test("a simulated case on a bench is refused by its name, and so is another bench in the same folder", async () => {
    const mixed = planWith(EXAMPLE.groups[0]?.bench_cases, { cases: [{ case: "A1", scenario: "clean", seed: 1 }] });
    await expect(evaluate({ plan: mixed, by: ["constant"] })).rejects.toThrow(/case A1 .*simulated scenario "clean"/);
    const { out } = await evaluate({ by: ["constant"] });
    const other = SIMULATED.replace("bench-s", "bench-t");
    await expect(evaluate({ by: ["constant"], out, file: other })).rejects.toThrow(/on the bench bench-s/);
  });

  test("a bench that is gone leaves the rest not run, and the same evaluation goes on from there", async () => {
    const out = newFolder();
    const gone = (count: number): void => {
      if (count === 2)
        throw new InstrumentError("connection_lost", "Stage (stage)", "the plug is out", {}, "plug it in");
    };
    const first = await evaluate({
      out,
      by: ["naive", "constant"],
      bench: (bench) => altered(bench, { makeReady: gone }),
    });
    expect(first.complete).toBe(false);
    expect(rowsOf(first.results)).toEqual([
      "H1 naive finished",
      "H1 constant finished",
      "H2 naive not_run",
      "H2 constant not_run",
    ]);
    expect(first.results.rows[3]?.note).toMatch(/bench is not ready: .*the plug is out.*plug it in/);
    const second = await evaluate({ out, by: ["naive", "constant"] });
    expect(second.complete).toBe(true);
    expect(second.progress.filter(({ type }) => type === "unit_started")).toHaveLength(2);
    // Pictures' codes and handles aside, the totals are those of an undisturbed evaluation.
    const undisturbed = await evaluate({ by: ["naive", "constant"] });
    expect(second.results.summary).toEqual(undisturbed.results.summary);
  });

  test("the operator's STOP fails the unit by name, and the next one follows", async () => {
    const bench = (opened: EvaluationBench): EvaluationBench => {
      let pressed = false;
      return altered(opened, {
        heard(event) {
          if (event.type !== "measurement_taken" || pressed) return;
          pressed = true;
          void opened.stop();
        },
      });
    };
    const { results, out } = await evaluate({ by: ["naive", "constant"], bench });
    expect(rowsOf(results)).toEqual([
      "H1 naive failed",
      "H1 constant finished",
      "H2 naive finished",
      "H2 constant finished",
    ]);
    expect(results.rows[0]?.note).toContain("the operator pressed STOP");
    expect(results.summary.groups.map(({ contender, failed }) => [contender, failed])).toEqual([
      ["naive", 1],
      ["constant", 0],
    ]);
    // What it had measured is kept apart from the runs.
    expect(readRun(join(out, "failed", "H1-naive-e1-1")).events.at(-1)).toMatchObject({ type: "run_closed" });
  });

  test("an instrument that fails and keeps M² from coming about fails the unit by its name, through the real driver", async () => {
    const controller = new ZaberAsciiController(new RealClock(), { velocity_mm_s: 80, acceleration_mm_s2: 1000 });
    const hosted = await hostOnTcp(controller);
    const file = SIMULATED.replace(
      "{ driver: simulated }",
      `{ driver: zaber-ascii, address: "${hosted.address}", microstep_um: 0.047625, home_at_start: true }`,
    ).replace("z_max_mm: 240", "z_max_mm: 149");
    try {
      const bench = (opened: EvaluationBench): EvaluationBench =>
        altered(opened, {
          heard({ type }) {
            if (type === "measurement_taken") controller.jam();
            if (type === "run_closed") controller.free();
          },
        });
      const { results } = await evaluate({
        plan: planWith([{ case: "H1", start_travel_fraction: 0 }]),
        by: ["scripted", "constant"],
        file,
        bench,
      });
      expect(rowsOf(results)).toEqual(["H1 scripted failed", "H1 constant finished"]);
      expect(results.rows[0]?.note).toMatch(/an instrument failed during measure_at: .*stall/);
    } finally {
      await hosted.close();
    }
  });
});
