/** Frames for tests beside this folder's sources: closed-form profiles sampled at pixel centres, with a seeded noise. */

/** Normal deviates from a small seeded generator (mulberry32, Box and Muller). */
export function seededNormal(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

export interface GaussianFrame {
  readonly width_px: number;
  readonly height_px: number;
  readonly centreX_px: number;
  readonly centreY_px: number;
  /** Full d4σ along the first axis and at right angles to it. */
  readonly dU_px: number;
  readonly dV_px: number;
  /** Of the first axis, counter-clockwise as seen on the screen. */
  readonly azimuth_deg: number;
  readonly peak_counts: number;
}

/** Counts of a Gaussian beam without noise, row-major. */
export function gaussianLight(frame: GaussianFrame): Float64Array {
  const { width_px, height_px } = frame;
  const light = new Float64Array(width_px * height_px);
  const cosine = Math.cos((frame.azimuth_deg * Math.PI) / 180);
  const sine = Math.sin((frame.azimuth_deg * Math.PI) / 180);
  for (let row = 0; row < height_px; row++)
    for (let column = 0; column < width_px; column++) {
      const right = column - frame.centreX_px;
      const up = frame.centreY_px - row;
      const u = (4 * (right * cosine + up * sine)) / frame.dU_px;
      const v = (4 * (up * cosine - right * sine)) / frame.dV_px;
      light[row * width_px + column] = frame.peak_counts * Math.exp(-(u * u + v * v) / 2);
    }
  return light;
}

export interface Exposure {
  readonly black_counts: number;
  readonly readNoise_counts: number;
  readonly electronsPerCount: number;
  readonly bitDepth: number;
}

export const CAMERA: Exposure = { black_counts: 64, readNoise_counts: 3, electronsPerCount: 2.56, bitDepth: 12 };

/** Counts as a sensor would give them. */
export function expose(light: Float64Array, exposure: Exposure, normal: () => number): Uint16Array {
  const fullScale = 2 ** exposure.bitDepth - 1;
  const samples = new Uint16Array(light.length);
  for (let index = 0; index < light.length; index++) {
    const counts = light[index] as number;
    const noise = Math.sqrt(exposure.readNoise_counts ** 2 + counts / exposure.electronsPerCount) * normal();
    samples[index] = Math.min(fullScale, Math.max(0, Math.round(counts + exposure.black_counts + noise)));
  }
  return samples;
}

/** Mean of dark frames of the same sensor. */
export function exposeDark(pixels: number, frames: number, exposure: Exposure, normal: () => number) {
  const mean = new Float64Array(pixels);
  const unlit = new Float64Array(pixels);
  for (let frame = 0; frame < frames; frame++)
    expose(unlit, exposure, normal).forEach((counts, index) => {
      mean[index] = (mean[index] as number) + counts / frames;
    });
  return { mean, frames, noise_counts: Math.hypot(exposure.readNoise_counts, Math.sqrt(1 / 12)) };
}
