import type { FrameSurvey, Rectangle } from "./kernel.ts";

/** The frame (mean over the frames of a measurement, dark subtracted) as mean counts per pixel over square blocks. */
export interface BlockMap {
  readonly block_px: number;
  readonly blocksWide: number;
  readonly blocksHigh: number;
  readonly width_px: number;
  readonly height_px: number;
  /** Mean counts per pixel, row-major. */
  readonly means: Float64Array;
}

export function blockMap(surveys: readonly FrameSurvey[], width_px: number, height_px: number): BlockMap {
  const first = surveys[0] as FrameSurvey;
  const { block_px, blocksWide, blocksHigh } = first;
  const means = new Float64Array(first.blockSums);
  for (const { blockSums } of surveys.slice(1))
    for (let index = 0; index < means.length; index++)
      means[index] = (means[index] as number) + (blockSums[index] as number);
  for (let row = 0; row < blocksHigh; row++) {
    const tall = Math.min(block_px, height_px - row * block_px);
    const last = (row + 1) * blocksWide - 1;
    const pixels = tall * block_px * surveys.length;
    for (let index = row * blocksWide; index < last; index++) means[index] = (means[index] as number) / pixels;
    const wide = width_px - (blocksWide - 1) * block_px;
    means[last] = (means[last] as number) / (tall * wide * surveys.length);
  }
  return { block_px, blocksWide, blocksHigh, width_px, height_px, means };
}

/** Centre of a column of blocks in pixel coordinates; the last column may be narrower. */
export function blockCentreX_px(map: BlockMap, column: number): number {
  const from = column * map.block_px;
  return (from + Math.min(from + map.block_px, map.width_px) - 1) / 2;
}

/** Centre of a row of blocks in pixel coordinates. */
export function blockCentreY_px(map: BlockMap, row: number): number {
  const from = row * map.block_px;
  return (from + Math.min(from + map.block_px, map.height_px) - 1) / 2;
}

let scratch = new Float64Array(0);
let smooth = new Float64Array(0);

/** The map smoothed by the binomial kernel 1 2 1 in either direction; edge blocks repeat outwards. Valid until the next call. */
export function smoothed(map: BlockMap): BlockMap {
  const { blocksWide, blocksHigh, means } = map;
  if (scratch.length < means.length) {
    scratch = new Float64Array(means.length);
    smooth = new Float64Array(means.length);
  }
  const alongRows = scratch;
  const result = smooth.subarray(0, means.length);
  for (let row = 0; row < blocksHigh; row++) {
    const from = row * blocksWide;
    const to = from + blocksWide - 1;
    let left = means[from] as number;
    let here = left;
    for (let index = from; index <= to; index++) {
      const right = means[Math.min(index + 1, to)] as number;
      alongRows[index] = (left + 2 * here + right) / 4;
      left = here;
      here = right;
    }
  }
  for (let row = 0; row < blocksHigh; row++) {
    const from = row * blocksWide;
    const above = row > 0 ? -blocksWide : 0;
    const below = row < blocksHigh - 1 ? blocksWide : 0;
    for (let index = from; index < from + blocksWide; index++)
      result[index] =
        ((alongRows[index + above] as number) +
          2 * (alongRows[index] as number) +
          (alongRows[index + below] as number)) /
        4;
  }
  return { ...map, means: result };
}

/** Share of the white noise of a block that is left after `smoothed`: Σ of the squared weights, then the root. */
export const SMOOTHED_NOISE_SHARE = 6 / 16;

/** Median of the values, which are finite; 0 of none. Reorders its argument. */
export function median(values: Float64Array): number {
  if (values.length === 0) return 0;
  const middle = values.length >> 1;
  const upper = selectSmallest(values, middle);
  if (values.length % 2 === 1) return upper;
  let lower = values[0] as number;
  for (let index = 1; index < middle; index++) lower = Math.max(lower, values[index] as number);
  return (lower + upper) / 2;
}

/** The value that would stand at `place` if all were sorted; moves no larger ones before it (C. A. R. Hoare's FIND). */
function selectSmallest(values: Float64Array, place: number): number {
  let from = 0;
  let to = values.length - 1;
  while (from < to) {
    const pivot = values[(from + to) >> 1] as number;
    let left = from;
    let right = to;
    while (left <= right) {
      while ((values[left] as number) < pivot) left++;
      while (pivot < (values[right] as number)) right--;
      if (left > right) break;
      const kept = values[left] as number;
      values[left++] = values[right] as number;
      values[right--] = kept;
    }
    if (place <= right) to = right;
    else if (place >= left) from = left;
    else break;
  }
  return values[place] as number;
}

/** Differences between neighbours that are looked at for the noise; more would not tell it better than to 1 or 2 %. */
const NOISE_SAMPLES = 5000;

/** Standard deviation of a block from the differences between neighbours in a row, robust against beams and slopes. */
export function blockNoise_counts(map: BlockMap): number {
  const { blocksWide, blocksHigh, means } = map;
  const pairs = (blocksWide - 1) * blocksHigh;
  if (pairs === 0) return 0;
  const step = Math.max(1, Math.floor(pairs / NOISE_SAMPLES));
  const differences = new Float64Array(Math.floor((pairs - 1) / step) + 1);
  let row = 0;
  let column = 0;
  for (let next = 0; next < differences.length; next++) {
    const index = row * blocksWide + column;
    differences[next] = Math.abs((means[index + 1] as number) - (means[index] as number));
    column += step;
    while (column >= blocksWide - 1) {
      column -= blocksWide - 1;
      row++;
    }
  }
  return median(differences) / (MAD_PER_SIGMA * Math.SQRT2);
}

/** Median of the absolute value of a standard normal deviate. */
export const MAD_PER_SIGMA = 0.6744897501960817;

/** The level at the sensor's rim: the median of the outermost blocks. */
export function rimLevel_counts(map: BlockMap): number {
  const { blocksWide, blocksHigh, means } = map;
  const rim: number[] = [];
  for (let row = 0; row < blocksHigh; row++) {
    const whole = row === 0 || row === blocksHigh - 1;
    const step = whole ? 1 : Math.max(1, blocksWide - 1);
    for (let column = 0; column < blocksWide; column += step) rim.push(means[row * blocksWide + column] as number);
  }
  return median(Float64Array.from(rim));
}

/** Tells whether a block lies wholly outside a rectangle (judged by its centre and half diagonal). */
export function outsideTest(map: BlockMap, rectangle: Rectangle): (column: number, row: number) => boolean {
  const cosine = Math.cos(rectangle.angle_rad);
  const sine = Math.sin(rectangle.angle_rad);
  const margin = map.block_px * Math.SQRT1_2;
  const along = rectangle.halfLength_px + margin;
  const across = rectangle.halfBreadth_px + margin;
  return (column, row) => {
    const dx = blockCentreX_px(map, column) - rectangle.centreX_px;
    const dy = blockCentreY_px(map, row) - rectangle.centreY_px;
    return Math.abs(dx * cosine + dy * sine) > along || Math.abs(dy * cosine - dx * sine) > across;
  };
}

/** The map with blocks put together two by two until there are at most `limit` of them. */
export function coarsened(map: BlockMap, limit: number): BlockMap {
  let coarse = map;
  while (coarse.means.length > limit) {
    const fine = coarse;
    const block_px = 2 * fine.block_px;
    const blocksWide = Math.ceil(fine.width_px / block_px);
    const blocksHigh = Math.ceil(fine.height_px / block_px);
    const means = new Float64Array(blocksWide * blocksHigh);
    const lastWide = fine.width_px - (fine.blocksWide - 1) * fine.block_px;
    const lastTall = fine.height_px - (fine.blocksHigh - 1) * fine.block_px;
    for (let row = 0; row < blocksHigh; row++) {
      const endY = Math.min(2 * row + 2, fine.blocksHigh);
      for (let column = 0; column < blocksWide; column++) {
        const endX = Math.min(2 * column + 2, fine.blocksWide);
        let sum = 0;
        let area = 0;
        for (let y = 2 * row; y < endY; y++) {
          const tall = y < fine.blocksHigh - 1 ? fine.block_px : lastTall;
          for (let x = 2 * column; x < endX; x++) {
            const wide = x < fine.blocksWide - 1 ? fine.block_px : lastWide;
            sum += (fine.means[y * fine.blocksWide + x] as number) * wide * tall;
            area += wide * tall;
          }
        }
        means[row * blocksWide + column] = sum / area;
      }
    }
    coarse = { ...fine, block_px, blocksWide, blocksHigh, means };
  }
  return coarse;
}
