import type { NoiseKey } from "./noise-key.ts";
import type { Sensor } from "./sensor.ts";
import { normalOutsideRectangle, ZIGGURAT_LIMITS, ZIGGURAT_STEPS } from "./ziggurat.ts";

/** What falls on the sensor during one exposure. */
export interface Exposure {
  readonly sensor: Sensor;
  readonly exposure_ms: number;
  /** Light of the beam in counts per ms, row-major; absent while it is blocked. */
  readonly light: Float32Array | undefined;
  /** Even light on every pixel, in counts per ms of this sensor, ≥ 0. */
  readonly roomLight_counts_per_ms: number;
  readonly key: NoiseKey;
}

/**
 * One readout: black level, light, shot and read noise, rounding and clipping to 0…full scale. Shot noise is a normal
 * deviate of the Poisson variance; the read noise of 7.7 e⁻ rms hides what that leaves out at few electrons.
 * Every pixel's noise depends on the key and its index alone.
 */
export function exposeSensor({ sensor, exposure_ms, light, roomLight_counts_per_ms, key }: Exposure): Uint16Array {
  const even_counts = roomLight_counts_per_ms * exposure_ms;
  const samples = new Uint16Array(sensor.width_px * sensor.height_px);
  readOut(
    samples,
    light ?? darkness(samples.length),
    exposure_ms,
    sensor.blackLevel_counts + even_counts,
    sensor.readNoise_counts ** 2 + even_counts / sensor.electronsPerCount,
    1 / sensor.electronsPerCount,
    sensor.fullScale_counts,
    key.first,
    key.second,
  );
  return samples;
}

let unlit = new Float32Array(0);

/** No light on any pixel. Always the same memory, since dark frames come in tens. */
function darkness(pixels: number): Float32Array {
  if (unlit.length !== pixels) unlit = new Float32Array(pixels);
  return unlit;
}

/** The loop over the pixels, on plain numbers and typed arrays alone: 5 million pixels per frame pass through it. */
function readOut(
  samples: Uint16Array,
  light: Float32Array,
  exposure_ms: number,
  even_counts: number,
  evenVariance: number,
  variancePerCount: number,
  fullScale_counts: number,
  first: number,
  second: number,
): void {
  const limits = ZIGGURAT_LIMITS;
  const widths = ZIGGURAT_STEPS;
  // Half a count turns truncation into rounding.
  const floor_counts = even_counts + 0.5;
  const evenNoise_counts = Math.sqrt(evenVariance);
  const top_counts = fullScale_counts | 0;
  const pixels = samples.length;
  for (let index = 0; index < pixels; index++) {
    let bits = (index + first) | 0;
    bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
    bits = ((bits ^ (bits >>> 15)) + second) | 0;
    bits = Math.imul(bits ^ (bits >>> 16), 0xd35a2d97);
    bits ^= bits >>> 15;
    const layer = bits & 255;
    const steps = bits >> 8;
    // Magnitude by complement: a branch on a random sign is guessed wrong every other time.
    const deviate =
      (steps ^ (steps >> 31)) < (limits[layer] as number)
        ? steps * (widths[layer] as number)
        : normalOutsideRectangle(first, second, index, bits);
    const signal_counts = (light[index] as number) * exposure_ms;
    const sigma_counts =
      signal_counts === 0 ? evenNoise_counts : Math.sqrt(evenVariance + signal_counts * variancePerCount);
    const counts = (floor_counts + signal_counts + deviate * sigma_counts) | 0;
    samples[index] = counts < 0 ? 0 : counts > top_counts ? top_counts : counts;
  }
}
