/**
 * Monochrome pixel formats on the wire.
 *
 * Numbers and layouts: EMVA/AIA Pixel Format Naming Convention 2.x and its 32-bit values (the third byte of the number
 * is the bits that a pixel takes); Mono10Packed and Mono12Packed are those of GigE Vision 1.x.
 */

/** How pixels lie in the bytes of a frame. */
export type PixelLayout =
  /** One byte each. */
  | "byte"
  /** Two bytes each, the low one first, high bits zero. */
  | "word"
  /** A stream of bits without gaps, the lowest bit first, over row ends too (the "p" of Mono12p). */
  | "bits"
  /** Two pixels in three bytes: high bits of the first, low bits of both, high bits of the second (GigE Vision's "Packed"). */
  | "triplet";

export interface PixelFormat {
  readonly name: string;
  readonly code: number;
  /** Significant bits of a sample. */
  readonly bitDepth: number;
  /** Bits that one pixel takes on the wire. */
  readonly bitsPerPixel: number;
  readonly layout: PixelLayout;
}

/**
 * In the order in which a camera's formats are chosen from when nobody says: most levels first, plain before packed.
 * Mono16 comes after 12 bits: on most sensors its low bits are filled up, and the number of true ones is not told.
 */
export const PIXEL_FORMATS: readonly PixelFormat[] = [
  { name: "Mono14", code: 0x01100025, bitDepth: 14, bitsPerPixel: 16, layout: "word" },
  { name: "Mono12", code: 0x01100005, bitDepth: 12, bitsPerPixel: 16, layout: "word" },
  { name: "Mono12p", code: 0x010c0047, bitDepth: 12, bitsPerPixel: 12, layout: "bits" },
  { name: "Mono12Packed", code: 0x010c0006, bitDepth: 12, bitsPerPixel: 12, layout: "triplet" },
  { name: "Mono16", code: 0x01100007, bitDepth: 16, bitsPerPixel: 16, layout: "word" },
  { name: "Mono10", code: 0x01100003, bitDepth: 10, bitsPerPixel: 16, layout: "word" },
  { name: "Mono10p", code: 0x010a0046, bitDepth: 10, bitsPerPixel: 10, layout: "bits" },
  { name: "Mono10Packed", code: 0x010c0004, bitDepth: 10, bitsPerPixel: 12, layout: "triplet" },
  { name: "Mono8", code: 0x01080001, bitDepth: 8, bitsPerPixel: 8, layout: "byte" },
];

export function pixelFormatNamed(name: string): PixelFormat | undefined {
  return PIXEL_FORMATS.find((format) => format.name === name);
}

export function pixelFormatOfCode(code: number): PixelFormat | undefined {
  return PIXEL_FORMATS.find((format) => format.code === code);
}

/** Bytes of a frame: rows are not padded, the last byte may be. */
export function payloadBytes(format: PixelFormat, pixels: number): number {
  return Math.ceil((pixels * format.bitsPerPixel) / 8);
}

/**
 * Samples of a frame, low-aligned, 0…2^bitDepth − 1. Words are given as they came, so high bits that the format says are
 * zero stay visible. They are written to `samples`, which has room for `pixels`. Throws RangeError when there are fewer bytes than the
 * frame takes.
 */
export function unpackPixels(
  format: PixelFormat,
  bytes: Uint8Array,
  pixels: number,
  samples: Uint16Array = new Uint16Array(pixels),
): Uint16Array {
  const needed = payloadBytes(format, pixels);
  if (bytes.length < needed) {
    throw new RangeError(`${pixels} pixels of ${format.name} take ${needed} bytes, there are ${bytes.length}`);
  }
  switch (format.layout) {
    case "byte":
      samples.set(bytes.subarray(0, pixels));
      return samples;
    case "word":
      return unpackWords(bytes, pixels, samples);
    case "bits":
      return unpackBits(bytes, pixels, format.bitDepth, samples);
    case "triplet":
      return unpackTriplets(bytes, pixels, format.bitDepth, samples);
  }
}

/** Whether this processor has the bytes of a word in the order in which they come. */
const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function unpackWords(bytes: Uint8Array, pixels: number, samples: Uint16Array): Uint16Array {
  if (LITTLE_ENDIAN && bytes.byteOffset % Uint16Array.BYTES_PER_ELEMENT === 0) {
    samples.set(new Uint16Array(bytes.buffer, bytes.byteOffset, pixels));
    return samples;
  }
  for (let index = 0; index < pixels; index++) {
    samples[index] = (bytes[2 * index] ?? 0) | ((bytes[2 * index + 1] ?? 0) << 8);
  }
  return samples;
}

function unpackBits(bytes: Uint8Array, pixels: number, bitDepth: number, samples: Uint16Array): Uint16Array {
  const mask = 2 ** bitDepth - 1;
  let held = 0;
  let heldBits = 0;
  let next = 0;
  for (let index = 0; index < pixels; index++) {
    while (heldBits < bitDepth) {
      held |= (bytes[next++] ?? 0) << heldBits;
      heldBits += 8;
    }
    samples[index] = held & mask;
    held >>>= bitDepth;
    heldBits -= bitDepth;
  }
  return samples;
}

function unpackTriplets(bytes: Uint8Array, pixels: number, bitDepth: number, samples: Uint16Array): Uint16Array {
  const lowBits = bitDepth - 8;
  const mask = 2 ** lowBits - 1;
  for (let index = 0; index < pixels; index++) {
    const base = 3 * (index >> 1);
    const shared = bytes[base + 1] ?? 0;
    const second = index % 2 === 1;
    const high = bytes[second ? base + 2 : base] ?? 0;
    samples[index] = (high << lowBits) | ((second ? shared >> 4 : shared) & mask);
  }
  return samples;
}

/** Bytes of a frame from its samples: the other way round, for a camera that is emulated. */
export function packPixels(format: PixelFormat, samples: Uint16Array): Uint8Array {
  const bytes = new Uint8Array(payloadBytes(format, samples.length));
  const lowBits = format.bitDepth - 8;
  const mask = 2 ** lowBits - 1;
  for (let index = 0; index < samples.length; index++) {
    const sample = samples[index] ?? 0;
    switch (format.layout) {
      case "byte":
        bytes[index] = sample;
        break;
      case "word":
        bytes[2 * index] = sample;
        bytes[2 * index + 1] = sample >> 8;
        break;
      case "bits":
        putBits(bytes, index * format.bitDepth, sample);
        break;
      case "triplet": {
        const base = 3 * (index >> 1);
        const second = index % 2 === 1;
        bytes[second ? base + 2 : base] = sample >> lowBits;
        bytes[base + 1] = (bytes[base + 1] ?? 0) | ((sample & mask) << (second ? 4 : 0));
        break;
      }
    }
  }
  return bytes;
}

function putBits(bytes: Uint8Array, firstBit: number, sample: number): void {
  const at = firstBit >> 3;
  const spread = sample << (firstBit & 7);
  for (let byte = 0; byte < 3 && at + byte < bytes.length; byte++) {
    bytes[at + byte] = (bytes[at + byte] ?? 0) | ((spread >> (8 * byte)) & 0xff);
  }
}
