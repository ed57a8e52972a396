import { describe, expect, it } from "vitest";
import { FormulaError, reckon, valueAt } from "./expression.ts";

const names = { fit: { x: { d0_um: 130, m2: 1.2 }, word: "second_spot" }, list: [{ z: 5 }, { z: 7 }], m: { v: -3 } };

describe("formulas", () => {
  it.each([
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["2 ^ 3 ^ 2", 512],
    ["-2 ^ 2", -4],
    ["2 ^ -1", 0.5],
    ["8 / 4 / 2", 1],
    ["7 - 4 - 2", 1],
    ["1.5e3 * 2", 3000],
    ["hypot(3, 4) + max(1, 2, 3)", 8],
    ["sqrt(fit.x.d0_um + 14)", 12],
    ["list.1.z - list.0.z", 2],
    ["-(m.v)", 3],
    ["pi / pi", 1],
  ])("%s is %d", (formula, value) => {
    expect(reckon(formula, names)).toBeCloseTo(value, 12);
  });

  it("hands a word on where the formula is its path alone", () => {
    expect(reckon(" fit.word ", names)).toBe("second_spot");
  });

  it.each([
    ["fit.y.m2", /fit\.y\.m2 is not known/],
    ["fit.x", /fit\.x is no number/],
    ["fit.word + 1", /fit\.word is no number/],
    ["1 +", /expected a value and not its end/],
    ["(1 + 2", /bracket is not closed/],
    ["1 2", /expected an end and not "2"/],
    ["1 / 0", /no finite number/],
    ["1 % 2", /cannot be read from " % 2" on/],
    ["constructor", /not known/],
    ["fit.__proto__.x", /not known/],
  ])("%s is refused", (formula, words) => {
    expect(() => reckon(formula, names)).toThrow(FormulaError);
    expect(() => reckon(formula, names)).toThrow(words);
  });

  it("finds nothing beyond what an object has itself", () => {
    expect(valueAt(names, "list.length.toString")).toBeUndefined();
    expect(valueAt(names, "toString")).toBeUndefined();
  });
});
