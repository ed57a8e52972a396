import { FileError } from "./file-error.ts";
import { type Raster, saysSimulated, sizeProblem } from "./raster.ts";
import { readTiffDirectory } from "./tiff-directory.ts";

/** Bytes of samples per byte of the file at most, by compression (TIFF 6.0, and the deflate and LZMA practice). */
const DENSEST: Readonly<Record<number, { name: string; ratio: number }>> = {
  1: { name: "uncompressed", ratio: 1 },
  5: { name: "LZW", ratio: 3000 },
  8: { name: "deflate", ratio: 1040 },
  32946: { name: "deflate", ratio: 1040 },
  32773: { name: "PackBits", ratio: 64 },
  50000: { name: "Zstandard", ratio: 100000 },
};

const WHITE_IS_ZERO = 0;
const PALETTE = 3;
const FLOATING_POINT = 3;

/**
 * Reads the first page of a TIFF: 8 to 16 bits unsigned, or floating point and wider integers as values; grey, RGB and
 * palette; strips and tiles; uncompressed, LZW, deflate, PackBits; either byte order; classic and BigTIFF.
 */
export async function readTiff(path: string, bytes: Uint8Array): Promise<Raster> {
  const { pages, tags, description } = readTiffDirectory(path, bytes);
  const one = (tag: number, otherwise: number): number => tags.get(tag)?.[0] ?? otherwise;
  const refuse = (what: string): FileError => new FileError(path, `TIFF: ${what}`);

  const width = one(256, 0);
  const height = one(257, 0);
  const perPixel = one(277, 1);
  const bits = one(258, 1);
  const sampleFormat = one(339, 1);
  const compression = one(259, 1);
  const photometric = one(262, 1);
  const densest = DENSEST[compression];
  if (densest === undefined) {
    throw refuse(`compression ${compression} loses detail or is not read; expected none, LZW, deflate or PackBits`);
  }
  if (photometric > PALETTE) throw refuse(`colour model ${photometric}; expected grey, RGB or a palette`);
  if (perPixel < 1 || perPixel > 16) throw refuse(`${perPixel} samples per pixel; expected 1 to 16`);
  if (tags.get(258)?.some((other) => other !== bits) === true)
    throw refuse("channels of different depth; expected one");
  const wholeNumbers = sampleFormat === 1 && bits >= 8 && bits <= 16;
  const values =
    (sampleFormat === FLOATING_POINT && [16, 32, 64].includes(bits)) ||
    (sampleFormat === 1 && bits === 32) ||
    (sampleFormat === 2 && [8, 16, 32].includes(bits));
  if (!wholeNumbers && !values) {
    throw refuse(`${bits} bits per sample of format ${sampleFormat}; expected 8 to 16 bits unsigned, or 32-bit values`);
  }
  if (photometric === PALETTE && (bits !== 8 || perPixel !== 1)) throw refuse("a palette image with other than 8 bits");
  const byteCount = Math.ceil((width * bits * perPixel) / 8) * height;
  const problem = sizeProblem(width, height, byteCount / densest.ratio, bytes.length);
  if (problem !== undefined) throw refuse(problem);
  checkBlocks(path, tags, bytes.length, { width, height, planes: one(284, 1) === 2 ? perPixel : 1 });

  const { fromArrayBuffer } = await import("geotiff");
  let decoded: ArrayLike<number>;
  try {
    const own = new ArrayBuffer(bytes.length);
    new Uint8Array(own).set(bytes);
    const image = await (await fromArrayBuffer(own)).getImage(0);
    decoded = await image.readRasters({ interleave: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/[.\s]+$/, "") : String(error);
    throw new FileError(path, `truncated or damaged TIFF, ${densest.name} (${reason}); expected whole image data`);
  }

  const notes = pages > 1 ? [`first of ${pages} pages`] : [];
  const colours = photometric === 2 ? 3 : photometric === PALETTE ? 1 : perPixel - (tags.get(338)?.length ?? 0);
  if (colours < 1 || colours > perPixel)
    throw refuse(`${perPixel} samples per pixel do not fit colour model ${photometric}`);
  if (colours < perPixel) notes.push("its extra channels (transparency) are ignored");
  const top = 2 ** bits - 1;
  let samples: Uint8Array | Uint16Array | Float64Array = keepChannels(decoded, perPixel, colours, wholeNumbers, bits);
  if (photometric === WHITE_IS_ZERO) {
    if (!wholeNumbers) throw refuse("values in which white is zero; expected black to be zero");
    for (let i = 0; i < samples.length; i++) samples[i] = top - (samples[i] as number);
  }
  let channels = colours;
  if (photometric === PALETTE) {
    samples = throughPalette(path, samples, tags.get(320) ?? []);
    channels = 3;
  }
  const orientation = one(274, 1);
  if (orientation > 4) throw refuse(`orientation ${orientation} swaps rows and columns; expected 1 to 4`);
  if (orientation > 1) {
    turn(samples, width, height, channels, orientation);
    notes.push(`turned as its orientation tag (${orientation}) says`);
  }
  const stated = one(281, top);
  return {
    format: `${bits}-bit ${values ? "value " : ""}TIFF${densest.ratio === 1 ? "" : ` (${densest.name})`}`,
    width_px: width,
    height_px: height,
    channels,
    samples,
    ...(wholeNumbers ? { maximum: stated > 0 && stated < top ? stated : photometric === PALETTE ? 65535 : top } : {}),
    simulated: saysSimulated(description),
    notes,
  };
}

/** Every strip or tile lies inside the file, is not empty, and there are as many as the size asks for. */
function checkBlocks(
  path: string,
  tags: ReadonlyMap<number, readonly number[]>,
  fileLength: number,
  { width, height, planes }: { width: number; height: number; planes: number },
): void {
  const tiled = !tags.has(273);
  const blockWidth = tiled ? (tags.get(322)?.[0] ?? 0) : width;
  const blockHeight = tiled ? (tags.get(323)?.[0] ?? 0) : Math.min(height, tags.get(278)?.[0] ?? height);
  const kind = tiled ? "tile" : "strip";
  if (blockWidth < 1 || blockHeight < 1 || blockWidth > 1e5 || blockHeight > 1e5) {
    throw new FileError(path, `TIFF: ${kind}s of ${blockWidth} × ${blockHeight} pixels; expected 1 to 100000`);
  }
  const offsets = tags.get(tiled ? 324 : 273) ?? [];
  const counts = tags.get(tiled ? 325 : 279) ?? [];
  const expected = Math.ceil(width / blockWidth) * Math.ceil(height / blockHeight) * planes;
  if (offsets.length < expected || counts.length < expected) {
    throw new FileError(path, `TIFF: ${Math.min(offsets.length, counts.length)} ${kind}s listed; expected ${expected}`);
  }
  for (let i = 0; i < expected; i++) {
    const end = (offsets[i] as number) + (counts[i] as number);
    if (counts[i] === 0 || end > fileLength) {
      throw new FileError(
        path,
        `truncated TIFF: ${kind} ${i + 1} of ${expected} ends at byte ${end} and has ${counts[i] ?? 0} bytes; the file has ${fileLength}`,
      );
    }
  }
}

function keepChannels(
  decoded: ArrayLike<number>,
  perPixel: number,
  kept: number,
  wholeNumbers: boolean,
  bits: number,
): Uint8Array | Uint16Array | Float64Array {
  const pixels = decoded.length / perPixel;
  const size = pixels * kept;
  const samples = !wholeNumbers ? new Float64Array(size) : bits === 8 ? new Uint8Array(size) : new Uint16Array(size);
  for (let pixel = 0; pixel < pixels; pixel++) {
    for (let channel = 0; channel < kept; channel++) {
      samples[pixel * kept + channel] = decoded[pixel * perPixel + channel] as number;
    }
  }
  return samples;
}

/** A TIFF palette lists all reds, then all greens, then all blues, in 16 bits. */
function throughPalette(path: string, indices: ArrayLike<number>, palette: readonly number[]): Uint16Array {
  const entries = palette.length / 3;
  if (entries < 256) throw new FileError(path, `TIFF: a palette of ${Math.floor(entries)} colours; expected 256`);
  const samples = new Uint16Array(indices.length * 3);
  for (let i = 0; i < indices.length; i++) {
    for (let channel = 0; channel < 3; channel++) {
      samples[3 * i + channel] = palette[channel * entries + (indices[i] as number)] as number;
    }
  }
  return samples;
}

/** Brings rows and columns to the order of the scene: 2 mirrored, 3 upside down and mirrored, 4 upside down (TIFF 6.0, 274). */
function turn(
  samples: Uint8Array | Uint16Array | Float64Array,
  width: number,
  height: number,
  channels: number,
  orientation: number,
): void {
  const source = samples.slice();
  const mirrored = orientation === 2 || orientation === 3;
  const upsideDown = orientation >= 3;
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const from = (upsideDown ? height - 1 - row : row) * width + (mirrored ? width - 1 - column : column);
      for (let channel = 0; channel < channels; channel++) {
        samples[(row * width + column) * channels + channel] = source[from * channels + channel] as number;
      }
    }
  }
}
