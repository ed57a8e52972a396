import type { BenchDescription, Dark, Measurement } from "../../main/contract/tools.ts";

/** Positions spread evenly over a stretch, ends included, without those in a zone where the stage may not stop. */
export function evenPositions(from_mm: number, to_mm: number, count: number, bench: BenchDescription): number[] {
  const steps = Math.max(1, count - 1);
  return Array.from({ length: count }, (_, index) =>
    Number((from_mm + ((to_mm - from_mm) * index) / steps).toFixed(3)),
  ).filter(
    (z_mm) =>
      z_mm >= bench.limits_mm.min &&
      z_mm <= bench.limits_mm.max &&
      !bench.keep_out_zones.some((zone) => z_mm >= zone.from_mm && z_mm <= zone.to_mm),
  );
}

/** Measurements after which a dark is taken anew: room light drifts. */
const DARK_LASTS = 12;

/** Whether darks at this exposure are missing or old. */
export function needsDark(darks: readonly Dark[], exposure_ms: number, measurements: readonly Measurement[]): boolean {
  const at = darks.findLast((dark) => Math.abs(dark.exposure_ms / exposure_ms - 1) < 1e-6);
  if (at === undefined) return true;
  const since = measurements.findLastIndex((measurement) => measurement.dark === at.dark);
  const stale = measurements.at(-1)?.flags.some((flag) => flag.code === "background_stale") === true;
  const used = measurements.filter((measurement) => measurement.dark === at.dark).length;
  return used >= DARK_LASTS || (stale && since === measurements.length - 1);
}

/** Nearest first from where the stage stands, then on in one direction: the shortest way. */
export function shortestWay(positions_mm: readonly number[], from_mm: number): number[] {
  const sorted = [...positions_mm].sort((a, b) => a - b);
  const first = sorted[0];
  const last = sorted.at(-1);
  if (first === undefined || last === undefined) return [];
  return Math.abs(from_mm - first) <= Math.abs(from_mm - last) ? sorted : sorted.reverse();
}
