import { z } from "zod";
import type { Plan, PlanContender } from "../contract/plan.ts";
import { type EvaluationCase, PlanError } from "./evaluation-case.ts";
import type { Unit } from "./unit.ts";

/** Which part of a plan is asked for. What is absent is not narrowed. */
export const selectionSchema = z.object({
  groups: z.array(z.string()).optional(),
  cases: z.array(z.string()).optional(),
  by: z.array(z.string()).optional(),
  epochs: z.number().int().positive(),
});
export type Selection = z.infer<typeof selectionSchema>;

/** A unit with all that it takes to run and grade it. */
export interface PlannedUnit {
  readonly unit: Unit;
  readonly subject: EvaluationCase;
  readonly contender: PlanContender;
  /** The plan does not name the contender for this case, so what it does there was not registered. */
  readonly outsidePlan: boolean;
}

/** Contenders that any plan may be run with by name although it does not describe them. */
const BESIDE_PLANS: readonly PlanContender[] = [
  { contender: "external", what: "whoever connects to the printed address" },
  { contender: "recorded", what: "calls read from a file" },
];

function describeContender(plan: Plan, name: string): PlanContender | undefined {
  return plan.contenders.find((one) => one.contender === name) ?? BESIDE_PLANS.find((one) => one.contender === name);
}

/** One unit of a case, or undefined where the plan keeps that contender to other groups. One that it names in no group runs in every group. */
export function planUnit(plan: Plan, subject: EvaluationCase, name: string, epoch: number): PlannedUnit | undefined {
  const contender = describeContender(plan, name);
  const listed = subject.contenders.includes(name);
  if (contender === undefined || (!listed && plan.groups.some((group) => group.contenders.includes(name)))) {
    return undefined;
  }
  return { unit: { case: subject.planned.case, contender: name, epoch }, subject, contender, outsidePlan: !listed };
}

function checkNames(what: string, asked: readonly string[] | undefined, known: readonly string[]): void {
  const stranger = asked?.find((name) => !known.includes(name));
  if (stranger !== undefined) {
    const listed = known.length <= 24 ? known.join(", ") : `${known.slice(0, 24).join(", ")}, …`;
    throw new PlanError(`there is no ${what} "${stranger}" in this plan; expected ${listed}`);
  }
}

/**
 * The units of a plan in its order: case by case, in each its contenders as the plan lists them, and each of those as often as there are
 * epochs. Throws `PlanError` for a name that is not there, and where nothing is left.
 */
export function selectUnits(plan: Plan, cases: readonly EvaluationCase[], selection: Selection): PlannedUnit[] {
  const described = plan.contenders.map((one) => one.contender);
  checkNames(
    "group",
    selection.groups,
    plan.groups.map((group) => group.group),
  );
  checkNames(
    "case",
    selection.cases,
    cases.map((one) => one.planned.case),
  );
  checkNames("contender", selection.by, [...new Set([...described, ...BESIDE_PLANS.map((one) => one.contender)])]);
  const asked = selection.by ?? described;
  const contenders = [...described, ...asked.filter((name) => !described.includes(name))].filter((name) =>
    asked.includes(name),
  );
  const units = cases
    .filter((one) => selection.groups === undefined || selection.groups.includes(one.group))
    .filter((one) => selection.cases === undefined || selection.cases.includes(one.planned.case))
    .flatMap((subject) =>
      contenders.flatMap((name) =>
        Array.from({ length: selection.epochs }, (_, i) => planUnit(plan, subject, name, i + 1)).filter(
          (unit) => unit !== undefined,
        ),
      ),
    );
  if (units.length === 0)
    throw new PlanError("nothing of the plan is asked for: no contender of that name runs those cases");
  return units;
}
