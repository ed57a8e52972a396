import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";

interface Deed {
  readonly at_ms: number;
  readonly order: number;
  readonly act: () => void;
}

/**
 * A motion controller as it shows itself on the wire: bytes go in by `receive`, bytes come out through `onTransmit`,
 * everything that takes time happens on the clock. Behind it is a stage whose true position anybody who simulates the
 * beam may ask for. What a subclass does is a function of the bytes, the instants at which they came, and its settings.
 */
export abstract class EmulatedController {
  readonly #clock: Clock;
  readonly #listeners = new Set<(bytes: Uint8Array) => void>();
  #deeds: Deed[] = [];
  #order = 0;
  #armed_ms = Number.POSITIVE_INFINITY;
  /** The instant that is being dealt with, while overdue deeds are done. */
  #instant_ms: number | undefined;
  #cancellation: Cancellation | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True position of the carriage, in mm from the stage's own reference mark; what a simulated beam needs. */
  abstract position_mm(): number;

  /** Deals with the bytes of a host. Pieces may be cut anywhere. */
  protected abstract handle(bytes: Uint8Array): void;

  /** Power off and on again: volatile state and unsent replies are gone. The carriage stays where it stands. */
  abstract powerCycle(): void;

  receive(bytes: Uint8Array): void {
    this.advance();
    this.handle(bytes);
  }

  onTransmit(listener: (bytes: Uint8Array) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called when a host opens the line; many boards take it for a reset. */
  opened(): void {
    this.advance();
  }

  /** Ends the waits for things to come, when the emulator is no longer needed. */
  retireWith(cancellation: Cancellation): void {
    this.#cancellation = cancellation;
  }

  /** Does everything that is due. Happens by itself as time passes; asking early does no harm. */
  advance(): void {
    const now_ms = this.#clock.now_ms();
    for (;;) {
      const deed = this.#deeds[0];
      if (deed === undefined || deed.at_ms > now_ms) {
        break;
      }
      this.#deeds.shift();
      this.#instant_ms = deed.at_ms;
      try {
        deed.act();
      } finally {
        this.#instant_ms = undefined;
      }
    }
    this.#arm();
  }

  protected now_ms(): number {
    return this.#instant_ms ?? this.#clock.now_ms();
  }

  /** Does something at an instant. Returns the way to call it off. */
  protected schedule(at_ms: number, act: () => void): () => void {
    const deed: Deed = { at_ms: Math.max(at_ms, this.now_ms()), order: this.#order, act };
    this.#order += 1;
    const index = this.#deeds.findIndex((other) => other.at_ms > deed.at_ms);
    this.#deeds.splice(index === -1 ? this.#deeds.length : index, 0, deed);
    this.#arm();
    return () => {
      this.#deeds = this.#deeds.filter((other) => other !== deed);
    };
  }

  /** Forgets everything that was to come. */
  protected callOff(): void {
    this.#deeds = [];
  }

  /** Sends bytes to the host after `latency_ms`. Replies keep their order when latencies are equal. */
  protected transmit(bytes: Uint8Array, latency_ms: number): void {
    this.schedule(this.now_ms() + latency_ms, () => {
      for (const listener of [...this.#listeners]) {
        listener(bytes);
      }
    });
  }

  #arm(): void {
    const next_ms = this.#deeds[0]?.at_ms;
    if (next_ms === undefined || next_ms >= this.#armed_ms || this.#cancellation?.aborted === true) {
      return;
    }
    this.#armed_ms = next_ms;
    void this.#clock.wait(Math.max(0, next_ms - this.#clock.now_ms()), this.#cancellation).then(() => {
      if (this.#armed_ms === next_ms) {
        this.#armed_ms = Number.POSITIVE_INFINITY;
      }
      if (this.#cancellation?.aborted !== true) {
        this.advance();
      }
    });
  }
}
