import { z } from "zod";
import { widthFieldsSchema } from "./width-fields.ts";

/*
 * A frame on its way to the page: magic, length of the header, header (ASCII JSON), samples. Little-endian throughout.
 * The samples begin at an even offset, so that they can be read in place.
 */

const MAGIC = 0x4d52_4643; // "CFRM"
const FIXED_BYTES = 8;

/** Counts along a line through the centroid, and the Gaussian that fits them. */
export const axisProfileSchema = z.object({
  /** Of the first sample, from the centroid along the axis. */
  from_um: z.number(),
  step_um: z.number().positive(),
  counts: z.array(z.number()),
  gaussian: z
    .object({
      amplitude_counts: z.number(),
      centre_um: z.number(),
      /** Full width at 1/e² of the fitted curve, which for a Gaussian is its d4σ. */
      d_um: z.number().positive(),
      offset_counts: z.number(),
      /** Root mean square of the misfit over the amplitude. */
      misfit: z.number().nonnegative(),
    })
    .optional(),
});
export type AxisProfile = z.infer<typeof axisProfileSchema>;

/** The beam as it is drawn over a frame. Widths are full d4σ; `indicative` when the frame was refused and they are no result. */
export const beamOutlineSchema = z.object({
  centroid_x_px: z.number(),
  centroid_y_px: z.number(),
  d_x_px: z.number().positive(),
  d_y_px: z.number().positive(),
  azimuth_deg: z.number(),
  indicative: z.boolean(),
});
export type BeamOutline = z.infer<typeof beamOutlineSchema>;

/** Pixels of the sensor. */
export const frameRegionSchema = z.object({
  left_px: z.number().int().nonnegative(),
  top_px: z.number().int().nonnegative(),
  width_px: z.number().int().positive(),
  height_px: z.number().int().positive(),
});
export type FrameRegion = z.infer<typeof frameRegionSchema>;

/** A pixel of the sensor. */
export const framePixelSchema = z.object({
  column_px: z.number().int().nonnegative(),
  row_px: z.number().int().nonnegative(),
});
export type FramePixel = z.infer<typeof framePixelSchema>;

/** What a page can show of a live frame; more would be sent in vain. */
export const frameDetailSchema = z.object({
  /** Sensor pixels along either side of a pixel of the picture. */
  reduction: z.number().int().min(1).max(8),
  /** What is on the screen. Absent: the whole sensor. */
  region: frameRegionSchema.optional(),
  /** The pixel under the pointer: its own counts come with every frame. */
  pointer: framePixelSchema.optional(),
});
export type FrameDetail = z.infer<typeof frameDetailSchema>;

export const frameHeaderSchema = z.object({
  /** Counts the frames of one connection; the page answers with it when the frame is on the screen. */
  number: z.number().int().nonnegative(),
  /** Whose frame this is: a live run or a record. */
  source: z.string(),
  purpose: z.enum(["live", "measurement", "dark"]),
  /** Which of the frames of a kept measurement or dark this is, from 0, and how many it has. */
  index: z.number().int().nonnegative().optional(),
  count: z.number().int().positive().optional(),
  /** Answer to the `frame` call with this id; absent for what the camera sends by itself. */
  reply: z.number().int().optional(),
  width_px: z.number().int().positive(),
  height_px: z.number().int().positive(),
  bit_depth: z.number().int().min(8).max(16),
  pixel_pitch_um: z.number().positive(),
  /** Samples are the largest of so many by so many pixels each, for a page that shows the frame smaller than it is. Absent: 1. */
  reduction: z.number().int().min(1).max(8).optional(),
  /** The part of the sensor that the samples show; its left and upper edge are multiples of the reduction. Absent: all of it. */
  region: frameRegionSchema.optional(),
  /** With a region: median of the samples along the rim of the whole sensor, reduced as they are. */
  rim_counts: z.number().optional(),
  /** The counts of the very pixel that the page points at, where the samples do not tell them. */
  pointer: framePixelSchema.extend({ counts: z.number().int().nonnegative() }).optional(),
  exposure_ms: z.number(),
  z_actual_mm: z.number().optional(),
  t_ms: z.number(),
  sequence: z.number().int().nonnegative(),
  /** Frames that were made and not sent because the page was busy. */
  skipped: z.number().int().nonnegative(),
  simulated: z.boolean(),
  analysis_ms: z.number().nonnegative().optional(),
  /** `sequence` of the frame in which the numbers below were found: not every live frame is looked at. Absent: in this one. */
  read_sequence: z.number().int().nonnegative().optional(),
  widths: widthFieldsSchema.optional(),
  outline: beamOutlineSchema.optional(),
  profiles: z.object({ x: axisProfileSchema, y: axisProfileSchema }).optional(),
  /** Counts above the background, summed over the integration area, per ms of exposure. */
  power_counts_per_ms: z.number().optional(),
});
export type FrameHeader = z.infer<typeof frameHeaderSchema>;

export interface WindowFrame {
  readonly header: FrameHeader;
  /** Row-major counts, `sampledSize` of the header. */
  readonly samples: Uint16Array;
}

/** Samples of a frame along both sides: its pixels, or the blocks that each sample stands for. */
export function sampledSize({
  width_px,
  height_px,
  reduction = 1,
  region,
}: Pick<FrameHeader, "width_px" | "height_px" | "reduction" | "region">): {
  readonly width: number;
  readonly height: number;
} {
  const shown = region ?? { width_px, height_px };
  return { width: Math.ceil(shown.width_px / reduction), height: Math.ceil(shown.height_px / reduction) };
}

/** The frame as one message. `samples` are copied once. */
export function encodeFrame(header: FrameHeader, samples: Uint16Array): Uint8Array<ArrayBuffer> {
  const head = encodeFrameHead(header);
  const bytes = new Uint8Array(head.length + samples.length * 2);
  bytes.set(head);
  new Uint16Array(bytes.buffer, head.length).set(samples);
  return bytes;
}

/** Everything of the message that stands before the samples. */
export function encodeFrameHead(header: FrameHeader): Uint8Array<ArrayBuffer> {
  const text = asciiJson(header);
  const padded = text.length % 2 === 0 ? text : `${text} `;
  const bytes = new Uint8Array(FIXED_BYTES + padded.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, padded.length, true);
  for (let index = 0; index < padded.length; index++) bytes[FIXED_BYTES + index] = padded.charCodeAt(index);
  return bytes;
}

/** Reads a message made by `encodeFrame`. Throws with what was wrong when it is none. The samples are a view of `buffer`. */
export function decodeFrame(buffer: ArrayBuffer): WindowFrame {
  const { header, bytes } = readHead(new Uint8Array(buffer));
  const samples = new Uint16Array(buffer, bytes);
  const { width, height } = sampledSize(header);
  if (samples.length !== width * height) {
    throw new Error(`${width} × ${height} samples are announced and ${samples.length} came`);
  }
  return { header, samples };
}

/** The header of a message, of which at least everything before the samples is there. Throws as `decodeFrame` does. */
export function decodeFrameHead(message: Uint8Array): FrameHeader {
  return readHead(message).header;
}

/** The header, and how many bytes stand before the samples. */
function readHead(message: Uint8Array): { readonly header: FrameHeader; readonly bytes: number } {
  if (message.length < FIXED_BYTES) throw new Error(`a frame message has at least 8 bytes, not ${message.length}`);
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  if (view.getUint32(0, true) !== MAGIC) throw new Error("a frame message begins with CFRM");
  const length = view.getUint32(4, true);
  const end = FIXED_BYTES + length;
  if (length % 2 !== 0 || end > message.length) {
    throw new Error(`a header of ${length} bytes does not fit a message of ${message.length}`);
  }
  let text = "";
  for (let from = FIXED_BYTES; from < end; from += 8192) {
    text += String.fromCharCode(...message.subarray(from, Math.min(end, from + 8192)));
  }
  return { header: frameHeaderSchema.parse(JSON.parse(text)), bytes: end };
}

/** JSON without a character beyond ASCII, so that one character is one byte. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
