import type { Clock } from "../../drivers/protocol/clock.ts";
import { BenchError } from "../contract/error-codes.ts";
import type { BenchEvent, BenchEventOf, BenchEventType, Journal } from "../contract/events.ts";

type Fields<Type extends BenchEventType> = Omit<BenchEventOf<Type>, "seq" | "t_ms" | "type">;

/** Whoever wants to hear of something; what a listener throws, now or later, never reaches the bench. */
export class Listeners<Item> {
  readonly #listeners = new Set<(item: Item) => unknown>();

  add(listener: (item: Item) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(item: Item): void {
    for (const listener of [...this.#listeners]) {
      try {
        // A listener may be async although its type says otherwise; a rejection is its own affair.
        Promise.resolve(listener(item)).catch(() => undefined);
      } catch {
        // A window that cannot draw must not stop a stage from being stopped.
      }
    }
  }
}

/** The events of a run: numbers them, stamps them with the bench clock, writes them, and then announces them. */
export class RunLog {
  readonly #clock: Clock;
  readonly #journal: Journal;
  readonly #events: BenchEvent[] = [];
  readonly #listeners = new Listeners<BenchEvent>();
  #failure: unknown;

  constructor(clock: Clock, journal: Journal) {
    this.#clock = clock;
    this.#journal = journal;
  }

  get nextSeq(): number {
    return this.#events.length;
  }

  events(from = 0): readonly BenchEvent[] {
    return this.#events.slice(from);
  }

  subscribe(listener: (event: BenchEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Throws `internal` once an event could not be written: what is not in the log has not happened. */
  checkWritable(): void {
    if (this.#failure === undefined) return;
    const why = this.#failure instanceof Error ? this.#failure.message : "unknown reason";
    throw new BenchError(
      "internal",
      `The log of the run cannot be written (${why})`,
      "Nothing acts without a log: end the run, mend the disk, open the bench again.",
    );
  }

  /**
   * Records an event and returns its number. Never throws, since it is called while instruments work: a journal that fails
   * is remembered, and `checkWritable` refuses the next action.
   */
  emit<Type extends BenchEventType>(type: Type, fields: Fields<Type>): number {
    const seq = this.#events.length;
    const event = { seq, t_ms: this.#clock.now_ms(), type, ...fields } as unknown as BenchEvent;
    this.#events.push(event);
    if (this.#failure === undefined) {
      try {
        this.#journal.append(event);
      } catch (error) {
        this.#failure = error;
      }
    }
    this.#listeners.tell(event);
    return seq;
  }
}
