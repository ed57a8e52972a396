const LINE_LENGTH_MAX = 1024;

/** Collects the lines of a host that ends them with CR, LF or both; hands empty lines over as well. */
export class LineCollector {
  #line = "";
  #afterReturn = false;
  readonly #onLine: (line: string) => void;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) {
      const isFeed = byte === 0x0a;
      if (isFeed && this.#afterReturn) {
        this.#afterReturn = false;
        continue;
      }
      this.#afterReturn = byte === 0x0d;
      if (isFeed || byte === 0x0d) {
        const line = this.#line;
        this.#line = "";
        this.#onLine(line);
      } else if (this.#line.length < LINE_LENGTH_MAX) {
        this.#line += String.fromCharCode(byte);
      }
    }
  }

  reset(): void {
    this.#line = "";
    this.#afterReturn = false;
  }
}

/** Text to bytes, one byte per character. */
export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);
}
