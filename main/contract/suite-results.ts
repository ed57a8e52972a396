import { z } from "zod";

/** One thing a grader looked at. A task passes when every required check passes; its score is the share of all checks. */
export const suiteCheckSchema = z.object({
  code: z.string().describe("The check with its subject, as `value:m2_x`"),
  passed: z.boolean(),
  required: z.boolean(),
  wanted: z.string().optional(),
  got: z.string().optional(),
});
export type SuiteCheck = z.infer<typeof suiteCheckSchema>;

/** How one contender did at one task of a suite. */
export const suiteRowSchema = z.object({
  task: z.string(),
  category: z.string(),
  group: z.string().describe("What the suite counts by: kind, rung or tier"),
  contender: z.string().describe("Who drove; a floor says that it is one, as `stub-floor`"),
  status: z
    .enum(["graded", "failed", "not_run"])
    .describe("`failed` is the infrastructure's failure, never the contender's"),
  passed: z.boolean(),
  score: z.number().min(0).max(1),
  checks: z.array(suiteCheckSchema),
  calls: z.number().int().nonnegative(),
  bad_calls: z
    .number()
    .int()
    .nonnegative()
    .describe("Calls to a tool that does not exist or with arguments that do not bind"),
  turns: z.number().int().nonnegative().optional(),
  tokens: z.number().int().nonnegative().optional(),
  usd: z.number().nonnegative().optional().describe("Absent where the cost is unknown"),
  transcript: z.string().optional().describe("File of the transcript, relative to the results"),
  note: z.string().optional().describe("Why it failed or was not run, in words"),
});
export type SuiteRow = z.infer<typeof suiteRowSchema>;

/** A share with its 95 % Wilson interval. */
export const suiteMetricSchema = z.object({
  name: z.string(),
  group: z.string(),
  contender: z.string(),
  successes: z.number().int(),
  trials: z.number().int(),
  low: z.number(),
  high: z.number(),
});
export type SuiteMetric = z.infer<typeof suiteMetricSchema>;

/** A bar that a contender had to clear in a group, and whether it did. */
export const suiteGateSchema = z.object({
  group: z.string(),
  contender: z.string(),
  passed: z.boolean(),
  text: z.string(),
});
export type SuiteGate = z.infer<typeof suiteGateSchema>;

/** `results.json` of a question, ladder or procedure run. The same runs give the same bytes: no wall-clock time in it. */
export const suiteResultsSchema = z.object({
  suite: z.enum(["questions", "ladder", "procedures"]),
  stamp: z.string().describe("The run's name from the command line"),
  suite_hash: z.string().describe("SHA-256 of the canonical JSON of the tasks"),
  grader_version: z.string(),
  contenders: z.array(z.string()),
  rows: z.array(suiteRowSchema),
  metrics: z.array(suiteMetricSchema),
  gates: z.array(suiteGateSchema),
  notes: z.array(z.string()).describe("What a reader must know before the figures: floors, what was skipped and why"),
});
export type SuiteResults = z.infer<typeof suiteResultsSchema>;
