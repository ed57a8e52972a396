import type { BackgroundMethod, FramesInput } from "./frame-analysis.ts";

/** What makes an input impossible to analyse, in words; undefined when nothing does. */
export function unusableInput(input: FramesInput, method: BackgroundMethod): string | undefined {
  const { width_px, height_px, bitDepth, pixelPitch_um, dark, frames } = input;
  if (!Number.isInteger(width_px) || !Number.isInteger(height_px) || width_px < 1 || height_px < 1) {
    return `the frame is ${width_px} × ${height_px} pixels; at least 1 × 1 is expected`;
  }
  const pixels = width_px * height_px;
  if (frames.length === 0) return "no frame was given; at least one is expected";
  const wrong = frames.find((frame) => frame.length !== pixels);
  if (wrong !== undefined)
    return `a frame holds ${wrong.length} samples; ${width_px} × ${height_px} = ${pixels} are expected`;
  if (!Number.isInteger(bitDepth) || bitDepth < 1 || bitDepth > 16) {
    return `the bit depth is ${bitDepth}; a whole number from 1 to 16 is expected`;
  }
  if (!(pixelPitch_um > 0) || !Number.isFinite(pixelPitch_um)) {
    return `the pixel pitch is ${pixelPitch_um} µm; a positive number is expected`;
  }
  if (method !== "dark") return undefined;
  if (dark === undefined) return "method 'dark' needs a dark; none was given";
  if (dark.mean.length !== pixels) return `the dark holds ${dark.mean.length} values; ${pixels} are expected`;
  return undefined;
}
