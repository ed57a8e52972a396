import { z } from "zod";
import { keepOutZoneSchema } from "../../contract/tools.ts";
import { RUNG_NAMES } from "./rungs.ts";

const id = z.string().regex(/^[a-z0-9][a-z0-9-]*$/);

/** A value that an expected call pins. Beside literals: a range, a choice, or a number out of the answer of an earlier expected call. */
const pinSchema = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.union([z.string(), z.number()])),
  z.strictObject({ least: z.number(), most: z.number() }),
  z.strictObject({ one_of: z.array(z.union([z.string(), z.number()])).min(2) }),
  z.strictObject({
    /** Place among the expected calls, from 0. */
    from: z.number().int().nonnegative(),
    /** Path into its answer, as `positions.0.z_mm`; several are added up. */
    path: z.union([z.string(), z.array(z.string()).min(1)]),
    /** Largest difference that counts as the same. */
    within: z.number().nonnegative().default(0.01),
  }),
]);
export type Pin = z.infer<typeof pinSchema>;

const callSchema = z.strictObject({ name: z.string(), input: z.record(z.string(), z.unknown()) });
const expectedCallSchema = z.strictObject({
  name: z.string(),
  input: z.record(z.string(), pinSchema).default({}),
  /** How often in a row; once where nothing is said. */
  times: z.strictObject({ least: z.number().int().nonnegative(), most: z.number().int().positive() }).optional(),
});
export type ExpectedCall = z.infer<typeof expectedCallSchema>;

const occurrenceSchema = z.union([
  z.strictObject({ calls: z.array(z.number().int().nonnegative()) }),
  z.strictObject({ probability: z.number().min(0).max(1) }),
]);
const faultSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("stage_stall"),
    on: occurrenceSchema,
    fraction: z.number().min(0).max(1),
    noticed_after_ms: z.number().positive(),
  }),
  z.strictObject({ kind: z.literal("camera_drop"), on: occurrenceSchema }),
]);

/** How the bench stands when a case begins: what light, and what has been done. */
export const ladderStartSchema = z.strictObject({
  scenario: z.string(),
  seed: z.number().int().nonnegative(),
  /** Calls that the harness makes before the request; `run` and `reason` are filled in. */
  prepare: z.array(callSchema).default([]),
  faults: z.array(faultSchema).optional(),
  keep_out_zones: z.array(keepOutZoneSchema).optional(),
  budgets: z.strictObject({ positions: z.number().int().positive().optional() }).optional(),
});
export type LadderStart = z.infer<typeof ladderStartSchema>;

const expectSchema = z
  .strictObject({
    /** In this order, and nothing else that acts; looking more often is nobody's fault. */
    calls: z.array(expectedCallSchema).optional(),
    /** The order does not matter. */
    any_order: z.literal(true).optional(),
    /** An honest refusal, without a call that acts. */
    refuse: z.literal(true).optional(),
    terminates: z.literal(true),
    /** A connected chain of reasons is asked for. */
    proof: z.literal(true).optional(),
    /** What must hold on the bench afterwards. */
    facts: z.array(z.string()).optional(),
    /** The step that must be seen to fail, by the tool and how, and the tool that is then called in its place. */
    recover: z.strictObject({ tool: z.string(), sees: z.string(), then: z.string() }).optional(),
    /** All readings of a request that can be read in several ways, in any order. */
    candidateResults: z.array(expectedCallSchema).min(2).optional(),
    inferredGoal: id.optional(),
    reject: z.literal(true).optional(),
    ambiguousGoals: z.array(id).min(2).optional(),
    /** How the keyword stub does. */
    floorExpect: z.enum(["pass", "fail"]).optional(),
  })
  .describe("What must come of a case");

export const ladderCaseSchema = z.strictObject({
  id,
  rung: z.enum(RUNG_NAMES),
  /** The operator's words. */
  request: z.string().min(1),
  /** The declared tools. */
  tools: z.array(z.string()),
  /** Name of the starting state. */
  start: z.string().default("fresh"),
  /** What somebody was seen to do, for goal recognition alone. */
  trace: z.array(callSchema).min(1).optional(),
  /** The goals that may be recognised. */
  goals: z.array(id).min(2).optional(),
  expect: expectSchema,
});
export type LadderCase = z.infer<typeof ladderCaseSchema>;

/** One operator of a goal: a tool, and arguments that are variables (`Z`), bound alike throughout the goal. */
const operatorSchema = z.strictObject({
  name: z.string(),
  /** Variables begin with a capital; one that is used twice must be bound to the same value. */
  bind: z.record(z.string(), z.string().regex(/^[A-Z][A-Za-z0-9]*$/)).default({}),
});

export const ladderGoalSchema = z.strictObject({
  goal: id,
  what: z.string(),
  operators: z.array(operatorSchema).min(1),
  /** Pairs of variables that must differ. */
  differ: z.array(z.tuple([z.string(), z.string()])).default([]),
});
export type LadderGoal = z.infer<typeof ladderGoalSchema>;

/** The whole suite. */
export interface LadderSuite {
  readonly starts: Readonly<Record<string, LadderStart>>;
  readonly goals: readonly LadderGoal[];
  readonly cases: readonly LadderCase[];
}
