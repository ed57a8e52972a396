import { describe, expect, it } from "vitest";
import { RunMeans } from "./model-means.ts";
import { costOf, dearestInput, priceOf } from "./model-price.ts";

const LIMITS = { model_calls: 3, tokens: 100_000, usd_per_run: 0.5 };
const PRICE = { input: 3, cached_input: 0.3, cache_write: 3.75, output: 15 };
const used = (fields: object) => ({
  input: 0,
  cached_input: 0,
  cache_write: 0,
  output: 0,
  reasoning: 0,
  ...fields,
});
const NO_RESERVATION = { input: 0, output: 0 };

describe("cost", () => {
  it("is that of each kind of token, and reasoning is output", () => {
    const tokens = used({ input: 1000, cached_input: 20_000, cache_write: 3000, output: 500, reasoning: 400 });
    // 0.003 + 0.006 + 0.01125 + 0.0075
    expect(costOf(tokens, PRICE)).toBeCloseTo(0.02775, 12);
    expect(dearestInput(PRICE)).toBe(3.75);
  });

  it("is of the very model, not of one with a similar name", () => {
    const table = [{ ...PRICE, model: "able-2", as_of: "2026-12-01" }];
    expect(priceOf("able-2", table)?.output).toBe(15);
    expect(priceOf("able-2-20261101", table)).toBeUndefined();
  });
});

describe("means of a run", () => {
  it("give leave for the longest answer while there is plenty", () => {
    expect(new RunMeans(LIMITS, PRICE).leave(10_000)).toEqual({ max_output_tokens: 16_000 });
  });

  it("cut the answer to what the money pays, at the dearest reading of the request", () => {
    // 0.5 − 80 000 × 3.75e-6 = 0.2, which is 13 333 tokens at 15e-6.
    expect(new RunMeans(LIMITS, PRICE).leave(80_000)).toEqual({ max_output_tokens: 13_333 });
    expect(new RunMeans(LIMITS, undefined).leave(80_000)).toEqual({ max_output_tokens: 16_000 });
  });

  it("end where an answer would not be paid any more", () => {
    const means = new RunMeans(LIMITS, PRICE);
    means.settle(used({ output: 30_000 }), NO_RESERVATION);
    expect(means.leave(10_000)).toMatchObject({ exhausted: expect.stringContaining("$0.4500 are spent") as string });
    expect(means.leave(1000)).toEqual({ max_output_tokens: 3083 });
  });

  it("count cached tokens against the limit of tokens", () => {
    const means = new RunMeans(LIMITS, undefined);
    means.settle(used({ cached_input: 95_000 }), NO_RESERVATION);
    expect(means.leave(3000)).toEqual({ max_output_tokens: 2000 });
    expect(means.leave(4500)).toMatchObject({ exhausted: expect.stringContaining("of 100000 tokens 95000") as string });
  });

  it("end after their calls", () => {
    const means = new RunMeans(LIMITS, PRICE);
    for (let i = 0; i < 3; i++) means.settle(used({ output: 1 }), NO_RESERVATION);
    expect(means.leave(10)).toMatchObject({ exhausted: "all 3 model calls are used" });
  });

  it("know no cost without a price, and no use after an answer that did not tell its own", () => {
    const unpriced = new RunMeans(LIMITS, undefined);
    unpriced.settle(used({ output: 5 }), NO_RESERVATION);
    expect(unpriced.usage()).toEqual({ model_calls: 1, tokens: used({ output: 5 }) });
    const unmetered = new RunMeans(LIMITS, PRICE);
    unmetered.settle(used({ output: 5 }), NO_RESERVATION);
    unmetered.settle(undefined, { input: 90_000, output: 5000 });
    expect(unmetered.usage()).toEqual({ model_calls: 2 });
    // What was reserved for it counts all the same.
    expect(unmetered.leave(5000)).toHaveProperty("exhausted");
  });

  it("set aside what a request without an answer may have cost, and do not report it", () => {
    const means = new RunMeans(LIMITS, PRICE);
    means.mayHaveCost({ input: 10_000, output: 16_000 });
    expect(means.usage()).toMatchObject({ model_calls: 0, usd: 0 });
    expect(means.leave(10_000)).toEqual({ max_output_tokens: 12_833 });
  });

  it("let a model that costs nothing run to its other limits", () => {
    const free = { input: 0, cached_input: 0, cache_write: 0, output: 0 };
    const means = new RunMeans(LIMITS, free);
    expect(means.leave(10_000)).toEqual({ max_output_tokens: 16_000 });
    expect(means.usage().usd).toBe(0);
  });
});
