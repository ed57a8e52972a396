import type { Clock } from "../../drivers/protocol/clock.ts";
import { BenchError } from "../contract/error-codes.ts";

/** One piece of work with the instruments. */
export interface Action {
  /** Shown to people: "measure_at", "live frame". */
  readonly what: string;
  readonly callerId: string;
  /** seq of the `tool_called` event; absent for work outside the tools. */
  readonly call?: number;
  /** Aborted with a BenchError that says why. */
  readonly signal: AbortSignal;
}

interface Running extends Action {
  readonly controller: AbortController;
  readonly settled: Promise<void>;
  /** Gives way to whoever wants to act. */
  readonly yields: boolean;
}

/** How long an interrupted instrument may take to obey before the caller is answered anyway, in host time. */
const GRACE_MS = 2000;

/**
 * Lets one action at a time use the instruments. An interrupted action keeps the lock until its instruments have really
 * let go, so that nothing new begins on a stage that still moves; its caller does not wait longer than a grace time.
 */
export class ActionLock {
  readonly #hostClock: Clock;
  #running: Running | undefined;
  /** Those that wait for an interrupted action to let go of the instruments. */
  readonly #waiting = new Set<Running>();

  constructor(hostClock: Clock) {
    this.#hostClock = hostClock;
  }

  /** What holds the lock, unless it gives way by itself. */
  get running(): Action | undefined {
    return this.#running?.yields === true ? undefined : this.#running;
  }

  get free(): boolean {
    return this.#running === undefined;
  }

  /** Runs the work as the one action. Throws `busy` while another runs; rejects with the reason when interrupted. */
  async perform<Result>(
    action: Omit<Action, "signal"> & { readonly yields?: boolean },
    work: (action: Action) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController();
    let settle: () => void = () => undefined;
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const running: Running = {
      ...action,
      yields: action.yields ?? false,
      controller,
      signal: controller.signal,
      settled,
    };
    this.#waiting.add(running);
    try {
      while (this.#running !== undefined) await this.#letGo(this.#running);
    } finally {
      this.#waiting.delete(running);
    }
    // A stop also means what has not begun.
    if (running.signal.aborted) throw running.signal.reason;
    this.#running = running;
    const working = work(running).finally(() => {
      this.#running = undefined;
      settle();
    });
    return Promise.race([working, this.#givenUp(running, working)]);
  }

  /** Interrupts the actions meant, those that run and those that wait to begin. Returns what was interrupted. */
  interrupt(reason: BenchError, meant: (action: Action) => boolean = () => true): readonly Action[] {
    const all = this.#running === undefined ? [...this.#waiting] : [this.#running, ...this.#waiting];
    const interrupted = all.filter((action) => !action.signal.aborted && meant(action));
    for (const action of interrupted) action.controller.abort(reason);
    return interrupted;
  }

  /** Resolves when the instruments are free, or after the grace time. */
  async settled(): Promise<void> {
    if (this.#running !== undefined) await this.#within(this.#running.settled);
  }

  /** Waits for work that is about to end; refuses while another action runs. */
  async #letGo(running: Running): Promise<void> {
    if (running.yields) running.controller.abort(new BenchError("busy", "Somebody acts", "Look again later."));
    if (running.signal.aborted) await this.#within(running.settled);
    if (this.#running === running) {
      throw new BenchError(
        "busy",
        `${running.what} is running`,
        "Wait for it (job_status, if it is a job) or stop it, then call again.",
      );
    }
  }

  /** Rejects once an interrupted action has not obeyed within the grace time. */
  async #givenUp(running: Running, working: Promise<unknown>): Promise<never> {
    await new Promise<void>((resolve) => {
      running.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await this.#within(working);
    throw running.signal.reason;
  }

  async #within(work: Promise<unknown>): Promise<void> {
    const enough = new AbortController();
    const ended = work.then(
      () => undefined,
      () => undefined,
    );
    await Promise.race([ended, this.#hostClock.wait(GRACE_MS, enough.signal)]);
    enough.abort();
  }
}
