import type { Measurement } from "../contract/tools.ts";
import { type WidthPoint, fitParabola } from "./parabola.ts";

/** A caustic with honest uncertainties has χ²/ν near 1; above this it is not one caustic. */
const POOR_CHI2_NDF = 4;
/** At most this share of the positions may be called disturbed; beyond it nothing is left to compare them with. */
const LARGEST_SHARE = 0.45;
const FEWEST_LEFT = 6;

/**
 * The shortest run of neighbouring positions without which both axes are good caustics. Undefined where there is none.
 * The points of both axes belong to the same measurements in the same order.
 */
export function disturbedRange(
  x: readonly WidthPoint[],
  y: readonly WidthPoint[],
): { from_mm: number; to_mm: number } | undefined {
  const order = x.map((_, i) => i).sort((a, b) => (x[a]?.z_mm ?? 0) - (x[b]?.z_mm ?? 0));
  const pick = (points: readonly WidthPoint[], keep: readonly number[]) =>
    keep.map((i) => points[i]).filter((point) => point !== undefined);
  let best: { from: number; to: number; length: number; chi2: number } | undefined;
  const longest = Math.min(Math.floor(LARGEST_SHARE * order.length), order.length - FEWEST_LEFT);
  for (let length = 1; length <= longest && best === undefined; length++) {
    for (let start = 0; start + length <= order.length; start++) {
      const keep = order.filter((_, place) => place < start || place >= start + length);
      const chi2 = Math.max(
        fitParabola(pick(x, keep))?.chi2_ndf ?? Number.POSITIVE_INFINITY,
        fitParabola(pick(y, keep))?.chi2_ndf ?? Number.POSITIVE_INFINITY,
      );
      if (chi2 < POOR_CHI2_NDF && (best === undefined || chi2 < best.chi2)) {
        best = { from: start, to: start + length - 1, length, chi2 };
      }
    }
  }
  if (best === undefined) return undefined;
  const from_mm = x[order[best.from] ?? 0]?.z_mm;
  const to_mm = x[order[best.to] ?? 0]?.z_mm;
  return from_mm === undefined || to_mm === undefined ? undefined : { from_mm, to_mm };
}

/** Smallest drift that a person would call one, over the whole run, in pixels. */
const VISIBLE_DRIFT_PX = 8;
/** How many times its own uncertainty a drift must be. */
const SIGNIFICANCE = 8;

/** Slope of `values` against the order of measurement, with the part that goes with z taken out. */
function slopeInTime(values: readonly number[], z_mm: readonly number[]): { slope: number; u: number } | undefined {
  const n = values.length;
  if (n < 6) return undefined;
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / n;
  const centred = (list: readonly number[]) => {
    const middle = mean(list);
    return list.map((value) => value - middle);
  };
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
  const time = centred(values.map((_, i) => i));
  const place = centred(z_mm);
  const value = centred(values);
  const tt = dot(time, time);
  const pp = dot(place, place);
  const tp = dot(time, place);
  const determinant = tt * pp - tp * tp;
  if (!(determinant > 1e-9 * tt * pp)) return undefined;
  const slope = (pp * dot(time, value) - tp * dot(place, value)) / determinant;
  const tilt = (tt * dot(place, value) - tp * dot(time, value)) / determinant;
  const rest = value.reduce((sum, v, i) => sum + (v - slope * (time[i] ?? 0) - tilt * (place[i] ?? 0)) ** 2, 0);
  return { slope, u: Math.sqrt(((rest / (n - 3)) * pp) / determinant) };
}

/** Centroid motion per measurement in pixels where it is steady in time rather than along z; undefined where there is none. */
export function driftPerMeasurement(measurements: readonly Measurement[]): number | undefined {
  const seen = measurements.filter((one) => one.centroid_x_px !== undefined && one.centroid_y_px !== undefined);
  const z_mm = seen.map((one) => one.z_actual_mm);
  const slopes = [
    slopeInTime(
      seen.map((one) => one.centroid_x_px ?? 0),
      z_mm,
    ),
    slopeInTime(
      seen.map((one) => one.centroid_y_px ?? 0),
      z_mm,
    ),
  ].filter((slope) => slope !== undefined);
  const strongest = slopes.sort((a, b) => Math.abs(b.slope) - Math.abs(a.slope))[0];
  if (strongest === undefined) return undefined;
  const size = Math.abs(strongest.slope);
  return size * seen.length > VISIBLE_DRIFT_PX && size > SIGNIFICANCE * strongest.u ? strongest.slope : undefined;
}
