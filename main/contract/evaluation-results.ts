import { z } from "zod";
import { evaluationRowSchema } from "./evaluation-row.ts";
import { evaluationSummarySchema } from "./evaluation-summary.ts";
import { deviationSchema } from "./plan.ts";

/** How the plan of an evaluation stood to its freeze when the results were made. */
export const registrationStateSchema = z.object({
  registered: z.boolean().describe("Frozen, unchanged since, plan and freeze committed, not run as exploratory"),
  frozen_on: z.string().optional(),
  commit: z.string().optional().describe("The commit that holds the freeze"),
  why_not: z.array(z.string()),
  changed_parts: z.array(z.string()).describe("Parts that changed after the freeze, over all runs"),
});

/** `results.json` of an evaluation's folder. The same runs give the same bytes. */
export const evaluationResultsSchema = z.object({
  plan: z.string(),
  version: z.number().int(),
  plan_hash: z.string(),
  registered: z.boolean(),
  registration: registrationStateSchema,
  grader_version: z.string(),
  /** For each part that results depend on, by which hashes the runs were made; more than one is a mixture. */
  made_with: z.record(z.string(), z.array(z.string())),
  rows: z.array(evaluationRowSchema),
  summary: evaluationSummarySchema,
  deviations: z.array(deviationSchema),
});
export type EvaluationResults = z.infer<typeof evaluationResultsSchema>;
