import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import type { BenchEvent, Journal } from "../contract/events.ts";
import { FIRST_LINK, chainedLine } from "./journal-line.ts";

/**
 * What an event survives once `append` has returned. `process`: the death of the program in any way (the operating system holds
 * the bytes); about 10 µs an event. `closing`: so too until the run is closed, and then that of the machine. `power`: that of the machine
 * at any moment; some milliseconds an event, which real exposures hide.
 */
export type Durability = "process" | "closing" | "power";

/** Appends events to a new file, each with one write of one whole line. */
export class JournalWriter implements Journal {
  readonly #file: number;
  readonly #durability: Durability;
  #head = FIRST_LINK;
  #events = 0;
  #closed = false;

  /** The file must not exist yet: a journal is never continued by another writer. */
  constructor(path: string, durability: Durability) {
    this.#file = openSync(path, "ax");
    this.#durability = durability;
  }

  get head(): string {
    return this.#head;
  }

  get events(): number {
    return this.#events;
  }

  append(event: BenchEvent): void {
    if (this.#closed) throw new Error("the journal is closed");
    if (event.seq !== this.#events) throw new Error(`event ${event.seq} came where ${this.#events} was due`);
    const line = chainedLine(event, this.#head);
    const bytes = Buffer.from(`${line.text}\n`);
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    if (this.#durability === "power") fdatasyncSync(this.#file);
    this.#head = line.hash;
    this.#events += 1;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#durability !== "process") fdatasyncSync(this.#file);
    closeSync(this.#file);
  }
}
