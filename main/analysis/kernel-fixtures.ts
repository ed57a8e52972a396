import { seededNormal } from "./frame-fixtures.ts";
import type { KernelFrame, Rectangle } from "./kernel.ts";

/** What the kernels are held against one another on. */
export const WIDTH = 83;
export const HEIGHT = 61;

/** A saturated spot with noise; the dark has fractions and noise of its own. */
export function frameOf(bitDepth: number, dark: "none" | "float32" | "float64", seed = 5): KernelFrame {
  const normal = seededNormal(seed);
  const fullScale = 2 ** bitDepth - 1;
  const samples = new Uint16Array(WIDTH * HEIGHT);
  for (let index = 0; index < samples.length; index++) {
    const column = index % WIDTH;
    const row = Math.floor(index / WIDTH);
    const light = 1.2 * fullScale * Math.exp(-((column - 40) ** 2) / 300 - (row - 31) ** 2 / 120);
    samples[index] = Math.min(fullScale, Math.max(0, Math.round(light + 20 + 5 * normal())));
  }
  const frame = { samples, width_px: WIDTH, height_px: HEIGHT, saturation_counts: fullScale };
  if (dark === "none") return frame;
  const values = Float64Array.from(samples, () => 20 + normal());
  return { ...frame, dark: dark === "float64" ? values : Float32Array.from(values) };
}

export const RECTANGLES: Record<string, Rectangle> = {
  upright: { centreX_px: 40.3, centreY_px: 30.8, halfLength_px: 20.4, halfBreadth_px: 11.7, angle_rad: 0 },
  turned: { centreX_px: 40.3, centreY_px: 30.8, halfLength_px: 24.4, halfBreadth_px: 9.7, angle_rad: 0.4 },
  "turned back": { centreX_px: 41.9, centreY_px: 29.2, halfLength_px: 19.1, halfBreadth_px: 14.2, angle_rad: -0.78 },
  "over the left and upper edge": {
    centreX_px: 3,
    centreY_px: 4.4,
    halfLength_px: 20,
    halfBreadth_px: 12,
    angle_rad: 0.2,
  },
  "over the right and lower edge": {
    centreX_px: 80,
    centreY_px: 58,
    halfLength_px: 20,
    halfBreadth_px: 12,
    angle_rad: -0.3,
  },
  "larger than the sensor": { centreX_px: 40, centreY_px: 30, halfLength_px: 400, halfBreadth_px: 300, angle_rad: 0.5 },
  "within one pixel": { centreX_px: 40.2, centreY_px: 30.1, halfLength_px: 0.2, halfBreadth_px: 0.15, angle_rad: 0 },
  "a needle": { centreX_px: 40, centreY_px: 30, halfLength_px: 30, halfBreadth_px: 0.3, angle_rad: 0.77 },
  "beside the sensor": { centreX_px: 300, centreY_px: 30, halfLength_px: 10, halfBreadth_px: 10, angle_rad: 0 },
};
