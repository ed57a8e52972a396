import { z } from "zod";
import { evaluationRowSchema } from "./evaluation-row.ts";
import { groupSummarySchema } from "./evaluation-summary.ts";
import { deviationSchema } from "./plan.ts";

/*
 * What the window shows of an evaluation. It is read from the evaluation's folder (plan, freeze, rows, runs), never from a live
 * engine: watching cannot change a run.
 */

/** One evaluation in a list. */
export const evaluationListingSchema = z.object({
  evaluation: z.string(),
  plan: z.string(),
  question: z.string(),
  /** Wall clock, ISO 8601; absent where the folder does not say. */
  started: z.string().optional(),
  state: z.enum(["running", "complete", "stopped"]),
  done: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
});
export type EvaluationListing = z.infer<typeof evaluationListingSchema>;

export const evaluationStateSchema = z.object({
  ...evaluationListingSchema.shape,
  plan_hash: z.string(),
  /** Frozen, unchanged since, committed, and not run as exploratory. */
  registered: z.boolean(),
  why_not_registered: z.array(z.string()),
  frozen_on: z.string().optional(),
  commit: z.string().optional().describe("That holds the freeze"),
  deviations: z.array(deviationSchema),
  epochs: z.number().int().positive(),
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
  contenders: z.array(z.object({ contender: z.string(), what: z.string(), reference: z.boolean() })),
  rows: z.array(evaluationRowSchema),
  /** What was asked of the folder and has no row: being run at this moment, or waiting. */
  open: z.array(
    z.object({
      case: z.string(),
      contender: z.string(),
      epoch: z.number().int(),
      state: z.enum(["running", "waiting"]),
      /** For watching it, as soon as there is one. */
      record: z.string().optional(),
    }),
  ),
  /** Record of each row, by `case/contender/epoch`. */
  records: z.record(z.string(), z.string()),
  summary: z.array(groupSummarySchema),
  stop_rule: z.string().optional(),
  usd_spent: z.number().nonnegative().optional().describe("Absent while any run's cost is unknown"),
  usd_limit: z.number().positive().optional(),
});
export type EvaluationState = z.infer<typeof evaluationStateSchema>;
