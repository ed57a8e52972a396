import { FileError } from "./file-error.ts";

/** How the numbers in a file become counts: `count = (value − offset) · scale`, full scale at `2 ** bitDepth − 1`. */
export interface SampleStorage {
  readonly offset: number;
  readonly scale: number;
  readonly bitDepth: number;
}

interface RecognisedStorage {
  readonly storage: SampleStorage;
  readonly notes: readonly string[];
}

/** One channel of a file, row-major. */
export interface ChannelSamples {
  readonly path: string;
  readonly width_px: number;
  readonly samples: Uint8Array | Uint16Array | Float64Array;
  /** Largest value that the file says a sample can have; absent where it does not say. */
  readonly maximum: number | undefined;
}

/** Depths in which cameras deliver samples. */
const CAMERA_BITS = [8, 10, 12, 14, 16] as const;
const FULL_16 = 65535;
/** Share of samples that may break the rule of left-aligned bits. */
const STRAY_SHARE = 1e-5;
const fullScale = (bits: number): number => 2 ** bits - 1;

/**
 * Recognises from the data where the significant bits lie: to the left (every sample a multiple of 4, 16, 64 or 256),
 * stretched over 16 bits, or to the right; and brings values that are no whole numbers onto 16 bits by a linear map.
 * Second moments do not change under a linear map whose offset the background takes away, and the rounding to 1/65535
 * of the range is symmetric, so neither step biases a width. `bits` is the operator's word and goes before the data's.
 */
export function recogniseStorage(channel: ChannelSamples, bits: number | undefined): RecognisedStorage {
  return channel.samples instanceof Float64Array ? ofValues(channel, bits) : ofCounts(channel, bits);
}

/** Counts of the frame, rounded and held within 0 and full scale. */
export function toCounts(samples: ArrayLike<number>, storage: SampleStorage): Uint16Array {
  const { offset, scale } = storage;
  const top = fullScale(storage.bitDepth);
  const counts = new Uint16Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    counts[i] = Math.min(top, Math.max(0, Math.round(((samples[i] as number) - offset) * scale)));
  }
  return counts;
}

/** The same map without rounding or bounds, for dark frames: clipping what is subtracted would bias the widths. */
export function toSignedCounts(samples: ArrayLike<number>, storage: SampleStorage): Float32Array {
  const { offset, scale } = storage;
  return Float32Array.from(samples, (value) => (value - offset) * scale);
}

function ofValues(channel: ChannelSamples, bits: number | undefined): RecognisedStorage {
  const { path, samples, width_px } = channel;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < samples.length; i++) {
    const value = samples[i] as number;
    if (!Number.isFinite(value)) {
      const place = `row ${Math.floor(i / width_px)}, column ${i % width_px}`;
      throw new FileError(path, `${value} in ${place}; every pixel must be a finite number`);
    }
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (bits !== undefined && most > fullScale(bits)) {
    throw new FileError(path, `a value of ${most} does not fit in ${bits} bits; expected at most ${fullScale(bits)}`);
  }
  // With a flat top the largest value counts as full scale; a single largest pixel says nothing about saturation.
  const top = bits === undefined && !hasFlatTop(samples, width_px, most) ? FULL_16 - 1 : FULL_16;
  const span = (bits === undefined ? most : fullScale(bits)) - least;
  const scale = span > 0 && Number.isFinite(span) ? top / span : 1;
  return {
    storage: { offset: least, scale, bitDepth: 16 },
    notes: [`values from ${shown(least)} to ${shown(most)} mapped linearly onto 16 bits; widths do not depend on it`],
  };
}

function ofCounts(channel: ChannelSamples, bits: number | undefined): RecognisedStorage {
  const { path, samples, width_px } = channel;
  const container = channel.maximum ?? FULL_16;
  const containerBits = Math.ceil(Math.log2(container + 1));
  const whole = container === fullScale(containerBits);
  let most = 0;
  /** Samples by the number of zero bits at their right end, 0 to 7; zeros are multiples of everything. */
  const byZeroBits = new Array<number>(8).fill(0);
  for (let i = 0; i < samples.length; i++) {
    const value = samples[i] as number;
    if (value > most) most = value;
    const zeroBits = 31 - Math.clz32(value & -value);
    if (value !== 0 && zeroBits < 8) byZeroBits[zeroBits] = (byZeroBits[zeroBits] as number) + 1;
  }
  const strays = (shift: number): number => byZeroBits.slice(0, shift).reduce((sum, count) => sum + count, 0);
  // Some cameras write a frame counter into the first pixels of an otherwise left-aligned frame.
  const isLeftAligned = (depth: number): boolean => {
    const shift = containerBits - depth;
    return shift > 0 && strays(shift) <= samples.length * STRAY_SHARE && most >= 2 ** shift && hasTwoValues(samples);
  };
  const leftAligned = (depth: number): RecognisedStorage => {
    const shift = containerBits - depth;
    const except = strays(shift) > 0 ? ` (all but ${strays(shift)} samples are multiples of it)` : "";
    return {
      storage: { offset: 0, scale: 2 ** -shift, bitDepth: depth },
      notes: [`${depth} bits at the left of ${containerBits}: divided by ${2 ** shift}${except}`],
    };
  };
  const plain = (depth: number, ...notes: string[]): RecognisedStorage => ({
    storage: { offset: 0, scale: 1, bitDepth: depth },
    notes,
  });

  if (bits !== undefined) {
    if (whole && isLeftAligned(bits)) return leftAligned(bits);
    if (most <= fullScale(bits)) return plain(bits);
    throw new FileError(
      path,
      `a sample of ${most} does not fit in ${bits} bits and the samples are no multiples of ${2 ** Math.max(0, containerBits - bits)}; expected --bits ${Math.ceil(Math.log2(most + 1))} or more`,
    );
  }
  if (containerBits < 8) {
    const note = `only ${container + 1} grey levels, stretched to 8 bits`;
    return { storage: { offset: 0, scale: 255 / container, bitDepth: 8 }, notes: [note] };
  }
  if (!whole) {
    if (hasFlatTop(samples, width_px, container)) {
      const scale = fullScale(containerBits) / container;
      const note = `full scale is ${container}: stretched to ${containerBits} bits`;
      return { storage: { offset: 0, scale, bitDepth: containerBits }, notes: [note] };
    }
    return plain(containerBits, `the header's maximum of ${container} is taken for ${containerBits} bits`);
  }
  if (containerBits === 8 || most === 0) return plain(containerBits);

  const left = CAMERA_BITS.find((depth) => isLeftAligned(depth));
  if (left !== undefined) return leftAligned(left);
  const stretched = CAMERA_BITS.find((depth) => depth < containerBits && isStretched(samples, depth, containerBits));
  if (stretched !== undefined) {
    const scale = fullScale(stretched) / container;
    const note = `${stretched} bits stretched over ${containerBits}: brought back`;
    return { storage: { offset: 0, scale, bitDepth: stretched }, notes: [note] };
  }
  if (containerBits < 16) return plain(containerBits);
  const right = CAMERA_BITS.find((depth) => {
    // Cameras of 8 bits rarely use 16; a dim frame of a better one is told apart by its top not being flat at 255.
    const credible = depth > 8 || channel.maximum === undefined || hasFlatTop(samples, width_px, 255);
    return credible && most <= fullScale(depth);
  });
  if (right === undefined || right === 16) return plain(16);
  return plain(
    right,
    `no sample above ${fullScale(right)}: taken for ${right} bits at the right of 16 (--bits says otherwise)`,
  );
}

function hasTwoValues(samples: ArrayLike<number>): boolean {
  const first = samples[0];
  for (let i = 1; i < samples.length; i++) if (samples[i] !== first) return true;
  return false;
}

/**
 * Whether every sample is one of `2 ** depth` levels spread evenly over the container, by rounding or by repeating the
 * upper bits below. One sample in four of other data would pass at 14 bits in 16, so a few hundred decide.
 */
function isStretched(samples: ArrayLike<number>, depth: number, containerBits: number): boolean {
  const ratio = fullScale(containerBits) / fullScale(depth);
  const shift = containerBits - depth;
  let rounded = true;
  let repeated = 2 * depth >= containerBits;
  let levels = 0;
  let last = -1;
  for (let i = 0; i < samples.length && (rounded || repeated); i++) {
    const value = samples[i] as number;
    if (value === last) continue;
    last = value;
    if (value !== 0 && value !== fullScale(containerBits)) levels += 1;
    if (rounded && Math.round(Math.round(value / ratio) * ratio) !== value) rounded = false;
    if (repeated) {
      const level = value >> shift;
      if (((level << shift) | (level >> (depth - shift))) !== value) repeated = false;
    }
  }
  return levels >= 16 && (rounded || repeated);
}

/** Whether a block of 2 × 2 pixels shares `value`. */
function hasFlatTop(samples: ArrayLike<number>, width: number, value: number): boolean {
  for (let i = 0; i + width + 1 < samples.length; i++) {
    if (samples[i] !== value || (i + 1) % width === 0) continue;
    if (samples[i + 1] === value && samples[i + width] === value && samples[i + width + 1] === value) return true;
  }
  return false;
}

function shown(value: number): string {
  return String(Number(value.toPrecision(6)));
}
