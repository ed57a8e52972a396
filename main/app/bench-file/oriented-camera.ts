import type { AcquireOptions, BeamCamera, BeamCameraInfo } from "../../../drivers/protocol/beam-camera.ts";
import type { Frame } from "../../../drivers/protocol/frame.ts";
import type { FrameOrientation } from "../../contract/bench-file.ts";

/** A camera whose rows and columns are those of the bench, however it is screwed to it: transposed first, then mirrored. */
export class OrientedCamera implements BeamCamera {
  readonly info: BeamCameraInfo;
  readonly #camera: BeamCamera;
  readonly #orientation: FrameOrientation;

  constructor(camera: BeamCamera, orientation: FrameOrientation) {
    const { info } = camera;
    this.#camera = camera;
    this.#orientation = orientation;
    this.info = orientation.transpose === true ? { ...info, width_px: info.height_px, height_px: info.width_px } : info;
  }

  setExposure(exposure_ms: number): Promise<number> {
    return this.#camera.setExposure(exposure_ms);
  }

  readExposure(): Promise<number> {
    return this.#camera.readExposure();
  }

  async acquire(options: AcquireOptions): Promise<Frame> {
    return orientFrame(await this.#camera.acquire(options), this.#orientation);
  }

  close(): Promise<void> {
    return this.#camera.close();
  }
}

/** The frame as it lies on the bench. */
export function orientFrame(
  frame: Frame,
  { transpose = false, flip_x = false, flip_y = false }: FrameOrientation,
): Frame {
  if (!transpose && !flip_x && !flip_y) return frame;
  const width_px = transpose ? frame.height_px : frame.width_px;
  const height_px = transpose ? frame.width_px : frame.height_px;
  const samples = new Uint16Array(frame.samples.length);
  // Steps in the camera's samples of one column and one row on the bench.
  const column = transpose ? frame.width_px : 1;
  const row = transpose ? 1 : frame.width_px;
  for (let y = 0; y < height_px; y++) {
    const from = row * (flip_y ? height_px - 1 - y : y);
    for (let x = 0; x < width_px; x++) {
      samples[y * width_px + x] = frame.samples[from + column * (flip_x ? width_px - 1 - x : x)] as number;
    }
  }
  return { ...frame, width_px, height_px, samples };
}
