import { InstrumentError } from "../../../drivers/protocol/instrument-error.ts";
import type { ExposedSamples, WorldPort } from "../../../simulators/instruments/world-port.ts";
import type { Sensor } from "../../../simulators/world/sensor.ts";
import type { WorldExposure } from "../../../simulators/world/world.ts";
import { FrameRing, type FrameSlot } from "./frame-ring.ts";
import { WorkerEnded, type WorkerLine } from "./worker-line.ts";
import type { WorldRequest } from "./world-worker.ts";

const CAMERA = "Simulated camera";

/** Frames by what became of their memory. */
export interface FrameCounts {
  /** Frames that were filled. */
  made: number;
  /** Live frames for which no slot was free. */
  dropped: number;
  /** Frames of measurements and darks for which no slot was free: they got memory beside the ring. */
  besideRing: number;
}

/** A light path in a thread of its own, which fills the slots of a ring. */
export class WorkerWorld implements WorldPort {
  readonly sensor: Sensor;
  readonly #line: WorkerLine<WorldRequest, undefined>;
  readonly #ring: FrameRing;
  readonly #counts: FrameCounts;

  /** @param counts is kept up to date */
  constructor(sensor: Sensor, line: WorkerLine<WorldRequest, undefined>, slots: number, counts: FrameCounts) {
    this.sensor = sensor;
    this.#line = line;
    this.#ring = new FrameRing(sensor.width_px * sensor.height_px, slots);
    this.#counts = counts;
    line.start();
  }

  async expose(exposure: WorldExposure): Promise<ExposedSamples> {
    const slot = this.#slotFor(exposure);
    try {
      await this.#line.do({ exposure, samples: slot.samples });
    } catch (error) {
      slot.memory.release();
      if (!(error instanceof WorkerEnded)) throw error;
      throw new InstrumentError("connection_lost", CAMERA, error.message, {}, "Try again: a new worker takes over.");
    }
    this.#counts.made += 1;
    return slot;
  }

  close(): void {
    void this.#line.close();
  }

  #slotFor({ purpose }: WorldExposure): FrameSlot {
    const slot = this.#ring.take();
    if (slot !== undefined) return slot;
    if (purpose === "live") {
      this.#counts.dropped += 1;
      throw new InstrumentError(
        "frame_lost",
        CAMERA,
        "no memory was free for a live frame",
        {},
        "The next one comes when older frames have been shown.",
      );
    }
    this.#counts.besideRing += 1;
    return this.#ring.beside();
  }
}
