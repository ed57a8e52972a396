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
  const pixels = sensor.width_px * sensor.height_px;
  const samples = new Uint16Array(pixels);
  const even_counts = roomLight_counts_per_ms * exposure_ms;
  // Half a count turns truncation into rounding.
  const floor_counts = sensor.blackLevel_counts + even_counts + 0.5;
  const evenVariance = sensor.readNoise_counts ** 2 + even_counts / sensor.electronsPerCount;
  const evenNoise_counts = Math.sqrt(evenVariance);
  const variancePerCount = 1 / sensor.electronsPerCount;
  const fullScale_counts = sensor.fullScale_counts;
  const { first, second } = key;
  const source = light ?? new Float32Array(0);
  const lit = source.length === pixels;
  for (let index = 0; index < pixels; index++) {
    let bits = (index + first) | 0;
    bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
    bits = ((bits ^ (bits >>> 15)) + second) | 0;
    bits = Math.imul(bits ^ (bits >>> 16), 0xd35a2d97);
    bits ^= bits >>> 15;
    const layer = bits & 255;
    const steps = bits >> 8;
    const deviate =
      (steps < 0 ? -steps : steps) < (ZIGGURAT_LIMITS[layer] as number)
        ? steps * (ZIGGURAT_STEPS[layer] as number)
        : normalOutsideRectangle(key, index, bits);
    let counts: number;
    if (lit) {
      const signal_counts = (source[index] as number) * exposure_ms;
      counts = floor_counts + signal_counts + deviate * Math.sqrt(evenVariance + signal_counts * variancePerCount);
    } else {
      counts = floor_counts + deviate * evenNoise_counts;
    }
    // Typed arrays truncate towards zero; negative values would wrap.
    samples[index] = counts < 0 ? 0 : counts > fullScale_counts ? fullScale_counts : counts;
  }
  return samples;
}
