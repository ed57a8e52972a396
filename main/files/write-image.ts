import { rename, rm, writeFile } from "node:fs/promises";
import { endianness } from "node:os";
import { extname } from "node:path";
import { encode } from "fast-png";
import type { Frame } from "../../drivers/protocol/frame.ts";
import { FileError } from "./file-error.ts";

/** Where a picture comes from; it travels in the file as JSON, so that simulated data never look real. */
export interface Provenance {
  readonly program: string;
  readonly simulated: boolean;
  readonly [detail: string]: string | number | boolean;
}

type Picture = Pick<Frame, "width_px" | "height_px" | "samples" | "bitDepth">;

/**
 * Writes frames as 16-bit grey, right-aligned: a plain TIFF with one page per frame, or, for one frame, a PNG. The name
 * decides. The file appears whole or not at all.
 *
 * @throws FileError on another extension, several frames for a PNG, no frame, or a path that cannot be written.
 */
export async function writeImage(
  path: string,
  frames: readonly Picture[],
  pixelPitch_um: number,
  provenance: Provenance,
): Promise<void> {
  const bytes = encodeFor(path, frames, pixelPitch_um, provenance);
  const partial = `${path}.${process.pid}.partial`;
  try {
    await writeFile(partial, bytes);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new FileError(path, `cannot be written (${code}); expected a folder that exists and may be written`);
  }
}

function encodeFor(
  path: string,
  frames: readonly Picture[],
  pixelPitch_um: number,
  provenance: Provenance,
): Uint8Array {
  const [first] = frames;
  if (first === undefined) throw new FileError(path, "no frame to write; expected at least one");
  const extension = extname(path).toLowerCase();
  if (extension === ".tif" || extension === ".tiff") return encodeTiff(frames, pixelPitch_um, provenance);
  if (extension !== ".png") throw new FileError(path, `the extension "${extension}"; expected .tiff, .tif or .png`);
  if (frames.length > 1) throw new FileError(path, `a PNG holds one frame, not ${frames.length}; expected .tiff`);
  return encode({
    width: first.width_px,
    height: first.height_px,
    data: first.samples,
    depth: 16,
    channels: 1,
    text: { Software: provenance.program, Description: JSON.stringify({ ...provenance, bits: first.bitDepth }) },
  });
}

const SHORT = 3;
const LONG = 4;
const RATIONAL = 5;
const ASCII = 2;

/** An uncompressed little-endian TIFF 6.0, one strip per page, pixel pitch as resolution in pixels per centimetre. */
export function encodeTiff(
  frames: readonly Picture[],
  pixelPitch_um: number,
  provenance: Provenance,
): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const software = encoder.encode(`${provenance.program}\0`);
  const pages = frames.map((frame) => {
    const description = encoder.encode(`${JSON.stringify({ ...provenance, bits: frame.bitDepth })}\0`);
    const values: [tag: number, type: number, value: number | Uint8Array][] = [
      [256, LONG, frame.width_px],
      [257, LONG, frame.height_px],
      [258, SHORT, 16],
      [259, SHORT, 1],
      [262, SHORT, 1],
      [270, ASCII, description],
      [273, LONG, 0],
      [277, SHORT, 1],
      [278, LONG, frame.height_px],
      [279, LONG, frame.samples.length * 2],
      [281, SHORT, 2 ** frame.bitDepth - 1],
      [282, RATIONAL, rational(10_000 / pixelPitch_um)],
      [283, RATIONAL, rational(10_000 / pixelPitch_um)],
      [296, SHORT, 3],
      [305, ASCII, software],
    ];
    const outside = values.reduce(
      (sum, [, , value]) => sum + (value instanceof Uint8Array ? even(value.length) : 0),
      0,
    );
    return { frame, values, directoryBytes: 2 + 12 * values.length + 4 + outside };
  });
  const size = pages.reduce((sum, page) => sum + page.directoryBytes + page.frame.samples.length * 2, 8);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  bytes.set([0x49, 0x49]);
  view.setUint16(2, 42, true);
  view.setUint32(4, 8, true);
  let start = 8;
  for (const { frame, values, directoryBytes } of pages) {
    const samplesAt = start + directoryBytes;
    const next = samplesAt + frame.samples.length * 2;
    let outsideAt = start + 2 + 12 * values.length + 4;
    view.setUint16(start, values.length, true);
    values.forEach(([tag, type, value], index) => {
      const entry = start + 2 + 12 * index;
      view.setUint16(entry, tag, true);
      view.setUint16(entry + 2, type, true);
      if (value instanceof Uint8Array) {
        view.setUint32(entry + 4, type === RATIONAL ? 1 : value.length, true);
        view.setUint32(entry + 8, outsideAt, true);
        bytes.set(value, outsideAt);
        outsideAt += even(value.length);
      } else {
        view.setUint32(entry + 4, 1, true);
        const number = tag === 273 ? samplesAt : value;
        if (type === SHORT) view.setUint16(entry + 8, number, true);
        else view.setUint32(entry + 8, number, true);
      }
    });
    view.setUint32(start + 2 + 12 * values.length, next < size ? next : 0, true);
    if (endianness() === "LE") new Uint16Array(bytes.buffer, samplesAt, frame.samples.length).set(frame.samples);
    else frame.samples.forEach((sample, i) => view.setUint16(samplesAt + 2 * i, sample, true));
    start = next;
  }
  return bytes;
}

const even = (length: number): number => length + (length % 2);

function rational(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.round(value * 1e4), true);
  view.setUint32(4, 1e4, true);
  return bytes;
}
