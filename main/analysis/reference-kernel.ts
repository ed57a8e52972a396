import type { FrameSurvey, KernelFrame, MomentKernel, Rectangle, RectangleMoments } from "./kernel.ts";
import { momentOrigin, rectangleRows } from "./rectangle.ts";

/** The slow, obvious twin: one pixel, one weight, one term per sum. Every faster kernel is held against it. */
export const referenceKernel: MomentKernel = { name: "reference", survey, moments, addCounts };

const difference = (frame: KernelFrame, index: number): number =>
  (frame.samples[index] as number) - (frame.dark === undefined ? 0 : (frame.dark[index] as number));

function isSaturated(frame: KernelFrame, column: number, row: number): boolean {
  if (column < 0 || row < 0 || column >= frame.width_px || row >= frame.height_px) return false;
  return (frame.samples[row * frame.width_px + column] as number) >= frame.saturation_counts;
}

function survey(frame: KernelFrame, block_px: number): FrameSurvey {
  const { width_px, height_px } = frame;
  const blocksWide = Math.ceil(width_px / block_px);
  const blocksHigh = Math.ceil(height_px / block_px);
  const blockSums = new Float64Array(blocksWide * blocksHigh);
  let total = 0;
  let brightest_counts = Number.NEGATIVE_INFINITY;
  let saturated = 0;
  let saturatedSquare = false;
  for (let row = 0; row < height_px; row++) {
    for (let column = 0; column < width_px; column++) {
      const index = row * width_px + column;
      const value = difference(frame, index);
      total += value;
      const block = Math.floor(row / block_px) * blocksWide + Math.floor(column / block_px);
      blockSums[block] = (blockSums[block] as number) + value;
      brightest_counts = Math.max(brightest_counts, value);
      if (isSaturated(frame, column, row)) {
        saturated++;
        if (
          isSaturated(frame, column - 1, row) &&
          isSaturated(frame, column, row - 1) &&
          isSaturated(frame, column - 1, row - 1)
        )
          saturatedSquare = true;
      }
    }
  }
  return { block_px, blocksWide, blocksHigh, blockSums, total, brightest_counts, saturated, saturatedSquare };
}

function moments(frame: KernelFrame, rectangle: Rectangle): RectangleMoments {
  const { width_px, height_px } = frame;
  const origin = momentOrigin(rectangle, width_px, height_px);
  const rows = rectangleRows(rectangle, width_px, height_px);
  const sums = { area_px: 0, s0: 0, sx: 0, sy: 0, sxx: 0, sxy: 0, syy: 0 };
  let saturated = 0;
  for (let k = 0; k < rows.rowCount; k++) {
    const row = rows.firstRow + k;
    const left = rows.spans[3 * k] as number;
    const right = rows.spans[3 * k + 1] as number;
    const overlap = rows.spans[3 * k + 2] as number;
    for (let column = 0; column < width_px; column++) {
      const covered = Math.min(right, column + 0.5) - Math.max(left, column - 0.5);
      if (covered <= 0 || overlap <= 0) continue;
      const weight = covered * overlap;
      const weighted = weight * difference(frame, row * width_px + column);
      const x = column - origin.x;
      const y = row - origin.y;
      sums.area_px += weight;
      sums.s0 += weighted;
      sums.sx += weighted * x;
      sums.sy += weighted * y;
      sums.sxx += weighted * x * x;
      sums.sxy += weighted * x * y;
      sums.syy += weighted * y * y;
      if (isSaturated(frame, column, row)) saturated++;
    }
  }
  return { originX_px: origin.x, originY_px: origin.y, ...sums, saturated };
}

function addCounts(sums: Uint32Array, samples: Uint16Array): number {
  let squares = 0n;
  samples.forEach((counts, index) => {
    sums[index] = (sums[index] ?? 0) + counts;
    squares += BigInt(counts * counts);
  });
  return Number(squares);
}
