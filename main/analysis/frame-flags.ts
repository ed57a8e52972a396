import type { FrameFlagCode } from "../contract/vocabulary.ts";
import type { FrameFlag } from "./frame-analysis.ts";

/** Flags and the sentences that go with them, in the order they were raised. */
export class FlagList {
  readonly flags: FrameFlag[] = [];
  readonly reasons: string[] = [];
  /** Codes that were raised as remarks: they lower the grade and refuse nothing. */
  readonly remarks = new Set<FrameFlagCode>();
  /** Every flag with its sentence. */
  readonly findings: { readonly flag: FrameFlag; readonly reason: string }[] = [];

  raise(code: FrameFlagCode, value: number, limit: number, reason: string): void {
    const flag = { code, value, limit };
    this.flags.push(flag);
    this.reasons.push(reason);
    this.findings.push({ flag, reason });
  }

  /** Raises a flag that lowers the grade to `usable` and no further. */
  remark(code: FrameFlagCode, value: number, limit: number, reason: string): void {
    this.raise(code, value, limit, reason);
    this.remarks.add(code);
  }

  has(code: FrameFlagCode): boolean {
    return this.flags.some((flag) => flag.code === code);
  }
}

/** Peak above background below this share of full scale: `low_signal`. */
export const LOW_SIGNAL_SHARE = 0.1;
/** A width below this many pixels: `too_few_pixels`. */
export const FEWEST_PIXELS = 10;
/** Share of saturated pixels in the area: `saturated`. */
export const SATURATED_SHARE = 1e-4;
/** Light at the sensor's edge as a share of the peak, and in deviations of its mean: `clipped`. */
export const EDGE_SHARE = 5e-3;
export const EDGE_SIGMAS = 3;
/** Offset outside the area that a dark leaves, in counts and in deviations of its mean: `background_stale`. */
export const STALE_COUNTS = 0.5;
export const STALE_SIGMAS = 3;

/** A share in per cent with two digits that count: 0.0123 → "1.2 %", 1.3 → "130 %". */
export function percent(share: number): string {
  const value = 100 * share;
  return `${Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(2))} %`;
}
