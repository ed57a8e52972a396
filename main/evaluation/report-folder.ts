import type { EvaluationResults } from "../contract/evaluation-results.ts";
import { expandPlan, PlanError } from "./evaluation-case.ts";
import { type EvaluationRecord, readEvaluationRecord } from "./evaluation-folder.ts";
import { checkFreeze } from "./freeze.ts";
import { writeReport } from "./report/write-report.ts";
import { type AssembledRun, assembleResults, assembleRuns } from "./results.ts";
import { rowNotRun } from "./run-digest.ts";
import { askedUnits } from "./asked-units.ts";
import { isSeen, readUnit } from "./unit-reading.ts";

/** Everything that was asked of an evaluation's folder, graded from its journals. Throws where one of them is damaged. */
export function readFolder(folder: string): {
  readonly record: EvaluationRecord;
  readonly runs: readonly AssembledRun[];
} {
  const record = readEvaluationRecord(folder);
  if (record === undefined)
    throw new PlanError(`${folder} holds no evaluation; expected a folder that "caustic eval" has made`);
  const { plan, freeze, plan_hash } = record;
  const differences = record.registered && freeze !== undefined ? checkFreeze(plan, freeze, freeze.parts).differences : [];
  if (differences.length > 0) {
    throw new PlanError(`${folder} is called registered, and its plan is not that of its freeze: ${differences.join("; ")}`);
  }
  const runs = assembleRuns(
    askedUnits(plan, expandPlan(plan), record.asked),
    (planned) => readUnit(folder, planned, plan, freeze, plan_hash),
    (planned) =>
      rowNotRun(
        planned,
        {
          seen: isSeen(planned, plan, freeze, {}),
          exploratory: !record.registered || planned.outsidePlan,
          plan_hash,
        },
        "not_run",
        "there is no finished run of it",
      ),
  );
  return { record, runs };
}

/** Makes the report of an evaluation's folder again from its runs. */
export function reportFolder(folder: string): EvaluationResults {
  const { record, runs } = readFolder(folder);
  const results = assembleResults(record, runs);
  writeReport(folder, record, results, runs);
  return results;
}
