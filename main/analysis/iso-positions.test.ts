import { describe, expect, test } from "vitest";
import { checkIsoPositions, distinctPositions } from "./iso-positions.ts";

const NEAR = [-0.9, -0.5, 0, 0.5, 0.9];
const FAR = [-3, -2.5, 2.2, 2.6, 3.1];
const at = (multiples: readonly number[]) => multiples.map((k) => 100 + 20 * k);
const check = (multiples: readonly number[]) => checkIsoPositions(at(multiples), 100, 20);

describe("ISO position rule", () => {
  test("five near and five far are complete", () => {
    expect(check([...NEAR, ...FAR])).toEqual({ positions: 10, near: 5, far: 5, complete: true, missing: [] });
  });

  test("both bounds count as inside", () => {
    expect(check([-1, 1, -2, 2])).toMatchObject({ near: 2, far: 2 });
    expect(check([-1.0001, 1.0001, -1.9999, 1.9999])).toMatchObject({ near: 0, far: 0 });
  });

  test("positions between one and two Rayleigh lengths count in neither half", () => {
    const result = check([...NEAR.slice(1), ...FAR, 1.5, -1.5]);
    expect(result).toMatchObject({ positions: 11, near: 4, far: 5, complete: false });
    expect(result.missing).toEqual(["1 more within one Rayleigh length of the waist (between 80 and 120 mm): 4 of 5"]);
  });

  test("each missing half is named with where it lies", () => {
    expect(check(NEAR).missing).toEqual([
      "5 more beyond two Rayleigh lengths (below 60 or above 140 mm): 0 of 5",
      "5 more positions in all: 5 of 10",
    ]);
    expect(check([]).complete).toBe(false);
  });

  test("all far positions on one side are allowed", () => {
    expect(check([...NEAR, 2.1, 2.4, 2.7, 3, 3.3]).complete).toBe(true);
  });
});

describe("distinct positions", () => {
  test("repeats count once", () => {
    expect(distinctPositions([3, 1, 2, 1, 3])).toEqual([1, 2, 3]);
    expect(distinctPositions([])).toEqual([]);
    expect(distinctPositions([7, 7])).toEqual([7]);
  });

  test("the stage's repeatability decides what a repeat is", () => {
    expect(distinctPositions([100, 100.003, 100.007, 100.02, 101], 0.002)).toEqual([100, 100.02, 101]);
    expect(distinctPositions([100, 100.003, 100.007, 100.02, 101], 0)).toHaveLength(5);
    expect(distinctPositions([100, 100.003, 100.007, 100.02, 250], 0)).toEqual([100, 100.02, 250]);
  });

  test("micrometre steps of a tight focus are distinct", () => {
    expect(distinctPositions([0, 0.001, 0.002, 0.003])).toHaveLength(4);
  });
});
