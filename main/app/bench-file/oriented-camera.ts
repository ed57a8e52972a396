import {
  type FrameOrientation as DriverOrientation,
  orient,
  orientedSize,
} from "../../../drivers/instruments/genicam/orientation.ts";
import type { AcquireOptions, BeamCamera, BeamCameraInfo } from "../../../drivers/protocol/beam-camera.ts";
import type { Frame } from "../../../drivers/protocol/frame.ts";
import type { FrameOrientation } from "../../contract/bench-file.ts";

/** A simulated camera screwed to its carriage as the bench file says; real ones are turned by their driver. */
export class OrientedCamera implements BeamCamera {
  readonly info: BeamCameraInfo;
  readonly #camera: BeamCamera;
  readonly #orientation: Required<DriverOrientation>;

  constructor(camera: BeamCamera, { transpose = false, flip_x = false, flip_y = false }: FrameOrientation) {
    this.#camera = camera;
    this.#orientation = { transpose, mirrorColumns: flip_x, mirrorRows: flip_y };
    this.info = { ...camera.info, ...this.#turned(camera.info) };
  }

  setExposure(exposure_ms: number): Promise<number> {
    return this.#camera.setExposure(exposure_ms);
  }

  readExposure(): Promise<number> {
    return this.#camera.readExposure();
  }

  async acquire(options: AcquireOptions): Promise<Frame> {
    const { memory, ...frame } = await this.#camera.acquire(options);
    const samples = orient(frame.samples, frame.width_px, this.#orientation);
    const turned = { ...frame, ...this.#turned(frame), samples };
    if (memory === undefined) return turned;
    if (samples === frame.samples) return { ...turned, memory };
    memory.release();
    return turned;
  }

  close(): Promise<void> {
    return this.#camera.close();
  }

  #turned({ width_px, height_px }: Pick<BeamCameraInfo, "width_px" | "height_px">) {
    const { width, height } = orientedSize({ width: width_px, height: height_px }, this.#orientation);
    return { width_px: width, height_px: height };
  }
}
