import type { BenchCase, PlanCase } from "../contract/plan.ts";
import type { EvaluationRow } from "../contract/evaluation-row.ts";
import { canonicalJson } from "../store/canonical-json.ts";
import { readRun } from "../store/run-folder.ts";
import { type EvaluationCase, makeCase, makeCaseOnBench, PlanError } from "./evaluation-case.ts";
import { digestRun } from "./run-digest.ts";
import type { Parts } from "./freeze.ts";
import { journalDeviation, type Recomputed, recomputeFirstMeasurement, recordDeviation } from "./run-origin.ts";
import type { PlannedUnit } from "./select-units.ts";
import { gradingContextSchema, readFirstGrade, readOutcome } from "./run-unit.ts";

/** A run graded by the grader of its day and by today's. */
export interface GradedAgain {
  /** Absent where the run was not made in an evaluation. */
  readonly then?: EvaluationRow;
  readonly now: EvaluationRow;
  /** Why it could not be shown by recomputing that the run is that of its case. */
  readonly notRecomputed?: string;
  /** What is wrong with the file of the first grade. */
  readonly damaged?: string;
}

/**
 * Grades a run again from its journal. A run of an evaluation is held against its plan's case; a single simulated run against the
 * oracle's verdict of its scenario. `current` are the hashes of the program as it is.
 *
 * @throws PlanError where the folder does not say what the run is to be held against, or where the run is another one's; what reading the
 * run throws.
 */
export async function gradeAgain(folder: string, current: Parts): Promise<GradedAgain> {
  const { record, events } = readRun(folder);
  const known = gradingContextSchema.safeParse(record.more?.["grading"]);
  const first = readFirstGrade(folder);
  const then = first?.row;
  const contender = known.success ? known.data.contender : { contender: record.by, what: "a single run" };
  const subject = known.success
    ? caseAgain({ ...known.data, contenders: [] }, known.data.planned)
    : singleCase(record, folder);
  const planned: PlannedUnit = {
    unit: { case: subject.planned.case, contender: contender.contender, epoch: record.epoch ?? 1 },
    subject,
    contender,
    outsidePlan: false,
  };
  const deviation = known.success ? (recordDeviation(record, planned) ?? journalDeviation(events, planned)) : undefined;
  const made = record.hashes ?? {};
  const recomputed: Recomputed = known.success
    ? await recomputeFirstMeasurement(events, subject, made, current)
    : { result: "unknown", why: "its run.json does not say with which state of the program it was made" };
  const refusal = deviation ?? (recomputed.result === "other" ? recomputed.why : undefined);
  if (refusal !== undefined) throw new PlanError(`${folder} is not what it says it is: ${refusal}`);
  const { row } = digestRun(events, planned, known.success ? known.data.keywords : {}, {
    outcome: readOutcome(folder) ?? { status: "completed" },
    seen: then?.seen ?? false,
    exploratory: record.plan?.registered !== true,
    plan_hash: record.plan?.sha256 ?? "",
    parts: made,
  });
  return {
    ...(then === undefined ? {} : { then }),
    now: row,
    ...(recomputed.result === "unknown" && known.success ? { notRecomputed: recomputed.why } : {}),
    ...(first?.damaged === undefined ? {} : { damaged: first.damaged }),
  };
}

/** Fields that both grades have in different ways, as JSON; none where the run has no grade of its day. */
export function gradeChanges({
  then,
  now,
}: GradedAgain): { readonly name: string; readonly before: string; readonly after: string }[] {
  if (then === undefined) return [];
  const names = new Set([...Object.keys(then), ...Object.keys(now)] as (keyof EvaluationRow)[]);
  const text = (value: unknown): string => (value === undefined ? "absent" : canonicalJson(value));
  return [...names]
    .map((name) => ({ name, before: text(then[name]), after: text(now[name]) }))
    .filter(({ before, after }) => before !== after);
}

function caseAgain(group: Parameters<typeof makeCase>[0], planned: PlanCase | BenchCase): EvaluationCase {
  return "scenario" in planned ? makeCase(group, planned) : makeCaseOnBench(group, planned);
}

function singleCase(record: ReturnType<typeof readRun>["record"], folder: string): EvaluationCase {
  const { scenario, seed, id } = record;
  if (scenario === undefined || seed === undefined) {
    throw new PlanError(`${folder}: its run.json names no scenario and seed, so there is no truth to hold it against`);
  }
  const name = id.replaceAll(/[^A-Za-z0-9-]/g, "-");
  return makeCase({ group: "single", held_out: false, contenders: [] }, { case: name, scenario, seed });
}
