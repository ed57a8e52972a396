import { createHash } from "node:crypto";
import { z } from "zod";
import type { ProcedureAssertion, ProcedureTask } from "../../contract/procedure-task.ts";
import { canonicalJson } from "../../store/canonical-json.ts";
import { assertedExpression } from "./assertions.ts";
import { mutated, without } from "./edit-program.ts";
import type { JudgedProgram, ProgramRun } from "./run-program.ts";

/** Changes with the controls below, the language and the graders: what passed an earlier gate has to pass again. */
export const GATE_VERSION = "1";

/** Why a candidate is not kept. */
export const REJECTIONS = [
  "gold_fails",
  "gold_not_reproduced",
  "mutation_control",
  "null_control",
  "defaults_control",
  "mutated_program_passes",
] as const;

export const gateLineSchema = z.strictObject({
  key: z.string(),
  id: z.string(),
  kept: z.boolean(),
  rejected: z.enum(REJECTIONS).optional(),
  why: z.string().optional(),
});
export type GateLine = z.infer<typeof gateLineSchema>;

/** What decides about a task: everything in it and the gate itself. */
export function gateKey(task: ProcedureTask): string {
  return createHash("sha256")
    .update(`gate ${GATE_VERSION}\n${canonicalJson(task)}`)
    .digest("hex");
}

type RunProgram = (run: ProgramRun) => Promise<JudgedProgram>;

/**
 * Decides whether a candidate measures anything: its gold program passes and does so again, no assertion holds with a perturbed value, the
 * empty program fails, every assertion fails without the line or argument that makes it true, and the gold program with all its numbers
 * changed fails. Rejects where the engine itself breaks.
 */
export async function gate(task: ProcedureTask, run: RunProgram): Promise<GateLine> {
  const { id, bench: world, gold, assertions } = task;
  const head = { key: gateKey(task), id };
  const rejected = (reason: (typeof REJECTIONS)[number], why: string): GateLine => ({
    ...head,
    kept: false,
    rejected: reason,
    why,
  });
  const first = await run({ world, program: gold, assertions, withPerturbed: true });
  const failing = first.verdicts.findIndex(({ passed }) => !passed);
  if (!first.ok) return rejected("gold_fails", first.error?.message ?? "the program failed");
  if (failing !== -1) {
    const { wanted = "", got = "" } = first.verdicts[failing] ?? {};
    return rejected("gold_fails", `${named(assertions[failing])} is ${got}, wanted ${wanted}`);
  }
  const [slack] = first.slack ?? [];
  if (slack !== undefined) return rejected("mutation_control", `${named(assertions[slack])} holds with another value`);
  const second = await run({ world, program: gold, assertions, withPerturbed: true });
  if (canonicalJson(first) !== canonicalJson(second)) return rejected("gold_not_reproduced", "two runs differ");
  const nothing = await run({ world, program: "", assertions });
  if (nothing.verdicts.every(({ passed }) => passed)) return rejected("null_control", "the empty program passes");
  const other = await run({ world, program: mutated(gold), assertions });
  if (other.ok && other.verdicts.every(({ passed }) => passed)) {
    return rejected("mutated_program_passes", "the gold program passes with all its numbers changed");
  }
  return (await withDefaults(task, run, rejected)) ?? { ...head, kept: true };
}

const named = (assertion: ProcedureAssertion | undefined): string =>
  assertion === undefined ? "an assertion" : assertedExpression(assertion);

/** The defaults control: a rejection where an assertion holds without what makes it true. */
async function withDefaults(
  { bench: world, gold, assertions }: ProcedureTask,
  run: RunProgram,
  rejected: (reason: "defaults_control", why: string) => GateLine,
): Promise<GateLine | undefined> {
  const groups = Map.groupBy(assertions, ({ line, input }) => `${line} ${input ?? ""}`);
  for (const group of groups.values()) {
    const { line, input } = group[0] ?? {};
    if (line === undefined) continue;
    const { verdicts } = await run({ world, program: without(gold, line, input), assertions: group });
    const held = verdicts.findIndex(({ passed }) => passed);
    if (held === -1) continue;
    const what = input === undefined ? "" : `${input} on `;
    return rejected("defaults_control", `${named(group[held])} holds without ${what}line ${line}`);
  }
  return undefined;
}
