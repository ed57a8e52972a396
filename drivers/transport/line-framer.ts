import type { Framer } from "./framer.ts";

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
/** Longest line kept. A stream without line ends is noise, and must not fill the memory. */
const LINE_LENGTH_MAX = 4096;

/** Lines that end with CR, LF or both. Empty lines are dropped. Characters are one byte each. */
export class LineFramer implements Framer<string> {
  #line = "";

  push(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    for (const byte of bytes) {
      if (byte === CARRIAGE_RETURN || byte === LINE_FEED) {
        if (this.#line !== "") {
          lines.push(this.#line);
        }
        this.#line = "";
      } else if (this.#line.length < LINE_LENGTH_MAX) {
        this.#line += String.fromCharCode(byte);
      }
    }
    return lines;
  }

  reset(): void {
    this.#line = "";
  }
}

/**
 * Answers of several lines as PI's GCS writes them: a line feed after a space continues the answer, any other line
 * feed ends it. A message is the array of lines of one answer, without the line feeds and the continuation spaces.
 */
export class ContinuedLineFramer implements Framer<readonly string[]> {
  #answer: string[] = [];
  #line = "";

  push(bytes: Uint8Array): (readonly string[])[] {
    const answers: (readonly string[])[] = [];
    for (const byte of bytes) {
      if (byte !== LINE_FEED) {
        if (this.#line.length < LINE_LENGTH_MAX) {
          this.#line += String.fromCharCode(byte);
        }
        continue;
      }
      const continues = this.#line.endsWith(" ");
      this.#answer.push(continues ? this.#line.slice(0, -1) : this.#line);
      this.#line = "";
      if (!continues) {
        answers.push(this.#answer);
        this.#answer = [];
      } else if (this.#answer.length > LINE_LENGTH_MAX) {
        this.#answer = [];
      }
    }
    return answers;
  }

  reset(): void {
    this.#answer = [];
    this.#line = "";
  }
}
