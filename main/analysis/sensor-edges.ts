import type { KernelFrame } from "./kernel.ts";

/** Rows or columns next to the edge that are averaged. */
const BAND_PX = 4;

/** Light along one side of the sensor. */
export interface EdgeLight {
  readonly side: "left" | "right" | "top" | "bottom";
  /** Mean over the whole side above the background. */
  readonly mean_counts: number;
  /** Mean over the stretch of the side that lies next to the beam. */
  readonly besideBeam_counts: number;
  readonly pixels: number;
  readonly pixelsBesideBeam: number;
}

/**
 * Mean counts above the background in the outermost four rows and columns, over the whole side and over the stretch within half a
 * width of the centroid, so that a small beam cut by the edge of a large sensor is seen too.
 */
export function edgeLight(
  frames: readonly KernelFrame[],
  background: (column: number, row: number) => number,
  beam: { centroidX_px: number; centroidY_px: number; sensorWidthX_px: number; sensorWidthY_px: number },
): EdgeLight[] {
  const { width_px, height_px, dark } = frames[0] as KernelFrame;
  const bandX = Math.min(BAND_PX, width_px);
  const bandY = Math.min(BAND_PX, height_px);
  const ofBeam = {
    x: { centre: beam.centroidX_px, half: Math.max(beam.sensorWidthX_px / 2, 1) },
    y: { centre: beam.centroidY_px, half: Math.max(beam.sensorWidthY_px / 2, 1) },
  };
  const whole = { left: 0, right: width_px, top: 0, bottom: height_px };
  const bands = [
    { side: "left", pixels: { ...whole, right: bandX }, beside: ofBeam.y },
    { side: "right", pixels: { ...whole, left: width_px - bandX }, beside: ofBeam.y },
    { side: "top", pixels: { ...whole, bottom: bandY }, beside: ofBeam.x },
    { side: "bottom", pixels: { ...whole, top: height_px - bandY }, beside: ofBeam.x },
  ] as const;
  return bands.map(({ side, pixels, beside }) => {
    const counts = countsOf(frames, dark, width_px, pixels);
    return lightOf(side, counts, pixels, background, beside);
  });
}

/** Columns and rows, the first of each and the one after the last. */
interface Pixels {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

let scratch = new Float64Array(0);

/**
 * Mean counts of those pixels less their dark, row by row; valid until the next call. Nothing else is done here: the pixels lie far from one
 * another in memory, and what waits for none of them is fetched together.
 */
function countsOf(
  frames: readonly KernelFrame[],
  dark: KernelFrame["dark"],
  width_px: number,
  { left, right, top, bottom }: Pixels,
): Float64Array {
  const length = (right - left) * (bottom - top);
  if (scratch.length < length) scratch = new Float64Array(length);
  const counts = scratch;
  const first = (frames[0] as KernelFrame).samples;
  let next = 0;
  for (let row = top; row < bottom; row++)
    for (let index = row * width_px + left; index < row * width_px + right; index++)
      counts[next++] = first[index] as number;
  for (let frame = 1; frame < frames.length; frame++) {
    const { samples } = frames[frame] as KernelFrame;
    next = 0;
    for (let row = top; row < bottom; row++)
      for (let index = row * width_px + left; index < row * width_px + right; index++, next++)
        counts[next] = (counts[next] as number) + (samples[index] as number);
  }
  next = 0;
  for (let row = top; row < bottom; row++)
    for (let index = row * width_px + left; index < row * width_px + right; index++, next++)
      counts[next] = (counts[next] as number) / frames.length - (dark === undefined ? 0 : (dark[index] as number));
  return counts;
}

/** Sums over one side, and over its stretch next to the beam. */
function lightOf(
  side: EdgeLight["side"],
  counts: Float64Array,
  { left, right, top, bottom }: Pixels,
  background: (column: number, row: number) => number,
  { centre, half }: { readonly centre: number; readonly half: number },
): EdgeLight {
  const isUpright = side === "left" || side === "right";
  const from = centre - half;
  const to = centre + half;
  let sum = 0;
  let sumBeside = 0;
  let pixelsBesideBeam = 0;
  let next = 0;
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++) {
      const light = (counts[next++] as number) - background(column, row);
      sum += light;
      const along = isUpright ? row : column;
      if (along < from || along > to) continue;
      sumBeside += light;
      pixelsBesideBeam++;
    }
  return {
    side,
    mean_counts: next === 0 ? 0 : sum / next,
    besideBeam_counts: pixelsBesideBeam === 0 ? 0 : sumBeside / pixelsBesideBeam,
    pixels: next,
    pixelsBesideBeam,
  };
}
