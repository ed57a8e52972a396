import type { Frame } from "../../../drivers/protocol/frame.ts";

/** The brightest pixels that are passed over: a single hot pixel shall not decide. */
const PASSED_OVER_SHARE = 2e-5;

/** Counts that all but the very brightest pixels stay below. */
export function brightest_counts({ samples, bitDepth }: Frame): number {
  const levels = new Uint32Array(2 ** bitDepth);
  for (const value of samples) levels[value] = (levels[value] ?? 0) + 1;
  let above = Math.ceil(samples.length * PASSED_OVER_SHARE);
  for (let level = levels.length - 1; level > 0; level--) {
    above -= levels[level] as number;
    if (above <= 0) return level;
  }
  return 0;
}
