import { createHash } from "node:crypto";
import type { BenchEvent } from "../contract/events.ts";
import { canonicalJson } from "./canonical-json.ts";

/*
 * A line of events.jsonl is the canonical JSON of {"event": …, "hash": …}. The hash is the SHA-256 of the hash of the line before,
 * a line feed, and the canonical JSON of the event, in hexadecimal. So no event can be changed, taken out, put in or moved without
 * breaking every hash from there on; the hash of the last line stands for the whole journal.
 */

/** What stands for the hash before the first line. */
export const FIRST_LINK = "0".repeat(64);

export interface JournalLine {
  readonly event: BenchEvent;
  readonly hash: string;
  /** Without the line feed. */
  readonly text: string;
}

export function chainedLine(event: BenchEvent, previous: string): JournalLine {
  const json = canonicalJson(event);
  const hash = createHash("sha256").update(`${previous}\n${json}`).digest("hex");
  return { event, hash, text: `{"event":${json},"hash":"${hash}"}` };
}
