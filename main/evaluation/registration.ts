import { existsSync, readFileSync } from "node:fs";
import type { Plan } from "../contract/plan.ts";
import { type Commitment, commitmentOf } from "./commitment.ts";
import { PlanError } from "./evaluation-case.ts";
import { freezeHistory, type FreezeHistory, rivalsOf } from "./freeze-history.ts";
import { checkFreeze, type Freeze, type FreezeCheck, freezeSchema, type Parts } from "./freeze.ts";

/** Where the freeze of a plan lies: beside it. */
export function freezePath(planPath: string): string {
  return planPath.replace(/\.ya?ml$/, "").concat(".freeze.json");
}

/** The freeze of a plan; undefined where it was never frozen. Throws `PlanError` where the file is not one. */
export function readFreeze(planPath: string): Freeze | undefined {
  const path = freezePath(planPath);
  if (!existsSync(path)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new PlanError(`${path} is not JSON; expected what "caustic plan freeze" wrote`);
  }
  const checked = freezeSchema.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new PlanError(`${path}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not a freeze"}`);
}

/** How a plan stands to its freeze and to the repository. */
export interface Registration extends FreezeCheck {
  /** Frozen, unchanged, and both files committed. */
  readonly registered: boolean;
  readonly freeze?: Freeze;
  /** The commit that holds the freeze, where there is one. */
  readonly commit?: Extract<Commitment, { committed: true }>;
  /** In words, why it is not registered. */
  readonly why: readonly string[];
  /** Freezes of the plan that the repository remembers. */
  readonly history: FreezeHistory;
}

/** Looks at plan, freeze, sources and repository. Throws `PlanError` where the freeze cannot be read. */
export function registrationOf(plan: Plan, planPath: string, parts: Parts): Registration {
  const freeze = readFreeze(planPath);
  const check = checkFreeze(plan, freeze, parts);
  const commitments = freeze === undefined ? [] : [commitmentOf(planPath), commitmentOf(freezePath(planPath))];
  const history = freezeHistory(planPath, plan.plan);
  const rivals = freeze === undefined ? [] : rivalsOf(freeze, history);
  const why = [
    ...check.differences,
    ...commitments.flatMap((one) => (one.committed ? [] : [one.why])),
    ...rivals.map(rivalText),
  ];
  const last = commitments.at(-1);
  return {
    ...check,
    registered: why.length === 0,
    ...(freeze === undefined ? {} : { freeze }),
    ...(last?.committed === true ? { commit: last } : {}),
    why,
    history,
  };
}

function rivalText({ commit, date, path, freeze }: FreezeHistory["freezes"][number]): string {
  return `commit ${commit.slice(0, 12)} of ${date} holds another freeze of this plan (${path}, version ${freeze.version} with ${freeze.deviations} deviations, frozen on ${freeze.frozen_on}) that the present one does not name as replaced`;
}
