import { z } from "zod";
import { deviationSchema } from "./plan.ts";
import { verdictSchema } from "./vocabulary.ts";

/*
 * What the window shows of an evaluation. It is read from the evaluation's folder (plan, freeze, results, runs), never from
 * a live engine: watching cannot change a run.
 */

/** One case of one contender, as `caustic eval --json` prints it, with its state while it is not done. */
export const evaluationRowSchema = z.object({
  case: z.string(),
  contender: z.string(),
  epoch: z.number().int().nonnegative(),
  status: z.enum(["waiting", "running", "done", "failed", "infrastructure_failure", "not_run"]),
  /** Record of the run, once there is one. */
  record: z.string().optional(),
  verdict: verdictSchema.optional(),
  expected: verdictSchema.optional(),
  correct: z.boolean().optional(),
  m2_error_x: z.number().optional().describe("Relative, signed"),
  m2_error_y: z.number().optional().describe("Relative, signed"),
  violations: z.number().int().nonnegative().optional(),
  attempted_violations: z.number().int().nonnegative().optional(),
  positions: z.number().int().nonnegative().optional(),
  fault_noticed: z.boolean().optional(),
  calls: z.number().int().nonnegative().optional(),
  tokens: z.number().int().nonnegative().optional(),
  usd: z.number().nonnegative().optional().describe("Absent where the price is not known"),
  /** Why the case failed, was not run, or was judged wrong. */
  note: z.string().optional(),
});
export type EvaluationRow = z.infer<typeof evaluationRowSchema>;

/** A share with its 95 % interval (Wilson). */
export const shareSchema = z.object({
  right: z.number().int().nonnegative(),
  of: z.number().int().nonnegative(),
  low: z.number().min(0).max(1).optional(),
  high: z.number().min(0).max(1).optional(),
});

export const evaluationSummarySchema = z.object({
  evaluation: z.string(),
  plan: z.string(),
  question: z.string(),
  /** Wall clock, ISO 8601; absent where the folder does not say. */
  started: z.string().optional(),
  state: z.enum(["running", "complete", "stopped"]),
  done: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
});
export type EvaluationSummary = z.infer<typeof evaluationSummarySchema>;

export const evaluationStateSchema = z.object({
  ...evaluationSummarySchema.shape,
  plan_sha256: z.string().optional(),
  /** `registered`: equal to a committed freeze. `changed`: differs from it. `exploratory`: run without one. */
  registration: z.enum(["registered", "changed", "exploratory"]),
  registered_on: z.string().optional(),
  deviations: z.array(deviationSchema),
  groups: z.array(
    z.object({
      group: z.string(),
      title: z.string(),
      question: z.string(),
      held_out: z.boolean(),
      contenders: z.array(z.string()),
      cases: z.array(z.object({ case: z.string(), note: z.string().optional() })),
    }),
  ),
  contenders: z.array(z.object({ contender: z.string(), reference: z.boolean(), verdicts: shareSchema.optional() })),
  rows: z.array(evaluationRowSchema),
  stop_rule: z.string().optional(),
  usd_spent: z.number().nonnegative().optional(),
  usd_limit: z.number().positive().optional(),
});
export type EvaluationState = z.infer<typeof evaluationStateSchema>;
