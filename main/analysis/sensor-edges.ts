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
  const left = new Band("left", ofBeam.y);
  const right = new Band("right", ofBeam.y);
  const top = new Band("top", ofBeam.x);
  const bottom = new Band("bottom", ofBeam.x);
  const add = (band: Band, column: number, row: number, along: number): void => {
    const index = row * width_px + column;
    let counts = 0;
    for (const frame of frames) counts += frame.samples[index] as number;
    band.add(
      counts / frames.length - (dark === undefined ? 0 : (dark[index] as number)) - background(column, row),
      along,
    );
  };
  // Left and right together: the end of a row and the beginning of the next are neighbours in memory.
  for (let row = 0; row < height_px; row++) {
    for (let column = 0; column < bandX; column++) add(left, column, row, row);
    for (let column = width_px - bandX; column < width_px; column++) add(right, column, row, row);
  }
  for (let row = 0; row < bandY; row++) for (let column = 0; column < width_px; column++) add(top, column, row, column);
  for (let row = height_px - bandY; row < height_px; row++)
    for (let column = 0; column < width_px; column++) add(bottom, column, row, column);
  return [left.light(), right.light(), top.light(), bottom.light()];
}

/** Sums over one side, and over its stretch next to the beam. */
class Band {
  private readonly side: EdgeLight["side"];
  private readonly from: number;
  private readonly to: number;
  private sum = 0;
  private pixels = 0;
  private sumBeside = 0;
  private pixelsBeside = 0;

  constructor(side: EdgeLight["side"], beam: { centre: number; half: number }) {
    this.side = side;
    this.from = beam.centre - beam.half;
    this.to = beam.centre + beam.half;
  }

  /** `along`: where on the side the pixel lies. */
  add(light_counts: number, along: number): void {
    this.sum += light_counts;
    this.pixels++;
    if (along < this.from || along > this.to) return;
    this.sumBeside += light_counts;
    this.pixelsBeside++;
  }

  light(): EdgeLight {
    return {
      side: this.side,
      mean_counts: this.pixels === 0 ? 0 : this.sum / this.pixels,
      besideBeam_counts: this.pixelsBeside === 0 ? 0 : this.sumBeside / this.pixelsBeside,
      pixels: this.pixels,
      pixelsBesideBeam: this.pixelsBeside,
    };
  }
}
