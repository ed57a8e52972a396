import { describe, expect, test } from "vitest";
import { type Equation, quadraticForm, solveLeastSquares } from "./caustic-least-squares.ts";
import { largestByChance, studentCoverage, studentFactor } from "./caustic-student.ts";

describe("three unknowns by least squares", () => {
  test("a worked line of four equations", () => {
    // Residuals of (1, 1, 1, −1) direction are orthogonal to the columns: x = (2, 3, 5), residual ±1 each.
    const rows: Equation["row"][] = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [1, 1, 1],
    ];
    const noise = [1, 1, 1, -1];
    const solution = solveLeastSquares(
      rows.map((row, i) => ({ row, value: 2 * row[0] + 3 * row[1] + 5 * row[2] + (noise[i] as number) })),
    );
    expect(solution?.x[0]).toBeCloseTo(2, 12);
    expect(solution?.x[1]).toBeCloseTo(3, 12);
    expect(solution?.x[2]).toBeCloseTo(5, 12);
    expect(solution?.residualSquares).toBeCloseTo(4, 12);
    // AᵀA = I + ones, so its inverse is I − ones/4.
    const expected = [0.75, -0.25, -0.25, 0.75, -0.25, 0.75];
    solution?.inverse.forEach((value, i) => expect(value).toBeCloseTo(expected[i] as number, 12));
  });

  test("columns of very different size keep their digits", () => {
    const equations = [-1, -0.3, 0.2, 0.7, 1].map((t): Equation => {
      const row: Equation["row"] = [1, 1e9 * t, 1e-9 * t * t];
      return { row, value: 3 * row[0] - 2e-9 * row[1] + 4e9 * row[2] };
    });
    const x = solveLeastSquares(equations)?.x;
    expect(x?.[0]).toBeCloseTo(3, 12);
    expect((x?.[1] ?? 0) * 1e9).toBeCloseTo(-2, 12);
    expect((x?.[2] ?? 0) * 1e-9).toBeCloseTo(4, 12);
  });

  test("dependent, too few or non-finite equations have no solution", () => {
    const same: Equation = { row: [1, 2, 3], value: 1 };
    expect(solveLeastSquares([same, same])).toBeUndefined();
    expect(solveLeastSquares([same, same, same, same])).toBeUndefined();
    expect(solveLeastSquares([same, { row: [1, 0, 0], value: 1 }, { row: [0, 0, 0], value: 1 }])).toBeUndefined();
    const good: Equation[] = [
      { row: [1, 0, 0], value: 1 },
      { row: [0, 1, 0], value: 1 },
      { row: [0, 0, 1], value: Number.NaN },
    ];
    expect(solveLeastSquares(good)).toBeUndefined();
  });

  test("the quadratic form uses the whole matrix", () => {
    expect(quadraticForm([1, 2, 3, 4, 5, 6], [1, 10, 100])).toBe(1 + 400 + 60000 + 2 * (20 + 300 + 5000));
  });
});

describe("Student's t", () => {
  test("published two-sided 95 % points", () => {
    for (const [freedom, x] of [
      [1, 12.7062],
      [2, 4.30265],
      [5, 2.57058],
      [10, 2.22814],
      [17, 2.10982],
      [30, 2.04227],
    ] as const) {
      expect(studentCoverage(x, freedom)).toBeCloseTo(0.95, 5);
    }
  });

  test("half-width of the 68.27 % interval: 1.84, 1.32, 1.20, 1.05 and 1 (GUM, table G.2)", () => {
    const factors = [1, 2, 3, 10, 1000].map((freedom) => studentFactor(freedom).toFixed(2));
    expect(factors).toEqual(["1.84", "1.32", "1.20", "1.05", "1.00"]);
  });

  test("published 90 % points of χ²", () => {
    for (const [freedom, chi2] of [
      [2, 4.605],
      [7, 12.017],
      [12, 18.549],
      [30, 40.256],
    ] as const) {
      expect(Math.abs(largestByChance(freedom) / (chi2 / freedom) - 1)).toBeLessThan(0.011);
    }
  });
});
