import { type BackgroundPlane, flatBackground } from "./background-plane.ts";
import { type BlockMap, blockCentreX_px, blockCentreY_px, outsideTest, MAD_PER_SIGMA, median } from "./block-map.ts";
import type { Rectangle } from "./kernel.ts";

/** Blocks farther than this many deviations from the fit, on either side, take no part in it. */
const CUT_SIGMAS = 3;
const REFITS = 8;
/** Fewer blocks than this are too few to tell a background from. */
const FEWEST_BLOCKS = 16;

export type BackgroundShape = "level" | "plane";

/** A background fitted to blocks outside an area. */
export interface RobustBackground {
  readonly plane: BackgroundPlane;
  /** Robust standard deviation of one block about the fit. */
  readonly scatter_counts: number;
  /** Blocks that took part, and blocks that were offered. */
  readonly used: number;
  readonly offered: number;
}

/** Blocks as points: centre and mean counts. */
export interface BlockPoints {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly value: Float64Array;
}

/** All blocks wholly outside `area` and, where `within` is given, with their centre inside that larger rectangle. */
export function blocksOutside(map: BlockMap, area: Rectangle, within?: Rectangle): BlockPoints {
  const isOutside = outsideTest(map, area);
  const most = map.blocksWide * map.blocksHigh;
  const x = new Float64Array(most);
  const y = new Float64Array(most);
  const value = new Float64Array(most);
  let next = 0;
  const cosine = Math.cos(within?.angle_rad ?? 0);
  const sine = Math.sin(within?.angle_rad ?? 0);
  for (let row = 0; row < map.blocksHigh; row++)
    for (let column = 0; column < map.blocksWide; column++) {
      if (!isOutside(column, row)) continue;
      const centreX = blockCentreX_px(map, column);
      const centreY = blockCentreY_px(map, row);
      if (within !== undefined) {
        const dx = centreX - within.centreX_px;
        const dy = centreY - within.centreY_px;
        if (Math.abs(dx * cosine + dy * sine) > within.halfLength_px) continue;
        if (Math.abs(dy * cosine - dx * sine) > within.halfBreadth_px) continue;
      }
      x[next] = centreX;
      y[next] = centreY;
      value[next] = map.means[row * map.blocksWide + column] as number;
      next++;
    }
  return { x: x.subarray(0, next), y: y.subarray(0, next), value: value.subarray(0, next) };
}

/**
 * Level or plane through blocks by least squares with a symmetric cut: median and median absolute deviation to begin with, then blocks
 * within 3 deviations on either side. A one-sided cut (all pixels below mean + 3 σ) would be biased low.
 * Returns undefined for fewer than 16 blocks.
 */
export function robustBackground(points: BlockPoints, shape: BackgroundShape): RobustBackground | undefined {
  const offered = points.value.length;
  if (offered < FEWEST_BLOCKS) return undefined;
  let plane = flatBackground(median(points.value.slice()));
  let scatter_counts = 0;
  let used = offered;
  const sizes = new Float64Array(offered);
  for (let refit = 0; refit < REFITS; refit++) {
    const residuals = residualsOf(points, plane);
    for (let index = 0; index < residuals.length; index++) sizes[index] = Math.abs(residuals[index] as number);
    scatter_counts = median(sizes) / MAD_PER_SIGMA;
    // Half of the blocks on one and the same level (a dark 8-bit frame) say nothing of a scatter: keep all.
    const cut = scatter_counts > 0 ? CUT_SIGMAS * scatter_counts : Number.POSITIVE_INFINITY;
    const fitted = leastSquares(points, residuals, cut, shape);
    if (fitted === undefined) break;
    const settled =
      fitted.used === used && Math.abs(fitted.plane.level_counts - plane.level_counts) < 1e-9 && refit > 1;
    plane = fitted.plane;
    used = fitted.used;
    if (settled) break;
  }
  return { plane, scatter_counts, used, offered };
}

function residualsOf(points: BlockPoints, plane: BackgroundPlane): Float64Array {
  const residuals = new Float64Array(points.value.length);
  for (let index = 0; index < residuals.length; index++)
    residuals[index] =
      (points.value[index] as number) -
      plane.level_counts -
      plane.slopeX_counts_px * ((points.x[index] as number) - plane.originX_px) -
      plane.slopeY_counts_px * ((points.y[index] as number) - plane.originY_px);
  return residuals;
}

function leastSquares(
  points: BlockPoints,
  residuals: Float64Array,
  cut: number,
  shape: BackgroundShape,
): { plane: BackgroundPlane; used: number } | undefined {
  let n = 0;
  let meanX = 0;
  let meanY = 0;
  let meanValue = 0;
  for (let index = 0; index < residuals.length; index++) {
    if (Math.abs(residuals[index] as number) > cut) continue;
    n++;
    meanX += points.x[index] as number;
    meanY += points.y[index] as number;
    meanValue += points.value[index] as number;
  }
  if (n < FEWEST_BLOCKS / 2) return undefined;
  meanX /= n;
  meanY /= n;
  meanValue /= n;
  let slopeX = 0;
  let slopeY = 0;
  if (shape === "plane") {
    let xx = 0;
    let xy = 0;
    let yy = 0;
    let xv = 0;
    let yv = 0;
    for (let index = 0; index < residuals.length; index++) {
      if (Math.abs(residuals[index] as number) > cut) continue;
      const x = (points.x[index] as number) - meanX;
      const y = (points.y[index] as number) - meanY;
      const v = (points.value[index] as number) - meanValue;
      xx += x * x;
      xy += x * y;
      yy += y * y;
      xv += x * v;
      yv += y * v;
    }
    const determinant = xx * yy - xy * xy;
    if (determinant > 1e-9 * xx * yy) {
      slopeX = (xv * yy - yv * xy) / determinant;
      slopeY = (yv * xx - xv * xy) / determinant;
    }
  }
  return {
    used: n,
    plane: {
      level_counts: meanValue,
      slopeX_counts_px: slopeX,
      slopeY_counts_px: slopeY,
      originX_px: meanX,
      originY_px: meanY,
    },
  };
}
