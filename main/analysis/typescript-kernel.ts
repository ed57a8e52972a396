import type { FrameSurvey, KernelFrame, MomentKernel, Rectangle, RectangleMoments } from "./kernel.ts";
import { momentOrigin, rectangleRows } from "./rectangle.ts";

/**
 * The fast twin in TypeScript. Moments are summed row by row: three sums along the row, folded into the six of the rectangle once
 * per row. Without a dark the row sums run in 32-bit integers over chunks (repeated summation: a += e, b += a, c += b, whose
 * chain is one cycle per step), which is exact; with a dark they run in doubles.
 */
export const typescriptKernel: MomentKernel = { name: "typescript", survey, moments };

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

/** As `sumCounts`, of sample − dark; the bits are those of the raw samples. */
function sumDifferences(
  samples: Uint16Array,
  dark: Float64Array | Float32Array,
  offset: number,
  from: number,
  to: number,
  originX: number,
): number {
  let p0 = 0;
  let p1 = 0;
  let p2 = 0;
  let q0 = 0;
  let q1 = 0;
  let q2 = 0;
  let bits = 0;
  let x = from - originX;
  let index = offset + from;
  const end = offset + to;
  // Two sets of sums, so that the additions of neighbours need not wait for one another.
  for (; index + 1 < end; index += 2, x += 2) {
    const rawP = samples[index] as number;
    const rawQ = samples[index + 1] as number;
    bits |= rawP | rawQ;
    const p = rawP - (dark[index] as number);
    const q = rawQ - (dark[index + 1] as number);
    const px = p * x;
    const qx = q * (x + 1);
    p0 += p;
    q0 += q;
    p1 += px;
    q1 += qx;
    p2 += px * x;
    q2 += qx * (x + 1);
  }
  if (index < end) {
    const raw = samples[index] as number;
    bits |= raw;
    const p = raw - (dark[index] as number);
    p0 += p;
    p1 += p * x;
    p2 += p * x * x;
  }
  rowSums[0] = p0 + q0;
  rowSums[1] = p1 + q1;
  rowSums[2] = p2 + q2;
  return bits;
}

function survey(frame: KernelFrame, block_px: number): FrameSurvey {
  const { samples, width_px, height_px, dark, saturation_counts } = frame;
  const blocksWide = Math.ceil(width_px / block_px);
  const blocksHigh = Math.ceil(height_px / block_px);
  const blockSums = new Float64Array(blocksWide * blocksHigh);
  let brightest_counts = Number.NEGATIVE_INFINITY;
  let saturated = 0;
  let saturatedSquare = false;
  for (let row = 0; row < height_px; row++) {
    const offset = row * width_px;
    const blockOffset = Math.floor(row / block_px) * blocksWide;
    const bits =
      dark === undefined
        ? addCounts(samples, offset, width_px, block_px, blockSums, blockOffset, brightest_counts)
        : addDifferences(samples, dark, offset, width_px, block_px, blockSums, blockOffset, brightest_counts);
    brightest_counts = brightest[0] as number;
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

/** As `addCounts`, of sample − dark; the bits are those of the raw samples. */
function addDifferences(
  samples: Uint16Array,
  dark: Float64Array | Float32Array,
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
    let other = 0;
    for (; index + 1 < end; index += 2) {
      const a = samples[index] as number;
      const b = samples[index + 1] as number;
      const p = a - (dark[index] as number);
      const q = b - (dark[index + 1] as number);
      bits |= a | b;
      if (p > most) most = p;
      if (q > most) most = q;
      sum += p;
      other += q;
    }
    if (index < end) {
      const e = samples[index] as number;
      const p = e - (dark[index] as number);
      bits |= e;
      if (p > most) most = p;
      sum += p;
    }
    blockSums[block] = (blockSums[block] as number) + (sum + other);
  }
  brightest[0] = most;
  return bits;
}
