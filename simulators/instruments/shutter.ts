import type { BeamShutter } from "../../drivers/protocol/beam-shutter.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";

const TRAVEL_ms = 20;

/** A shutter in front of the camera. Open when the session begins. */
export class SimulatedShutter implements BeamShutter {
  readonly model = "Simulated shutter";
  readonly simulated = true;
  readonly #clock: Clock;
  #open = true;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  async setOpen(open: boolean): Promise<void> {
    if (open === this.#open) return;
    await this.#clock.wait(TRAVEL_ms);
    this.#open = open;
  }

  async close(): Promise<void> {
    // Nothing to release.
  }
}
