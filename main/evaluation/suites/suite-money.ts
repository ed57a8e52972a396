import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { ReservedMoney } from "./reserved-money.ts";

export interface SuiteMoneyOptions {
  /** All tasks together may cost this. */
  readonly limit_usd: number;
  /** What one task may cost at most; it is set aside before the task begins. */
  readonly cap_usd: number;
  /** A file that keeps what was set aside and spent, for suites that are resumed. */
  readonly journal?: string;
}

/** One line of the journal. */
const lineSchema = z.union([
  z.strictObject({ task: z.string(), reserved_usd: z.number().nonnegative() }),
  z.strictObject({ task: z.string(), settled_usd: z.number().nonnegative(), known: z.boolean() }),
]);
type Line = z.infer<typeof lineSchema>;

/** A journal that is damaged before its end. */
export class MoneyJournalError extends Error {
  override readonly name = "MoneyJournalError";
}

/** The money of one suite's run, by the rule by which an evaluation stops: what it may cost is set aside first. */
export class SuiteMoney {
  readonly #options: SuiteMoneyOptions;
  readonly #money: ReservedMoney;
  readonly #told = new Set<string>();
  #waiting: (() => void)[] = [];

  /** @throws MoneyJournalError */
  constructor(options: SuiteMoneyOptions) {
    this.#options = options;
    this.#money = new ReservedMoney(options.limit_usd);
    const before = new Map<string, number>();
    const spend = (task: string): void => {
      const usd = before.get(task);
      if (usd !== undefined) this.#money.spend(task, usd);
      before.delete(task);
    };
    for (const line of options.journal === undefined ? [] : readJournal(options.journal)) {
      this.#told.add(line.task);
      if ("reserved_usd" in line) {
        // Set aside again, so the run before it was killed and counts with its cap.
        spend(line.task);
        before.set(line.task, line.reserved_usd);
      } else if (before.has(line.task)) {
        before.set(line.task, line.settled_usd);
        spend(line.task);
      }
    }
    for (const task of [...before.keys()]) spend(task);
  }

  /** What counts as spent, reservations left out. */
  get spent_usd(): number {
    return this.#money.spent_usd;
  }

  /** Enters a task that an earlier command finished, unless the journal has it. An unknown cost counts as the cap. */
  keep(task: string, usd: number | undefined): void {
    if (!this.#told.has(task)) this.#money.spend(task, usd ?? this.#options.cap_usd);
  }

  /**
   * Lets a task run once its cap is set aside, and enters what it cost by `costOf`; where that is unknown or the task throws, its cap.
   * Resolves to why it was not run where its cap does not fit any more.
   */
  async run<T extends object>(
    task: string,
    work: () => Promise<T>,
    costOf: (done: T) => number | undefined,
  ): Promise<T | string> {
    const { limit_usd, cap_usd } = this.#options;
    for (;;) {
      const answer = this.#money.reserve(task, task, cap_usd);
      if (answer === "reserved") break;
      if (answer === "spent") {
        const left_usd = Math.max(0, limit_usd - this.spent_usd);
        return `its cap of $${cap_usd} does not fit into the $${left_usd.toFixed(4)} that are left of $${limit_usd}`;
      }
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    }
    this.#write({ task, reserved_usd: cap_usd });
    let usd: number | undefined;
    try {
      const done = await work();
      usd = costOf(done);
      return done;
    } finally {
      this.#write({ task, settled_usd: this.#money.settle(task, usd), known: usd !== undefined });
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const wake of waiting) wake();
    }
  }

  #write(line: Line): void {
    const { journal } = this.#options;
    if (journal === undefined) return;
    mkdirSync(dirname(journal), { recursive: true });
    appendFileSync(journal, `${JSON.stringify(line)}\n`);
  }
}

/** The lines of a journal. One that a killed process left unfinished is cut off: what it would have said had not begun, or counts as its cap. */
function readJournal(path: string): Line[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole));
  return whole
    .split("\n")
    .slice(0, -1)
    .map((line, i) => {
      try {
        return lineSchema.parse(JSON.parse(line));
      } catch {
        throw new MoneyJournalError(`${path}, line ${i + 1} is damaged; expected what a task was allowed or did cost`);
      }
    });
}
