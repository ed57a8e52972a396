import { FileError } from "./file-error.ts";
import { type Raster, sizeProblem } from "./raster.ts";

const ASCII = { newline: 10, hash: 35, zero: 48, nine: 57 };

const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13);

/**
 * Reads Netpbm grey and colour maps: P2 and P5 (grey), P3 and P6 (colour), 8 and 16 bits, text and binary, as the
 * manual pages pgm(5) and ppm(5) define them. Two-byte samples are big-endian. `maxval` is passed on as the maximum.
 */
export function readPortableAnymap(path: string, bytes: Uint8Array): Raster {
  const kind = String.fromCharCode(bytes[0] ?? 0, bytes[1] ?? 0);
  const channels = kind === "P3" || kind === "P6" ? 3 : 1;
  const binary = kind === "P5" || kind === "P6";
  const name = channels === 3 ? "PPM" : "PGM";
  let position = 2;

  /** The next number in text; comments run from # to the end of the line. */
  const readNumber = (what: string): number => {
    for (;;) {
      const byte = bytes[position];
      if (byte === undefined) throw new FileError(path, `truncated: the file ends where ${what} was expected`);
      if (byte === ASCII.hash) {
        while (position < bytes.length && bytes[position] !== ASCII.newline) position += 1;
      } else if (isSpace(byte)) {
        position += 1;
      } else {
        break;
      }
    }
    let value = 0;
    const start = position;
    for (let byte = bytes[position]; byte !== undefined && byte >= ASCII.zero && byte <= ASCII.nine; ) {
      value = value * 10 + (byte - ASCII.zero);
      position += 1;
      byte = bytes[position];
    }
    if (position === start || value > 0xffffffff) {
      throw new FileError(path, `${name}: ${what} at byte ${start} is not a number below 2³²`);
    }
    return value;
  };

  const width = readNumber("the width");
  const height = readNumber("the height");
  const maximum = readNumber("maxval");
  if (maximum < 1 || maximum > 65535) {
    throw new FileError(path, `${name}: maxval is ${maximum}; expected 1 to 65535`);
  }
  const count = width * height * channels;
  const bytesPerSample = maximum > 255 ? 2 : 1;
  // One byte of white space ends a binary header. In text, a sample takes at least a digit and a separator.
  const available = bytes.length - position - (binary ? 1 : 0);
  const problem = sizeProblem(width, height, binary ? count * bytesPerSample : 2 * count - 1, available);
  if (problem !== undefined) throw new FileError(path, `${name}: ${problem}`);

  const samples = new Uint16Array(count);
  if (binary) {
    if (!isSpace(bytes[position] ?? 0)) {
      throw new FileError(path, `${name}: expected one white space after maxval at byte ${position}`);
    }
    position += 1;
    for (let i = 0; i < count; i++) {
      samples[i] =
        bytesPerSample === 2
          ? ((bytes[position + 2 * i] as number) << 8) | (bytes[position + 2 * i + 1] as number)
          : (bytes[position + i] as number);
    }
  } else {
    for (let i = 0; i < count; i++) {
      const value = readNumber(`sample ${i + 1} of ${count}`);
      samples[i] = Math.min(value, 65536 - 1);
      if (value > maximum) throw aboveMaximum(path, name, i, width * channels, value, maximum);
    }
  }
  for (let i = 0; i < count; i++) {
    const value = samples[i] as number;
    if (value > maximum) throw aboveMaximum(path, name, i, width * channels, value, maximum);
  }
  return {
    format: `${bytesPerSample * 8}-bit ${name}`,
    width_px: width,
    height_px: height,
    channels,
    samples,
    maximum,
    notes: [],
  };
}

function aboveMaximum(path: string, name: string, index: number, perRow: number, value: number, maximum: number) {
  const row = Math.floor(index / perRow);
  return new FileError(
    path,
    `${name}: sample ${value} in row ${row}, place ${index % perRow} is above the header's maxval ${maximum}`,
  );
}
