import {
  type FrameSurvey,
  type KernelFrame,
  type MomentKernel,
  type Rectangle,
  type RectangleMoments,
  SQUARES_px,
} from "./kernel.ts";
import { momentOrigin, rectangleRows } from "./rectangle.ts";

/**
 * The fast twin in TypeScript. Moments are summed row by row: three sums along the row, folded into the six of the rectangle once
 * per row. Without a dark the row sums run in 32-bit integers over chunks (repeated summation: a += e, b += a, c += b, whose
 * chain is one cycle per step), which is exact; with a dark they run in doubles, in a fixed order. A compiled kernel that keeps to
 * this order gives the same numbers to the last bit.
 */
export const typescriptKernel: MomentKernel = { name: "typescript", survey, moments, addCounts: addToSums };

/** Longest chunk whose third sum of 16-bit counts stays below 2³¹: 65535 · 48 · 49 · 50 / 6 ≈ 1.28e9. */
const CHUNK_PX = 48;

/** Sums of one row about the origin: Σ e, Σ e X, Σ e X². */
const rowSums = new Float64Array(3);

function moments(frame: KernelFrame, rectangle: Rectangle): RectangleMoments {
  const { samples, width_px, height_px, dark, saturation_counts } = frame;
  const origin = momentOrigin(rectangle, width_px, height_px);
  const rows = rectangleRows(rectangle, width_px, height_px);
  let area_px = 0;
  let s0 = 0;
  let sx = 0;
  let sy = 0;
  let sxx = 0;
  let sxy = 0;
  let syy = 0;
  let saturated = 0;
  for (let k = 0; k < rows.rowCount; k++) {
    const overlap = rows.spans[3 * k + 2] as number;
    if (overlap === 0) continue;
    const left = rows.spans[3 * k] as number;
    const right = rows.spans[3 * k + 1] as number;
    const row = rows.firstRow + k;
    const offset = row * width_px;
    const first = Math.floor(left + 0.5);
    const last = Math.ceil(right - 0.5);
    let bits: number;
    if (last - first < 2) {
      rowSums[0] = 0;
      rowSums[1] = 0;
      rowSums[2] = 0;
      bits = 0;
    } else if (dark === undefined) {
      bits = sumCounts(samples, offset, first + 1, last, origin.x);
    } else {
      bits = sumDifferences(samples, dark, offset, first + 1, last, origin.x);
    }
    let r0 = rowSums[0] as number;
    let r1 = rowSums[1] as number;
    let r2 = rowSums[2] as number;
    const firstCounts = samples[offset + first] as number;
    const firstX = first - origin.x;
    const firstPart =
      (Math.min(right, first + 0.5) - left) *
      (firstCounts - (dark === undefined ? 0 : (dark[offset + first] as number)));
    r0 += firstPart;
    r1 += firstPart * firstX;
    r2 += firstPart * firstX * firstX;
    bits |= firstCounts;
    if (last > first) {
      const lastCounts = samples[offset + last] as number;
      const lastX = last - origin.x;
      const lastPart =
        (right - (last - 0.5)) * (lastCounts - (dark === undefined ? 0 : (dark[offset + last] as number)));
      r0 += lastPart;
      r1 += lastPart * lastX;
      r2 += lastPart * lastX * lastX;
      bits |= lastCounts;
    }
    if (bits >= saturation_counts) {
      for (let index = offset + first; index <= offset + last; index++)
        if ((samples[index] as number) >= saturation_counts) saturated++;
    }
    const y = row - origin.y;
    area_px += overlap * (right - left);
    s0 += overlap * r0;
    sx += overlap * r1;
    sy += overlap * r0 * y;
    sxx += overlap * r2;
    sxy += overlap * r1 * y;
    syy += overlap * r0 * y * y;
  }
  return { originX_px: origin.x, originY_px: origin.y, area_px, s0, sx, sy, sxx, sxy, syy, saturated };
}

/** Row sums of counts over the columns from `from` up to, not including, `to`; returns the bits that any of them has. */
function sumCounts(samples: Uint16Array, offset: number, from: number, to: number, originX: number): number {
  let r0 = 0;
  let r1 = 0;
  let r2 = 0;
  let bits = 0;
  for (let start = from; start < to; start += CHUNK_PX) {
    const end = Math.min(start + CHUNK_PX, to);
    let a = 0;
    let b = 0;
    let c = 0;
    for (let index = offset + start; index < offset + end; index++) {
      const e = samples[index] as number;
      bits |= e;
      a = (a + e) | 0;
      b = (b + a) | 0;
      c = (c + b) | 0;
    }
    // With k = end − column: b = Σ k e and c = Σ k (k + 1) / 2 e.
    const p = end - originX;
    r0 += a;
    r1 += p * a - b;
    r2 += p * (p * a - 2 * b) + (2 * c - b);
  }
  rowSums[0] = r0;
  rowSums[1] = r1;
  rowSums[2] = r2;
  return bits;
}

/** Lanes over which sums of differences are spread. */
const LANES = 8;

/** Three sums for each lane: Σ e, Σ e X, Σ e X². */
const lanes = new Float64Array(3 * LANES);

/**
 * As `sumCounts`, of sample − dark; the bits are those of the raw samples. Pixel k adds to lane k mod 8, and the lanes are added up in
 * a fixed tree: the order in which a compiled kernel adds whole vectors, so that both round alike.
 */
function sumDifferences(
  samples: Uint16Array,
  dark: Float64Array | Float32Array,
  offset: number,
  from: number,
  to: number,
  originX: number,
): number {
  const begin = offset + from;
  const end = offset + to;
  const whole = end - ((to - from) % LANES);
  const x = from - originX;
  let bits =
    fourLanes(samples, dark, begin, whole, x, 0) | fourLanes(samples, dark, begin + 4, whole, x + 4, LANES / 2);
  for (let index = whole, lane = 0; index < end; index++, lane++) {
    const raw = samples[index] as number;
    bits |= raw;
    const p = raw - (dark[index] as number);
    const at = x + index - begin;
    const m = p * at;
    lanes[lane] = (lanes[lane] as number) + p;
    lanes[LANES + lane] = (lanes[LANES + lane] as number) + m;
    lanes[2 * LANES + lane] = (lanes[2 * LANES + lane] as number) + m * at;
  }
  for (let sum = 0; sum < 3; sum++) rowSums[sum] = sumOfLanes(sum * LANES);
  return bits;
}

function sumOfLanes(at: number): number {
  const pair = (lane: number): number => (lanes[at + lane] as number) + (lanes[at + lane + 4] as number);
  return pair(0) + pair(2) + (pair(1) + pair(3));
}

/** Sets four neighbouring lanes to the sums over every second group of four pixels: the sums of eight lanes do not fit the registers. */
function fourLanes(
  samples: Uint16Array,
  dark: Float64Array | Float32Array,
  begin: number,
  end: number,
  beginX: number,
  lane: number,
): number {
  let a0 = 0;
  let b0 = 0;
  let c0 = 0;
  let d0 = 0;
  let a1 = 0;
  let b1 = 0;
  let c1 = 0;
  let d1 = 0;
  let a2 = 0;
  let b2 = 0;
  let c2 = 0;
  let d2 = 0;
  let bits = 0;
  let x = beginX;
  for (let index = begin; index < end; index += LANES, x += LANES) {
    const rawA = samples[index] as number;
    const rawB = samples[index + 1] as number;
    const rawC = samples[index + 2] as number;
    const rawD = samples[index + 3] as number;
    bits |= rawA | rawB | rawC | rawD;
    const a = rawA - (dark[index] as number);
    const b = rawB - (dark[index + 1] as number);
    const c = rawC - (dark[index + 2] as number);
    const d = rawD - (dark[index + 3] as number);
    const aX = a * x;
    const bX = b * (x + 1);
    const cX = c * (x + 2);
    const dX = d * (x + 3);
    a0 += a;
    b0 += b;
    c0 += c;
    d0 += d;
    a1 += aX;
    b1 += bX;
    c1 += cX;
    d1 += dX;
    a2 += aX * x;
    b2 += bX * (x + 1);
    c2 += cX * (x + 2);
    d2 += dX * (x + 3);
  }
  lanes[lane] = a0;
  lanes[lane + 1] = b0;
  lanes[lane + 2] = c0;
  lanes[lane + 3] = d0;
  lanes[LANES + lane] = a1;
  lanes[LANES + lane + 1] = b1;
  lanes[LANES + lane + 2] = c1;
  lanes[LANES + lane + 3] = d1;
  lanes[2 * LANES + lane] = a2;
  lanes[2 * LANES + lane + 1] = b2;
  lanes[2 * LANES + lane + 2] = c2;
  lanes[2 * LANES + lane + 3] = d2;
  return bits;
}

function survey(frame: KernelFrame, block_px: number, memory?: Float64Array): FrameSurvey {
  const { samples, width_px, height_px, dark, saturation_counts } = frame;
  const blocksWide = Math.ceil(width_px / block_px);
  const blocksHigh = Math.ceil(height_px / block_px);
  const blockSums = memory?.fill(0) ?? new Float64Array(blocksWide * blocksHigh);
  let brightest_counts = Number.NEGATIVE_INFINITY;
  let saturated = 0;
  let saturatedSquare = false;
  const columns = new Float64Array(dark === undefined ? 0 : width_px);
  for (let row = 0; row < height_px; row++) {
    const offset = row * width_px;
    const blockOffset = Math.floor(row / block_px) * blocksWide;
    const bits =
      dark === undefined
        ? addCounts(samples, offset, width_px, block_px, blockSums, blockOffset, brightest_counts)
        : addDifferences(samples, dark, offset, columns, brightest_counts);
    brightest_counts = brightest[0] as number;
    if (dark !== undefined && (row % block_px === block_px - 1 || row === height_px - 1)) {
      foldColumns(columns, block_px, blockSums, blockOffset);
    }
    if (bits < saturation_counts) continue;
    for (let index = offset; index < offset + width_px; index++) {
      if ((samples[index] as number) < saturation_counts) continue;
      saturated++;
      if (
        !saturatedSquare &&
        row > 0 &&
        index > offset &&
        (samples[index - 1] as number) >= saturation_counts &&
        (samples[index - width_px] as number) >= saturation_counts &&
        (samples[index - width_px - 1] as number) >= saturation_counts
      )
        saturatedSquare = true;
    }
  }
  let total = 0;
  for (let index = 0; index < blockSums.length; index++) total += blockSums[index] as number;
  return { block_px, blocksWide, blocksHigh, blockSums, total, brightest_counts, saturated, saturatedSquare };
}

/** Largest E so far, as the row functions below leave it. */
const brightest = new Float64Array(1);

/**
 * Adds one row to its blocks. Returns the bits that any sample of the row has: no sample is larger than that, so a row with
 * saturated pixels is never missed, and one cheap operation serves eight pixels.
 */
function addCounts(
  samples: Uint16Array,
  offset: number,
  width_px: number,
  block_px: number,
  blockSums: Float64Array,
  blockOffset: number,
  brightestBefore: number,
): number {
  let most = brightestBefore;
  let bits = 0;
  let block = blockOffset;
  for (let start = 0; start < width_px; start += block_px, block++) {
    const end = offset + Math.min(start + block_px, width_px);
    let index = offset + start;
    let sum = 0;
    let inBlock = 0;
    for (; index + 3 < end; index += 4) {
      const a = samples[index] as number;
      const b = samples[index + 1] as number;
      const c = samples[index + 2] as number;
      const d = samples[index + 3] as number;
      sum = (sum + a + b + c + d) | 0;
      inBlock |= a | b | c | d;
    }
    for (; index < end; index++) {
      const e = samples[index] as number;
      sum = (sum + e) | 0;
      inBlock |= e;
    }
    blockSums[block] = (blockSums[block] as number) + sum;
    bits |= inBlock;
    if (inBlock > most) {
      for (index = offset + start; index < end; index++)
        if ((samples[index] as number) > most) most = samples[index] as number;
    }
  }
  brightest[0] = most;
  return bits;
}

/** Adds one row of sample − dark to the sums of its columns; returns the bits of the raw samples. */
function addDifferences(
  samples: Uint16Array,
  dark: Float64Array | Float32Array,
  offset: number,
  columns: Float64Array,
  brightestBefore: number,
): number {
  let most = brightestBefore;
  let bits = 0;
  for (let column = 0; column < columns.length; column++) {
    const raw = samples[offset + column] as number;
    const p = raw - (dark[offset + column] as number);
    bits |= raw;
    if (p > most) most = p;
    columns[column] = (columns[column] as number) + p;
  }
  brightest[0] = most;
  return bits;
}

/** Sums of columns to sums of blocks, from left to right; empties the columns. */
function foldColumns(columns: Float64Array, block_px: number, blockSums: Float64Array, blockOffset: number): void {
  let block = blockOffset;
  for (let start = 0; start < columns.length; start += block_px, block++) {
    const end = Math.min(start + block_px, columns.length);
    let sum = 0;
    for (let column = start; column < end; column++) sum += columns[column] as number;
    blockSums[block] = sum;
  }
  columns.fill(0);
}

function addToSums(sums: Uint32Array, samples: Uint16Array): number {
  let squares = 0;
  for (let start = 0; start < samples.length; start += SQUARES_px) {
    const end = Math.min(samples.length, start + SQUARES_px);
    let stretch = 0;
    for (let index = start; index < end; index++) {
      const counts = samples[index] as number;
      sums[index] = (sums[index] as number) + counts;
      stretch += counts * counts;
    }
    squares += stretch;
  }
  return squares;
}
