import { readFileSync } from "node:fs";
import { type BenchEvent, benchEventSchema } from "../contract/events.ts";
import { FIRST_LINK, chainedLine } from "./journal-line.ts";

/** A journal that cannot be trusted from some line on. */
export class DamagedJournalError extends Error {
  override readonly name = "DamagedJournalError";
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;

  constructor(path: string, line: number, what: string) {
    super(`${path}, line ${line}: ${what}`);
    this.path = path;
    this.line = line;
  }
}

export interface ReadJournal {
  readonly events: readonly BenchEvent[];
  /** Hash of the last whole line. */
  readonly head: string;
  /** Bytes of a last line that its writer could not finish; 0 when there is none. */
  readonly torn_bytes: number;
}

/**
 * Reads and verifies a journal. A last line without its line feed is what a killed writer leaves behind: it is counted and left out
 * unless it is whole. Anything else that is wrong is damage.
 *
 * @throws DamagedJournalError naming the first line that is not what its writer wrote.
 */
export function readJournal(path: string): ReadJournal {
  const lines = readFileSync(path, "utf8").split("\n");
  // What follows the last line feed: empty in a journal that was not cut short.
  const last = lines.pop() ?? "";
  const events: BenchEvent[] = [];
  let head = FIRST_LINK;
  lines.forEach((text, index) => {
    const line = parseLine(text, head, index);
    if (typeof line === "string") throw new DamagedJournalError(path, index + 1, line);
    events.push(line.event);
    head = line.hash;
  });
  if (last === "") return { events, head, torn_bytes: 0 };
  const line = parseLine(last, head, lines.length);
  if (typeof line === "string") return { events, head, torn_bytes: Buffer.byteLength(last) };
  return { events: [...events, line.event], head: line.hash, torn_bytes: 0 };
}

/** The line, or what is wrong with it. */
function parseLine(text: string, previous: string, seq: number): { event: BenchEvent; hash: string } | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return "not JSON";
  }
  if (typeof parsed !== "object" || parsed === null || !("event" in parsed) || !("hash" in parsed)) {
    return "not an event with its hash";
  }
  const checked = benchEventSchema.safeParse(parsed.event);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const where = issue === undefined || issue.path.length === 0 ? "event" : `event.${issue.path.join(".")}`;
    return `${where} does not fit the schema: ${issue?.message ?? "unknown reason"}`;
  }
  // The event as it was written: the schema drops what it does not know.
  const event = parsed.event as BenchEvent;
  if (event.seq !== seq) return `event ${event.seq} stands where event ${seq} belongs`;
  const line = chainedLine(event, previous);
  if (parsed.hash !== line.hash)
    return "its hash does not follow from the line before and its own event: one of them was changed";
  if (text !== line.text) return "not in the form in which it was written";
  return line;
}
