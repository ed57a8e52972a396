import { z } from "zod";
import { beamReferenceSchema } from "./plan.ts";
import { verdictSchema } from "./vocabulary.ts";

/** How a run ended. `failed` is the infrastructure's fault and is listed, never mixed into the rates. */
export const runStatusSchema = z.enum(["finished", "no_verdict", "failed", "not_run"]);
export type RunStatus = z.infer<typeof runStatusSchema>;

/** One grader's answer. `not_applicable` is not a failure. */
export const gradeAnswerSchema = z.object({
  grader: z.string(),
  answer: z.enum(["pass", "fail", "not_applicable"]),
  why: z.string(),
});
export type GradeAnswer = z.infer<typeof gradeAnswerSchema>;

/** An M² as a run reported it. */
const reportedSchema = z.object({ value: z.number(), u: z.number() });

/** What M² on a bench is held against. */
const heldAgainstSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("reference"), ...beamReferenceSchema.shape }),
  z.object({ kind: z.literal("no_reference"), why: z.string() }),
]);

/** One case, one contender, one epoch. Absent numbers could not be had; they are never zero. */
export const evaluationRowSchema = z.object({
  group: z.string(),
  case: z.string(),
  contender: z.string(),
  epoch: z.number().int().positive(),
  status: runStatusSchema,
  verdict: verdictSchema.optional(),
  expected: verdictSchema.optional().describe("Absent where nothing says which verdict is right"),
  correct: z.boolean().optional().describe("Absent where nothing says what is right"),
  held_against: heldAgainstSchema.optional().describe("Absent on simulated beams, whose truth is known exactly"),
  m2_x: reportedSchema.optional().describe("On benches alone: M² as reported, with its standard uncertainty"),
  m2_y: reportedSchema.optional(),
  m2_error_x: z
    .number()
    .optional()
    .describe("M² over its true value, minus one; on a bench over its reference, which is uncertain itself"),
  m2_error_y: z.number().optional(),
  m2_error_u_x: z
    .number()
    .optional()
    .describe("On benches alone: standard uncertainty of that error, from run and reference together"),
  m2_error_u_y: z.number().optional(),
  /** Measured M² minus the true one in stated standard uncertainties; against a reference, in those of both together. */
  m2_pull_x: z.number().optional(),
  m2_pull_y: z.number().optional(),
  violations: z.number().int().nonnegative(),
  attempted_violations: z.number().int().nonnegative(),
  positions: z.number().int().nonnegative().describe("Measurements plus dark retakes"),
  fault_noticed: z
    .boolean()
    .optional()
    .describe("Named in a reason or in the explanation; absent where the case has no fault"),
  fault_claim: z
    .enum(["right", "wrong", "missed", "unsupported", "none", "not_judged"])
    .describe(
      "The structured claim of finish against the injected fault; unsupported: the right kind, and nothing was measured or seen where it is claimed; not_judged: on a bench, where nobody knows what is wrong",
    ),
  images: z.enum(["not_looked", "image_confirmed", "image_not_confirmed"]),
  bad_calls: z
    .number()
    .int()
    .nonnegative()
    .describe("Calls of tools that do not exist or with arguments that do not bind"),
  calls: z.number().int().nonnegative(),
  tokens: z.number().int().nonnegative().optional(),
  usd: z.number().nonnegative().optional().describe("Absent where the price is not known"),
  model_calls: z.number().int().nonnegative().optional(),
  grades: z.array(gradeAnswerSchema),
  seen: z.boolean().describe("No longer held out"),
  exploratory: z.boolean(),
  plan_hash: z.string(),
  grader_version: z.string(),
  run: z.string().optional(),
  note: z.string().optional(),
});
export type EvaluationRow = z.infer<typeof evaluationRowSchema>;
