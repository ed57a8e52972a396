import type { Plan } from "../contract/plan.ts";
import { readRun } from "../store/run-folder.ts";
import { changedParts, changeIsSeen, type Freeze, freezeHash, markedSeen, type Parts } from "./freeze.ts";
import { digestRun, type RunDigest } from "./run-digest.ts";
import { journalDeviation, recomputeFirstMeasurement, recordDeviation } from "./run-origin.ts";
import { readOutcome, unitFolder } from "./run-unit.ts";
import type { PlannedUnit } from "./select-units.ts";

/** Whether a unit is no longer held out, given the hashes of what it was run with. */
export function isSeen(
  { subject, contender }: PlannedUnit,
  plan: Plan,
  freeze: Freeze | undefined,
  parts: Readonly<Record<string, string>>,
): boolean {
  if (markedSeen(plan, freeze).has(subject.planned.case)) return true;
  if (!subject.held_out || freeze === undefined || Object.keys(parts).length === 0) return false;
  return changeIsSeen(changedParts(freeze.parts, parts), contender.limits !== undefined);
}

/** What the runs of a folder are held against. */
interface ReadingContext {
  readonly out: string;
  readonly plan: Plan;
  readonly plan_hash: string;
  readonly freeze?: Freeze | undefined;
  /** SHA-256 of the bench file that runs on a bench must name. */
  readonly bench_sha256?: string | undefined;
  /** Hashes of the program as it is. */
  readonly current: Parts;
}

/**
 * Grades a unit from its folder; undefined where it was not run to its end. Throws naming the folder where it is damaged, or where its run
 * is not that of the unit.
 */
export async function readUnit(
  planned: PlannedUnit,
  { out, plan, plan_hash, freeze, bench_sha256, current }: ReadingContext,
): Promise<RunDigest | undefined> {
  const folder = unitFolder(out, planned.unit);
  const outcome = readOutcome(folder);
  if (outcome === undefined) return undefined;
  const { record, events } = readRun(folder);
  if (record.plan?.sha256 !== plan_hash) {
    throw new Error(`${folder} was run by another plan (${record.plan?.sha256.slice(0, 12) ?? "none"}…)`);
  }
  if (record.plan.registered && record.plan.freeze_sha256 !== (freeze && freezeHash(freeze))) {
    throw new Error(`${folder} was run with another freeze (${record.plan.freeze_sha256?.slice(0, 12) ?? "none"}…)`);
  }
  const bench = record.instruments?.["bench_file_sha256"];
  if (bench !== bench_sha256)
    throw new Error(`${folder} was run on another bench (${typeof bench === "string" ? bench : "a simulated one"})`);
  const parts = record.hashes ?? {};
  const deviation = recordDeviation(record, planned) ?? journalDeviation(events, planned);
  if (deviation !== undefined) throw new Error(`${folder} is no run of this unit: ${deviation}`);
  const recomputed = await recomputeFirstMeasurement(events, planned.subject, parts, current);
  if (recomputed.result === "other") throw new Error(`${folder} is no run of this unit: ${recomputed.why}`);
  const digest = digestRun(events, planned, plan.keywords, {
    outcome,
    seen: isSeen(planned, plan, freeze, parts),
    exploratory: !record.plan.registered,
    plan_hash,
    parts,
  });
  return recomputed.result === "same" ? digest : { ...digest, notRecomputed: recomputed.why };
}
