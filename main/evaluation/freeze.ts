import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { z } from "zod";
import type { Plan } from "../contract/plan.ts";
import { TOOL_NAMES } from "../contract/tools.ts";
import { verdictSchema } from "../contract/vocabulary.ts";
import { planPrompt } from "../mcp/plan-prompt.ts";
import { listedTool } from "../mcp/tool-schemas.ts";
import { canonicalJson } from "../store/canonical-json.ts";
import { type EvaluationCase, expandPlan, PlanError } from "./evaluation-case.ts";
import { GRADER_VERSION } from "./grade.ts";

/** What a plan's results depend on, beside the plan itself. */
export const FROZEN_PARTS = ["prompt", "tools", "simulator", "analysis", "operators", "graders"] as const;
const frozenPartSchema = z.enum(FROZEN_PARTS);
export type FrozenPart = z.infer<typeof frozenPartSchema>;
export type Parts = Readonly<Record<FrozenPart, string>>;

/** A plan and everything that it was frozen with, by hash. */
export const freezeSchema = z.object({
  plan: z.string(),
  version: z.number().int(),
  frozen_on: z.string(),
  plan_sha256: z.string(),
  parts: z.record(frozenPartSchema, z.string()),
  grader_version: z.string(),
  /** How many deviations the plan had. */
  deviations: z.number().int().nonnegative(),
  /** Held-out cases of an earlier freeze whose world or tools were changed after results may have been seen. */
  seen: z.array(z.string()),
  /** What this freeze took the place of, oldest first. */
  earlier: z.array(z.object({ version: z.number().int(), frozen_on: z.string(), plan_sha256: z.string() })),
  /** What the oracle expects of every case, in the plan's order; `definition` is the case by hash. Of a beam on a bench it knows nothing. */
  oracle: z.array(
    z.object({
      case: z.string(),
      definition: z.string(),
      oracle: verdictSchema.optional(),
      expected: verdictSchema.optional(),
    }),
  ),
});
export type Freeze = z.infer<typeof freezeSchema>;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** SHA-256 of the plan's canonical JSON. */
export function planHash(plan: Plan): string {
  return sha256(canonicalJson(plan));
}

/** SHA-256 of a freeze's canonical JSON. */
export function freezeHash(freeze: Freeze): string {
  return sha256(canonicalJson(freeze));
}

/** Sources whose change can change a result; tests cannot. */
function sourceHash(root: string, paths: readonly string[], counts: (name: string) => boolean = () => true): string {
  const hash = createHash("sha256");
  const visit = (path: string): void => {
    if (!existsSync(path)) return;
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) visit(join(path, name));
    } else if (path.endsWith(".ts") && !path.endsWith(".test.ts") && counts(basename(path))) {
      hash.update(relative(root, path)).update("\0").update(readFileSync(path)).update("\0");
    }
  };
  for (const path of paths) visit(join(root, path));
  return hash.digest("hex");
}

/** Sources of the contender that is a model begin with this word; what it is told belongs to its prompt. */
const isModelSource = (name: string): boolean => name.startsWith("model");

/** Hashes of the parts as they are now. `root` is the folder of the project. */
export function currentParts(root: string): Parts {
  return {
    prompt: sha256(
      [
        planPrompt(TOOL_NAMES).text,
        planPrompt(TOOL_NAMES.filter((name) => name !== "view_frame")).text,
        sourceHash(root, ["main/contenders"], isModelSource),
      ].join("\n"),
    ),
    tools: sha256(canonicalJson(JSON.parse(JSON.stringify(TOOL_NAMES.map(listedTool))))),
    simulator: sourceHash(root, ["simulators/world", "simulators/instruments", "simulators/faults"]),
    analysis: sourceHash(root, ["main/analysis", "main/bench"]),
    operators: sourceHash(root, ["main/contenders"], (name) => !isModelSource(name)),
    graders: sourceHash(root, ["main/evaluation/grade.ts", "main/evaluation/evaluation-case.ts"]),
  };
}

const oracleOf = (cases: readonly EvaluationCase[]): Freeze["oracle"] =>
  cases.map((one) => ({
    case: one.planned.case,
    definition: sha256(canonicalJson(one.planned)).slice(0, 16),
    ...(one.on === "simulator" ? { oracle: one.oracle } : {}),
    ...(one.expected === undefined ? {} : { expected: one.expected }),
  }));

/**
 * Freezes the plan as it is now. `today` as YYYY-MM-DD. Over an earlier freeze only a plan of a higher version or with a further
 * deviation is frozen: a registration is not rewritten in silence.
 *
 * @throws PlanError where neither was given.
 */
export function freezePlan(plan: Plan, root: string, today: string, before?: Freeze): Freeze {
  const added = before === undefined ? [] : plan.deviations.slice(before.deviations);
  if (
    before !== undefined &&
    !(plan.version > before.version || (plan.version === before.version && added.length > 0))
  ) {
    throw new PlanError(
      `plan ${plan.plan} was frozen on ${before.frozen_on} as version ${before.version} with ${before.deviations} deviations; expected a higher version or a further deviation that says what changed and why`,
    );
  }
  const cases = expandPlan(plan);
  const parts = currentParts(root);
  const oracle = oracleOf(cases);
  return {
    plan: plan.plan,
    version: plan.version,
    frozen_on: today,
    plan_sha256: planHash(plan),
    parts,
    grader_version: GRADER_VERSION,
    deviations: plan.deviations.length,
    seen: before === undefined ? [] : seenBefore(cases, oracle, parts, before, added),
    earlier:
      before === undefined
        ? []
        : [
            ...before.earlier,
            { version: before.version, frozen_on: before.frozen_on, plan_sha256: before.plan_sha256 },
          ],
    oracle,
  };
}

/** Held-out cases that stay what they were while the world around them changed, unless the change came before any result. */
function seenBefore(
  cases: readonly EvaluationCase[],
  oracle: Freeze["oracle"],
  parts: Parts,
  before: Freeze,
  added: Plan["deviations"],
): string[] {
  const old = new Map(before.oracle.map((one) => [one.case, one.definition]));
  const carried = before.seen.filter((name) =>
    oracle.some((one) => one.case === name && old.get(name) === one.definition),
  );
  const blind = added.length > 0 && added.every((deviation) => !deviation.results_seen);
  const changed = FROZEN_PARTS.some((part) => part !== "graders" && before.parts[part] !== parts[part]);
  if (blind || !changed) return carried;
  const same = oracle.filter((one, i) => cases[i]?.held_out === true && old.get(one.case) === one.definition);
  return [...new Set([...carried, ...same.map((one) => one.case)])];
}

/** How a plan stands to its freeze. */
export interface FreezeCheck {
  readonly plan_hash: string;
  /** The plan, its cases and their expected verdicts are those of the freeze. */
  readonly unchanged: boolean;
  /** In words, what differs. */
  readonly differences: readonly string[];
  /** Parts that changed after the freeze: their held-out cases are no longer held out. */
  readonly changed_parts: readonly FrozenPart[];
}

/** Cases that a sentence names; of more it tells the number. */
const MOST_NAMED = 8;

const listed = (cases: readonly { readonly case: string }[]): string => {
  const names = cases.slice(0, MOST_NAMED).map((one) => one.case);
  return cases.length > MOST_NAMED ? `${names.join(", ")} and ${cases.length - MOST_NAMED} more` : names.join(", ");
};

/** Compares a plan and its surroundings with its freeze. */
export function checkFreeze(plan: Plan, freeze: Freeze | undefined, parts: Parts): FreezeCheck {
  const plan_hash = planHash(plan);
  if (freeze === undefined) {
    return { plan_hash, unchanged: false, differences: ["the plan has never been frozen"], changed_parts: [] };
  }
  const differences: string[] = [];
  if (freeze.plan_sha256 !== plan_hash) differences.push("the plan's text differs from its freeze");
  const now = oracleOf(expandPlan(plan));
  const moved = now.filter((one, i) => canonicalJson(one) !== canonicalJson(freeze.oracle[i] ?? {}));
  const gone = freeze.oracle.filter((one) => !now.some((other) => other.case === one.case));
  if (moved.length > 0) {
    differences.push(`cases or their expected verdicts differ: ${listed(moved)}`);
  }
  if (gone.length > 0) differences.push(`cases are gone: ${listed(gone)}`);
  return {
    plan_hash,
    unchanged: differences.length === 0,
    differences,
    changed_parts: changedParts(freeze.parts, parts),
  };
}

/** Parts that are not what they were frozen as. */
export function changedParts(frozen: Parts, parts: Partial<Record<string, string>>): FrozenPart[] {
  return FROZEN_PARTS.filter((part) => frozen[part] !== parts[part]);
}

/** Cases that are no longer held out for anybody, whatever runs them: by a deviation, or by what an earlier freeze left behind. */
export function markedSeen(plan: Plan, freeze: Freeze | undefined): ReadonlySet<string> {
  return new Set([...plan.deviations.flatMap((deviation) => deviation.marks_seen ?? []), ...(freeze?.seen ?? [])]);
}

/**
 * Whether changed parts end the holding-out of a contender's cases. Tools, simulator and analysis concern everybody, the prompt models
 * alone, the rules of operators scripts alone. A changed grader is shown by its version and marks nothing.
 */
export function changeIsSeen(changed: readonly FrozenPart[], contenderIsModel: boolean): boolean {
  return changed.some(
    (part) =>
      part === "tools" ||
      part === "simulator" ||
      part === "analysis" ||
      part === (contenderIsModel ? "prompt" : "operators"),
  );
}
