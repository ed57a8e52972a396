import { describe, expect, it } from "vitest";
import { holm } from "./holm.ts";
import { exactMcNemar } from "./mcnemar.ts";
import { pairedBootstrap } from "./paired-bootstrap.ts";
import { signFlip } from "./sign-flip.ts";
import { passHatK } from "./pass-hat-k.ts";
import { wilsonInterval } from "./wilson-interval.ts";

describe("Wilson's interval", () => {
  it.each([
    [16, 16, 0.806, 1],
    [4, 4, 0.51, 1],
    [0, 10, 0, 0.278],
    [8, 10, 0.49, 0.943],
  ])("of %d in %d runs from %d to %d", (successes, trials, low, high) => {
    const rate = wilsonInterval(successes, trials);
    expect(rate?.low).toBeCloseTo(low, 2);
    expect(rate?.high).toBeCloseTo(high, 2);
  });
  it("is not there without trials", () => expect(wilsonInterval(0, 0)).toBeUndefined());
});

describe("the exact McNemar test", () => {
  const pairs = (first: number, second: number, both = 3) => [
    ...Array.from({ length: first }, () => ({ first: true, second: false })),
    ...Array.from({ length: second }, () => ({ first: false, second: true })),
    ...Array.from({ length: both }, () => ({ first: true, second: true })),
  ];
  it.each([
    [5, 0, 0.0625],
    [6, 0, 0.03125],
    [1, 9, 0.021484375],
    [4, 4, 1],
    [0, 0, 1],
  ])("with %d against %d gives %d", (first, second, p) => {
    expect(exactMcNemar(pairs(first, second)).p).toBeCloseTo(p, 10);
  });
});

describe("the paired bootstrap", () => {
  const differences = Array.from({ length: 40 }, (_, i) => 1 + 0.5 * Math.sin(i * 12.9898));
  it("holds the mean in an interval of about ± 1.96 standard errors", () => {
    const interval = pairedBootstrap(differences, 7);
    const mean = differences.reduce((a, b) => a + b, 0) / 40;
    const u = Math.sqrt(differences.reduce((a, b) => a + (b - mean) ** 2, 0) / 40 / 40);
    expect(interval?.meanDifference).toBeCloseTo(mean, 12);
    expect((interval?.high ?? 0) - (interval?.low ?? 0)).toBeGreaterThan(1.7 * 2 * u);
    expect((interval?.high ?? 0) - (interval?.low ?? 0)).toBeLessThan(2.2 * 2 * u);
  });
  it("is the same for the same seed and another for another", () => {
    expect(pairedBootstrap(differences, 7)).toEqual(pairedBootstrap(differences, 7));
    expect(pairedBootstrap(differences, 8)).not.toEqual(pairedBootstrap(differences, 7));
  });
  it("finds a difference that is there, and none where the signs are even", () => {
    expect(pairedBootstrap(differences, 7)?.low).toBeGreaterThan(0);
    const even = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 1 : -1));
    expect(pairedBootstrap(even, 7)?.low).toBeLessThan(0);
    expect(pairedBootstrap(even, 7)?.high).toBeGreaterThan(0);
  });
  it("is not there for one case", () => expect(pairedBootstrap([1], 7)).toBeUndefined());
});

describe("the sign-flip test", () => {
  it.each([
    // All one way: 2 of 2^n assignments.
    [[2, 1, 0, 4, 1], 2 / 16],
    [[3, 3, 3, 3, 3], 2 / 32],
    [[1, 1, 1, 1, 1, 1, 1, 1, 1, -1], 22 / 1024],
    [[1, -1], 1],
    [[0, 0], 1],
    [[5], 1],
    // Sums of 6 and 4 out of 1 + 2 + 3: 6, 4, 2, 0, 0, −2, −4, −6.
    [[3, 2, -1], 4 / 8],
  ])("of %j gives %d", (differences, p) => expect(signFlip(differences, 7)).toBeCloseTo(p, 12));
  it("draws signs where there are many, and agrees with the normal approximation", () => {
    const many = Array.from({ length: 100 }, (_, i) => (i < 62 ? 1 : -1));
    // z = 24 / 10, with the correction for steps of 2: z = 2.3.
    expect(signFlip(many, 7)).toBeGreaterThan(0.016);
    expect(signFlip(many, 7)).toBeLessThan(0.027);
    expect(
      signFlip(
        Array.from({ length: 100 }, () => 1),
        7,
      ),
    ).toBe(1e-4);
  });
  it("is the same whichever side is first", () =>
    expect(signFlip([0.1, 0.2, -0.3, 0.7], 7)).toBe(signFlip([-0.1, -0.2, 0.3, -0.7], 7)));
});

describe("Holm's adjustment", () => {
  it("counts tests that were planned and have no data", () => {
    expect(holm([0.01, 0.04], 3)).toEqual([0.03, 0.08]);
  });
  it("steps down and never falls", () => {
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
  });
  it("stays below one", () => expect(holm([0.6, 0.7])).toEqual([1, 1]));
});

describe("pass^k", () => {
  it("is the chance that all k of n succeed", () => {
    expect(passHatK(3, 4, 2)).toBeCloseTo(0.5, 12);
    expect(passHatK(4, 4, 4)).toBe(1);
    expect(passHatK(1, 4, 2)).toBe(0);
    expect(passHatK(4, 4, 5)).toBeUndefined();
  });
});
