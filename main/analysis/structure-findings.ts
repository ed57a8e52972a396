import { type BackgroundPlane, backgroundAt } from "./background-plane.ts";
import {
  type BlockMap,
  blockCentreX_px,
  blockCentreY_px,
  blockNoise_counts,
  outsideTest,
  median,
  SMOOTHED_NOISE_SHARE,
  smoothed,
} from "./block-map.ts";
import { type FlagList, percent } from "./frame-flags.ts";
import type { Rectangle } from "./kernel.ts";
import { widthOf } from "./principal-widths.ts";
import type { Pass } from "./settle-area.ts";
import { regionAround } from "./start-area.ts";

/** What the findings look at. */
export interface StructureFacts {
  readonly pass: Pass;
  readonly map: BlockMap;
  readonly peak_counts: number;
  /** Relative change of a width that the unlikeness of the area's four sides stands for. */
  readonly zoneEffect: number;
  /** Spread of the centroids of the frames in pixels, largest less smallest, the larger of x and y. */
  readonly centroidSpread_px: number;
}

/** A streak that changes a width by more than this share: `smear`. */
const SMEAR_EFFECT = 0.01;
/** Light in a separate spot outside the area as a share of the beam's power: `second_spot`. */
const SPOT_SHARE = 0.005;
/** A spot must rise by so many deviations of a smoothed block, and by this share of the peak. */
const SPOT_SIGMAS = 8;
const SPOT_PEAK_SHARE = 0.005;
/**
 * Two maxima inside the area: the lower one's share of the higher one, its height in deviations of a smoothed block, and the
 * height of the saddle between them as a share of the lower one.
 */
const MAXIMUM_SHARE = 0.05;
const MAXIMUM_SIGMAS = 10;
const SADDLE_SHARE = 0.8;
/** Unlike sides that may change a width by more than this share: `structured_background`. */
const STRUCTURE_EFFECT = 0.05;
/** Distance of the sensor's nearest edge from the centroid in widths: `area_cut`. A Gaussian beam then loses 0.1 % of its width. */
const NEAREST_EDGE = 0.9;
/** Drift of the centroid between the frames of one measurement as a share of the smaller width: `centroid_drift`. */
const DRIFT_SHARE = 0.05;

/** Raises the findings that the seven standard flags do not cover; each names the number that raised it. */
export function raiseStructureFindings(list: FlagList, facts: StructureFacts): void {
  raiseSmear(list, facts);
  raiseSecondSpot(list, { ...facts, area: facts.pass.rectangle, background: facts.pass.background });
  if (!list.has("second_spot")) remarkSecondMaximum(list, facts);
  const { zoneEffect, centroidSpread_px, pass } = facts;
  if (zoneEffect > STRUCTURE_EFFECT && !list.has("structured_background")) {
    list.raise(
      "structured_background",
      zoneEffect,
      STRUCTURE_EFFECT,
      `structured background: the sides of the integration area differ by as much as changes a width by ${percent(zoneEffect)}`,
    );
  }
  raiseAreaCut(list, facts);
  const drift = centroidSpread_px / Math.min(pass.widths.x_px, pass.widths.y_px);
  if (drift > DRIFT_SHARE) {
    list.raise(
      "centroid_drift",
      drift,
      DRIFT_SHARE,
      `the centroid moved by ${percent(drift)} of the width between frames`,
    );
  }
}

/**
 * A second maximum inside the integration area. Higher-order modes have several and measuring them is the purpose, so it is a
 * remark: whether there are two beams, only the operator can tell.
 */
function remarkSecondMaximum(list: FlagList, { pass, map }: StructureFacts): void {
  const smooth = smoothed(map);
  const isOutside = outsideTest(map, pass.rectangle);
  const { blocksWide, blocksHigh } = map;
  const limit = MAXIMUM_SIGMAS * SMOOTHED_NOISE_SHARE * blockNoise_counts(map);
  const light = smooth.means.map((value, index) => {
    const column = index % blocksWide;
    const row = Math.floor(index / blocksWide);
    if (isOutside(column, row)) return 0;
    return value - backgroundAt(pass.background, blockCentreX_px(map, column), blockCentreY_px(map, row));
  });
  const highest = light.reduce((most, value) => Math.max(most, value), 0);
  const least = Math.max(limit, MAXIMUM_SHARE * highest);
  const bright: number[] = [];
  for (let index = 0; index < light.length; index++) if ((light[index] as number) > least / 2) bright.push(index);
  const order = bright.sort((one, other) => (light[other] as number) - (light[one] as number));
  // Blocks are added from the brightest down; where two hills meet is the saddle between them. Every hill is known by its peak.
  const hillOf = new Int32Array(light.length).fill(-1);
  const peakOf = (index: number): number => {
    let peak = index;
    while (hillOf[peak] !== peak) peak = hillOf[peak] as number;
    hillOf[index] = peak;
    return peak;
  };
  let second = 0;
  const meet = (peak: number, saddle: number): void => {
    const height = light[peak] as number;
    if (height > least && height - saddle > limit && saddle < SADDLE_SHARE * height) second = Math.max(second, height);
  };
  for (const index of order) {
    hillOf[index] = index;
    const column = index % blocksWide;
    const row = Math.floor(index / blocksWide);
    for (let y = Math.max(0, row - 1); y <= Math.min(blocksHigh - 1, row + 1); y++)
      for (let x = Math.max(0, column - 1); x <= Math.min(blocksWide - 1, column + 1); x++) {
        const neighbour = y * blocksWide + x;
        if (hillOf[neighbour] === -1) continue;
        const one = peakOf(index);
        const other = peakOf(neighbour);
        if (one === other) continue;
        const lower = (light[one] as number) < (light[other] as number) ? one : other;
        meet(lower, light[index] as number);
        hillOf[lower] = lower === one ? other : one;
      }
  }
  // Hills that meet nowhere above what was looked at.
  for (const index of order) if (hillOf[index] === index && index !== order[0]) meet(index, 0);
  if (second === 0) return;
  const share = second / highest;
  list.remark(
    "second_spot",
    share,
    MAXIMUM_SHARE,
    `more than one maximum inside the integration area, the second with ${percent(share)} of the first: if this is no higher-order mode, there are two spots and the widths are those of both together`,
  );
}

function raiseAreaCut(list: FlagList, { pass, map }: StructureFacts): void {
  const { moments } = pass;
  const nearest = Math.min(
    (moments.centroidX_px + 0.5) / widthOf(moments.xx),
    (map.width_px - 0.5 - moments.centroidX_px) / widthOf(moments.xx),
    (moments.centroidY_px + 0.5) / widthOf(moments.yy),
    (map.height_px - 0.5 - moments.centroidY_px) / widthOf(moments.yy),
  );
  if (nearest >= NEAREST_EDGE) return;
  list.raise(
    "area_cut",
    nearest,
    NEAREST_EDGE,
    `the integration area is cut: the sensor ends ${nearest.toFixed(2)} widths from the centroid`,
  );
}

/**
 * Streaks along columns or rows through the beam, as a CCD without a shutter leaves them: outside the area, the median along each line
 * of blocks that crosses the beam against lines that do not. The value is what such a streak, going on inside the area, adds to the
 * width along it.
 */
function raiseSmear(list: FlagList, { pass, map }: StructureFacts): void {
  const { moments } = pass;
  const sides = [
    { along: "columns", contrast: streak(map, pass, "columns", 1) },
    { along: "columns", contrast: streak(map, pass, "columns", -1) },
    { along: "rows", contrast: streak(map, pass, "rows", 1) },
    { along: "rows", contrast: streak(map, pass, "rows", -1) },
  ] as const;
  let worst: { along: string; effect: number } | undefined;
  for (const { along, contrast } of sides) {
    if (contrast <= 0) continue;
    const variance = along === "columns" ? moments.yy : moments.xx;
    const across = widthOf(along === "columns" ? moments.xx : moments.yy);
    const reach = 1.5 * widthOf(variance);
    // One side of the area, from the centroid to its rim: ∫ (y² − σ²) dy.
    const added = (contrast * across * (reach ** 3 / 3 - variance * reach)) / moments.power_counts;
    const effect = added / variance / 2;
    if (effect > (worst?.effect ?? SMEAR_EFFECT)) worst = { along, effect };
  }
  if (worst === undefined) return;
  list.raise(
    "smear",
    worst.effect,
    SMEAR_EFFECT,
    `smear: a streak along the ${worst.along} through the beam changes the width along it by ${percent(worst.effect)}`,
  );
}

/**
 * Counts by which the lines of blocks through the beam exceed the others, on one side of the area; 0 unless significant. Smear goes on
 * undiminished to the sensor's edge, the wings of a beam do not: the smaller of the excess in the half near the area and
 * in the half far from it counts, and either must be significant.
 */
function streak(map: BlockMap, pass: Pass, along: "columns" | "rows", side: 1 | -1): number {
  const { rectangle, background, moments } = pass;
  const isOutside = outsideTest(map, rectangle);
  const columns = along === "columns";
  const lines = columns ? map.blocksWide : map.blocksHigh;
  const length = columns ? map.blocksHigh : map.blocksWide;
  const width = widthOf(columns ? moments.xx : moments.yy);
  const centre = columns ? moments.centroidX_px : moments.centroidY_px;
  const near: Half = { core: [], away: [] };
  const far: Half = { core: [], away: [] };
  const values = new Float64Array(length);
  for (let line = 0; line < lines; line++) {
    const distance = Math.abs((columns ? blockCentreX_px(map, line) : blockCentreY_px(map, line)) - centre);
    if (distance > width / 4 && distance < width) continue;
    let found = 0;
    for (let place = 0; place < length; place++) {
      const column = columns ? line : place;
      const row = columns ? place : line;
      const x = blockCentreX_px(map, column);
      const y = blockCentreY_px(map, row);
      const ahead = columns ? y - rectangle.centreY_px : x - rectangle.centreX_px;
      if (ahead * side <= 0 || !isOutside(column, row)) continue;
      values[found++] = (map.means[row * map.blocksWide + column] as number) - backgroundAt(background, x, y);
    }
    if (found < 6) continue;
    // Places were counted from the top or the left: on the first side of the area the far ones come first.
    const middle = found >> 1;
    const first = median(values.subarray(0, middle));
    const second = median(values.subarray(middle, found));
    const part = distance <= width / 4 ? "core" : "away";
    near[part].push(side < 0 ? second : first);
    far[part].push(side < 0 ? first : second);
  }
  return Math.min(excess(near), excess(far));
}

/** Medians along the lines through the beam and along those beside it, over one half of the way to the sensor's edge. */
interface Half {
  readonly core: number[];
  readonly away: number[];
}

function excess({ core, away }: Half): number {
  if (core.length === 0 || away.length < 4) return 0;
  const level = median(Float64Array.from(away));
  // In coarsely rounded frames most lines have the very same median: the mean deviation sees what their median deviation does not.
  const deviations = away.map((value) => Math.abs(value - level));
  const scatter = Math.max(
    median(Float64Array.from(deviations)) / 0.6745,
    (1.25 * deviations.reduce((sum, value) => sum + value, 0)) / deviations.length,
  );
  const contrast = core.reduce((sum, value) => sum + value, 0) / core.length - level;
  return contrast > 4 * scatter ? contrast : 0;
}

/** Where second spots are looked for. */
export interface SpotSearch {
  readonly map: BlockMap;
  /** The integration area: what lies inside it belongs to the beam. */
  readonly area: Rectangle;
  readonly background: BackgroundPlane;
  readonly peak_counts: number;
}

/** A connected spot outside the integration area that holds more than 0.5 % of the power inside it. */
export function raiseSecondSpot(list: FlagList, { map, area, background, peak_counts }: SpotSearch): void {
  const smooth = smoothed(map);
  const isOutside = outsideTest(map, area);
  let beam = 0;
  const above = smooth.means.map((value, index) => {
    const column = index % map.blocksWide;
    const row = Math.floor(index / map.blocksWide);
    const light = value - backgroundAt(background, blockCentreX_px(map, column), blockCentreY_px(map, row));
    if (isOutside(column, row)) return light;
    beam += light;
    return 0;
  });
  const outside: BlockMap = { ...map, means: above };
  const limit = Math.max(SPOT_SIGMAS * SMOOTHED_NOISE_SHARE * blockNoise_counts(map), SPOT_PEAK_SHARE * peak_counts);
  const seen = new Uint8Array(above.length);
  let worst = 0;
  for (let index = 0; index < above.length; index++) {
    if (seen[index] === 1 || !((above[index] as number) > limit)) continue;
    const { blocks } = regionAround(outside, index, limit / 2);
    let power = 0;
    for (const block of blocks) {
      seen[block] = 1;
      power += above[block] as number;
    }
    worst = Math.max(worst, power);
  }
  if (!(beam > 0) || worst <= SPOT_SHARE * beam) return;
  const share = worst / beam;
  list.raise(
    "second_spot",
    share,
    SPOT_SHARE,
    `second spot: a spot of its own outside the integration area holds ${percent(share)} of the power inside it`,
  );
}
