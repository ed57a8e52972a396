import { describe, expect, test } from "vitest";
import type { ProcedureAssertion } from "../../contract/procedure-task.ts";
import { quantityFrom, type Value } from "../../procedures/values.ts";
import { judge, perturbed } from "./assertions.ts";
import { mutated, without } from "./edit-program.ts";

const length = (value_mm: number): Value => quantityFrom(value_mm, "mm") ?? { kind: "truth", value: false };
const state = new Map<string, Value>([
  ["z", length(130.004)],
  ["verdict", { kind: "text", text: "good" }],
  ["done", { kind: "truth", value: true }],
  ["n", quantityFrom(3, undefined) ?? { kind: "truth", value: false }],
]);
const about = (more: Partial<ProcedureAssertion>): ProcedureAssertion => ({
  expr: "z",
  value: 130,
  unit: "mm",
  line: 1,
  ...more,
});
const passes = (more: Partial<ProcedureAssertion>): boolean => judge(about(more), state).passed;

describe("assertions", () => {
  test("tolerances are absolute, relative, or nine digits", () => {
    expect(passes({ tol: 0.005 })).toBe(true);
    expect(passes({ tol: 0.003 })).toBe(false);
    expect(passes({ rtol: 1e-4 })).toBe(true);
    expect(passes({})).toBe(false);
    expect(passes({ value: 130.004 })).toBe(true);
    expect(passes({ value: 130_004, unit: "um" })).toBe(true);
  });

  test("a quantity of another dimension, a missing name and another kind are no agreement", () => {
    expect(passes({ unit: "ms", tol: 1000 })).toBe(false);
    expect(passes({ expr: "n", value: 3, tol: 1 })).toBe(false);
    expect(judge(about({ expr: "w" }), state)).toMatchObject({
      passed: false,
      got: expect.stringContaining('"w" has no value') as string,
    });
    expect(passes({ expr: "verdict", value: "good" })).toBe(true);
    expect(passes({ expr: "verdict", value: 1 })).toBe(false);
    expect(passes({ expr: "done and n == 3", value: true })).toBe(true);
  });

  test("a perturbed value lies outside the tolerance of what holds", () => {
    for (const more of [{ tol: 0.5 }, { rtol: 0.2 }, { value: 130.004 }, { expr: "n", value: 3, tol: 1 }] as const) {
      const assertion = about(more);
      for (const other of perturbed(assertion)) expect(judge(other, state).passed, JSON.stringify(other)).toBe(false);
    }
    // A tolerance of three tenths of the value leaves room for a wrong value one tolerance off, and not for three.
    expect(perturbed(about({ tol: 39 })).map(({ value }) => value)).toEqual([13, 247]);
    expect(perturbed(about({ expr: "done", value: true }))[0]?.value).toBe(false);
  });
});

describe("edits of a program", () => {
  const program =
    "measure_at z = 1 mm, frames = 2, exposure = 3 ms as m\nfor i in 1 to 2 {\n  move_to z = i * 5 mm\n}\nresult r = m.peak in counts\n";

  test("one argument, the first or the last, or a whole statement goes; line numbers stay", () => {
    expect(without(program, 1, "z").split("\n")[0]).toBe("measure_at frames = 2, exposure = 3 ms as m");
    expect(without(program, 1, "exposure").split("\n")[0]).toBe("measure_at z = 1 mm, frames = 2 as m");
    expect(
      without(program, 3)
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual([...program.split("\n").slice(0, 2), "", "}", "result r = m.peak in counts", ""]);
    expect(without(program, 2).split("\n")).toHaveLength(program.split("\n").length);
    expect(() => without(program, 4)).toThrow("no statement begins on line 4");
    expect(() => without(program, 1, "reason")).toThrow("has no reason");
  });

  test("every number and every result changes", () => {
    expect(mutated(program)).toBe(
      "measure_at z = 1.1 mm, frames = 3, exposure = 3.3 ms as m\nfor i in 2 to 3 {\n  move_to z = i * 5.5 mm\n}\nresult r = 1.1 * (m.peak in counts)\n",
    );
  });
});
