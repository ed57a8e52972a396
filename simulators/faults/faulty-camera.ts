import type { AcquireOptions, BeamCamera, BeamCameraInfo } from "../../drivers/protocol/beam-camera.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { Frame } from "../../drivers/protocol/frame.ts";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import { type CameraFault, occurs } from "./instrument-fault.ts";

/** A camera whose frames are lost or late in the ways that its faults say. Live frames are not counted and never break. */
export class FaultyCamera implements BeamCamera {
  readonly info: BeamCameraInfo;
  readonly #camera: BeamCamera;
  readonly #clock: Clock;
  readonly #faults: readonly CameraFault[];
  readonly #seed: number;
  #frames = 0;

  constructor(camera: BeamCamera, clock: Clock, faults: readonly CameraFault[], seed: number) {
    this.info = camera.info;
    this.#camera = camera;
    this.#clock = clock;
    this.#faults = faults;
    this.#seed = seed;
  }

  setExposure(exposure_ms: number): Promise<number> {
    return this.#camera.setExposure(exposure_ms);
  }

  readExposure(): Promise<number> {
    return this.#camera.readExposure();
  }

  async acquire(options: AcquireOptions): Promise<Frame> {
    const frame = await this.#camera.acquire(options);
    if (options.label.purpose === "live") return frame;
    const number = this.#frames++;
    for (const [index, fault] of this.#faults.entries()) {
      if (!occurs(fault.on, this.#seed, index, number)) continue;
      if (fault.kind === "camera_drop") {
        frame.memory?.release();
        throw new InstrumentError(
          "frame_lost",
          this.info.model,
          `frame ${frame.sequence} did not arrive whole`,
          { name: "sequence", value: frame.sequence },
          "acquire again",
        );
      }
      await this.#clock.wait(fault.extra_ms, options.cancellation);
    }
    return frame;
  }

  close(): Promise<void> {
    return this.#camera.close();
  }
}
