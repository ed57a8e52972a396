import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import { type ChannelChoice, chooseChannel } from "./colour-channel.ts";
import { FileError } from "./file-error.ts";
import { unpackGzip } from "./gzip-file.ts";
import { looksLikeText } from "./matrix-text.ts";
import type { Raster } from "./raster.ts";
import { recogniseStorage, type SampleStorage, toCounts, toSignedCounts } from "./sample-storage.ts";

export interface ReadImageOptions {
  /** Channel of a colour image. Without it, an image whose channels differ is refused. */
  readonly channel?: ChannelChoice;
  /** Significant bits per sample, 8 to 16; goes before what the data suggest. */
  readonly bits?: number;
}

/** One monochrome image of a file. */
export interface ImageFile {
  readonly path: string;
  /** What the bytes are, whatever the file is called: "16-bit PGM". */
  readonly format: string;
  readonly width_px: number;
  readonly height_px: number;
  /** Row-major counts from the top left, right-aligned: full scale is `2 ** bitDepth − 1`. */
  readonly samples: Uint16Array;
  readonly bitDepth: number;
  /** How the file's numbers became counts. */
  readonly storage: SampleStorage;
  /** What one count is in the file's own numbers: 1 unless values were mapped onto 16 bits. */
  readonly unitsPerCount: number;
  /** True when the file says of itself that no photon was involved. */
  readonly simulated: boolean;
  /** What was decided about channel, bits, pages and name, each in words for the operator. */
  readonly notes: readonly string[];
}

/**
 * Reads one image: PGM and PPM, PNG, TIFF, BMP or a matrix of numbers as text, each also packed by gzip. The bytes
 * decide what it is, not the name.
 *
 * @throws FileError when the file is missing, damaged, of another kind, or needs a choice of channel or bits.
 */
export async function readImage(path: string, options: ReadImageOptions = {}): Promise<ImageFile> {
  const { raster, channel, notes } = await readChannel(path, options.channel);
  const recognised = recogniseStorage(channel, options.bits);
  return {
    path,
    format: raster.format,
    width_px: raster.width_px,
    height_px: raster.height_px,
    samples: toCounts(channel.samples, recognised.storage),
    bitDepth: recognised.storage.bitDepth,
    storage: recognised.storage,
    unitsPerCount: raster.samples instanceof Float64Array ? 1 / recognised.storage.scale : 1,
    simulated: raster.simulated === true,
    notes: [...notes, ...recognised.notes],
  };
}

/**
 * Reads the dark frame that belongs to `image`, in the counts of that image, signed and not rounded.
 *
 * @throws FileError as `readImage`, and when the sizes or full scales differ.
 */
export async function readDark(
  path: string,
  image: ImageFile,
  channelChoice?: ChannelChoice,
): Promise<{ readonly samples: Float32Array; readonly notes: readonly string[] }> {
  const { raster, channel, notes } = await readChannel(path, channelChoice);
  if (raster.width_px !== image.width_px || raster.height_px !== image.height_px) {
    throw new FileError(
      path,
      `a dark of ${raster.width_px} × ${raster.height_px} pixels; expected ${image.width_px} × ${image.height_px} as in ${image.path}`,
    );
  }
  refuseOtherDepth(path, raster, channel.samples, image);
  return { samples: toSignedCounts(channel.samples, image.storage), notes };
}

/** Counts of 8 bits are another unit than those of a deeper image; matrices of numbers have no full scale to compare. */
function refuseOtherDepth(path: string, raster: Raster, samples: ArrayLike<number>, image: ImageFile): void {
  const { bitDepth, storage } = image;
  const isMapped = (bitDepth === 16 && storage.scale !== 1) || raster.samples instanceof Float64Array;
  if (isMapped) return;
  if (bitDepth > 8 && raster.maximum === 255) {
    throw new FileError(path, `a dark of 8 bits; expected ${bitDepth} bits as in ${image.path}`);
  }
  if (bitDepth > 8 || storage.scale !== 1) return;
  for (let i = 0; i < samples.length; i++) {
    if ((samples[i] as number) <= 255) continue;
    throw new FileError(path, `a dark with a sample of ${samples[i]}; expected 8 bits as in ${image.path}`);
  }
}

async function readChannel(path: string, choice: ChannelChoice | undefined) {
  const packed = await readBytes(path);
  const bytes = packed[0] === 0x1f && packed[1] === 0x8b ? await unpackGzip(path, packed) : packed;
  const { raster, extensions } = await decode(path, bytes);
  const chosen = chooseChannel(path, raster, choice);
  const channel = { path, width_px: raster.width_px, samples: chosen.samples, maximum: raster.maximum };
  return { raster, channel, notes: [...nameNotes(path, raster, extensions), ...raster.notes, ...chosen.notes] };
}

async function readBytes(path: string): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    const { isDirectory, isDevice } = await stat(path).then((found) => ({
      isDirectory: found.isDirectory(),
      isDevice: found.isCharacterDevice() || found.isBlockDevice(),
    }));
    if (isDirectory) throw new FileError(path, "a folder; expected an image file");
    if (isDevice) throw new FileError(path, "a device; expected an image file");
    bytes = await readFile(path);
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError(path, reading(error));
  }
  if (bytes.length === 0) throw new FileError(path, "empty (0 bytes); expected an image");
  return bytes;
}

function reading(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOENT" || code === "ENOTDIR") return "no such file";
  if (code === "EACCES" || code === "EPERM") return "no permission to read it";
  if (code === "ERR_FS_FILE_TOO_LARGE") return "larger than 2 GiB; expected an image of one frame";
  return `cannot be read (${code || String(error)})`;
}

/** Kinds of file that people bring and that are named when they are refused. */
const KNOWN_OTHERS: readonly { magic: string; what: string }[] = [
  { magic: "\xff\xd8\xff", what: "a JPEG, whose compression distorts the wings of a beam; expected PNG, TIFF or PGM" },
  { magic: "\x89HDF", what: "HDF5 (BeamGage .bgData), which is not read; expected an export as TIFF or CSV" },
  { magic: "GIF8", what: "a GIF, which has too few grey levels; expected PNG, TIFF or PGM" },
  { magic: "%PDF", what: "a PDF; expected an image file" },
  { magic: "PK\x03\x04", what: "a ZIP archive; expected the image itself" },
  { magic: "RIFF", what: "a RIFF file (WebP or video); expected PNG, TIFF or PGM" },
  { magic: "SIMPLE  =", what: "FITS, which is not read; expected TIFF, PGM or CSV" },
  { magic: "\x93NUMPY", what: "a NumPy array file; expected TIFF, PGM or CSV" },
];

async function decode(path: string, bytes: Uint8Array): Promise<{ raster: Raster; extensions: readonly string[] }> {
  const start = String.fromCharCode(...bytes.subarray(0, 10));
  if (/^P[2356][\s#]/.test(start)) {
    const { readPortableAnymap } = await import("./portable-anymap.ts");
    return { raster: readPortableAnymap(path, bytes), extensions: [".pgm", ".ppm", ".pnm"] };
  }
  if (start.startsWith("\x89PNG\r\n\x1a\n")) {
    const { readPng } = await import("./png-image.ts");
    return { raster: readPng(path, bytes), extensions: [".png"] };
  }
  if (/^(II[*+]\0|MM\0[*+])/.test(start)) {
    const { readTiff } = await import("./tiff-image.ts");
    return { raster: await readTiff(path, bytes), extensions: [".tif", ".tiff"] };
  }
  const other = KNOWN_OTHERS.find(({ magic }) => start.startsWith(magic));
  if (other !== undefined) throw new FileError(path, other.what);
  if (start.startsWith("BM") && !looksLikeText(bytes.subarray(0, 64))) {
    const { readBitmap } = await import("./bitmap-image.ts");
    return { raster: readBitmap(path, bytes), extensions: [".bmp", ".dib"] };
  }
  if (looksLikeText(bytes)) {
    const { readMatrixText } = await import("./matrix-text.ts");
    return { raster: await readMatrixText(path, bytes), extensions: [".csv", ".txt", ".tsv", ".dat", ".asc"] };
  }
  const found = Array.from(bytes.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  throw new FileError(path, `begins with bytes ${found}; expected PGM, PNG, TIFF, BMP or a matrix of numbers as text`);
}

const IMAGE_EXTENSION = /^\.(p[gpn]m|png|tiff?|bmp|dib|csv|txt|tsv|dat|asc|jpe?g)$/;

function nameNotes(path: string, raster: Raster, extensions: readonly string[]): string[] {
  const extension = extname(path.replace(/\.gz$/i, "")).toLowerCase();
  if (!IMAGE_EXTENSION.test(extension) || extensions.includes(extension)) return [];
  return [`named ${extension} and read as what it is: ${raster.format}`];
}
