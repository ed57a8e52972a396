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
  const band = (side: EdgeLight["side"], x0: number, x1: number, y0: number, y1: number): EdgeLight => {
    const along = side === "top" || side === "bottom";
    const centre = along ? beam.centroidX_px : beam.centroidY_px;
    const half = Math.max((along ? beam.sensorWidthX_px : beam.sensorWidthY_px) / 2, 1);
    let sum = 0;
    let pixels = 0;
    let sumBeside = 0;
    let pixelsBeside = 0;
    for (let row = y0; row < y1; row++)
      for (let column = x0; column < x1; column++) {
        const index = row * width_px + column;
        let counts = 0;
        for (const frame of frames) counts += frame.samples[index] as number;
        const light =
          counts / frames.length - (dark === undefined ? 0 : (dark[index] as number)) - background(column, row);
        sum += light;
        pixels++;
        if (Math.abs((along ? column : row) - centre) <= half) {
          sumBeside += light;
          pixelsBeside++;
        }
      }
    return {
      side,
      mean_counts: pixels === 0 ? 0 : sum / pixels,
      besideBeam_counts: pixelsBeside === 0 ? 0 : sumBeside / pixelsBeside,
      pixels,
      pixelsBesideBeam: pixelsBeside,
    };
  };
  return [
    band("left", 0, bandX, 0, height_px),
    band("right", width_px - bandX, width_px, 0, height_px),
    band("top", 0, width_px, 0, bandY),
    band("bottom", 0, width_px, height_px - bandY, height_px),
  ];
}
