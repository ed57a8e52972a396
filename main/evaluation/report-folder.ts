import type { EvaluationResults } from "../contract/evaluation-results.ts";
import { expandPlan, PlanError } from "./evaluation-case.ts";
import { type EvaluationRecord, readEvaluationRecord, readProgress } from "./evaluation-folder.ts";
import { checkFreeze, type Parts } from "./freeze.ts";
import { writeReport } from "./report/write-report.ts";
import { type AssembledRun, assembleResults, assembleRuns } from "./results.ts";
import { type RunDigest, rowNotRun } from "./run-digest.ts";
import { askedUnits } from "./asked-units.ts";
import { unitId } from "./unit.ts";
import { isSeen, readUnit } from "./unit-reading.ts";

/**
 * Everything that was asked of an evaluation's folder, graded from its journals. `current` are the hashes of the program as it is.
 * Throws where plan, freeze or a run is damaged or was changed.
 */
async function readFolder(
  folder: string,
  current: Parts,
): Promise<{ readonly record: EvaluationRecord; readonly runs: readonly AssembledRun[] }> {
  const record = readEvaluationRecord(folder);
  if (record === undefined)
    throw new PlanError(`${folder} holds no evaluation; expected a folder that "caustic eval" has made`);
  const { plan, freeze, plan_hash } = record;
  const differences =
    record.registered && freeze !== undefined ? checkFreeze(plan, freeze, freeze.parts).differences : [];
  if (differences.length > 0) {
    throw new PlanError(
      `${folder} is called registered, and its plan is not that of its freeze: ${differences.join("; ")}`,
    );
  }
  const units = askedUnits(plan, expandPlan(plan), record.asked);
  const digests = new Map<string, RunDigest | undefined>();
  for (const planned of units) {
    digests.set(
      unitId(planned.unit),
      await readUnit(planned, {
        out: folder,
        plan,
        plan_hash,
        freeze,
        bench_sha256: record.bench?.file_sha256,
        current,
      }),
    );
  }
  const runs = assembleRuns(
    units,
    ({ unit }) => digests.get(unitId(unit)),
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

/** Makes the report of an evaluation's folder again from its runs. `current` are the hashes of the program as it is. */
export async function reportFolder(folder: string, current: Parts): Promise<EvaluationResults> {
  const { record, runs } = await readFolder(folder, current);
  const results = assembleResults(record, runs, readProgress(folder));
  writeReport(folder, record, results, runs);
  return results;
}
