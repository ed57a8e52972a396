import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";

/**
 * What is known of a run from outside the bench: who, what, which versions, when. Truths (scenario, seed) stand here and never in
 * the journal, which clients may read; so do all wall-clock times, which would keep two equal runs from giving equal journals.
 */
export const runRecordSchema = z.object({
  format: z.literal(1),
  id: z.string().min(1),
  /** Wall clock, ISO 8601. */
  opened_at: z.string(),
  closed_at: z.string().optional(),
  bench: z.string(),
  simulated: z.boolean(),
  /** Who was meant to drive: "operator", a contender's name. */
  by: z.string(),
  /** What the simulated bench was, for replay and graders. */
  scenario: z.string().optional(),
  seed: z.number().int().optional(),
  /** Everything else that a replay must be told to build the same instruments. */
  instruments: z.record(z.string(), z.unknown()).optional(),
  plan: z
    .object({ name: z.string(), sha256: z.string(), registered: z.boolean(), freeze_sha256: z.string().optional() })
    .optional(),
  case: z.string().optional(),
  epoch: z.number().int().optional(),
  attempt: z.number().int().optional(),
  note: z.string().optional(),
  /** Program, Node, operating system, kernel, model, … */
  versions: z.record(z.string(), z.string()),
  /** SHA-256 of what the run depended on: prompt, tool list, simulator, graders. */
  hashes: z.record(z.string(), z.string()).optional(),
  /** Whatever else the writer of the run wants to find again. */
  more: z.record(z.string(), z.unknown()).optional(),
  /** The process that writes or wrote the journal. */
  writer: z.object({ pid: z.number().int(), host: z.string() }),
  /** Length and last hash of the journal when it was closed: shows when its end is cut off. */
  journal: z.object({ events: z.number().int(), head: z.string() }).optional(),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

/** @throws Error naming the file and the field. */
export function readRunRecord(path: string): RunRecord {
  if (!existsSync(path)) throw new Error(`${path} is missing, which says what the run was`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : "unreadable"}`, { cause: error });
  }
  const checked = runRecordSchema.safeParse(parsed);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new Error(`${path}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "does not fit the schema"}`);
}

/** Replaces the file as a whole, so that nobody ever reads half of it. `flush`: it is on the disk when this returns. */
export function writeRunRecord(path: string, record: RunRecord, flush: boolean): void {
  const temporary = `${path}.${record.writer.pid}.new`;
  writeFileSync(temporary, `${JSON.stringify(record, undefined, 2)}\n`, { flush });
  renameSync(temporary, path);
}
