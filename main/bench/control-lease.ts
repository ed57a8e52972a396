import type { Caller } from "../contract/bench-verbs.ts";
import { BenchError } from "../contract/error-codes.ts";

export type ControlChange = "taken" | "taken_over" | "given_back" | "caller_left" | "idle";

/**
 * Who drives the bench: one caller at a time. The first who acts takes control where nobody has it; the operator may
 * take it from anybody. Looking needs no control.
 */
export class ControlLease {
  readonly #idle_ms: number;
  readonly #onChange: (holder: Caller | undefined, why: ControlChange) => void;
  #holder: Caller | undefined;
  #lastActed_ms = 0;
  /** From whom the operator took it. */
  #displaced: Caller | undefined;

  /** `idle_ms`: host time without an acting call after which another caller may take control. */
  constructor(idle_ms: number, onChange: (holder: Caller | undefined, why: ControlChange) => void) {
    this.#idle_ms = idle_ms;
    this.#onChange = onChange;
  }

  get holder(): Caller | undefined {
    return this.#holder;
  }

  /** Lets the caller act, taking free control. Throws `control_held` or `control_lost`. `busy`: the holder's work runs. */
  claim(caller: Caller, hostNow_ms: number, busy: boolean): void {
    const holder = this.#holder;
    if (holder?.id === caller.id) {
      this.#lastActed_ms = hostNow_ms;
      return;
    }
    if (holder === undefined) {
      this.#set(caller, "taken", hostNow_ms);
      return;
    }
    if (this.#displaced?.id === caller.id) {
      throw new BenchError(
        "control_lost",
        `The operator (${holder.name}) took control of the bench`,
        "Wait until the operator gives control back; looking is still allowed.",
      );
    }
    const idle = holder.kind !== "operator" && !busy && hostNow_ms - this.#lastActed_ms > this.#idle_ms;
    if (idle) {
      this.#set(caller, "idle", hostNow_ms);
      return;
    }
    throw new BenchError(
      "control_held",
      `${holder.name} holds control of the bench`,
      caller.kind === "operator"
        ? "Take over first; STOP works without."
        : "Only one caller drives at a time: wait until it is done. Looking is still allowed.",
    );
  }

  takeOver(operator: Caller, hostNow_ms: number): void {
    if (this.#holder?.id === operator.id) return;
    this.#displaced = this.#holder;
    this.#set(operator, "taken_over", hostNow_ms);
  }

  /** Returns control to the caller it was taken from, or to nobody. */
  giveBack(operator: Caller, hostNow_ms: number): void {
    if (this.#holder?.id !== operator.id) {
      throw new BenchError("control_held", `${operator.name} does not hold control of the bench`, "Take over first.");
    }
    const next = this.#displaced;
    this.#displaced = undefined;
    this.#set(next, "given_back", hostNow_ms);
  }

  release(callerId: string, hostNow_ms: number): void {
    if (this.#displaced?.id === callerId) this.#displaced = undefined;
    if (this.#holder?.id === callerId) this.#set(undefined, "caller_left", hostNow_ms);
  }

  #set(holder: Caller | undefined, why: ControlChange, hostNow_ms: number): void {
    this.#holder = holder;
    this.#lastActed_ms = hostNow_ms;
    this.#onChange(holder, why);
  }
}
