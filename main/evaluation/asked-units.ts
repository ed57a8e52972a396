import type { Plan } from "../contract/plan.ts";
import type { EvaluationCase } from "./evaluation-case.ts";
import { type PlannedUnit, type Selection, selectUnits } from "./select-units.ts";
import { unitId } from "./unit.ts";

/** All units of several selections, each once, in the plan's order. */
export function askedUnits(
  plan: Plan,
  cases: readonly EvaluationCase[],
  selections: readonly Selection[],
): PlannedUnit[] {
  const all = selections.flatMap((selection) => selectUnits(plan, cases, selection));
  const unique = [...new Map(all.map((planned) => [unitId(planned.unit), planned])).values()];
  const casePlace = new Map(cases.map((one, i) => [one.planned.case, i]));
  const contenderPlace = new Map(plan.contenders.map((one, i) => [one.contender, i]));
  const place = ({ unit }: PlannedUnit): readonly number[] => [
    casePlace.get(unit.case) ?? 0,
    contenderPlace.get(unit.contender) ?? plan.contenders.length,
    unit.epoch,
  ];
  return unique
    .map((planned) => ({ planned, at: place(planned) }))
    .sort((a, b) => a.at.map((value, i) => value - (b.at[i] ?? 0)).find((difference) => difference !== 0) ?? 0)
    .map(({ planned }) => planned);
}
