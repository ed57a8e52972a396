import type { Cancellation } from "./cancellation.ts";
import type { Frame } from "./frame.ts";

/** What a camera is. Sizes are those of the configured region, after binning. */
export interface BeamCameraInfo {
  readonly model: string;
  readonly serialNumber: string;
  readonly simulated: boolean;
  readonly width_px: number;
  readonly height_px: number;
  /** Pitch of the pixels of the frames, after binning. */
  readonly pixelPitch_um: number;
  readonly bitDepth: number;
  /** GenICam name of the format on the wire, e.g. "Mono12p". */
  readonly pixelFormat: string;
  readonly exposureMin_ms: number;
  readonly exposureMax_ms: number;
}

/**
 * Which exposure of the session this is. A real camera ignores it; a simulated one draws its noise, drift and room
 * light from it, so that looking at live frames never changes what is measured.
 */
export interface AcquisitionLabel {
  readonly purpose: "measurement" | "dark" | "live";
  /** Measurements taken before this one ("measurement", "live"), or dark acquisitions before this one ("dark"). */
  readonly acquisition: number;
  /** Index of the frame within the acquisition, from 0. */
  readonly frame: number;
}

export interface AcquireOptions {
  readonly label: AcquisitionLabel;
  readonly cancellation?: Cancellation;
}

/** A monochrome camera with every automatic function off. Errors are `InstrumentError`. */
export interface BeamCamera {
  readonly info: BeamCameraInfo;
  /** Sets the exposure and resolves to the one that the camera applied. */
  setExposure(exposure_ms: number): Promise<number>;
  /** The exposure that the camera says is in force. */
  readExposure(): Promise<number>;
  /**
   * One whole frame whose exposure began after this call. Lost and incomplete frames are errors, never data. A frame with `memory` is
   * held once, by whoever called.
   */
  acquire(options: AcquireOptions): Promise<Frame>;
  close(): Promise<void>;
}
