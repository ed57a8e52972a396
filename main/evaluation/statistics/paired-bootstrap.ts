import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Interval of a mean paired difference. */
export interface BootstrapInterval {
  readonly cases: number;
  readonly meanDifference: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Percentile bootstrap of the mean of paired differences, the cases being the units that are drawn with replacement.
 * Deterministic for a seed. Undefined for fewer than two cases, of which no spread can be known.
 *
 * Source: B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), 13.3.
 */
export function pairedBootstrap(
  differences: readonly number[],
  seed: number,
  level = 0.95,
  resamples = 2000,
): BootstrapInterval | undefined {
  const n = differences.length;
  if (n < 2) return undefined;
  const generator = xoroshiro128plus(seed);
  const means = new Float64Array(resamples);
  for (let r = 0; r < resamples; r++) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += differences[uniformInt(generator, 0, n - 1)] ?? 0;
    means[r] = sum / n;
  }
  means.sort();
  const at = (share: number) => means[Math.min(resamples - 1, Math.max(0, Math.round(share * (resamples - 1))))] ?? 0;
  const tail = (1 - level) / 2;
  return {
    cases: n,
    meanDifference: differences.reduce((sum, value) => sum + value, 0) / n,
    low: at(tail),
    high: at(1 - tail),
  };
}
