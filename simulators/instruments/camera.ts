import type { AcquireOptions, BeamCamera, BeamCameraInfo } from "../../drivers/protocol/beam-camera.ts";
import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { Frame } from "../../drivers/protocol/frame.ts";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import type { ExposedSamples, WorldPort } from "./world-port.ts";

const NAME = "Simulated camera";
const EXPOSURE_MIN_ms = 0.02;
const EXPOSURE_MAX_ms = 1000;
/** Exposures are multiples of this. */
const EXPOSURE_STEP_ms = 0.01;
const READOUT_ms_per_px = 1e-5;

/** What the camera sees of the rest of the bench. */
export interface CameraSurroundings {
  /** Where the stage is at this instant, as its encoder reads. */
  position_mm(): number;
  beamBlocked(): boolean;
}

/**
 * A camera on the simulated stage, with every automatic function off. Whether a frame is dark is decided by what stands
 * in the beam, not by its label; the label picks the noise, so that live frames change nothing that is measured.
 */
export class SimulatedCamera implements BeamCamera {
  readonly info: BeamCameraInfo;
  readonly #world: WorldPort;
  readonly #clock: Clock;
  readonly #surroundings: CameraSurroundings;
  readonly #readout_ms: number;
  #exposure_ms = 1;
  #sequence = 0;
  /** Measurements taken so far, for darks: their labels count darks. */
  #measurements = 0;
  #acquiring = false;
  #closed = false;

  constructor(world: WorldPort, clock: Clock, surroundings: CameraSurroundings) {
    const { width_px, height_px, pixelPitch_um, bitDepth, pixelFormat } = world.sensor;
    this.info = {
      model: NAME,
      serialNumber: "SIM-CAMERA",
      simulated: true,
      width_px,
      height_px,
      pixelPitch_um,
      bitDepth,
      pixelFormat,
      exposureMin_ms: EXPOSURE_MIN_ms,
      exposureMax_ms: EXPOSURE_MAX_ms,
    };
    this.#world = world;
    this.#clock = clock;
    this.#surroundings = surroundings;
    this.#readout_ms = width_px * height_px * READOUT_ms_per_px;
  }

  async setExposure(exposure_ms: number): Promise<number> {
    this.#checkOpen();
    if (!(exposure_ms >= EXPOSURE_MIN_ms && exposure_ms <= EXPOSURE_MAX_ms)) {
      throw new InstrumentError(
        "out_of_range",
        NAME,
        `the exposure ${exposure_ms} ms is outside ${EXPOSURE_MIN_ms} to ${EXPOSURE_MAX_ms} ms`,
        {
          name: "exposure_ms",
          value: exposure_ms,
          unit: "ms",
          limit: exposure_ms < EXPOSURE_MIN_ms ? EXPOSURE_MIN_ms : EXPOSURE_MAX_ms,
        },
        "choose an exposure inside these bounds",
      );
    }
    if (this.#acquiring) throw this.#busy();
    const steps = Math.round(exposure_ms / EXPOSURE_STEP_ms);
    // Division by the inverse step keeps decimal fractions clean.
    this.#exposure_ms = steps / Math.round(1 / EXPOSURE_STEP_ms);
    return this.#exposure_ms;
  }

  async readExposure(): Promise<number> {
    this.#checkOpen();
    return this.#exposure_ms;
  }

  async acquire({ label, cancellation }: AcquireOptions): Promise<Frame> {
    this.#checkOpen();
    if (this.#acquiring) throw this.#busy();
    this.#acquiring = true;
    try {
      const startedAt_ms = this.#clock.now_ms();
      const exposure_ms = this.#exposure_ms;
      const beamBlocked = this.#surroundings.beamBlocked();
      await this.#clock.wait(exposure_ms / 2, cancellation);
      // A frame taken in motion shows the place at the middle of the exposure.
      const position_mm = this.#surroundings.position_mm();
      await this.#clock.wait(exposure_ms / 2 + this.#readout_ms, cancellation);
      if (cancellation?.aborted === true) throw cancelled();
      this.#checkOpen();
      if (label.purpose !== "dark") {
        const taken = label.acquisition + (label.purpose === "measurement" ? 1 : 0);
        this.#measurements = Math.max(this.#measurements, taken);
      }
      // Counted before it is there: a frame that gets lost leaves a gap.
      const sequence = this.#sequence++;
      const exposed = this.#world.expose({
        purpose: label.purpose,
        acquisition: label.acquisition,
        frame: label.frame,
        measurements: label.purpose === "dark" ? this.#measurements : label.acquisition,
        position_mm,
        exposure_ms,
        beamBlocked,
      });
      const { samples, memory } = exposed instanceof Promise ? await unlessCancelled(exposed, cancellation) : exposed;
      const { width_px, height_px, bitDepth } = this.info;
      return {
        width_px,
        height_px,
        samples,
        bitDepth,
        exposure_ms,
        startedAt_ms,
        sequence,
        simulated: true,
        ...(memory === undefined ? {} : { memory }),
      };
    } finally {
      this.#acquiring = false;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#world.close();
  }

  #busy(): InstrumentError {
    return new InstrumentError("busy", NAME, "an exposure is running", {}, "wait for its frame");
  }

  #checkOpen(): void {
    if (this.#closed) throw new InstrumentError("not_connected", NAME, "the camera has been closed");
  }
}

const cancelled = (): InstrumentError => new InstrumentError("cancelled", NAME, "the exposure was cancelled");

/** The samples, or `cancelled` as soon as that is asked for; samples that come too late are let go. */
function unlessCancelled(
  exposed: Promise<ExposedSamples>,
  cancellation: Cancellation | undefined,
): Promise<ExposedSamples> {
  if (cancellation === undefined) return exposed;
  return new Promise((resolve, reject) => {
    let late = false;
    const cancel = (): void => {
      late = true;
      reject(cancelled());
    };
    cancellation.addEventListener("abort", cancel, { once: true });
    exposed
      .then((samples) => {
        if (late) samples.memory?.release();
        else resolve(samples);
      }, reject)
      .finally(() => {
        cancellation.removeEventListener("abort", cancel);
      });
  });
}
