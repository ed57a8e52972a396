import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";

const LARGEST_BYTES = 2_000_000;

/** A log of the shell's own life: starts, ends, crashes. The one before is kept beside it. */
export class LogFile {
  readonly path: string;
  readonly #now: () => Date;

  constructor(path: string, now: () => Date = () => new Date()) {
    this.path = path;
    this.#now = now;
    mkdirSync(dirname(path), { recursive: true });
  }

  /** One line with the time. A log that cannot be written is no reason to fail. */
  write(text: string): void {
    try {
      if (existsSync(this.path) && statSync(this.path).size > LARGEST_BYTES) renameSync(this.path, `${this.path}.1`);
      appendFileSync(this.path, `${this.#now().toISOString()} ${text.replaceAll("\n", "\n  ")}\n`);
    } catch {
      // The disk is full or read-only; the program goes on.
    }
  }
}
