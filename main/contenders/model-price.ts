import type { TokensByKind } from "../contract/model-usage.ts";
import type { Price } from "../contract/plan.ts";

/** USD per million tokens, by the kind of token. Reasoning is priced as output, of which it is a part. */
export type TokenPrice = Pick<Price, "input" | "cached_input" | "cache_write" | "output">;

const PER_MILLION = 1e-6;

/** USD. */
export function costOf(tokens: TokensByKind, price: TokenPrice): number {
  const { input, cached_input, cache_write, output } = tokens;
  return (
    PER_MILLION *
    (input * price.input + cached_input * price.cached_input + cache_write * price.cache_write + output * price.output)
  );
}

/** The price of a model by its exact name; undefined where the table does not have it, since a guess would be worse. */
export function priceOf(model: string, table: readonly Price[]): Price | undefined {
  return table.find((price) => price.model === model);
}

/** What an input token can cost at most. */
export function dearestInput(price: TokenPrice): number {
  return Math.max(price.input, price.cached_input, price.cache_write);
}
