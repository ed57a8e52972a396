import { z } from "zod";

const value = z.union([z.number(), z.string(), z.boolean()]);

/**
 * What must hold after a program ran. Either a property of something (`target` and `prop`) or any expression of the language, over the
 * names that docs/write-a-procedure.md lists. Numbers carry their unit; `tol` is in that unit, `rtol` a share of the value, and without
 * either a number must agree to nine digits.
 */
export const procedureAssertionSchema = z
  .strictObject({
    target: z.string().optional(),
    prop: z.string().optional(),
    expr: z.string().optional(),
    value,
    unit: z.string().optional(),
    tol: z.number().positive().optional(),
    rtol: z.number().positive().max(0.5).optional(),
    line: z.number().int().positive().describe("Line of the gold program that makes it true"),
    input: z.string().optional().describe("The argument on that line, where it is one that makes it true"),
  })
  .refine(({ target, prop, expr }) => (expr === undefined) === (target !== undefined && prop !== undefined), {
    error: "expected either expr, or target and prop",
  });
export type ProcedureAssertion = z.infer<typeof procedureAssertionSchema>;

export const PROCEDURE_TIERS = ["core", "derived", "programmatic", "extraction"] as const;
export type ProcedureTier = (typeof PROCEDURE_TIERS)[number];
export const PROCEDURE_SPLITS = ["train", "test"] as const;
export type ProcedureSplit = (typeof PROCEDURE_SPLITS)[number];

/** One line of a task file: what is asked, a program that does it, and how any program is judged. */
export const procedureTaskSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9_]+-\d{3}$/),
  tier: z.enum(PROCEDURE_TIERS),
  split: z.enum(PROCEDURE_SPLITS),
  category: z.string(),
  family: z.string(),
  bench: z.strictObject({ scenario: z.string(), seed: z.number().int().nonnegative() }),
  prompt: z.string().min(1),
  gold: z.string().min(1),
  assertions: z.array(procedureAssertionSchema).min(1),
});
export type ProcedureTask = z.infer<typeof procedureTaskSchema>;
