import { describe, expect, test } from "vitest";
import { BenchError } from "../contract/error-codes.ts";
import type { ToolName } from "../contract/tools.ts";
import { checkProcedure } from "./check.ts";
import { parseProcedure } from "./parse.ts";
import { ProcedureError } from "./procedure-error.ts";
import { type ProcedureBench, type ProcedureOutcome, type RunProcedureOptions, runProcedure } from "./run.ts";

interface Call {
  readonly tool: ToolName;
  readonly input: Readonly<Record<string, unknown>>;
}

const RANGE = { min: 0, max: 250 };
const OPENED = { run: "handle", limits_mm: RANGE, wavelength_nm: 632.8, pixel_pitch_um: 5.5, sensor_width_px: 640 };
const MEASURED = {
  measurement: "m001",
  peak_counts: 500,
  d4sigma_x_um: 130.25,
  use: "used",
  flags: [{ code: "low_signal", value: 1, limit: 2 }],
  reasons: ["no light along y"],
};

/** A bench that only answers, and remembers what it was asked. */
function answering(calls: Call[] = []): ProcedureBench {
  const answers: Partial<Record<ToolName, object>> = {
    bench_open: OPENED,
    fit_caustic: { x: { determined: false, why: "too few positions", near: 0, far: 0, positions: 0, flags: [] } },
  };
  return {
    async call(tool, input) {
      calls.push({ tool, input });
      const { z_mm } = input as { z_mm?: number };
      if (z_mm !== undefined && z_mm > RANGE.max) {
        throw new BenchError("out_of_limits", `z_mm = ${z_mm} mm lies outside 0…250 mm`, "Choose another.");
      }
      return { ...MEASURED, z_requested_mm: z_mm, ...answers[tool] } as never;
    },
  };
}

async function run(
  source: string,
  options: Partial<RunProcedureOptions> = {},
  calls: Call[] = [],
): Promise<ProcedureOutcome> {
  return runProcedure(parseProcedure(source), answering(calls), { bench: "bench-1", ...options });
}

/** The first fault of a program, before or while it runs: code, place and words. */
async function faultOf(source: string, options: Partial<RunProcedureOptions> = {}) {
  try {
    const { error } = await run(source, options);
    return error;
  } catch (error) {
    if (error instanceof ProcedureError) return error;
    throw error;
  }
}

describe("faults", () => {
  test.each([
    ["measur_at z = 1 mm", "unknown_verb", 1, 1, 'did you mean "measure_at"?'],
    ["move_to z = 1 mm\nmeasure_at z = 1 mm, expsoure = 1 ms", "unknown_property", 2, 22, 'did you mean "exposure"?'],
    ["measure_at z_mm = 1", "unknown_property", 1, 12, 'expected "z" with a unit after its value'],
    ["measure_at frames = 2", "missing_property", 1, 1, "measure_at lacks z; expected z = 130 mm"],
    ["measure_at z = 130 ms", "wrong_unit", 1, 16, "expected a length"],
    ["measure_at z = 130", "wrong_unit", 1, 16, "expected a length"],
    ["let a = 2 mm\nset_exposure exposure = a", "wrong_unit", 2, 25, "exposure is given a length"],
    ["let a = 1 mm + 2 ms", "wrong_unit", 1, 16, "found a time"],
    ["let a = sqrt(2 mm)", "wrong_unit", 1, 14, "the square root of a length"],
    ["let a = 5 sek", "unknown_unit", 1, 11, 'unknown unit "sek"'],
    ["move_to z = focus", "unknown_name", 1, 13, 'unknown name "focus"'],
    ["let waist = 1 mm\nmove_to z = wiast", "unknown_name", 2, 13, 'did you mean "waist"?'],
    ["let a = sqr(2)", "unknown_function", 1, 9, 'did you mean "sqrt"?'],
    [
      "measure_at z = 1 mm as m\nresult d = m.d4sigma_x_um",
      "unknown_property",
      2,
      14,
      '"d4sigma_x", which carries its unit',
    ],
    ["let a = 1 mm\nlet a = 2 ms", "wrong_type", 2, 5, "was a length (um, mm, m) and becomes a time"],
    ["take_darks exposure = 1 ms, frames = 0", "out_of_range", 1, 38, "expected a whole number from 1 to 100"],
    ["set_exposure exposure = -1 ms", "out_of_range", 1, 25, "expected a number above 0 ms"],
    ['finish verdict = "fine", explanation = "x"', "out_of_range", 1, 18, 'expected one of "iso_compliant"'],
    ["measure_at(1)", "syntax", 1, 11, "arguments without brackets"],
    ["a = 1", "syntax", 1, 1, "expected let a = …"],
    ["let a = 'x'", "syntax", 1, 9, "text in double quotes"],
    ["if 1 {\n}", "wrong_type", 1, 4, "true or false"],
    ["for z in 1 mm to 5 mm {\n}", "missing_property", 1, 18, "has no step"],
    ["if true {\nmove_to z = 1 mm", "syntax", 2, 17, 'expected "}"'],
    ["let limit = 3", "syntax", 1, 5, "is a word of the language"],
  ] as const)("before anything moves: %s", async (source, code, line, column, words) => {
    const calls: Call[] = [];
    const fault = await faultOf(source);
    expect(fault).toMatchObject({ code, line, column });
    expect(fault?.message).toContain(words);
    expect(fault?.message).toMatch(new RegExp(`^line ${line}, column ${column}: `));
    await run(source, {}, calls).catch(() => undefined);
    expect(calls).toEqual([]);
  });

  test.each([
    ["let a = 2\nlet b = 1 / (a - 2)", "division_by_zero", 2, 13, "1 is divided by 0"],
    ["measure_at z = 200 mm + 60 mm", "out_of_range", 1, 16, "z_mm = 260 mm lies outside 0…250 mm"],
    ["let i = 0\nwhile i < 5 limit 3 {\n let i = i + 1\n}", "loop_bound", 2, 7, "ran 3 times"],
    ["for i in 0 to 20000 {\n}", "loop_bound", 1, 15, "expected at most 10000"],
    ["for i in 0 to 5 step 0 {\n}", "loop_bound", 1, 22, "never reaches"],
    ["let a = [1, 2]\nlet b = a[2]", "out_of_range", 2, 11, "a list of 2"],
    ["measure_at z = 1 mm as m\nresult d = m.d4sigma_y", "absent_value", 2, 14, "has no d4sigma_y: no light along y"],
    ["fit_caustic as f\nresult m2 = f.x.m2", "absent_value", 2, 17, "too few positions"],
    ['require 1 > 2, "the beam is gone"', "requirement_failed", 1, 1, "the beam is gone"],
    ["if 1 > 2 {\n let a = 1\n}\nlet b = a", "unknown_name", 4, 9, "has no value here"],
    ["let a = [sqrt(0 - 1)]", "out_of_range", 1, 10, "sqrt has no value there"],
  ] as const)("while it runs: %s", async (source, code, line, column, words) => {
    const fault = await faultOf(source);
    expect(fault).toMatchObject({ code, line, column });
    expect(fault?.message).toContain(words);
  });

  test("all that can be seen is told, in the order of the text", () => {
    const found = checkProcedure(
      parseProcedure("move_to z = 1 ms\nset_exposure exposure = b\nfit_caustic as f\nresult q = f.z.m2"),
    );
    expect(found.map(({ code, line }) => [code, line])).toEqual([
      ["wrong_unit", 1],
      ["unknown_name", 2],
      ["unknown_property", 4],
    ]);
  });

  test("a program has so many steps and no more, and so much time", async () => {
    const endless = "for i in 1 to 5000 {\n for k in 1 to 5000 {\n }\n}";
    expect(await faultOf(endless, { steps: 1000 })).toMatchObject({ code: "step_limit" });
    let now_ms = 0;
    const late = await faultOf("move_to z = 1 mm\nmove_to z = 2 mm", { time_s: 10, now_ms: () => (now_ms += 8000) });
    expect(late).toMatchObject({ code: "time_limit", line: 2 });
  });

  test("an interruption ends it before the next verb, and keeps what there is", async () => {
    const calls: Call[] = [];
    const { error, results } = await run(
      "result a = 1\nmove_to z = 1 mm\nmove_to z = 2 mm",
      { interrupted: () => calls.length > 1 },
      calls,
    );
    expect(error).toMatchObject({ code: "interrupted", line: 3 });
    expect(results).toHaveProperty("a");
    expect(calls).toHaveLength(2);
  });

  test("what is no refusal of the bench passes through", async () => {
    const broken: ProcedureBench = { call: () => Promise.reject(new TypeError("the line is dead")) };
    await expect(runProcedure(parseProcedure("move_to z = 1 mm"), broken, { bench: "b" })).rejects.toThrow(
      "the line is dead",
    );
  });
});

describe("values", () => {
  const result = async (expression: string): Promise<unknown> => {
    const { ok, results, error } = await run(`measure_at z = 12 mm as m\nresult r = ${expression}`);
    expect(error, expression).toBeUndefined();
    expect(ok).toBe(true);
    return results["r"];
  };

  test.each([
    ["2 + 3 * 4 ^ 2", { value: 50, unit: "1" }],
    ["-2 ^ 2", { value: -4, unit: "1" }],
    ["2 ^ -1", { value: 0.5, unit: "1" }],
    ["10 - 3 - 2", { value: 5, unit: "1" }],
    ["1 mm + 250 um", { value: 1.25, unit: "mm" }],
    ["130 um * 7.4 mrad / 2 in um", { value: 0.481, unit: "um" }],
    ["3 mm * 4 mm", { value: 12, unit: "mm^2" }],
    ["sqrt((3 mm)^2 + (4 mm)^2)", { value: 5, unit: "mm" }],
    ["20 mm / 4 s", { value: 0.005, unit: "mm/ms" }],
    ["m.d4sigma_x", { value: 130.25, unit: "um" }],
    ["m.peak / 2", { value: 250, unit: "counts" }],
    ["bench.sensor_width * bench.pixel_pitch / 1 px in mm", { value: 3.52, unit: "mm" }],
    ["70 % * 4095 counts", { value: 2866.5, unit: "counts" }],
    [
      "[z * 2 for z in linspace(1 mm, 3 mm, 3) if z > 1 mm]",
      [
        { value: 4, unit: "mm" },
        { value: 6, unit: "mm" },
      ],
    ],
    ["[5, 6, 7][-1]", { value: 7, unit: "1" }],
    ["index_of_min([3 mm, 1 mm, 2 mm])", { value: 1, unit: "1" }],
    ["round(12.26 mm, 0.5 mm)", { value: 12.5, unit: "mm" }],
    ["median([1, 9, 2, 3])", { value: 2.5, unit: "1" }],
    ['has_flag(m, "low_signal") and not has_flag(m, "saturated")', true],
    ['known(m.d4sigma_y) or m.use == "used"', true],
    ["known(m.d4sigma_y)", false],
  ])("%s", async (expression, wanted) => {
    expect(await result(expression)).toEqual(wanted);
  });

  test("loops reach an end that only rounding misses, names keep answers, lists grow", async () => {
    const calls: Call[] = [];
    const { results } = await run(
      'for z in 0.1 mm to 0.3 mm step 0.1 mm {\n measure_at z = z, frames = 2 into all\n}\nresult n = len(all)\nresult last = all[-1].z_requested\nfinish verdict = "measurement_failed", m2_x = uncertain(1.2, 0.1), fault = "none", explanation = "test"',
      { title: "my scan" },
      calls,
    );
    expect(results).toEqual({ n: { value: 3, unit: "1" }, last: { value: 0.3, unit: "mm" } });
    expect(calls.map(({ tool }) => tool)).toEqual(["bench_open", "measure_at", "measure_at", "measure_at", "finish"]);
    expect(calls[1]?.input).toEqual({ run: "handle", z_mm: 0.1, frames: 2, reason: "my scan, line 2" });
    expect(calls[4]?.input).toMatchObject({ m2_x: { value: 1.2, u: 0.1 }, fault: { kind: "none" } });
  });

  test("and and or look no further than they must", async () => {
    expect(await result("1 > 2 and 1 / 0 > 1")).toBe(false);
    expect(await result("1 < 2 or 1 / 0 > 1")).toBe(true);
  });
});

describe("any text", () => {
  const WORDS = (
    "let result for in to step while limit if else require and or not true as into measure_at move_to fit_caustic z exposure frames a b m " +
    '( ) [ ] { } = == < + - * / ^ . , "x" 1 2.5 130 mm ms um counts % \n \n #c linspace len sqrt known bench . @ \' :'
  ).split(/ /);

  /** A small deterministic generator (a linear congruence modulo 2³¹ − 1). */
  function* numbers(seed: number): Generator<number, never> {
    for (let state = seed; ; ) {
      state = (state * 48_271) % 2_147_483_647;
      yield state;
    }
  }

  test("ends in an outcome or in a fault with a place inside the text, always the same", async () => {
    const draw = numbers(2026);
    let programs = 0;
    for (let i = 0; i < 1500; i++) {
      const words = Array.from(
        { length: 1 + (draw.next().value % 14) },
        () => WORDS[draw.next().value % WORDS.length] ?? "",
      );
      const source = words.join(" ");
      const fault = await faultOf(source, { steps: 500 });
      if (fault === undefined) {
        programs += 1;
        continue;
      }
      const lines = source.split("\n");
      expect(fault.line, source).toBeGreaterThanOrEqual(1);
      expect(fault.line, source).toBeLessThanOrEqual(lines.length);
      expect(fault.column, source).toBeGreaterThanOrEqual(1);
      expect(fault.column, source).toBeLessThanOrEqual((lines[fault.line - 1]?.length ?? 0) + 1);
      expect((await faultOf(source, { steps: 500 }))?.message).toBe(fault.message);
    }
    expect(programs).toBeGreaterThan(0);
  });

  test("a number keeps its value through any unit of its dimension", async () => {
    const draw = numbers(7);
    for (let i = 0; i < 200; i++) {
      const value = Number(`${1 + (draw.next().value % 999)}.${1 + (draw.next().value % 9)}`);
      for (const [written, told] of [
        ["mm", "um"],
        ["um", "mm"],
        ["m", "nm"],
        ["ms", "s"],
        ["deg", "mrad"],
      ]) {
        const { results } = await run(`result r = (${value} ${written} in ${told}) in ${written}`);
        expect(results["r"]).toEqual({ value, unit: written });
      }
    }
  });

  test("brackets nested without end are a fault, not a crash", async () => {
    expect(await faultOf(`let a = ${"(".repeat(5000)}1`)).toMatchObject({ code: "syntax" });
    expect(await faultOf(`let a = ${"not ".repeat(5000)}true`)).toMatchObject({ code: "syntax" });
    expect(await faultOf(`let a = ${"1 + ".repeat(20_000)}1`)).toMatchObject({ code: "syntax" });
    expect(await faultOf("x".repeat(200_000))).toMatchObject({ code: "syntax" });
  });
});
