import { FileError } from "./file-error.ts";
import { type Raster, sizeProblem } from "./raster.ts";

const UNCOMPRESSED = 0;
const BITFIELDS = 3;

/**
 * Reads uncompressed Windows and OS/2 bitmaps: 1, 4 and 8 bits through their palette, 24 bits, and 32 bits with any
 * masks of whole bytes; either row order. The layout is that of the documentation of BITMAPINFOHEADER.
 *
 * The packages for this format return palette indices as grey levels, or ignore where the header says the pixels begin.
 */
export function readBitmap(path: string, bytes: Uint8Array): Raster {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 26)
    throw new FileError(path, `truncated: a BMP header has at least 26 bytes, found ${bytes.length}`);
  const pixelOffset = view.getUint32(10, true);
  const headerLength = view.getUint32(14, true);
  const old = headerLength === 12;
  if ((!old && headerLength < 40) || 14 + headerLength > bytes.length) {
    throw new FileError(
      path,
      `BMP: header length ${headerLength} at byte 14; expected 12, or 40 to the end of the file`,
    );
  }
  const width = old ? view.getUint16(18, true) : view.getInt32(18, true);
  const signedHeight = old ? view.getUint16(20, true) : view.getInt32(22, true);
  const bits = view.getUint16(old ? 24 : 28, true);
  const compression = old ? UNCOMPRESSED : view.getUint32(30, true);
  const height = Math.abs(signedHeight);
  if (![1, 4, 8, 24, 32].includes(bits)) {
    throw new FileError(path, `BMP: ${bits} bits per pixel at byte 28; expected 1, 4, 8, 24 or 32`);
  }
  if (compression !== UNCOMPRESSED && !(compression === BITFIELDS && bits === 32)) {
    throw new FileError(path, `BMP: compression ${compression} at byte 30; expected an uncompressed bitmap`);
  }
  const rowBytes = Math.ceil((width * bits) / 32) * 4;
  const problem = sizeProblem(width, height, rowBytes * height, bytes.length - pixelOffset);
  if (problem !== undefined) throw new FileError(path, `BMP: ${problem}`);

  const samples = new Uint8Array(width * height * 3);
  const rowStart = (row: number) => pixelOffset + rowBytes * (signedHeight > 0 ? height - 1 - row : row);
  if (bits <= 8) {
    const entryBytes = old ? 3 : 4;
    const paletteOffset = 14 + headerLength;
    const listed = old ? 0 : view.getUint32(46, true);
    const entries = listed === 0 ? 2 ** bits : listed;
    if (entries > 256 || paletteOffset + entries * entryBytes > bytes.length) {
      throw new FileError(
        path,
        `BMP: a palette of ${entries} colours at byte ${paletteOffset}; expected at most 256 inside the file`,
      );
    }
    for (let row = 0; row < height; row++) {
      const start = rowStart(row);
      for (let column = 0; column < width; column++) {
        const bit = column * bits;
        const index = ((bytes[start + (bit >> 3)] as number) >> (8 - bits - (bit & 7))) & (2 ** bits - 1);
        if (index >= entries) {
          throw new FileError(path, `BMP: colour ${index} in row ${row}, column ${column}; the palette has ${entries}`);
        }
        const entry = paletteOffset + index * entryBytes;
        const target = 3 * (row * width + column);
        for (let channel = 0; channel < 3; channel++) samples[target + channel] = bytes[entry + 2 - channel] as number;
      }
    }
  } else {
    const order = bits === 24 ? [2, 1, 0] : byteOrder(path, view, headerLength, compression);
    const step = bits / 8;
    for (let row = 0; row < height; row++) {
      const start = rowStart(row);
      for (let column = 0; column < width; column++) {
        const target = 3 * (row * width + column);
        for (let channel = 0; channel < 3; channel++) {
          samples[target + channel] = bytes[start + column * step + (order[channel] as number)] as number;
        }
      }
    }
  }
  return {
    format: `${bits}-bit BMP`,
    width_px: width,
    height_px: height,
    channels: 3,
    samples,
    maximum: 255,
    notes: [],
  };
}

/** Which byte of a 32-bit pixel holds red, green and blue. */
function byteOrder(path: string, view: DataView, headerLength: number, compression: number): number[] {
  if (compression === UNCOMPRESSED) return [2, 1, 0];
  // The masks follow a 40-byte header and lie at the same place inside the longer ones.
  if (view.byteLength < 66)
    throw new FileError(path, `truncated: the colour masks of a BMP end at byte 66, found ${view.byteLength}`);
  return [54, 58, 62].map((offset) => {
    const mask = view.getUint32(offset, true);
    const place = [0xff, 0xff00, 0xff0000, 0xff000000].indexOf(mask);
    if (place < 0) {
      throw new FileError(
        path,
        `BMP: colour mask 0x${mask.toString(16)} at byte ${offset} (header of ${headerLength}); expected one whole byte`,
      );
    }
    return place;
  });
}
