import type { EvaluationResults } from "../contract/evaluation-results.ts";
import type { ProgressEvent } from "../contract/evaluation-progress.ts";
import type { EvaluationRow } from "../contract/evaluation-row.ts";
import { canonicalJson } from "../store/canonical-json.ts";
import type { EvaluationRecord } from "./evaluation-folder.ts";
import { changedParts } from "./freeze.ts";
import { GRADER_VERSION } from "./grade.ts";
import type { CausticFigure, RunDigest } from "./run-digest.ts";
import type { PlannedUnit } from "./select-units.ts";
import { COMPUTING } from "./computing-contenders.ts";
import { unitId } from "./unit.ts";
import { startedAgain } from "./started-again.ts";
import { summarise } from "./summarise.ts";

/** A row with what a report draws beside it. */
export interface AssembledRun {
  readonly planned: PlannedUnit;
  readonly row: EvaluationRow;
  readonly figure?: CausticFigure;
  readonly parts?: Readonly<Record<string, string>>;
  readonly notRecomputed?: string;
}

/** Every unit with its run, or with a row that says why there is none. */
export function assembleRuns(
  units: readonly PlannedUnit[],
  digestOf: (planned: PlannedUnit) => RunDigest | undefined,
  otherwise: (planned: PlannedUnit) => EvaluationRow,
): AssembledRun[] {
  return units.map((planned) => {
    const digest = digestOf(planned);
    if (digest === undefined) return { planned, row: otherwise(planned) };
    const { row, figure, parts, notRecomputed } = digest;
    return {
      planned,
      row,
      ...(figure === undefined ? {} : { figure }),
      parts,
      ...(notRecomputed === undefined ? {} : { notRecomputed }),
    };
  });
}

/** The results of an evaluation. The same runs give the same value, whenever and wherever it is made. */
export function assembleResults(
  record: EvaluationRecord,
  runs: readonly AssembledRun[],
  progress: readonly ProgressEvent[],
): EvaluationResults {
  const { plan, freeze } = record;
  const rows = runs.map(({ row }) => row);
  const made = new Map<string, Set<string>>();
  for (const { parts = {} } of runs) {
    for (const [part, hash] of Object.entries(parts)) made.set(part, (made.get(part) ?? new Set()).add(hash));
  }
  const changed =
    freeze === undefined
      ? []
      : runs.flatMap(({ parts }) => (parts === undefined ? [] : changedParts(freeze.parts, parts)));
  const asked = new Set(runs.map(({ planned }) => unitId(planned.unit)));
  const again = startedAgain(progress, COMPUTING).filter((one) => asked.has(unitId(one)));
  const notRecomputed = runs.flatMap(({ planned, notRecomputed: why }) =>
    why === undefined ? [] : [{ run: `runs/${unitId(planned.unit)}`, why }],
  );
  return {
    plan: plan.plan,
    version: plan.version,
    plan_hash: record.plan_hash,
    registered: record.registered,
    registration: {
      registered: record.registered,
      ...(freeze === undefined ? {} : { frozen_on: freeze.frozen_on }),
      ...(record.commit === undefined ? {} : { commit: record.commit }),
      ...(record.history === undefined ? {} : { history: record.history }),
      why_not: [...record.why_not, ...(record.exploratory ? ["run as exploratory"] : [])],
      changed_parts: [...new Set(changed)].sort(),
    },
    grader_version: GRADER_VERSION,
    made_with: Object.fromEntries([...made].sort().map(([part, hashes]) => [part, [...hashes].sort()])),
    ...(notRecomputed.length === 0 ? {} : { not_recomputed: notRecomputed }),
    ...(again.length === 0 ? {} : { started_again: [...again] }),
    ...(record.bench === undefined ? {} : { bench: record.bench }),
    rows,
    summary: summarise(rows, plan),
    deviations: plan.deviations,
  };
}

/** The bytes of results.json. */
export function resultsText(results: EvaluationResults): string {
  return `${JSON.stringify(JSON.parse(canonicalJson(results)), undefined, 2)}\n`;
}
