import { expect, test } from "vitest";
import { fixed, percent, plusMinus, significant, withUncertainty } from "./format.ts";

test("what rounds to zero has no sign", () => {
  expect(fixed(-0.04, 1)).toBe("0.0");
  expect(fixed(-0, 2)).toBe("0.00");
  expect(percent(-0.00001, 2)).toBe("0.00\u202f%");
  expect(significant(-0, 3)).not.toContain("\u2212");
});

test("a negative number has a true minus sign", () => {
  expect(fixed(-0.06, 1)).toBe("\u22120.1");
  expect(fixed(-10, 0)).toBe("\u221210");
});

test("two digits of the uncertainty decide about the digits of both", () => {
  expect(withUncertainty(1.200713, 0.000678)).toEqual({ value: "1.20071", u: "0.00068" });
  expect(withUncertainty(1185.4, 11)).toEqual({ value: "1185", u: "11" });
  expect(plusMinus(682.4449, 0.6649)).toBe("682.44\u202f±\u202f0.66");
  expect(withUncertainty(5, undefined)).toEqual({ value: "5.000", u: undefined });
});
