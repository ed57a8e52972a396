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
  history: z.string().optional().describe("Why earlier freezes of the plan cannot be ruled out"),
  changed_parts: z.array(z.string()).describe("Parts that changed after the freeze, over all runs"),
});

/** A unit that was started more than once; what was neither finished nor failed was broken off. */
const startedAgainSchema = z.object({
  case: z.string(),
  contender: z.string(),
  epoch: z.number().int().positive(),
  starts: z.number().int().positive(),
  finished: z
    .number()
    .int()
    .nonnegative()
    .describe("Of the starts; more than one means that finished runs were taken away"),
  failed: z.number().int().nonnegative().describe("Broken by the infrastructure"),
});
export type StartedAgain = z.infer<typeof startedAgainSchema>;

/** The bench on which an evaluation ran. */
export const evaluationBenchSchema = z.object({
  bench: z.string(),
  description: z.string(),
  kind: z
    .enum(["hardware", "emulated"])
    .describe("emulated: at least one instrument is simulated or emulated, so nothing measured there is real"),
  file_sha256: z.string().describe("Of the bench file's content as canonical JSON"),
  instruments: z.array(z.object({ role: z.string(), what: z.string() })),
});
export type BenchFacts = z.infer<typeof evaluationBenchSchema>;

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
  not_recomputed: z
    .array(z.object({ run: z.string(), why: z.string() }))
    .optional()
    .describe("Runs of which recomputing could not show that they are those of their cases"),
  started_again: z.array(startedAgainSchema).optional().describe("Of contenders that answer otherwise each time"),
  bench: evaluationBenchSchema
    .optional()
    .describe("Absent where every bench was simulated; no run of it can be made again"),
  rows: z.array(evaluationRowSchema),
  summary: evaluationSummarySchema,
  deviations: z.array(deviationSchema),
});
export type EvaluationResults = z.infer<typeof evaluationResultsSchema>;
