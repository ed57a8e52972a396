import type { FrameMemory } from "./frame-memory.ts";

/**
 * One exposure of a monochrome sensor.
 *
 * Pixel convention: `samples[row * width_px + column]`, row 0 at the top, the centre of the first pixel at (0, 0), so
 * the first pixel spans −0.5…0.5. Counts are right-aligned: full scale is `2 ** bitDepth − 1`.
 */
export interface Frame {
  readonly width_px: number;
  readonly height_px: number;
  /** Row-major counts, `width_px * height_px` of them. May be a view of a SharedArrayBuffer. */
  readonly samples: Uint16Array;
  /** Significant bits per sample, 8–16. */
  readonly bitDepth: number;
  /** Exposure that the camera says it applied (readback, not setpoint). */
  readonly exposure_ms: number;
  /** Start of the exposure on the bench clock. */
  readonly startedAt_ms: number;
  /** Counts up by one per frame that the camera made, so that a gap shows a lost frame. */
  readonly sequence: number;
  /** True when no photon was involved. */
  readonly simulated: boolean;
  /** Present where the memory of the samples is used again; without it the samples are the frame's own. */
  readonly memory?: FrameMemory;
}
