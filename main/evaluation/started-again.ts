import type { ProgressEvent } from "../contract/evaluation-progress.ts";
import type { StartedAgain } from "../contract/evaluation-results.ts";
import { type Unit, unitId } from "./unit.ts";
import { isGraded } from "./is-graded.ts";

/** How often each unit was started, by its name, whatever became of it; one whose means allowed no request was not. */
export function startsOf(progress: readonly ProgressEvent[]): ReadonlyMap<string, number> {
  const starts = new Map<string, number>();
  const open = new Set<string>();
  for (const event of progress) {
    if (event.type === "evaluation_started") open.clear();
    if (event.type === "unit_started") {
      const id = unitId(event);
      open.add(id);
      starts.set(id, (starts.get(id) ?? 0) + 1);
    }
    if (event.type === "unit_ended") {
      const id = unitId(event.row);
      if (open.delete(id) && event.row.status === "not_run") starts.set(id, (starts.get(id) ?? 1) - 1);
    }
  }
  return starts;
}

/**
 * Units that were started more than once, in the order of their first start. A contender that answers otherwise each time could be run
 * until it passes: a run that was deleted or broken off leaves its start behind. `deterministic` ones cannot, and are left out.
 */
export function startedAgain(
  progress: readonly ProgressEvent[],
  deterministic: ReadonlySet<string>,
): readonly StartedAgain[] {
  const units = new Map<string, Unit>();
  for (const event of progress) if (event.type === "unit_started") units.set(unitId(event), event);
  return [...startsOf(progress)].flatMap(([id, starts]): StartedAgain[] => {
    const unit = units.get(id);
    if (unit === undefined || starts < 2 || deterministic.has(unit.contender)) return [];
    const rows = progress.flatMap((event) => (event.type === "unit_ended" ? [event.row] : []));
    const ended = rows.filter((row) => unitId(row) === id).map((row) => row.status);
    const finished = ended.filter((status) => isGraded({ status })).length;
    const failed = ended.filter((status) => status === "failed").length;
    return [{ case: unit.case, contender: unit.contender, epoch: unit.epoch, starts, finished, failed }];
  });
}
