/** Results go to stdout, everything else to stderr, so that a program can read the one without the other. */
export function printResult(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The one JSON document of a command that was asked for JSON. */
export function printJson(value: unknown): void {
  printResult(JSON.stringify(value, null, 2));
}

/** One line for the person who watches. */
export function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** A bar on stderr that redraws itself; silent where stderr is no terminal. */
export class ProgressBar {
  readonly #label: string;
  readonly #width = 30;

  constructor(label: string) {
    this.#label = label;
  }

  /** `fraction` from 0 to 1. */
  show(fraction: number, message = ""): void {
    if (!process.stderr.isTTY) return;
    const filled = Math.round(this.#width * Math.min(1, Math.max(0, fraction)));
    const bar = "█".repeat(filled) + "░".repeat(this.#width - filled);
    process.stderr.write(`\r\x1b[2K${this.#label} ${bar} ${Math.round(100 * fraction)} % ${message}`);
  }

  /** Removes the bar. */
  end(): void {
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
  }
}
