import { ManualClock } from "../../simulators/instruments/clock.ts";
import type { EmulatedController } from "../../simulators/controllers/emulated-controller.ts";
import { bytesOf } from "../../simulators/controllers/line-collector.ts";

/** A host for tests: sends, lets time pass, and collects what the controller says. */
export class TestHost<Controller extends EmulatedController> {
  readonly clock = new ManualClock();
  readonly controller: Controller;
  #received: number[] = [];

  constructor(make: (clock: ManualClock) => Controller) {
    this.controller = make(this.clock);
    this.controller.onTransmit((bytes) => this.#received.push(...bytes));
  }

  /** What the controller says within `duration_ms` after these bytes, as hexadecimal digits. */
  async exchange(hex: string, duration_ms = 20): Promise<string> {
    this.controller.receive(Uint8Array.from(hex.split(" "), (byte) => Number.parseInt(byte, 16)));
    return (await this.#collect(duration_ms)).map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  }

  /** What the controller says within `duration_ms` after this text, one character per byte. */
  async say(text: string, duration_ms = 20): Promise<string> {
    this.controller.receive(bytesOf(text));
    return String.fromCharCode(...(await this.#collect(duration_ms)));
  }

  /** What the controller says of itself meanwhile. */
  async listen(duration_ms: number): Promise<string> {
    return String.fromCharCode(...(await this.#collect(duration_ms)));
  }

  async #collect(duration_ms: number): Promise<number[]> {
    this.#received = [];
    await this.clock.advance(duration_ms);
    return this.#received;
  }
}
