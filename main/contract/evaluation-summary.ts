import { z } from "zod";

const rateSchema = z.object({
  successes: z.number().int(),
  trials: z.number().int(),
  rate: z.number(),
  low: z.number(),
  high: z.number(),
});

/** One contender in one group. Rates carry 95 % Wilson intervals; what was not run or failed stands in its own column. */
export const groupSummarySchema = z.object({
  group: z.string(),
  contender: z.string(),
  planned: z.number().int(),
  graded: z.number().int(),
  failed: z.number().int().describe("Infrastructure failures"),
  not_run: z.number().int(),
  correct: rateSchema.optional(),
  m2_error_median: z.number().optional().describe("Median of |M² error| over axes with a determined M²"),
  m2_error_max: z.number().optional(),
  within_1u: rateSchema.optional().describe("True M² within ± 1 stated standard uncertainty"),
  within_2u: rateSchema.optional(),
  violations: z.number().int(),
  attempted_violations: z.number().int(),
  positions_mean: z.number().optional(),
  fault_noticed: rateSchema.optional(),
  fault_claim_right: rateSchema.optional(),
  bad_call_runs: rateSchema.optional().describe("Runs with a call that does not exist or does not bind"),
  image_not_confirmed: z.number().int(),
  tokens: z.number().int().optional(),
  usd: z.number().optional().describe("Absent while any run's cost is unknown"),
});
export type GroupSummary = z.infer<typeof groupSummarySchema>;

/** Two contenders on the same cases. */
export const pairedSummarySchema = z.object({
  metric: z.string(),
  groups: z.array(z.string()),
  first: z.string(),
  second: z.string(),
  cases: z.number().int(),
  only_first: z.number().int().optional(),
  only_second: z.number().int().optional(),
  mean_difference: z.number().optional(),
  low: z.number().optional(),
  high: z.number().optional(),
  p: z.number().optional(),
  p_holm: z.number().optional().describe("Present for the plan's primary metrics"),
  exploratory: z.boolean(),
});
export type PairedSummary = z.infer<typeof pairedSummarySchema>;

/** The runs of one contender on one case of a bench, against each other. */
export const repeatabilitySchema = z.object({
  case: z.string(),
  contender: z.string(),
  runs: z.number().int().describe("That were graded"),
  verdicts: z.record(z.string(), z.number().int()).describe("How often each was given; no_verdict where none was"),
  consistent: z.boolean().optional().describe("All runs gave one verdict; absent for fewer than two"),
  m2: z.array(
    z.object({
      axis: z.enum(["x", "y"]),
      runs: z.number().int(),
      mean: z.number(),
      deviation: z.number().optional().describe("Standard deviation of one run; absent for fewer than two"),
      u_mean: z.number().describe("Root mean square of the stated standard uncertainties"),
    }),
  ),
});
export type Repeatability = z.infer<typeof repeatabilitySchema>;

/** Two contenders on one case of a bench: how far their M² lie apart. */
export const agreementSchema = z.object({
  case: z.string(),
  axis: z.enum(["x", "y"]),
  first: z.string(),
  second: z.string(),
  difference: z.number().describe("Mean of the first minus mean of the second"),
  u: z.number().describe("Standard uncertainty of that, from the stated ones of single runs"),
  same_verdict: z.boolean().describe("Both gave the same verdict in all their runs"),
});
export type Agreement = z.infer<typeof agreementSchema>;

export const evaluationSummarySchema = z.object({
  groups: z.array(groupSummarySchema),
  held_out: z.array(groupSummarySchema).describe("Held-out groups together, without cases marked as seen"),
  paired: z.array(pairedSummarySchema),
  repeatability: z.array(repeatabilitySchema).optional().describe("Cases on a bench"),
  agreement: z.array(agreementSchema).optional().describe("Cases on a bench"),
  pass_hat_k: z.array(z.object({ contender: z.string(), k: z.number().int(), value: z.number() })),
});
export type EvaluationSummary = z.infer<typeof evaluationSummarySchema>;
