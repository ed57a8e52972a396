import type { KernelFrame, Rectangle } from "./kernel.ts";
import { columnsInside, type RectangleRows, rectangleRows } from "./rectangle.ts";

/** About how many pixels are looked at to learn the noise; more would not change the estimate by a per cent. */
const SAMPLED_PIXELS = 6000;

/** With fewer samples outside the area than this, the corners are looked at instead, squares of this side. */
const FEWEST_OUTSIDE = 100;
const CORNER_PX = 12;

/** What a pixel of the mean frame varies by, where it is known. */
export interface NoiseModel {
  readonly readNoise_counts: number;
  readonly electronsPerCount: number;
}

/** A point and variances about which the noise of second moments is asked for. */
export interface MomentShape {
  readonly power_counts: number;
  readonly centroidX_px: number;
  readonly centroidY_px: number;
  /** Variances along the principal axes, pixel². */
  readonly varianceX: number;
  readonly varianceY: number;
  readonly angle_rad: number;
}

/** Noise of the second moments along the principal axes that comes from the pixels inside the area. */
export interface MomentNoise {
  /** Variance of σ²x, of σ²y and of σ²xy (principal axes), pixel⁴. */
  readonly xx: number;
  readonly yy: number;
  readonly xy: number;
  /** Variance of σ²x and of σ²y that one count² of white noise on every pixel gives. */
  readonly xxPerCount2: number;
  readonly yyPerCount2: number;
}

/** Variance of a pixel of the mean frame, dark noise included. */
export type PixelVariance = (column: number, row: number) => number;

/**
 * How the variance of one pixel of the mean frame is had. With a noise model: read and shot noise. With several frames: the
 * variance over the frames. With one frame: the square of what the mask (1 −2 1)ᵀ(1 −2 1) / 6 leaves of the pixel and its
 * neighbours (J. Immerkær, Computer Vision and Image Understanding 64 (1996) 300), in which white noise keeps its variance
 * and a smooth profile vanishes. The last two are right on average only.
 */
export function pixelVariance(
  frames: readonly KernelFrame[],
  model: NoiseModel | undefined,
  darkVariance: number,
  background: (column: number, row: number) => number,
): PixelVariance {
  const first = frames[0] as KernelFrame;
  const { width_px, height_px } = first;
  const number = frames.length;
  if (model !== undefined) {
    return (column, row) => {
      const index = row * width_px + column;
      let sum = 0;
      for (const frame of frames) sum += frame.samples[index] as number;
      const light =
        sum / number - (first.dark === undefined ? 0 : (first.dark[index] as number)) - background(column, row);
      return (model.readNoise_counts ** 2 + Math.max(light, 0) / model.electronsPerCount) / number + darkVariance;
    };
  }
  if (number > 1) {
    return (column, row) => {
      const index = row * width_px + column;
      let sum = 0;
      for (const frame of frames) sum += frame.samples[index] as number;
      const mean = sum / number;
      let squares = 0;
      for (const frame of frames) squares += ((frame.samples[index] as number) - mean) ** 2;
      return squares / (number - 1) / number + darkVariance;
    };
  }
  const value = (index: number): number =>
    (first.samples[index] as number) - (first.dark === undefined ? 0 : (first.dark[index] as number));
  return (column, row) => {
    const x = Math.min(Math.max(column, 1), width_px - 2);
    const y = Math.min(Math.max(row, 1), height_px - 2);
    if (x < 1 || y < 1) return 0;
    const index = y * width_px + x;
    const above = index - width_px;
    const below = index + width_px;
    const left = value(above - 1) + value(above + 1) + value(below - 1) + value(below + 1) + 4 * value(index);
    const right = value(above) + value(below) + value(index - 1) + value(index + 1);
    return ((left - 2 * right) / 6) ** 2;
  };
}

/**
 * Linear propagation of the pixels' noise through σ² = Σ w E (u − ū)² / Σ w E: the derivative by one pixel is
 * w ((u − ū)² − σ²) / power. Sums run over a grid of sample pixels of the area.
 */
export function momentNoise(
  rectangle: Rectangle,
  width_px: number,
  height_px: number,
  shape: MomentShape,
  variance: PixelVariance,
): MomentNoise {
  const rows = rectangleRows(rectangle, width_px, height_px);
  const step = sampleStep(rows);
  const cosine = Math.cos(shape.angle_rad);
  const sine = Math.sin(shape.angle_rad);
  let xx = 0;
  let yy = 0;
  let xy = 0;
  let xxPerCount2 = 0;
  let yyPerCount2 = 0;
  for (let k = step >> 1; k < rows.rowCount; k += step) {
    const overlap = rows.spans[3 * k + 2] as number;
    if (overlap === 0) continue;
    const left = rows.spans[3 * k] as number;
    const right = rows.spans[3 * k + 1] as number;
    const row = rows.firstRow + k;
    const first = Math.floor(left + 0.5);
    const last = Math.ceil(right - 0.5);
    for (let column = first + ((step >> 1) % (last - first + 1)); column <= last; column += step) {
      const weight = overlap * (Math.min(right, column + 0.5) - Math.max(left, column - 0.5));
      const dx = column - shape.centroidX_px;
      const dy = row - shape.centroidY_px;
      const u = dx * cosine + dy * sine;
      const v = dy * cosine - dx * sine;
      const byX = (weight * (u * u - shape.varianceX)) / shape.power_counts;
      const byY = (weight * (v * v - shape.varianceY)) / shape.power_counts;
      const byXy = (weight * u * v) / shape.power_counts;
      const pixel = variance(column, row);
      xx += byX * byX * pixel;
      yy += byY * byY * pixel;
      xy += byXy * byXy * pixel;
      xxPerCount2 += byX * byX;
      yyPerCount2 += byY * byY;
    }
  }
  const each = step * step;
  return {
    xx: xx * each,
    yy: yy * each,
    xy: xy * each,
    xxPerCount2: xxPerCount2 * each,
    yyPerCount2: yyPerCount2 * each,
  };
}

/**
 * Mean variance of the pixels outside an area, from a grid of samples; of the corners where the area leaves next to nothing of the
 * sensor.
 */
export function outsideVariance(
  rectangle: Rectangle,
  width_px: number,
  height_px: number,
  variance: PixelVariance,
): number {
  const step = Math.max(1, Math.floor(Math.sqrt((width_px * height_px) / SAMPLED_PIXELS)));
  const inside = columnsInside(rectangle, width_px);
  let sum = 0;
  let number = 0;
  for (let row = step >> 1; row < height_px; row += step) {
    const { first, last } = inside(row);
    for (let column = step >> 1; column < width_px; column += step) {
      if (column >= first && column <= last) continue;
      sum += variance(column, row);
      number++;
    }
  }
  if (number >= FEWEST_OUTSIDE) return sum / number;
  sum = 0;
  number = 0;
  const wide = Math.min(CORNER_PX, width_px);
  const tall = Math.min(CORNER_PX, height_px);
  for (const top of [0, height_px - tall])
    for (const left of [0, width_px - wide])
      for (let row = top; row < top + tall; row++)
        for (let column = left; column < left + wide; column++) {
          sum += variance(column, row);
          number++;
        }
  return sum / number;
}

function sampleStep(rows: RectangleRows): number {
  let area = 0;
  for (let k = 0; k < rows.rowCount; k++)
    area += (rows.spans[3 * k + 2] as number) * ((rows.spans[3 * k + 1] as number) - (rows.spans[3 * k] as number));
  return Math.max(1, Math.floor(Math.sqrt(area / SAMPLED_PIXELS)));
}
