import type { Clock } from "../protocol/clock.ts";
import { type ByteLink, closedLinkError } from "./byte-link.ts";
import { toHex, toText } from "./byte-text.ts";
import { Listeners } from "./listeners.ts";
import type { TraceEntry } from "./trace.ts";

/** The program sent something else than the recording holds, or in another order. */
export class TraceMismatch extends Error {
  override readonly name = "TraceMismatch";
}

/**
 * Plays a recording back: answers what the instrument answered, after as long as it took, and fails as soon as the
 * program sends anything else than it sent then.
 */
export class ReplayLink implements ByteLink {
  readonly name: string;
  readonly #trace: readonly TraceEntry[];
  readonly #clock: Clock;
  readonly #data = new Listeners<Uint8Array>();
  readonly #closed = new Listeners<string>();
  #next = 0;
  /** Bytes of the entry at `#next` that were sent already. */
  #sentOfNext = 0;
  #isOpen = false;
  #mismatch: TraceMismatch | undefined;

  constructor(name: string, trace: readonly TraceEntry[], clock: Clock) {
    this.name = name;
    this.#trace = trace;
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The first difference; a driver may catch the error of the write, the test asks here. */
  get mismatch(): TraceMismatch | undefined {
    return this.#mismatch;
  }

  /** Entries of the recording that were not reached. */
  get remaining(): number {
    return this.#trace.length - this.#next;
  }

  async open(): Promise<void> {
    const entry = this.#trace[this.#next];
    if (entry?.kind !== "open") {
      throw this.#differ("open the link", entry);
    }
    this.#isOpen = true;
    this.#advance(entry.t_ms);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#isOpen) {
      throw closedLinkError(this.name);
    }
    for (const byte of bytes) {
      const entry = this.#trace[this.#next];
      if (entry?.kind !== "sent" || entry.bytes[this.#sentOfNext] !== byte) {
        throw this.#differ(`send "${toText(bytes).trimEnd()}" (${toHex(bytes)})`, entry);
      }
      this.#sentOfNext += 1;
      if (this.#sentOfNext === entry.bytes.length) {
        this.#advance(entry.t_ms);
      }
    }
  }

  onData(listener: (bytes: Uint8Array) => void): () => void {
    return this.#data.add(listener);
  }

  onClose(listener: (reason: string) => void): () => void {
    return this.#closed.add(listener);
  }

  async close(): Promise<void> {
    if (!this.#isOpen) {
      return;
    }
    this.#isOpen = false;
    if (this.#trace[this.#next]?.kind === "close") {
      this.#next += 1;
    }
    this.#closed.call("closed by this program");
  }

  /** Goes past the entry that was matched, and plays what the instrument did next. */
  #advance(from_ms: number): void {
    this.#next += 1;
    this.#sentOfNext = 0;
    const entry = this.#trace[this.#next];
    if (entry?.kind !== "received") {
      return;
    }
    const index = this.#next;
    void this.#clock.wait(Math.max(0, entry.t_ms - from_ms)).then(() => {
      if (this.#isOpen && this.#next === index) {
        this.#advance(entry.t_ms);
        this.#data.call(entry.bytes);
      }
    });
  }

  #differ(attempt: string, entry: TraceEntry | undefined): TraceMismatch {
    const expected =
      entry === undefined
        ? "the recording has ended"
        : "bytes" in entry
          ? `the recording has ${entry.kind} "${toText(entry.bytes).trimEnd()}" (${toHex(entry.bytes)}) here`
          : `the recording has "${entry.kind}" here`;
    const mismatch = new TraceMismatch(`entry ${this.#next + 1}: the program wants to ${attempt}, ${expected}`);
    this.#mismatch ??= mismatch;
    return mismatch;
  }
}
