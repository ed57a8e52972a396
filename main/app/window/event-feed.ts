import type { BenchEvent } from "../../contract/events.ts";
import type { HostMessage } from "../../contract/window-messages.ts";

/** Events per message: small enough that a STOP is never stuck behind a long log. */
const BATCH = 200;
/** Bytes that may wait in the port before the feed pauses; events wait in memory then, none is dropped. */
const HIGH_WATER_bytes = 1 << 20;
const PAUSE_MS = 15;

export interface FeedPort {
  backlog(): number;
  send(message: HostMessage): void;
}

/** Sends the events of one run in order and without gaps, in batches, as fast as the port takes them. */
export class EventFeed {
  readonly #source: string;
  readonly #port: FeedPort;
  readonly #waiting: BenchEvent[] = [];
  #scheduled = false;
  #closed = false;
  #release: () => void = () => undefined;

  constructor(source: string, port: FeedPort) {
    this.#source = source;
    this.#port = port;
  }

  /** What to call when the feed ends. */
  set release(release: () => void) {
    this.#release = release;
  }

  push(events: readonly BenchEvent[]): void {
    for (const event of events) this.#waiting.push(event);
    this.#schedule();
  }

  /** Says that there is nothing to send, which whoever reads a log without events would wait for. */
  sayNothingComes(): void {
    if (!this.#closed) this.#port.send({ type: "events", source: this.#source, events: [], more: false });
  }

  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
    this.#release();
  }

  #schedule(): void {
    if (this.#scheduled || this.#closed || this.#waiting.length === 0) return;
    this.#scheduled = true;
    const flush = (): void => {
      this.#scheduled = false;
      this.#flush();
    };
    if (this.#port.backlog() > HIGH_WATER_bytes) setTimeout(flush, PAUSE_MS);
    else setImmediate(flush);
  }

  #flush(): void {
    if (this.#closed) return;
    if (this.#port.backlog() <= HIGH_WATER_bytes) {
      const events = this.#waiting.splice(0, BATCH);
      this.#port.send({ type: "events", source: this.#source, events, more: this.#waiting.length > 0 });
    }
    this.#schedule();
  }
}
