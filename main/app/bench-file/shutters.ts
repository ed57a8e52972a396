import type { BeamShutter } from "../../../drivers/protocol/beam-shutter.ts";
import type { Stage } from "../../../drivers/protocol/stage.ts";

/** A shutter that knows what it did; simulated light is dark behind a closed one. */
export interface WatchedShutter extends BeamShutter {
  readonly isOpen: boolean;
}

/** A second stage that moves something into the beam and out of it. */
export class StageShutter implements WatchedShutter {
  readonly model: string;
  readonly simulated: boolean;
  readonly #stage: Stage;
  readonly #open_mm: number;
  readonly #closed_mm: number;
  #isOpen = true;

  constructor(stage: Stage, places: { readonly open_mm: number; readonly closed_mm: number }) {
    this.model = `${stage.info.model} as a shutter`;
    this.simulated = stage.info.simulated;
    this.#stage = stage;
    this.#open_mm = places.open_mm;
    this.#closed_mm = places.closed_mm;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Finds the reference of the stage unless it has one. */
  async home(): Promise<void> {
    const { homed } = await this.#stage.readState();
    if (!homed) await this.#stage.home();
  }

  async setOpen(open: boolean): Promise<void> {
    await this.#stage.moveTo(open ? this.#open_mm : this.#closed_mm);
    this.#isOpen = open;
  }

  close(): Promise<void> {
    return this.#stage.close();
  }
}

/** A person who blocks and frees the beam when asked; `ask` resolves when they say that it is done. */
export class OperatorShutter implements WatchedShutter {
  readonly model = "Operator";
  readonly simulated = false;
  readonly #ask: (request: string) => Promise<void>;
  #isOpen = true;

  constructor(ask: (request: string) => Promise<void>) {
    this.#ask = ask;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async setOpen(open: boolean): Promise<void> {
    if (open === this.#isOpen) return;
    await this.#ask(open ? "Free the beam" : "Block the beam");
    this.#isOpen = open;
  }

  async close(): Promise<void> {
    // A person needs no closing.
  }
}
