import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";

interface Sleeper {
  readonly due_ms: number;
  readonly order: number;
  readonly wake: () => void;
}

/** Turns of the promise queue that let everything which is already settled run on to its next wait. */
const QUIET_TURNS = 32;

async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < QUIET_TURNS; turn++) await Promise.resolve();
}

/** Sleepers in the order in which they wake: by due time, then by the order in which they fell asleep. */
class SleeperQueue {
  readonly #sleepers: Sleeper[] = [];
  #order = 0;

  /** Who wakes next. */
  first(): Sleeper | undefined {
    return this.#sleepers[0];
  }

  /** Resolves when woken or cancelled. */
  sleepUntil(due_ms: number, cancellation: Cancellation | undefined): Promise<void> {
    if (cancellation?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        cancellation?.removeEventListener("abort", finish);
        this.#remove(sleeper);
        resolve();
      };
      const sleeper: Sleeper = { due_ms, order: this.#order++, wake: finish };
      cancellation?.addEventListener("abort", finish, { once: true });
      const after = this.#sleepers.findIndex((other) => other.due_ms > due_ms);
      this.#sleepers.splice(after === -1 ? this.#sleepers.length : after, 0, sleeper);
    });
  }

  #remove(sleeper: Sleeper): void {
    const place = this.#sleepers.indexOf(sleeper);
    if (place !== -1) this.#sleepers.splice(place, 1);
  }
}

/**
 * Time that passes as fast as the processor allows: when everybody waits, it jumps to the first who is due. Before each
 * jump it lets others run, so that a STOP can get in.
 */
export class SimulatedClock implements Clock {
  readonly #queue = new SleeperQueue();
  readonly #yieldToHost: () => Promise<void>;
  #now_ms = 0;
  #running = false;

  /**
   * @param yieldToHost resolves after pending input has been looked at, as by `setImmediate`. Without it only promises
   * that are already settled get a turn.
   */
  constructor(yieldToHost: () => Promise<void> = settlePromises) {
    this.#yieldToHost = yieldToHost;
  }

  now_ms(): number {
    return this.#now_ms;
  }

  async wait(duration_ms: number, cancellation?: Cancellation): Promise<void> {
    const sleep = this.#queue.sleepUntil(this.#now_ms + Math.max(0, duration_ms), cancellation);
    if (!this.#running) void this.#run();
    await sleep;
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#queue.first() !== undefined) {
      await this.#yieldToHost();
      // The first may have changed meanwhile: somebody nearer fell asleep, or was cancelled.
      const sleeper = this.#queue.first();
      if (sleeper === undefined) break;
      this.#now_ms = Math.max(this.#now_ms, sleeper.due_ms);
      sleeper.wake();
    }
    this.#running = false;
  }
}

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  readonly #queue = new SleeperQueue();
  #now_ms = 0;

  now_ms(): number {
    return this.#now_ms;
  }

  wait(duration_ms: number, cancellation?: Cancellation): Promise<void> {
    return this.#queue.sleepUntil(this.#now_ms + Math.max(0, duration_ms), cancellation);
  }

  /** Lets so much time pass, waking everybody who is due at the instant at which they are due. */
  async advance(duration_ms: number): Promise<void> {
    const until_ms = this.#now_ms + duration_ms;
    await settlePromises();
    for (let next = this.#queue.first(); next !== undefined && next.due_ms <= until_ms; next = this.#queue.first()) {
      this.#now_ms = Math.max(this.#now_ms, next.due_ms);
      next.wake();
      await settlePromises();
    }
    this.#now_ms = until_ms;
  }
}
