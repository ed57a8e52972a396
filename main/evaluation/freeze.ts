import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { z } from "zod";
import type { Plan } from "../contract/plan.ts";
import { TOOL_NAMES } from "../contract/tools.ts";
import { verdictSchema } from "../contract/vocabulary.ts";
import { MEASURE_M2_GUIDE } from "../mcp/measure-m2-guide.ts";
import { listedTool } from "../mcp/tool-schemas.ts";
import { canonicalJson } from "../store/canonical-json.ts";
import { expandPlan } from "./evaluation-case.ts";
import { GRADER_VERSION } from "./grade.ts";

/** What a plan's results depend on, beside the plan itself. */
export const FROZEN_PARTS = ["prompt", "tools", "simulator", "analysis", "graders"] as const;
export type FrozenPart = (typeof FROZEN_PARTS)[number];

/** A plan and everything that it was frozen with, by hash. */
export const freezeSchema = z.object({
  plan: z.string(),
  version: z.number().int(),
  frozen_on: z.string(),
  plan_sha256: z.string(),
  parts: z.record(z.enum(FROZEN_PARTS), z.string()),
  grader_version: z.string(),
  /** What the oracle expects of every case, in the plan's order. */
  oracle: z.array(z.object({ case: z.string(), oracle: verdictSchema, expected: verdictSchema })),
});
export type Freeze = z.infer<typeof freezeSchema>;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** SHA-256 of the plan's canonical JSON. */
export function planHash(plan: Plan): string {
  return sha256(canonicalJson(plan));
}

/** Sources whose change can change a result; tests cannot. */
function sourceHash(root: string, paths: readonly string[]): string {
  const hash = createHash("sha256");
  const visit = (path: string): void => {
    if (!existsSync(path)) return;
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) visit(join(path, name));
    } else if (path.endsWith(".ts") && !path.endsWith(".test.ts")) {
      hash.update(relative(root, path)).update("\0").update(readFileSync(path)).update("\0");
    }
  };
  for (const path of paths) visit(join(root, path));
  return hash.digest("hex");
}

/** Hashes of the parts as they are now. `root` is the folder of the project. */
export function currentParts(root: string): Record<FrozenPart, string> {
  return {
    prompt: sha256(MEASURE_M2_GUIDE.text),
    tools: sha256(canonicalJson(JSON.parse(JSON.stringify(TOOL_NAMES.map(listedTool))))),
    simulator: sourceHash(root, ["simulators/world", "simulators/instruments", "simulators/faults"]),
    analysis: sourceHash(root, ["main/analysis", "main/bench"]),
    graders: sourceHash(root, ["main/evaluation/grade.ts", "main/evaluation/evaluation-case.ts"]),
  };
}

/** Freezes the plan as it is now. `today` as YYYY-MM-DD. */
export function freezePlan(plan: Plan, root: string, today: string): Freeze {
  return {
    plan: plan.plan,
    version: plan.version,
    frozen_on: today,
    plan_sha256: planHash(plan),
    parts: currentParts(root),
    grader_version: GRADER_VERSION,
    oracle: expandPlan(plan).map((one) => ({ case: one.planned.case, oracle: one.oracle, expected: one.expected })),
  };
}

/** How a plan stands to its freeze. */
export interface Registration {
  readonly plan_hash: string;
  /** The plan, its cases and their expected verdicts are those of the freeze. */
  readonly unchanged: boolean;
  /** In words, what differs. */
  readonly differences: readonly string[];
  /** Parts that changed after the freeze: their held-out cases are no longer held out. */
  readonly changed_parts: readonly FrozenPart[];
}

/** Compares a plan and its surroundings with its freeze. */
export function checkFreeze(plan: Plan, freeze: Freeze | undefined, root: string): Registration {
  const plan_hash = planHash(plan);
  if (freeze === undefined) {
    return { plan_hash, unchanged: false, differences: ["the plan has never been frozen"], changed_parts: [] };
  }
  const now = freezePlan(plan, root, freeze.frozen_on);
  const differences: string[] = [];
  if (freeze.plan_sha256 !== plan_hash) differences.push("the plan's text differs from its freeze");
  if (canonicalJson(freeze.oracle) !== canonicalJson(now.oracle)) {
    const moved = now.oracle.filter((one, i) => canonicalJson(one) !== canonicalJson(freeze.oracle[i] ?? {}));
    differences.push(
      `the expected verdicts differ for ${moved.map((one) => one.case).join(", ") || "cases that are gone"}`,
    );
  }
  const changed_parts = FROZEN_PARTS.filter((part) => freeze.parts[part] !== now.parts[part]);
  return { plan_hash, unchanged: differences.length === 0, differences, changed_parts };
}

/**
 * Cases that are no longer held out: those that a deviation marks, and every held-out case once prompt, tools, simulator
 * or analysis have changed after the freeze. A changed grader is shown by its version and marks nothing.
 */
export function seenCases(plan: Plan, registration: Registration): ReadonlySet<string> {
  const seen = new Set(plan.deviations.flatMap((deviation) => deviation.marks_seen ?? []));
  if (registration.changed_parts.some((part) => part !== "graders")) {
    for (const one of expandPlan(plan)) if (one.held_out) seen.add(one.planned.case);
  }
  return seen;
}
