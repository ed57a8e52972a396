import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type ProgressEvent, progressEventSchema } from "../contract/evaluation-progress.ts";
import { evaluationBenchSchema } from "../contract/evaluation-results.ts";
import { planSchema } from "../contract/plan.ts";
import { canonicalJson } from "../store/canonical-json.ts";
import { PlanError } from "./evaluation-case.ts";
import { freezeHash, freezeSchema, planHash } from "./freeze.ts";
import { selectionSchema } from "./select-units.ts";

/*
 * The folder of an evaluation:
 *
 *   evaluation.json   plan and freeze as they were, and what was asked for
 *   progress.jsonl    how it goes, appended to
 *   runs/<unit>/      finished runs; each appears in one step
 *   unfinished/       runs in the making, by process; worth nothing once that process is gone
 *   failed/<unit>-N/  attempts that the infrastructure broke
 *   results.json, results.md, report.html
 */

const RECORD = "evaluation.json";
const PROGRESS = "progress.jsonl";
const LOCK = "running.json";

export const RUNS = "runs";
export const UNFINISHED = "unfinished";
export const FAILED = "failed";

const evaluationRecordSchema = z.object({
  format: z.literal(1),
  started_at: z.string(),
  plan: planSchema,
  plan_hash: z.string(),
  plan_path: z.string(),
  freeze: freezeSchema.optional(),
  /** SHA-256 of the freeze; every run names it too. */
  freeze_sha256: z.string().optional(),
  registered: z.boolean(),
  exploratory: z.boolean(),
  commit: z.string().optional(),
  why_not: z.array(z.string()),
  /** Why the plan may have had earlier freezes that nobody can see any more. */
  history: z.string().optional(),
  /** The bench that it runs on; absent where its cases are simulated. */
  bench: evaluationBenchSchema.optional(),
  /** Everything that was ever asked of this folder; the results cover all of it. */
  asked: z.array(selectionSchema),
});
export type EvaluationRecord = z.infer<typeof evaluationRecordSchema>;

/** Puts a file in the place of another one as a whole, so that nobody ever reads half of it. */
export function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.new`;
  writeFileSync(temporary, text, { flush: true });
  renameSync(temporary, path);
}

/**
 * The record of an evaluation; undefined where the folder has none. Plan and freeze are hashed again, since whoever reads the results
 * relies on them.
 *
 * @throws PlanError where they are not those of their hashes; Error naming the file and the field where the record is damaged.
 */
export function readEvaluationRecord(folder: string): EvaluationRecord | undefined {
  const path = join(folder, RECORD);
  if (!existsSync(path)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new Error(`${path} is not JSON`);
  }
  const checked = evaluationRecordSchema.safeParse(value);
  if (checked.success) {
    checkHashes(path, checked.data);
    return checked.data;
  }
  const [issue] = checked.error.issues;
  throw new Error(`${path}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "does not fit the schema"}`);
}

/** Hashes plan and freeze of a record again. Throws `PlanError` naming which of them was changed. */
function checkHashes(path: string, { plan, plan_hash, freeze, freeze_sha256, registered }: EvaluationRecord): void {
  const refuse = (what: string): never => {
    throw new PlanError(`${path} was changed after the evaluation began: ${what}`);
  };
  const short = (hash: string | undefined): string => (hash === undefined ? "none" : `${hash.slice(0, 12)}…`);
  const hash = planHash(plan);
  if (hash !== plan_hash)
    refuse(`its plan has the SHA-256 ${short(hash)}, and ${short(plan_hash)} is written beside it`);
  const frozen = freeze === undefined ? undefined : freezeHash(freeze);
  if (frozen !== freeze_sha256)
    refuse(`its freeze has the SHA-256 ${short(frozen)}, and ${short(freeze_sha256)} is written beside it`);
  if (registered && freeze === undefined) refuse("it is called registered and holds no freeze");
  if (registered && freeze?.plan_sha256 !== hash)
    refuse(`it is called registered, and its freeze is that of another plan (${short(freeze?.plan_sha256)})`);
}

/** Writes what is asked for into the record; a selection that was asked for before stands there once. */
export function writeEvaluationRecord(
  folder: string,
  record: Omit<EvaluationRecord, "format" | "started_at" | "asked" | "freeze_sha256"> & { readonly now: string },
  asked: z.infer<typeof selectionSchema>,
): EvaluationRecord {
  mkdirSync(folder, { recursive: true });
  const before = readEvaluationRecord(folder);
  const selections = before?.asked ?? [];
  const known = selections.some((one) => canonicalJson(one) === canonicalJson(asked));
  const { now, ...rest } = record;
  const written: EvaluationRecord = {
    format: 1,
    started_at: before?.started_at ?? now,
    ...rest,
    ...(rest.freeze === undefined ? {} : { freeze_sha256: freezeHash(rest.freeze) }),
    asked: known ? selections : [...selections, asked],
  };
  replaceFile(join(folder, RECORD), `${JSON.stringify(written, undefined, 2)}\n`);
  return written;
}

export function appendProgress(folder: string, event: ProgressEvent): void {
  appendFileSync(join(folder, PROGRESS), `${JSON.stringify(event)}\n`);
}

/** All lines that are whole; what a killed writer left behind is passed over. */
export function readProgress(folder: string): ProgressEvent[] {
  const path = join(folder, PROGRESS);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line): ProgressEvent[] => {
      try {
        const checked = progressEventSchema.safeParse(JSON.parse(line));
        return checked.success ? [checked.data] : [];
      } catch {
        return [];
      }
    });
}

/** Ends a line that a killed writer could not finish, so that the next one begins on its own. */
export function mendProgress(folder: string): void {
  const path = join(folder, PROGRESS);
  if (existsSync(path) && !readFileSync(path, "utf8").endsWith("\n")) appendFileSync(path, "\n");
}

const lockSchema = z.object({ pid: z.number().int(), host: z.string() });

/** The process that works in the folder; undefined where none does. */
export function workingProcess(folder: string): number | undefined {
  const path = join(folder, LOCK);
  if (!existsSync(path)) return undefined;
  try {
    const { pid, host } = lockSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    if (host !== hostname()) return pid;
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? -1 : undefined;
  }
}

/** Takes the folder for this process. Throws where another one works in it. Returns what gives it back. */
export function takeFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, LOCK);
  const text = JSON.stringify({ pid: process.pid, host: hostname() });
  for (;;) {
    try {
      writeFileSync(path, text, { flag: "wx" });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const pid = workingProcess(folder);
      if (pid !== undefined) {
        throw new Error(`process ${pid} works in ${folder}; wait for it, or remove ${path} where that is no longer so`);
      }
      rmSync(path, { force: true });
    }
  }
}
