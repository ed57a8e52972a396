import type { Plan } from "../contract/plan.ts";

/** What contenders are compared by. */
export const COMPARED_METRICS = ["correct verdict", "absolute M² error", "constraint violations"] as const;

/** A primary comparison of a plan. */
export interface PrimaryMetric {
  readonly metric: (typeof COMPARED_METRICS)[number];
  readonly contenders: readonly [string, string];
  /** Its groups, in the plan's order. */
  readonly groups: readonly string[];
}

/** Reads "correct verdict, scripted against agent, groups A to C" or "…, group B"; a sentence where it does not say that. */
export function readPrimaryMetric(text: string, plan: Pick<Plan, "groups" | "contenders">): PrimaryMetric | string {
  const [name = "", contest = "", scope = "", ...more] = text.split(",").map((part) => part.trim());
  const metric = COMPARED_METRICS.find((one) => one === name);
  if (metric === undefined || more.length > 0) {
    return `"${text}": expected one of "${COMPARED_METRICS.join('", "')}", then two contenders, then groups, parted by commas`;
  }
  const [first = "", second = "", ...others] = contest.split(" against ");
  const names = plan.contenders.map(({ contender }) => contender);
  if (others.length > 0 || first === second || !names.includes(first) || !names.includes(second)) {
    return `"${text}": ${contest} are not two of the contenders; expected "ONE against ANOTHER" with two of ${names.join(", ")}`;
  }
  const groups = groupsNamed(scope, plan);
  if (groups === undefined) {
    return `"${text}": ${scope} names no groups; expected "group X" or "groups X to Y" with X before Y among ${plan.groups.map(({ group }) => group).join(", ")}`;
  }
  return { metric, contenders: [first, second], groups };
}

function groupsNamed(scope: string, plan: Pick<Plan, "groups">): string[] | undefined {
  const names = plan.groups.map(({ group }) => group);
  const [, one, from, to] = /^(?:group (\S+)|groups (\S+) to (\S+))$/.exec(scope) ?? [];
  const start = names.indexOf(one ?? from ?? "");
  const end = one === undefined ? names.indexOf(to ?? "") : start;
  return start < 0 || end < start ? undefined : names.slice(start, end + 1);
}
