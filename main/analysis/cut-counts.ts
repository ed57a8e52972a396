import type { Rectangle } from "./kernel.ts";
import { type ColumnSpan, columnsInside } from "./rectangle.ts";

/** A frame whose counts may be cut off at their lowest or highest value. */
export interface CountedFrame {
  readonly samples: Uint16Array;
  readonly width_px: number;
  readonly height_px: number;
}

/** About how many pixels outside the area, and how many rows of the sensor, are looked at. */
const SAMPLED_PIXELS = 20_000;
const SAMPLED_ROWS = 400;
const FEWEST_SAMPLES = 200;
/** A share at the lowest value below this cuts off nothing that matters. */
const LEAST_SHARE = 0.02;
/** A share above this leaves too little of the noise to tell how much of it is cut off. */
const WORST_SHARE = 0.97;
/** Noise in counts below which rounding shapes the histogram, not a floor. */
const LEAST_NOISE = 0.6;
/** A pixel stands out from both neighbours by this many counts: no smooth wing does, nor the shot noise of one. */
const JAG_COUNTS = 3;
const JAG_SHARE = 0.1;
const FEWEST_RIM_PIXELS = 60;

/** A black level so low that the noise of unlit pixels is cut off. */
export interface CutFloor {
  /** The value below which there is none. */
  readonly floor_counts: number;
  /** Share of the unlit pixels at that value. */
  readonly share: number;
  /** Relative change of a Gaussian beam's width; absent where too little of the noise is left to tell. */
  readonly effect?: number;
}

/**
 * Looks whether the unlit pixels pile up at the lowest value of the frame while their noise is seen above it only. Quantiles of the
 * histogram above the floor give level and deviation of the noise before it was cut (a censored normal distribution), and from
 * these follows what the cut does to a Gaussian beam. Where nearly all unlit pixels lie at the floor, noise shows
 * as jags at the rim of the beam, where the light lifts the pixels above it.
 */
export function cutFloor(frame: CountedFrame, area: Rectangle, peak_counts: number): CutFloor | undefined {
  const unlit = unlitSamples(frame, area);
  if (unlit.length < FEWEST_SAMPLES) return undefined;
  const floor = unlit[0] as number;
  const upTo = (value: number): number => placeAbove(unlit, value) / unlit.length;
  const share = upTo(floor);
  if (share < LEAST_SHARE) return undefined;
  if (share > WORST_SHARE) {
    return jagShare(frame, floor) > JAG_SHARE ? { floor_counts: floor, share } : undefined;
  }
  // Thresholds halfway between the values that occur.
  const next = unlit[placeAbove(unlit, floor)] as number;
  const upper = unlit[Math.floor(unlit.length * (share + 0.6 * (1 - share)))] as number;
  const afterUpper = unlit[placeAbove(unlit, upper)];
  // Of two values alone rounding can make any shares.
  if (afterUpper === undefined || upTo(next) > 0.999) return undefined;
  const low = normalQuantile(share);
  const high = normalQuantile(upTo(upper));
  const sigma = (upper + afterUpper - floor - next) / 2 / (high - low);
  if (!(sigma > LEAST_NOISE)) return undefined;
  const level = (next - floor) / 2 - low * sigma;
  const effect = gaussianEffect(level, sigma, peak_counts);
  return { floor_counts: floor, share, effect };
}

/** Values of pixels outside the area, or along the sensor's rim where it leaves too few, in ascending order. */
function unlitSamples(frame: CountedFrame, area: Rectangle): Uint16Array {
  const { width_px, height_px } = frame;
  const step = Math.max(1, Math.floor(Math.sqrt((width_px * height_px) / SAMPLED_PIXELS)));
  const outside = sortedValues(frame, step, columnsInside(area, width_px));
  if (outside.length >= FEWEST_SAMPLES) return outside;
  const middle = awayFromRim(width_px);
  const rows = awayFromRim(height_px);
  return sortedValues(frame, step, (row) => (row >= rows.first && row <= rows.last ? middle : NONE));
}

const NONE: ColumnSpan = { first: 0, last: -1 };

/** Places of a side of the sensor that lie farther than this share of it from both of its ends. */
const RIM_SHARE = 0.03;

function awayFromRim(side_px: number): ColumnSpan {
  let first = 0;
  while (first < side_px && first / side_px < RIM_SHARE) first++;
  let last = side_px - 1;
  while (last >= first && 1 - last / side_px < RIM_SHARE) last--;
  return { first, last };
}

/** How often each count occurs, all zeros between two uses: as memory of its own it would cost new pages every time. */
const emptyNumbers = new Uint32Array(65_536);

/** Every `step`th value along rows and columns but for the columns left out, in ascending order: counted, since counts are whole numbers. */
function sortedValues(
  { samples, width_px, height_px }: CountedFrame,
  step: number,
  leftOut: (row: number) => ColumnSpan,
): Uint16Array {
  const numbers = emptyNumbers;
  let taken = 0;
  let top = 0;
  for (let row = 0; row < height_px; row += step) {
    const { first, last } = leftOut(row);
    for (let column = 0; column < width_px; column += step) {
      if (column >= first && column <= last) continue;
      const value = samples[row * width_px + column] as number;
      numbers[value] = (numbers[value] as number) + 1;
      taken++;
      if (value > top) top = value;
    }
  }
  const sorted = new Uint16Array(taken);
  for (let value = 0, place = 0; value <= top; value++) {
    const end = place + (numbers[value] as number);
    sorted.fill(value, place, end);
    place = end;
  }
  numbers.fill(0, 0, top + 1);
  return sorted;
}

/** Place of the first value above `value` in an ascending list. */
function placeAbove(values: Uint16Array, value: number): number {
  let from = 0;
  let to = values.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((values[middle] as number) <= value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Of the neighbours of pixels at the floor that are themselves above it: the share that stands out on both sides along its row. */
function jagShare({ samples, width_px, height_px }: CountedFrame, floor: number): number {
  const step = Math.max(1, Math.floor(height_px / SAMPLED_ROWS));
  let rim = 0;
  let jags = 0;
  for (let row = 0; row < height_px; row += step)
    for (let column = 1; column < width_px - 1; column++) {
      const index = row * width_px + column;
      const value = samples[index] as number;
      if (value === floor) continue;
      const left = samples[index - 1] as number;
      const right = samples[index + 1] as number;
      if (left !== floor && right !== floor) continue;
      rim++;
      if (value >= Math.max(left, right) + JAG_COUNTS) jags++;
    }
  return rim < FEWEST_RIM_PIXELS ? 0 : jags / rim;
}

/**
 * Relative change of the width of a Gaussian beam by noise that is cut off at zero, less the level that is then found outside.
 * `level` is the black level before the cut, in counts above the floor, negative below it. The magnitude is returned.
 */
function gaussianEffect(level: number, sigma: number, peak: number): number {
  if (!(peak > 0)) return 1;
  const shown = (counts: number): number => {
    const z = counts / sigma;
    return sigma * normalDensity(z) + counts * normalShare(z);
  };
  const unlit = shown(level);
  // By v = r² / 2 σ²: power ∫ E dv and second moment ∫ E v dv, up to where the corners of the area are reached.
  let power = 0;
  let second = 0;
  const step = 0.05;
  for (let v = step / 2; v < 18; v += step) {
    const light = shown(peak * Math.exp(-v) + level) - unlit;
    power += light * step;
    second += light * v * step;
  }
  return power > 0 ? Math.abs(second / power - 1) / 2 : 1;
}

const normalDensity = (z: number): number => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);

/** Φ(z) to 1e-7 (M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 26.2.17). */
function normalShare(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const beyond = normalDensity(z) * series;
  return z >= 0 ? 1 - beyond : beyond;
}

/** The z with Φ(z) = share, by halving. */
function normalQuantile(share: number): number {
  let from = -8;
  let to = 8;
  while (to - from > 1e-6) {
    const middle = (from + to) / 2;
    if (normalShare(middle) < share) from = middle;
    else to = middle;
  }
  return (from + to) / 2;
}

/** Largest value from one place to another; four at a time, so that no comparison waits for the last one. */
function largest(samples: Uint16Array, from: number, to: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let index = from;
  for (; index + 3 <= to; index += 4) {
    a = Math.max(a, samples[index] as number);
    b = Math.max(b, samples[index + 1] as number);
    c = Math.max(c, samples[index + 2] as number);
    d = Math.max(d, samples[index + 3] as number);
  }
  for (; index <= to; index++) a = Math.max(a, samples[index] as number);
  return Math.max(a, b, c, d);
}

/** A plateau: so many pixels at the highest value, so many times as many as at each of the next values on average. */
const FEWEST_AT_TOP = 20;
const TOP_EXCESS = 5;
const NEXT_VALUES = 5;
/** Noise of a pixel below which equal values are no sign of a cut. */
const TOP_NOISE = 0.5;

/**
 * The highest value inside the area when the counts are cut off there: many more pixels have it than have each of the values below.
 * Noise of half a count and more spreads the top of any beam, a flat one too, over several values.
 */
export function cutTop(
  { samples, width_px, height_px }: CountedFrame,
  area: Rectangle,
  pixelNoise_counts: number,
): { readonly top_counts: number; readonly pixels: number } | undefined {
  if (!(pixelNoise_counts >= TOP_NOISE)) return undefined;
  // The light's own third of the integration area, whichever way it is turned.
  const reach = Math.max(area.halfLength_px, area.halfBreadth_px) / 3;
  const left = Math.max(0, Math.floor(area.centreX_px - reach));
  const right = Math.min(width_px - 1, Math.ceil(area.centreX_px + reach));
  const first = Math.max(0, Math.floor(area.centreY_px - reach));
  const last = Math.min(height_px - 1, Math.ceil(area.centreY_px + reach));
  let top = 0;
  let pixels = 0;
  for (let row = first; row <= last; row++) {
    const from = row * width_px + left;
    const to = row * width_px + right;
    const most = largest(samples, from, to);
    if (most < top) continue;
    if (most > top) pixels = 0;
    top = most;
    for (let index = from; index <= to; index++) if (samples[index] === top) pixels++;
  }
  if (pixels < FEWEST_AT_TOP) return undefined;
  const numbers = new Uint32Array(top + 1);
  for (let row = first; row <= last; row++)
    for (let index = row * width_px + left; index <= row * width_px + right; index++) {
      const value = samples[index] as number;
      numbers[value] = (numbers[value] as number) + 1;
    }
  let below = 0;
  let found = 0;
  // Samples may come in steps: of the values below, those that occur.
  for (let value = top - 1; value >= 0 && found < NEXT_VALUES; value--) {
    if (numbers[value] === 0) continue;
    below += numbers[value] as number;
    found++;
  }
  return found === NEXT_VALUES && pixels > (TOP_EXCESS * below) / found ? { top_counts: top, pixels } : undefined;
}
