import type { Clock } from "../../drivers/protocol/clock.ts";
import type { EmulatedController } from "./emulated-controller.ts";

/** What can happen to the next bytes on a line. Positions are counted from the start of the piece, modulo its length. */
export type LineFault =
  /** A byte is lost. */
  | { readonly kind: "drop"; readonly at: number }
  /** A byte arrives twice. */
  | { readonly kind: "double"; readonly at: number }
  /** Bits of a byte are turned over. */
  | { readonly kind: "garble"; readonly at: number; readonly mask: number }
  /** The piece breaks off in the middle. */
  | { readonly kind: "half" }
  /** Nothing passes for a while; what was sent is lost. */
  | { readonly kind: "silence"; readonly duration_ms: number }
  /** The piece, and what comes behind it, arrives late. */
  | { readonly kind: "late"; readonly duration_ms: number };

type Direction = "to-host" | "to-controller";

/** A fault that waits for its piece. */
interface Ambush {
  readonly fault: LineFault;
  readonly isFor: (bytes: Uint8Array) => boolean;
}

class Lane {
  readonly #clock: Clock;
  readonly #deliver: (bytes: Uint8Array) => void;
  #ambushes: Ambush[] = [];
  #silentUntil_ms = Number.NEGATIVE_INFINITY;
  #lateUntil_ms = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, deliver: (bytes: Uint8Array) => void) {
    this.#clock = clock;
    this.#deliver = deliver;
  }

  add(fault: LineFault, isFor: (bytes: Uint8Array) => boolean): void {
    if (fault.kind === "silence") {
      this.#silentUntil_ms = this.#clock.now_ms() + fault.duration_ms;
    } else {
      this.#ambushes.push({ fault, isFor });
    }
  }

  clear(): void {
    this.#ambushes = [];
    this.#silentUntil_ms = Number.NEGATIVE_INFINITY;
  }

  pass(bytes: Uint8Array): void {
    const now_ms = this.#clock.now_ms();
    if (now_ms < this.#silentUntil_ms) {
      return;
    }
    let piece = Array.from(bytes);
    const sprung = this.#ambushes.filter(({ isFor }) => isFor(bytes));
    this.#ambushes = this.#ambushes.filter((ambush) => !sprung.includes(ambush));
    for (const { fault } of sprung) {
      if (fault.kind === "late") {
        this.#lateUntil_ms = Math.max(this.#lateUntil_ms, now_ms + fault.duration_ms);
      } else {
        piece = damage(piece, fault);
      }
    }
    const arrived = Uint8Array.from(piece);
    if (now_ms < this.#lateUntil_ms) {
      void this.#clock.wait(this.#lateUntil_ms - now_ms).then(() => this.#deliver(arrived));
    } else {
      this.#deliver(arrived);
    }
  }
}

function damage(piece: readonly number[], fault: LineFault): number[] {
  const at = "at" in fault && piece.length > 0 ? fault.at % piece.length : 0;
  switch (fault.kind) {
    case "drop":
      return piece.filter((_byte, index) => index !== at);
    case "double":
      return piece.flatMap((byte, index) => (index === at ? [byte, byte] : [byte]));
    case "garble":
      return piece.map((byte, index) => (index === at ? byte ^ fault.mask : byte));
    case "half":
      return piece.slice(0, Math.floor(piece.length / 2));
    default:
      return [...piece];
  }
}

/** The line between a host and an emulated controller, on which things go wrong when they are told to. */
export class FaultyLine {
  readonly #controller: EmulatedController;
  readonly #toController: Lane;
  readonly #toHost: Lane;
  readonly #listeners = new Set<(bytes: Uint8Array) => void>();

  constructor(controller: EmulatedController, clock: Clock) {
    this.#controller = controller;
    this.#toController = new Lane(clock, (bytes) => controller.receive(bytes));
    this.#toHost = new Lane(clock, (bytes) => {
      for (const listener of this.#listeners) {
        listener(bytes);
      }
    });
    controller.onTransmit((bytes) => this.#toHost.pass(bytes));
  }

  receive(bytes: Uint8Array): void {
    this.#toController.pass(bytes);
  }

  onTransmit(listener: (bytes: Uint8Array) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  opened(): void {
    this.#controller.opened();
  }

  /** Befalls the next piece in that direction that `isFor` picks, any when absent; silence begins now. */
  inject(direction: Direction, fault: LineFault, isFor: (bytes: Uint8Array) => boolean = () => true): void {
    (direction === "to-host" ? this.#toHost : this.#toController).add(fault, isFor);
  }

  /** The line is as good as new. */
  mend(): void {
    this.#toHost.clear();
    this.#toController.clear();
  }
}
