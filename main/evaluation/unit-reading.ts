import type { Plan } from "../contract/plan.ts";
import { readRun } from "../store/run-folder.ts";
import { changedParts, changeIsSeen, type Freeze, freezeHash, markedSeen } from "./freeze.ts";
import { digestRun, type RunDigest } from "./run-digest.ts";
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

/**
 * Grades a unit from its folder; undefined where it was not run to its end. Throws where the folder is damaged.
 */
export function readUnit(
  out: string,
  planned: PlannedUnit,
  plan: Plan,
  freeze: Freeze | undefined,
  plan_hash: string,
): RunDigest | undefined {
  const folder = unitFolder(out, planned.unit);
  const outcome = readOutcome(folder);
  if (outcome === undefined) return undefined;
  const { record, events } = readRun(folder);
  if (record.plan !== undefined && record.plan.sha256 !== plan_hash) {
    throw new Error(`${folder} was run by another plan (${record.plan.sha256.slice(0, 12)}…)`);
  }
  if (record.plan?.registered === true && record.plan.freeze_sha256 !== (freeze && freezeHash(freeze))) {
    throw new Error(`${folder} was run with another freeze (${record.plan.freeze_sha256?.slice(0, 12) ?? "none"}…)`);
  }
  const parts = record.hashes ?? {};
  return digestRun(events, planned, plan.keywords, {
    outcome,
    seen: isSeen(planned, plan, freeze, parts),
    exploratory: record.plan?.registered !== true,
    plan_hash,
    parts,
  });
}
