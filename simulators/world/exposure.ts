import { type NoiseKey, randomBits } from "./noise-key.ts";
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

/** One readout in plain numbers and arrays. */
export interface Readout {
  /** Where the counts go. */
  readonly samples: Uint16Array;
  /** Light of the beam in counts per ms, as many pixels; absent while it is blocked. */
  readonly light: Float32Array | undefined;
  readonly exposure_ms: number;
  /** Black level and even light, with half a count on top: truncation becomes rounding. */
  readonly floor_counts: number;
  /** Variance of a pixel that no light of the beam falls on, counts². */
  readonly evenVariance: number;
  /** Variance of shot noise for each count of light. */
  readonly variancePerCount: number;
  readonly fullScale_counts: number;
  readonly key: NoiseKey;
}

/** Fills the samples of a readout. Whichever loop runs, the counts are the same to the last bit. */
export type ReadoutLoop = (readout: Readout) => void;

/**
 * One readout: black level, light, shot and read noise, rounding and clipping to 0…full scale. Shot noise is a normal
 * deviate of the Poisson variance; the read noise of 7.7 e⁻ rms hides what that leaves out at few electrons.
 * Every pixel's noise depends on the key and its index alone.
 *
 * @param samples where the counts go, one per pixel; default: memory of its own
 */
export function exposeSensor(
  exposure: Exposure,
  readOut: ReadoutLoop = plainReadout,
  samples: Uint16Array = new Uint16Array(exposure.sensor.width_px * exposure.sensor.height_px),
): Uint16Array {
  const { sensor, exposure_ms, light, roomLight_counts_per_ms, key } = exposure;
  const even_counts = roomLight_counts_per_ms * exposure_ms;
  readOut({
    samples,
    light,
    exposure_ms,
    floor_counts: sensor.blackLevel_counts + even_counts + 0.5,
    evenVariance: sensor.readNoise_counts ** 2 + even_counts / sensor.electronsPerCount,
    variancePerCount: 1 / sensor.electronsPerCount,
    fullScale_counts: sensor.fullScale_counts,
    key,
  });
  return samples;
}

let unlit = new Float32Array(0);

/** No light on any pixel. Always the same memory, since dark frames come in tens. */
function darkness(pixels: number): Float32Array {
  if (unlit.length !== pixels) unlit = new Float32Array(pixels);
  return unlit;
}

/** The loop that is always there. */
export function plainReadout(readout: Readout): void {
  const { samples, exposure_ms, floor_counts, evenVariance, variancePerCount, fullScale_counts, key } = readout;
  const light = readout.light ?? darkness(samples.length);
  fillSamples(
    samples,
    light,
    exposure_ms,
    floor_counts,
    evenVariance,
    variancePerCount,
    fullScale_counts,
    key.first,
    key.second,
  );
}

/** On plain numbers and typed arrays alone: 5 million pixels per frame pass through it. */
function fillSamples(
  samples: Uint16Array,
  light: Float32Array,
  exposure_ms: number,
  floor_counts: number,
  evenVariance: number,
  variancePerCount: number,
  fullScale_counts: number,
  first: number,
  second: number,
): void {
  const limits = ZIGGURAT_LIMITS;
  const widths = ZIGGURAT_STEPS;
  const evenNoise_counts = Math.sqrt(evenVariance);
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
    const counts = floor_counts + signal_counts + deviate * sigma_counts;
    // Before it becomes a whole number: a glaring pixel may hold more than 32 bits.
    samples[index] = counts >= fullScale_counts ? fullScale_counts : counts > 0 ? counts | 0 : 0;
  }
}

/**
 * Fills the pixels that a faster loop left open: their deviates want logarithms and exponentials to the last bit, which compiled code
 * does not round as this language's do.
 *
 * @param indices pixels, of which the first `count` are meant
 */
export function fillOpen(readout: Readout, indices: Uint32Array, count: number): void {
  const { samples, light, exposure_ms, floor_counts, evenVariance, variancePerCount, fullScale_counts, key } = readout;
  for (let k = 0; k < count; k++) {
    const index = indices[k] as number;
    const deviate = normalOutsideRectangle(key.first, key.second, index, randomBits(key, index));
    const signal_counts = light === undefined ? 0 : (light[index] as number) * exposure_ms;
    const sigma_counts = Math.sqrt(evenVariance + signal_counts * variancePerCount);
    const counts = floor_counts + signal_counts + deviate * sigma_counts;
    samples[index] = counts >= fullScale_counts ? fullScale_counts : counts > 0 ? counts | 0 : 0;
  }
}
