import { fileURLToPath } from "node:url";
import type { Plan } from "../contract/plan.ts";
import { PlanError } from "../evaluation/evaluation-case.ts";
import { currentParts, type Parts } from "../evaluation/freeze.ts";
import { readPlan } from "../evaluation/read-plan.ts";
import { type Registration, registrationOf } from "../evaluation/registration.ts";
import { UsageError } from "./usage-error.ts";

/** The folder of the program's sources, of which a freeze holds the hashes. */
export const PROJECT_ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface PlanFile {
  readonly path: string;
  readonly plan: Plan;
  readonly parts: Parts;
  readonly registration: Registration;
}

/** A plan and how it stands. Throws `UsageError` where it cannot be read. */
export function openPlan(path: string): PlanFile {
  return asUsage(() => {
    const plan = readPlan(path);
    const parts = currentParts(PROJECT_ROOT);
    return { path, plan, parts, registration: registrationOf(plan, path, parts) };
  });
}

/** What a plan does not allow is the caller's mistake, not the program's. */
export function asUsage<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asUsageError(error);
  }
}

/** The same for work that takes its time. */
export async function asUsageLater<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw asUsageError(error);
  }
}

export function asUsageError(error: unknown): unknown {
  return error instanceof PlanError ? new UsageError(error.message) : error;
}
