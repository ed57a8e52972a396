import type { CausticPoint } from "./caustic-types.ts";

/** Half-length of the integration area over the full width (ISO 11146-1:2021, 7: three times the width). */
const HALF_AREA = 1.5;

/**
 * Correlation of the errors that one dark's noise gives to two widths along the same axis; 0 for different darks.
 *
 * The error of σ² by pixel noise n is Σ (x² − σ²) n / P over the area of 3 dx × 3 dy. Two areas about the same centre see
 * the same pixels where they overlap, a rectangle of half-lengths (a, b), and white noise makes the covariance
 * ∫∫ (x² − σ1²)(x² − σ2²) = 4ab (a⁴/5 − (σ1² + σ2²) a²/3 + σ1²σ2²). 1 for equal beams, 0.39 for widths as 1 to 1.35 in both
 * axes, 0.11 for 1 to 2.
 */
export function darkCorrelation(one: CausticPoint, other: CausticPoint): number {
  if (one.dark === undefined || other.dark === undefined || one.dark.id !== other.dark.id) return 0;
  const first = { along: one.d_um, across: one.dark.across_um };
  const second = { along: other.d_um, across: other.dark.across_um };
  const own = overlap(first, first) * overlap(second, second);
  return own > 0 ? overlap(first, second) / Math.sqrt(own) : 0;
}

interface Widths {
  readonly along: number;
  readonly across: number;
}

function overlap(one: Widths, other: Widths): number {
  const a = HALF_AREA * Math.min(one.along, other.along);
  const b = HALF_AREA * Math.min(one.across, other.across);
  const [s, t] = [(one.along / 4) ** 2, (other.along / 4) ** 2];
  return a * b * (a ** 4 / 5 - ((s + t) * a * a) / 3 + s * t);
}
