import { z } from "zod";
import { worldBenchSchema } from "./bench-world.ts";

/*
 * A question as a user would write it, with everything that decides whether it was answered well. What stands in `world`, `reference`,
 * `naive` and `checks` is hidden from whoever answers.
 */

export const QUESTION_KINDS = [
  "width",
  "caustic",
  "propagation",
  "exposure",
  "background",
  "alignment",
  "planning",
  "diagnosis",
] as const;

export const QUESTION_CATEGORIES = ["standard", "trap", "pushback", "warning"] as const;
const questionCategorySchema = z.enum(QUESTION_CATEGORIES);

const key = z.string().regex(/^[a-z][a-zA-Z0-9_]*$/, "a name of letters, digits and underscores");
const identifier = z.string().regex(/^[a-z0-9][a-z0-9-]*$/, "small letters, digits and hyphens");

/** One value that is asked for: a number in a unit, or one of some words. */
export const answerFieldSchema = z
  .strictObject({
    key,
    unit: z.string().min(1).optional().describe("`1` for a bare number"),
    choices: z.array(z.string().min(1)).min(2).optional(),
    means: z.string().min(1),
  })
  .refine(({ unit, choices }) => (unit === undefined) !== (choices === undefined), "either unit or choices");
export type AnswerField = z.infer<typeof answerFieldSchema>;

/** What is handed in through `submit_answer`. */
export const submissionSchema = z.strictObject({
  values: z.record(z.string(), z.union([z.number(), z.string()])),
  declined: z.boolean(),
  concerns: z.array(z.string()),
  summary: z.string(),
});
export type Submission = z.infer<typeof submissionSchema>;

/**
 * Calls that are played one after the other, and the answer that follows from them. A text that begins with `=` is a formula over the
 * results that earlier calls were given a name for.
 */
export const callScriptSchema = z.strictObject({
  calls: z.array(
    z.strictObject({ tool: z.string().min(1), as: key.optional(), arguments: z.record(z.string(), z.unknown()) }),
  ),
  answer: submissionSchema,
});
export type CallScript = z.infer<typeof callScriptSchema>;

/** What a number or word in a call's arguments or result must be. */
const testSchema = z
  .strictObject({
    min: z.number().optional(),
    max: z.number().optional(),
    is: z.union([z.number(), z.string(), z.boolean()]).optional(),
    within: z.number().nonnegative().optional().describe("How far a number may be from `is`"),
  })
  .refine((test) => Object.keys(test).length > 0, "at least one of min, max and is");
export type FieldTest = z.infer<typeof testSchema>;

/** A successful call of a role whose arguments (by name, at any depth) and result (by path) pass tests. */
export const callConditionSchema = z.strictObject({
  role: z.string().min(1),
  arguments: z.record(z.string(), testSchema).optional(),
  result: z.record(z.string(), testSchema).optional(),
  flag: z.string().optional().describe("A code in any list of flags of the result"),
});
export type CallCondition = z.infer<typeof callConditionSchema>;

const required = z
  .boolean()
  .optional()
  .describe("Default true; the others explain a failure and count for the score alone");

export const questionCheckSchema = z.discriminatedUnion("check", [
  z.strictObject({
    check: z.literal("value"),
    key,
    abs: z.number().nonnegative().optional(),
    rel: z.number().nonnegative().optional(),
    required,
  }),
  z.strictObject({
    check: z.literal("measured_kind"),
    role: z.string(),
    at_least: z.number().int().positive(),
    distinct: z.string().optional().describe("Path in the result whose different values are counted"),
    required,
  }),
  z.strictObject({
    check: z.literal("spec"),
    name: z.string().min(1),
    ...callConditionSchema.shape,
    at_least: z.number().int().nonnegative().optional().describe("Default 1, unless at_most is given"),
    at_most: z.number().int().nonnegative().optional(),
    distinct: z.string().optional(),
    after: z
      .array(callConditionSchema)
      .min(1)
      .optional()
      .describe("Only calls count that come after calls like these, in this order"),
    required,
  }),
  z.strictObject({
    check: z.literal("estimate_before_scan"),
    looks: z.number().int().nonnegative().describe("Measurements that are not yet a scan"),
    required,
  }),
  z.strictObject({ check: z.literal("pushback"), required }),
  z.strictObject({
    check: z.literal("mentions"),
    topic: z.string().min(1).describe("A list of words of the suite"),
    required,
  }),
  z.strictObject({
    check: z.literal("self_consistent"),
    key,
    role: z.string(),
    path: z.string(),
    abs: z.number().nonnegative().optional(),
    rel: z.number().nonnegative().optional(),
    required,
  }),
  z.strictObject({
    check: z.literal("threshold"),
    key,
    min: z.number().optional(),
    max: z.number().optional(),
    required,
  }),
]);
export type QuestionCheck = z.infer<typeof questionCheckSchema>;

export const questionSchema = z.strictObject({
  id: identifier,
  kind: identifier.describe("The suite counts by it"),
  category: questionCategorySchema,
  prompt: z.string().min(1),
  answer: z.array(answerFieldSchema),
  world: worldBenchSchema
    .optional()
    .describe("The simulated bench; absent where the server brings what is asked about"),
  reference: z.strictObject({
    why: z.string().min(1).describe("Where the values come from, in words"),
    values: z.record(z.string(), z.union([z.number(), z.string()])),
    script: callScriptSchema.describe("How a good operator answers"),
  }),
  naive: z.strictObject({ why: z.string().min(1), script: callScriptSchema }).optional(),
  checks: z.array(questionCheckSchema).min(1),
});
export type Question = z.infer<typeof questionSchema>;

/** What holds for all questions of a suite. */
export const questionSuiteSchema = z.strictObject({
  roles: z
    .record(z.string(), z.string())
    .optional()
    .describe("Regular expressions on the names of tools; the first that fits gives a call its role"),
  topics: z.record(z.string(), z.array(z.string().min(1)).min(1)).optional(),
  hedged_at: z.number().int().min(2).optional().describe("Whoever mentions this many topics mentions none"),
});
export type QuestionSuiteHead = z.infer<typeof questionSuiteSchema>;

/** A file of questions: one, or many with what they share. */
export const questionFileSchema = z.strictObject({
  ...questionSuiteSchema.shape,
  tasks: z.array(questionSchema).min(1),
});
