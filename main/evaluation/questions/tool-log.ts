import type { CallCondition, FieldTest } from "../../contract/question.ts";
import { valueAt } from "./expression.ts";

/** One call of the server's tools as it was made and answered. */
export interface LoggedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  /** The tool does not exist or the arguments do not bind. */
  readonly bad: boolean;
  /** The structured result; else the text read as JSON; else the text and the numbers in it. */
  readonly result: unknown;
}

/** Names of tools by what they do; the first that fits counts. Servers other than the bench bring their own. */
export const USUAL_ROLES: Readonly<Record<string, string>> = {
  estimate: "estimate",
  suggest: "suggest",
  dark: "dark",
  fit: "fit",
  look: "view|frame",
  reject: "reject|restore",
  move: "move",
  measure: "measure|acquire|solve|compare|optimi[sz]|run",
};

/** Every successful call that has a role, in its order. The answer of long work counts where it arrived. */
export interface RoleCall {
  readonly role: string;
  readonly call: LoggedCall;
  readonly result: unknown;
}

function roleOf(tool: string, roles: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(roles).find(([, pattern]) => new RegExp(pattern, "i").test(tool))?.[0];
}

/** The successful calls by their roles. A call that only began long work is left out; the one that brought its result stands for it. */
export function callsByRole(log: readonly LoggedCall[], roles: Readonly<Record<string, string>>): RoleCall[] {
  return log.flatMap((call) => {
    if (call.failed) return [];
    const said = call.result as { status?: unknown; job?: unknown; tool?: unknown; result?: unknown } | undefined;
    const job = typeof said === "object" && typeof said.job === "string" ? said : undefined;
    if (job?.status === "running") return [];
    const inner = job !== undefined && typeof job.tool === "string" && typeof job.result === "object" ? job : undefined;
    const role = roleOf(typeof inner?.tool === "string" ? inner.tool : call.tool, roles);
    return role === undefined ? [] : [{ role, call, result: inner === undefined ? call.result : inner.result }];
  });
}

/** The values of that name anywhere in the arguments. */
function named(value: unknown, name: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => [
    ...(key === name ? [member] : []),
    ...named(member, name),
  ]);
}

function fits(value: unknown, test: FieldTest): boolean {
  if (test.is !== undefined) {
    if (typeof test.is !== "number" || typeof value !== "number") return value === test.is;
    return Math.abs(value - test.is) <= (test.within ?? 0);
  }
  if (typeof value !== "number") return false;
  return value >= (test.min ?? Number.NEGATIVE_INFINITY) && value <= (test.max ?? Number.POSITIVE_INFINITY);
}

function hasFlag(result: unknown, code: string): boolean {
  return named(result, "flags").some(
    (flags) => Array.isArray(flags) && flags.some((flag: { code?: unknown } | null) => flag?.code === code),
  );
}

/** Whether a call is what a condition speaks of. */
export function meets(one: RoleCall, condition: CallCondition): boolean {
  if (one.role !== condition.role) return false;
  if (condition.flag !== undefined && !hasFlag(one.result, condition.flag)) return false;
  const given = Object.entries(condition.arguments ?? {});
  if (!given.every(([name, test]) => named(one.call.arguments, name).some((value) => fits(value, test)))) return false;
  const found = Object.entries(condition.result ?? {});
  return found.every(([path, test]) => fits(valueAt(one.result, path), test));
}

/** How many calls there are, or how many different values they have at a path of their results. */
export function countOf(calls: readonly RoleCall[], distinct: string | undefined): number {
  if (distinct === undefined) return calls.length;
  const values = calls.map(({ result }) => valueAt(result, distinct)).filter((value) => value !== undefined);
  return new Set(values).size;
}
