import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { RUNS, UNFINISHED } from "../../evaluation/evaluation-folder.ts";
import { type Unit, unitId } from "../../evaluation/unit.ts";

/** Below the folder of the runs: one folder per evaluation. */
export const EVALUATIONS = "evaluation";

/** Between evaluation and unit in the id of a record; stands in neither. */
const BETWEEN = "~";
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export const evaluationRecordId = (evaluation: string, unit: Unit): string => `${evaluation}${BETWEEN}${unitId(unit)}`;

/** The folder of a run that belongs to an evaluation, finished or in the making; undefined where there is none. */
export function evaluationRunFolder(root: string, record: string): string | undefined {
  const [evaluation = "", unit = "", ...rest] = record.split(BETWEEN);
  if (rest.length > 0 || !NAME.test(evaluation) || !NAME.test(unit)) return undefined;
  const folder = join(root, EVALUATIONS, evaluation);
  const finished = join(folder, RUNS, unit);
  if (existsSync(finished)) return finished;
  const unfinished = join(folder, UNFINISHED);
  if (!existsSync(unfinished)) return undefined;
  return readdirSync(unfinished)
    .map((pid) => join(unfinished, pid, unit))
    .find((path) => existsSync(path));
}
