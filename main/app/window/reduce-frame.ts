import type { Frame } from "../../../drivers/protocol/frame.ts";
import { type FrameDetail, type FramePixel, type FrameRegion, sampledSize } from "../../contract/window-frame.ts";

/** As much of a frame as a page can show. */
export interface ReducedFrame {
  /** The largest count of every `reduction` × `reduction` pixels of the region, row-major. */
  readonly samples: Uint16Array;
  /** Absent: the whole sensor. */
  readonly region?: FrameRegion;
  /** Median along the rim of the whole sensor, of samples that are reduced alike; there with a region. */
  readonly rim_counts?: number;
  /** The true counts of the pixel that was asked for, where it is on the sensor. */
  readonly pointer?: FramePixel & { readonly counts: number };
}

/**
 * Fills `reduced` with the largest count of every block of `reduction` × `reduction` pixels of a region of the sensor, row-major. Blocks at
 * its right and lower edge may be smaller. Whichever loop runs, the counts are the same.
 */
export type ReduceLoop = (
  samples: Uint16Array,
  width_px: number,
  left_px: number,
  top_px: number,
  regionWidth_px: number,
  regionHeight_px: number,
  reduction: number,
  reduced: Uint16Array,
) => void;

/** The loop that is always there. */
export const plainReduction: ReduceLoop = (
  samples,
  width_px,
  left,
  top,
  regionWidth,
  regionHeight,
  reduction,
  into,
) => {
  const width = Math.ceil(regionWidth / reduction);
  into.fill(0);
  for (let row = 0; row < regionHeight; row++) {
    const line = Math.floor(row / reduction) * width;
    let at = (top + row) * width_px + left;
    const lineEnd = at + regionWidth;
    for (let block = 0; block < width; block++) {
      const end = Math.min(at + reduction, lineEnd);
      let most = into[line + block] as number;
      for (; at < end; at++) {
        const value = samples[at] as number;
        if (value > most) most = value;
      }
      into[line + block] = most;
    }
  }
};

/** Places along the rim that are looked at for the background. */
const RIM_SAMPLES = 400;

/**
 * What a page can show of a frame. The largest count stands for a block, not the mean: a bright spot of one pixel and saturation
 * are still there. The region grows until its edges fall between blocks that are counted from the sensor's corner, so that a picture does not
 * flicker while it is moved.
 *
 * @param memory where the samples go, as many as `reducedLength` says; default: memory of their own
 */
export function reduceFrame(
  { samples, width_px, height_px }: Pick<Frame, "samples" | "width_px" | "height_px">,
  { reduction, region: wanted, pointer }: FrameDetail,
  reduce: ReduceLoop = plainReduction,
  memory?: Uint16Array,
): ReducedFrame {
  const region = wanted === undefined ? undefined : alignedRegion(wanted, width_px, height_px, reduction);
  const { left_px: left, top_px: top, ...size } = region ?? { left_px: 0, top_px: 0, width_px, height_px };
  const { width, height } = sampledSize({ ...size, reduction });
  const reduced = memory ?? new Uint16Array(width * height);
  reduce(samples, width_px, left, top, size.width_px, size.height_px, reduction, reduced);
  const counts = pointer === undefined ? undefined : countsAt(samples, width_px, height_px, pointer);
  return {
    samples: reduced,
    ...(region === undefined ? {} : { region, rim_counts: rimMedian(samples, width_px, height_px, reduction) }),
    ...(pointer === undefined || counts === undefined ? {} : { pointer: { ...pointer, counts } }),
  };
}

/** How many samples a frame of that size has in that detail. */
export function reducedLength(
  { width_px, height_px }: Pick<Frame, "width_px" | "height_px">,
  { reduction, region: wanted }: FrameDetail,
): number {
  const region = wanted === undefined ? undefined : alignedRegion(wanted, width_px, height_px, reduction);
  const { width, height } = sampledSize({ ...(region ?? { width_px, height_px }), reduction });
  return width * height;
}

/** The region on the sensor, its edges moved outwards to multiples of the reduction; undefined where that is all of the sensor. */
export function alignedRegion(
  { left_px, top_px, width_px, height_px }: FrameRegion,
  sensorWidth_px: number,
  sensorHeight_px: number,
  reduction: number,
): FrameRegion | undefined {
  const down = (place: number, end: number): number => Math.floor(Math.min(place, end - 1) / reduction) * reduction;
  const up = (place: number, end: number): number => Math.min(Math.ceil(place / reduction) * reduction, end);
  const left = down(left_px, sensorWidth_px);
  const top = down(top_px, sensorHeight_px);
  const right = Math.max(up(left_px + width_px, sensorWidth_px), Math.min(left + reduction, sensorWidth_px));
  const bottom = Math.max(up(top_px + height_px, sensorHeight_px), Math.min(top + reduction, sensorHeight_px));
  if (left === 0 && top === 0 && right === sensorWidth_px && bottom === sensorHeight_px) return undefined;
  return { left_px: left, top_px: top, width_px: right - left, height_px: bottom - top };
}

function countsAt(
  samples: Uint16Array,
  width_px: number,
  height_px: number,
  { column_px, row_px }: FramePixel,
): number | undefined {
  return column_px < width_px && row_px < height_px ? samples[row_px * width_px + column_px] : undefined;
}

/** Median of blocks along the rim of the sensor. */
function rimMedian(samples: Uint16Array, width_px: number, height_px: number, reduction: number): number {
  const step = Math.max(reduction, Math.floor((2 * (width_px + height_px)) / RIM_SAMPLES));
  const bottom = Math.floor((height_px - 1) / reduction) * reduction;
  const right = Math.floor((width_px - 1) / reduction) * reduction;
  const block = (left: number, top: number): number => {
    let most = 0;
    for (let row = top; row < Math.min(top + reduction, height_px); row++)
      for (let column = left; column < Math.min(left + reduction, width_px); column++)
        most = Math.max(most, samples[row * width_px + column] as number);
    return most;
  };
  const rim: number[] = [];
  for (let column = 0; column < width_px; column += step) rim.push(block(column, 0), block(column, bottom));
  for (let row = 0; row < height_px; row += step) rim.push(block(0, row), block(right, row));
  rim.sort((a, b) => a - b);
  return rim[Math.floor(rim.length / 2)] ?? 0;
}
