import type { BeamCameraInfo } from "../../drivers/protocol/beam-camera.ts";
import type { Frame } from "../../drivers/protocol/frame.ts";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";

/** Share by which a frame's exposure may differ from the one in force. */
const SAME_EXPOSURE = 0.01;
/** Rounding of a camera's time stamps on the bench clock, in ms. */
const CLOCK_ROUNDING_MS = 1e-6;

export interface ExpectedFrame {
  readonly exposure_ms: number;
  /** The instant from which on the bench stood as the caller asked. */
  readonly notBefore_ms: number;
  /** Sequence number of the frame before, if there was one in this acquisition. */
  readonly after: number | undefined;
}

/**
 * Refuses a frame that is not what was asked for, whatever the camera says. Throws `wrong_format` for another size or bit
 * depth, `frame_lost` for a frame older than the request or delivered twice, `bad_reply` for another exposure.
 */
export function checkFrame(frame: Frame, camera: BeamCameraInfo, expected: ExpectedFrame): void {
  const name = `${camera.model} (camera)`;
  const { width_px, height_px, bitDepth } = camera;
  if (
    frame.width_px !== width_px ||
    frame.height_px !== height_px ||
    frame.samples.length !== width_px * height_px ||
    frame.bitDepth !== bitDepth
  ) {
    const found = `${frame.width_px} × ${frame.height_px} pixels of ${frame.bitDepth} bits (${frame.samples.length} samples)`;
    throw new InstrumentError(
      "wrong_format",
      name,
      `the frame has ${found}, expected ${width_px} × ${height_px} of ${bitDepth}`,
      { name: "frame", value: found },
      "The camera's configuration was changed from outside: open the bench again.",
    );
  }
  if (!(frame.startedAt_ms >= expected.notBefore_ms - CLOCK_ROUNDING_MS)) {
    throw new InstrumentError(
      "frame_lost",
      name,
      `the frame was begun at ${frame.startedAt_ms} ms, before the bench was ready at ${expected.notBefore_ms} ms`,
      { name: "startedAt_ms", value: frame.startedAt_ms, unit: "ms", limit: expected.notBefore_ms },
      "Measure again.",
    );
  }
  if (expected.after !== undefined && !(frame.sequence > expected.after)) {
    throw new InstrumentError(
      "frame_lost",
      name,
      `frame ${frame.sequence} came after frame ${expected.after}: one frame was delivered twice or out of order`,
      { name: "sequence", value: frame.sequence, limit: expected.after },
      "Measure again.",
    );
  }
  if (!(Math.abs(frame.exposure_ms - expected.exposure_ms) <= SAME_EXPOSURE * expected.exposure_ms)) {
    throw new InstrumentError(
      "bad_reply",
      name,
      `the frame was exposed for ${frame.exposure_ms} ms while ${expected.exposure_ms} ms were in force`,
      { name: "exposure_ms", value: frame.exposure_ms, unit: "ms", limit: expected.exposure_ms },
      "Set the exposure again.",
    );
  }
}

/** A reading that the bench can use. Throws `bad_reply`: a NaN of a driver must not become a position or an exposure. */
export function checkedReading(value: number, instrument: string, name: string, unit: string): number {
  if (Number.isFinite(value)) return value;
  throw new InstrumentError("bad_reply", instrument, `${name} reads ${value} ${unit}, a number was expected`, {
    name,
    value,
    unit,
  });
}
