import type { Clock } from "../protocol/clock.ts";
import type { ByteLink } from "./byte-link.ts";
import { formatTraceEntry, type TraceEntry } from "./trace.ts";

/** Writes down everything that passes over a link, one JSON line per event, and changes nothing. */
export class RecordingLink implements ByteLink {
  readonly #link: ByteLink;
  readonly #clock: Clock;
  readonly #writeLine: (line: string) => void;

  constructor(link: ByteLink, clock: Clock, writeLine: (line: string) => void) {
    this.#link = link;
    this.#clock = clock;
    this.#writeLine = writeLine;
    link.onData((bytes) => this.#record({ t_ms: clock.now_ms(), kind: "received", bytes }));
    link.onClose((reason) => this.#record({ t_ms: clock.now_ms(), kind: "close", reason }));
  }

  get name(): string {
    return this.#link.name;
  }

  get isOpen(): boolean {
    return this.#link.isOpen;
  }

  async open(): Promise<void> {
    this.#record({ t_ms: this.#clock.now_ms(), kind: "open" });
    await this.#link.open();
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#link.isOpen) {
      this.#record({ t_ms: this.#clock.now_ms(), kind: "sent", bytes });
    }
    await this.#link.write(bytes);
  }

  onData(listener: (bytes: Uint8Array) => void): () => void {
    return this.#link.onData(listener);
  }

  onClose(listener: (reason: string) => void): () => void {
    return this.#link.onClose(listener);
  }

  async close(): Promise<void> {
    await this.#link.close();
  }

  #record(entry: TraceEntry): void {
    this.#writeLine(formatTraceEntry(entry));
  }
}
