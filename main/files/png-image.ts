import { decode } from "fast-png";
import { FileError } from "./file-error.ts";
import { type Raster, saysSimulated, sizeProblem } from "./raster.ts";

/** Deflate never packs denser than this; a file that would have to is truncated or its header is damaged. */
const DEFLATE_LIMIT = 1032;
/** Samples per pixel by the colour type of the header (PNG specification, 11.2.1). */
const SAMPLES_BY_COLOUR_TYPE: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Reads PNG: grey and colour of 8 and 16 bits, fewer bits stretched to 8, palettes; transparency is left out. */
export function readPng(path: string, bytes: Uint8Array): Raster {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 33) throw new FileError(path, `truncated: a PNG header has 33 bytes, found ${bytes.length}`);
  const width = view.getUint32(16);
  const height = view.getUint32(20);
  const perPixel = SAMPLES_BY_COLOUR_TYPE[view.getUint8(25)];
  if (perPixel === undefined) {
    throw new FileError(path, `PNG: colour type ${view.getUint8(25)} at byte 25; expected 0, 2, 3, 4 or 6`);
  }
  const packed = (width * height * perPixel * view.getUint8(24)) / 8;
  const problem = sizeProblem(width, height, packed / DEFLATE_LIMIT, bytes.length);
  if (problem !== undefined) throw new FileError(path, `PNG: ${problem}`);

  let image: ReturnType<typeof decode>;
  try {
    image = decode(bytes, { checkCrc: true });
  } catch (error) {
    throw new FileError(path, `truncated or damaged PNG (${reasonOf(error)}); expected a whole file`);
  }
  const { depth, palette } = image;
  const indexed = palette !== undefined;
  const values =
    depth < 8
      ? unpack(image.data, width, height, depth, indexed)
      : image.data instanceof Uint8ClampedArray
        ? new Uint8Array(image.data)
        : image.data;
  const available = values.length;
  const expected = width * height * image.channels;
  if (available !== expected) {
    throw new FileError(
      path,
      `truncated PNG: ${available} samples; expected ${expected} for ${width} × ${height} pixels`,
    );
  }
  const notes = depth < 8 ? [`only ${2 ** depth} grey levels (${depth} bits per sample)`] : [];
  const base = {
    width_px: width,
    height_px: height,
    maximum: depth === 16 ? 65535 : 255,
    simulated: Object.values(image.text).some(saysSimulated),
  };
  if (indexed) {
    const samples = new Uint8Array(width * height * 3);
    for (let i = 0; i < width * height; i++) {
      const colour = palette[values[i] as number];
      if (colour === undefined) {
        throw new FileError(
          path,
          `damaged PNG: colour ${values[i] ?? "?"} in row ${Math.floor(i / width)}, column ${i % width}; the palette has ${palette.length}`,
        );
      }
      samples.set(colour.slice(0, 3), 3 * i);
    }
    return { ...base, format: "palette PNG", channels: 3, samples, notes: [] };
  }
  const hasAlpha = perPixel === 2 || perPixel === 4;
  const channels = hasAlpha ? perPixel - 1 : perPixel;
  return {
    ...base,
    format: `${depth}-bit PNG`,
    channels,
    samples: hasAlpha ? withoutAlpha(values, perPixel) : values,
    notes: hasAlpha ? [...notes, "its transparency is ignored"] : notes,
  };
}

/** Samples of 1, 2 or 4 bits, each row padded to a whole byte: grey stretched to 0…255, palette indices as they are. */
function unpack(data: ArrayLike<number>, width: number, height: number, depth: number, indexed: boolean): Uint8Array {
  const rowBytes = Math.ceil((width * depth) / 8);
  const top = 2 ** depth - 1;
  const scale = indexed ? 1 : 255 / top;
  const values = new Uint8Array(width * height);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const bit = column * depth;
      const byte = data[row * rowBytes + (bit >> 3)] ?? 0;
      values[row * width + column] = ((byte >> (8 - depth - (bit & 7))) & top) * scale;
    }
  }
  return values;
}

function withoutAlpha<Samples extends Uint8Array | Uint16Array>(samples: Samples, perPixel: number): Samples {
  const kept = perPixel - 1;
  const pixels = samples.length / perPixel;
  const result = samples.slice(0, pixels * kept) as Samples;
  for (let pixel = 0; pixel < pixels; pixel++) {
    for (let channel = 0; channel < kept; channel++) {
      result[pixel * kept + channel] = samples[pixel * perPixel + channel] as number;
    }
  }
  return result;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/[.:\s]+$/, "") : String(error);
}
