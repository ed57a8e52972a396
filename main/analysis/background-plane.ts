import type { CentralMoments } from "./principal-widths.ts";
import type { RectangleMoments } from "./kernel.ts";
import type { RectangleGeometry } from "./rectangle.ts";

/** A background of counts `level + slopeX (column − originX) + slopeY (row − originY)`. */
export interface BackgroundPlane {
  readonly level_counts: number;
  readonly slopeX_counts_px: number;
  readonly slopeY_counts_px: number;
  readonly originX_px: number;
  readonly originY_px: number;
}

export function flatBackground(level_counts: number): BackgroundPlane {
  return { level_counts, slopeX_counts_px: 0, slopeY_counts_px: 0, originX_px: 0, originY_px: 0 };
}

/** The background at a point in counts. */
export function backgroundAt(plane: BackgroundPlane, column: number, row: number): number {
  return (
    plane.level_counts +
    plane.slopeX_counts_px * (column - plane.originX_px) +
    plane.slopeY_counts_px * (row - plane.originY_px)
  );
}

/** Power, centroid and central second moments of what is above the background in an integration area. */
export interface BeamMoments extends CentralMoments {
  /** Σ w (E − background), counts. */
  readonly power_counts: number;
  readonly centroidX_px: number;
  readonly centroidY_px: number;
}

/**
 * Takes a background off the sums of a rectangle and gives centroid and central moments (ISO 11146-1:2021, 3.1 to 3.4 and 7.2).
 * Returns undefined where no power is left above the background.
 */
export function beamMoments(
  sums: RectangleMoments,
  geometry: RectangleGeometry,
  plane: BackgroundPlane,
): BeamMoments | undefined {
  const level = backgroundAt(plane, sums.originX_px, sums.originY_px);
  const a = plane.slopeX_counts_px;
  const b = plane.slopeY_counts_px;
  const g = geometry;
  const power = sums.s0 - level * g.g00 - a * g.g10 - b * g.g01;
  if (!(power > 0)) return undefined;
  const x = (sums.sx - level * g.g10 - a * g.g20 - b * g.g11) / power;
  const y = (sums.sy - level * g.g01 - a * g.g11 - b * g.g02) / power;
  return {
    power_counts: power,
    centroidX_px: sums.originX_px + x,
    centroidY_px: sums.originY_px + y,
    xx: (sums.sxx - level * g.g20 - a * g.g30 - b * g.g21) / power - x * x,
    xy: (sums.sxy - level * g.g11 - a * g.g21 - b * g.g12) / power - x * y,
    yy: (sums.syy - level * g.g02 - a * g.g12 - b * g.g03) / power - y * y,
  };
}
