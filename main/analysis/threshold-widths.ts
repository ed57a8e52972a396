import type { CountingLoops } from "./kernel.ts";
import { principalWidths, type PrincipalWidths } from "./principal-widths.ts";

/** What the thresholding recipe gives. */
export interface ThresholdWidths {
  readonly widths: PrincipalWidths;
  /** Second moments along the sensor's own axes. */
  readonly sensorVarianceX: number;
  readonly sensorVarianceY: number;
  readonly centroidX_px: number;
  readonly centroidY_px: number;
  readonly background_counts: number;
  readonly noise_counts: number;
  readonly iterations: number;
  readonly converged: boolean;
}

const CORNER_FRACTION = 0.035;
const SIGMAS = 3;
const AREA_FACTOR = 3;
const MAX_PASSES = 24;
const SETTLED_PX = 1;

/**
 * Widths by the recipe of laserbeamsize 2.1 with `iso_noise=False` (its public documentation, notebooks 01 and 08): mean and deviation of the
 * four 3.5 % corners; every pixel of the frame at or below mean + 3 σ counts as unlit, and their mean and deviation are the
 * background; it is subtracted and whatever stays below 3 σ becomes zero; moments are iterated in a turned rectangle of three diameters until
 * nothing moves by a pixel, at most 24 times. Biased low by about 1 % on clean frames and 10 % and more on noisy ones,
 * because the wings are cut: for comparing programs only.
 * Returns undefined when no pixel is lit.
 */
export function thresholdWidths(
  counts: Uint16Array | Float64Array,
  width_px: number,
  height_px: number,
  counting: CountingLoops = plainCounting,
): ThresholdWidths | undefined {
  const { mean, deviation } = unlitBackground(counts, width_px, height_px, counting);
  // Above the mean, and by no less than three deviations.
  const least = mean + Math.max(SIGMAS * deviation, Number.EPSILON * Math.max(mean, 1));
  const lit = litPixels(counts, least, counting);
  if (lit.length === 0) return undefined;
  const columns = new Int32Array(lit.length);
  const rows = new Int32Array(lit.length);
  const values = new Float64Array(lit.length);
  for (let next = 0; next < lit.length; next++) {
    const index = lit[next] as number;
    const row = Math.floor(index / width_px);
    rows[next] = row;
    columns[next] = index - row * width_px;
    values[next] = (counts[index] as number) - mean;
  }
  let now = litMoments(columns, rows, values, undefined);
  let iterations = 0;
  let converged = false;
  while (now !== undefined && iterations < MAX_PASSES && !converged) {
    const then = litMoments(columns, rows, values, now);
    iterations++;
    if (then === undefined) break;
    const before = sorted(now.widths);
    const after = sorted(then.widths);
    converged =
      Math.abs(then.x - now.x) < SETTLED_PX &&
      Math.abs(then.y - now.y) < SETTLED_PX &&
      Math.abs(after[0] - before[0]) < SETTLED_PX &&
      Math.abs(after[1] - before[1]) < SETTLED_PX;
    now = then;
  }
  if (now === undefined) return undefined;
  return {
    widths: now.widths,
    sensorVarianceX: now.xx,
    sensorVarianceY: now.yy,
    centroidX_px: now.x,
    centroidY_px: now.y,
    background_counts: mean,
    noise_counts: deviation,
    iterations,
    converged,
  };
}

function unlitBackground(
  counts: Uint16Array | Float64Array,
  width_px: number,
  height_px: number,
  counting: CountingLoops,
) {
  const tall = Math.trunc(height_px * CORNER_FRACTION);
  const wide = Math.trunc(width_px * CORNER_FRACTION);
  const corners = counts.slice(0, 4 * tall * wide);
  let next = 0;
  for (let row = 0; row < height_px; row++) {
    if (row >= tall && row < height_px - tall) continue;
    for (let k = 0; k < wide; k++) {
      corners[next++] = counts[row * width_px + k] as number;
      corners[next++] = counts[(row + 1) * width_px - 1 - k] as number;
    }
  }
  const { mean, deviation } = statisticsOf(corners, Number.POSITIVE_INFINITY, counting);
  return statisticsOf(counts, mean + SIGMAS * deviation, counting);
}

/** Indices of the pixels with at least so many counts, in their order. */
function litPixels(counts: Uint16Array | Float64Array, least: number, counting: CountingLoops): Uint32Array {
  if (counts instanceof Uint16Array) {
    const whole = Math.max(0, Math.ceil(least));
    return whole < BINS ? counting.pixelsFrom(counts, whole) : new Uint32Array(0);
  }
  const found = new GrowingIndices();
  for (let index = 0; index < counts.length; index++) if ((counts[index] as number) >= least) found.push(index);
  return found.taken();
}

/** The loops that are always there. */
export const plainCounting: CountingLoops = { histogram: histogramOf, pixelsFrom };

function pixelsFrom(counts: Uint16Array, least: number): Uint32Array {
  const found = new GrowingIndices();
  const pairs = asPairs(counts);
  if (pairs === undefined) {
    for (let index = 0; index < counts.length; index++) if ((counts[index] as number) >= least) found.push(index);
    return found.taken();
  }
  // Two counts in one word: a count below 2¹⁵ with the highest bit set keeps that bit when the limit is taken off, if it reaches it.
  const limit = Math.min(Math.max(Math.ceil(least), 0), 0x7fff);
  const limits = limit | (limit << 16);
  for (let pair = 0; pair < pairs.length; pair++) {
    const word = pairs[pair] as number;
    if (((((word | HIGHEST_BITS) - limits) | word) & HIGHEST_BITS) === 0) continue;
    const index = 2 * pair;
    if ((counts[index] as number) >= least) found.push(index);
    if ((counts[index + 1] as number) >= least) found.push(index + 1);
  }
  const last = counts.length - 1;
  if (last % 2 === 0 && (counts[last] as number) >= least) found.push(last);
  return found.taken();
}

const HIGHEST_BITS = 0x80008000 | 0;

/** The counts two by two, where they lie so that they can be read as such; an odd last one is left out. */
function asPairs({ buffer, byteOffset, length }: Uint16Array): Int32Array | undefined {
  return byteOffset % 4 === 0 ? new Int32Array(buffer, byteOffset, length >> 1) : undefined;
}

class GrowingIndices {
  #indices = new Uint32Array(4096);
  #length = 0;

  push(index: number): void {
    if (this.#length === this.#indices.length) {
      const larger = new Uint32Array(4 * this.#length);
      larger.set(this.#indices);
      this.#indices = larger;
    }
    this.#indices[this.#length++] = index;
  }

  taken(): Uint32Array {
    return this.#indices.subarray(0, this.#length);
  }
}

/** 0 to 65535, the values of a histogram's bins. */
const EVERY_COUNT = Uint16Array.from({ length: 65536 }, (_, value) => value);

/** Mean and population deviation of the values up to a limit; zeros where there is none. */
function statisticsOf(
  counts: Uint16Array | Float64Array,
  limit: number,
  counting: CountingLoops,
): { mean: number; deviation: number } {
  if (counts instanceof Float64Array) return statisticsUpTo(counts, limit);
  const histogram = counting.histogram(counts);
  return statisticsUpTo(EVERY_COUNT.subarray(0, histogram.length), limit, histogram);
}

const BINS = 65536;
/** Four histograms one after the other, all zeros between two uses; memory that is used again costs no new pages. */
let fourfold = new Uint32Array(0);

/** How often each count occurs, up to the largest that does. */
function histogramOf(counts: Uint16Array): Uint32Array {
  if (fourfold.length === 0) fourfold = new Uint32Array(4 * BINS);
  addFourfold(fourfold, counts);
  let bins = 0;
  for (let value = 0; value < BINS; value++) {
    const times =
      (fourfold[value] as number) +
      (fourfold[BINS + value] as number) +
      (fourfold[2 * BINS + value] as number) +
      (fourfold[3 * BINS + value] as number);
    fourfold[value] = times;
    if (times > 0) bins = value + 1;
  }
  const histogram = fourfold.slice(0, bins);
  for (let part = 0; part < 4; part++) fourfold.fill(0, part * BINS, part * BINS + bins);
  return histogram;
}

/** Neighbours are often equal: in histograms of their own they need not wait for one another. */
function addFourfold(histograms: Uint32Array, counts: Uint16Array): void {
  const whole = counts.length - (counts.length % 4);
  for (let index = 0; index < whole; index += 4) {
    const first = counts[index] as number;
    const second = BINS + (counts[index + 1] as number);
    const third = 2 * BINS + (counts[index + 2] as number);
    const fourth = 3 * BINS + (counts[index + 3] as number);
    histograms[first] = (histograms[first] as number) + 1;
    histograms[second] = (histograms[second] as number) + 1;
    histograms[third] = (histograms[third] as number) + 1;
    histograms[fourth] = (histograms[fourth] as number) + 1;
  }
  for (let index = whole; index < counts.length; index++) {
    const count = counts[index] as number;
    histograms[count] = (histograms[count] as number) + 1;
  }
}

function statisticsUpTo(
  values: ArrayLike<number>,
  limit: number,
  times?: Uint32Array,
): { mean: number; deviation: number } {
  let number = 0;
  let sum = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    if (value > limit) continue;
    const weight = times === undefined ? 1 : (times[index] as number);
    number += weight;
    sum += weight * value;
  }
  if (number === 0) return { mean: 0, deviation: 0 };
  const mean = sum / number;
  let squares = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    if (value <= limit) squares += (times === undefined ? 1 : (times[index] as number)) * (value - mean) ** 2;
  }
  return { mean, deviation: Math.sqrt(squares / number) };
}

interface LitMoments {
  readonly x: number;
  readonly y: number;
  readonly xx: number;
  readonly yy: number;
  readonly widths: PrincipalWidths;
}

/** Moments of the lit pixels, of all of them or of those in the rectangle of three diameters. */
function litMoments(
  columns: Int32Array,
  rows: Int32Array,
  values: Float64Array,
  area: LitMoments | undefined,
): LitMoments | undefined {
  // laserbeamsize 2.1 measures its angle with y up and builds the mask with y down, so its rectangle is the mirror image of
  // the beam's own; agreement on tilted beams (10 px on one of the real frames) needs the same.
  const cosine = Math.cos(area?.widths.angle_rad ?? 0);
  const sine = -Math.sin(area?.widths.angle_rad ?? 0);
  const centreX = area?.x ?? 0;
  const centreY = area?.y ?? 0;
  const halfX = area === undefined ? Number.POSITIVE_INFINITY : (AREA_FACTOR * area.widths.x_px) / 2;
  const halfY = area === undefined ? Number.POSITIVE_INFINITY : (AREA_FACTOR * area.widths.y_px) / 2;
  let s0 = 0;
  let sx = 0;
  let sy = 0;
  let sxx = 0;
  let sxy = 0;
  let syy = 0;
  for (let index = 0; index < values.length; index++) {
    const dx = (columns[index] as number) - centreX;
    const dy = (rows[index] as number) - centreY;
    if (Math.abs(dx * cosine + dy * sine) > halfX || Math.abs(dy * cosine - dx * sine) > halfY) continue;
    const value = values[index] as number;
    s0 += value;
    sx += value * dx;
    sy += value * dy;
    sxx += value * dx * dx;
    sxy += value * dx * dy;
    syy += value * dy * dy;
  }
  if (!(s0 > 0)) return undefined;
  const x = sx / s0;
  const y = sy / s0;
  const xx = sxx / s0 - x * x;
  const yy = syy / s0 - y * y;
  const xy = sxy / s0 - x * y;
  return { x: centreX + x, y: centreY + y, xx, yy, widths: principalWidths({ xx, xy, yy }) };
}

function sorted(widths: PrincipalWidths): [number, number] {
  return [Math.max(widths.x_px, widths.y_px), Math.min(widths.x_px, widths.y_px)];
}
