import { type BackgroundPlane, type BeamMoments, beamMoments } from "./background-plane.ts";
import type { KernelFrame, MomentKernel, Rectangle, RectangleMoments } from "./kernel.ts";
import { type PrincipalWidths, principalWidths } from "./principal-widths.ts";
import { type RectangleGeometry, rectangleGeometry, rectangleRows } from "./rectangle.ts";

/** ISO 11146-1:2021, 7.3: the integration area is three times the widths. */
export const AREA_FACTOR = 3;
/** Both widths must change by less than this share from one pass to the next. */
export const SETTLED_CHANGE = 1e-3;
const MAX_PASSES = 50;
/** A swing between two areas counts as found when it has come back this often. */
const CYCLE_REPEATS = 3;
/** Passes over which the range of the widths is taken when they wander. */
const SWING_PASSES = 8;
/**
 * Above the first ellipticity a beam has no axes to turn the area to, below the second it has; in between the area turns part of
 * the way, so that it stays continuous in the widths. ISO 11146-1:2021, 7.2 counts a beam as circular above 0.87.
 */
const ROUND = 0.95;
const ELLIPTIC = 0.87;
/** Half side below which an area is not shrunk: about one pixel must stay inside. */
const SMALLEST_HALF_SIDE_PX = 1.5;

/** One pass: an area, its sums (mean over the frames and frame by frame) and what they say. */
export interface Pass {
  readonly rectangle: Rectangle;
  readonly sums: RectangleMoments;
  readonly sumsOfFrames: readonly RectangleMoments[];
  readonly geometry: RectangleGeometry;
  readonly background: BackgroundPlane;
  readonly moments: BeamMoments;
  readonly widths: PrincipalWidths;
}

/** Where the iteration ended. */
export interface Settling {
  /** The last pass that gave a width along either axis; absent when none did. */
  readonly pass?: Pass;
  readonly iterations: number;
  readonly converged: boolean;
  /** Relative change of the widths in the last pass, the larger of the two. */
  readonly lastChange: number;
  /** Present when the iteration goes on for ever: relative range of a width over the last passes, the larger of the two. */
  readonly swing?: number;
  /** Whether it swings between two areas rather than wanders. */
  readonly periodic?: boolean;
  /** Present when a pass left nothing to go on with. */
  readonly lost?: "no power above the background" | "no positive second moment";
}

/** The background as it is estimated from outside an area. */
export type BackgroundEstimate = (rectangle: Rectangle, sums: RectangleMoments) => BackgroundPlane;

export function measureArea(
  frames: readonly KernelFrame[],
  kernel: MomentKernel,
  rectangle: Rectangle,
): { sums: RectangleMoments; sumsOfFrames: RectangleMoments[]; geometry: RectangleGeometry } {
  const sumsOfFrames = frames.map((frame) => kernel.moments(frame, rectangle));
  const first = sumsOfFrames[0] as RectangleMoments;
  const { width_px, height_px } = frames[0] as KernelFrame;
  const rows = rectangleRows(rectangle, width_px, height_px);
  return {
    sums: sumsOfFrames.length === 1 ? first : meanSums(sumsOfFrames),
    sumsOfFrames,
    geometry: rectangleGeometry(rows, first.originX_px, first.originY_px),
  };
}

/**
 * Repeats moments → area of `factor` widths, turned to the principal axes and centred on the centroid, until both widths change by
 * less than 0.1 %, at most 50 times (ISO 11146-1:2021, 7.3). Swinging between two areas is found and reported.
 */
export function settleArea(
  frames: readonly KernelFrame[],
  kernel: MomentKernel,
  start: Rectangle,
  estimate: BackgroundEstimate,
  factor: number = AREA_FACTOR,
): Settling {
  let rectangle = start;
  const passes: Pass[] = [];
  let lastChange = 1;
  let returns = 0;
  for (let iterations = 1; iterations <= MAX_PASSES; iterations++) {
    const { sums, sumsOfFrames, geometry } = measureArea(frames, kernel, rectangle);
    const background = estimate(rectangle, sums);
    const moments = beamMoments(sums, geometry, background);
    const widths = moments === undefined ? undefined : principalWidths(moments);
    if (moments === undefined || widths === undefined || !(widths.x_px > 0 && widths.y_px > 0)) {
      const lost = moments === undefined ? "no power above the background" : "no positive second moment";
      const pass = passes.at(-1);
      return { ...(pass === undefined ? {} : { pass }), iterations, converged: false, lastChange, lost };
    }
    const pass: Pass = { rectangle, sums, sumsOfFrames, geometry, background, moments, widths };
    const last = passes.at(-1);
    const beforeLast = passes.at(-2);
    if (last !== undefined) lastChange = relativeChange(widths, last.widths);
    if (last !== undefined && lastChange < SETTLED_CHANGE) return { pass, iterations, converged: true, lastChange };
    const returned = beforeLast !== undefined && relativeChange(widths, beforeLast.widths) < SETTLED_CHANGE;
    returns = returned ? returns + 1 : 0;
    passes.push(pass);
    if (returns >= CYCLE_REPEATS || iterations === MAX_PASSES) {
      const periodic = returns >= CYCLE_REPEATS;
      const swing = swingOf(passes.slice(periodic ? -2 : -SWING_PASSES));
      return { pass, iterations, converged: false, lastChange, swing, periodic };
    }
    rectangle = areaOf(moments, widths, factor);
  }
  throw new Error("unreachable: the last pass returns");
}

/** Relative range of the larger and of the smaller width, whichever is more. */
function swingOf(passes: readonly Pass[]): number {
  const range = (values: number[]): number => {
    const most = Math.max(...values);
    return (most - Math.min(...values)) / most;
  };
  return Math.max(
    range(passes.map(({ widths }) => Math.max(widths.x_px, widths.y_px))),
    range(passes.map(({ widths }) => Math.min(widths.x_px, widths.y_px))),
  );
}

/** The integration area of a beam: `factor` widths long and broad, turned to its axes as far as it has any. */
export function areaOf(moments: BeamMoments, widths: PrincipalWidths, factor: number): Rectangle {
  const ellipticity = Math.min(widths.x_px, widths.y_px) / Math.max(widths.x_px, widths.y_px);
  const turned = Math.min(Math.max((ROUND - ellipticity) / (ROUND - ELLIPTIC), 0), 1);
  return {
    centreX_px: moments.centroidX_px,
    centreY_px: moments.centroidY_px,
    halfLength_px: Math.max((factor * widths.x_px) / 2, SMALLEST_HALF_SIDE_PX),
    halfBreadth_px: Math.max((factor * widths.y_px) / 2, SMALLEST_HALF_SIDE_PX),
    angle_rad: turned * widths.angle_rad,
  };
}

/** Change of the larger and of the smaller width, whichever is more: a round beam may swap the names of its axes. */
function relativeChange(now: PrincipalWidths, then: PrincipalWidths): number {
  const major = Math.max(then.x_px, then.y_px);
  const minor = Math.min(then.x_px, then.y_px);
  return Math.max(
    Math.abs(Math.max(now.x_px, now.y_px) - major) / major,
    Math.abs(Math.min(now.x_px, now.y_px) - minor) / minor,
  );
}

function meanSums(all: readonly RectangleMoments[]): RectangleMoments {
  const first = all[0] as RectangleMoments;
  const mean = (of: (sums: RectangleMoments) => number): number =>
    all.reduce((sum, one) => sum + of(one), 0) / all.length;
  return {
    originX_px: first.originX_px,
    originY_px: first.originY_px,
    area_px: first.area_px,
    s0: mean((one) => one.s0),
    sx: mean((one) => one.sx),
    sy: mean((one) => one.sy),
    sxx: mean((one) => one.sxx),
    sxy: mean((one) => one.sxy),
    syy: mean((one) => one.syy),
    saturated: mean((one) => one.saturated),
  };
}
