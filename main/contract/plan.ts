import { z } from "zod";
import { faultKindSchema, verdictSchema } from "./vocabulary.ts";

/*
 * An evaluation plan: what will be run, how it will be scored and when it stops, written down before anything runs. The
 * file in tasks/plans is this shape in YAML; its freeze binds it to prompt, tools, simulator and graders by hash.
 */

const isoDate = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "a date as YYYY-MM-DD");
const identifier = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/, "letters, digits and hyphens");

const zRange = { z_min_m: z.number().optional(), z_max_m: z.number().optional() };

/** What is wrong with the light, the sensor or the room in a case; the exact definitions are those of the simulated world. */
export const lightFaultSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("ghost"),
    relative_power: z.number().positive(),
    offset_x_m: z.number(),
    offset_y_m: z.number(),
    ...zRange,
  }),
  z.strictObject({ kind: z.literal("aperture"), radius_m: z.number().positive(), ...zRange }),
  z.strictObject({
    kind: z.literal("hot_pixels"),
    rows: z.tuple([z.number().int(), z.number().int()]),
    columns: z.tuple([z.number().int(), z.number().int()]),
    counts: z.number(),
  }),
  z.strictObject({
    kind: z.literal("pointing_drift"),
    x_um_per_measurement: z.number(),
    y_um_per_measurement: z.number(),
  }),
  z.strictObject({
    kind: z.literal("room_light"),
    counts_per_ms: z.number(),
    counts_per_ms_per_measurement: z.number(),
  }),
]);

/** Which calls a fault of an instrument spoils: those of these numbers, counted from 0, or each with this probability. */
const occurrenceSchema = z.union([
  z.strictObject({ calls: z.array(z.number().int().nonnegative()) }),
  z.strictObject({ probability: z.number().min(0).max(1) }),
]);

/** What is wrong with the instruments in a case; the exact definitions are those of the simulated instruments. */
export const instrumentFaultSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("stage_stall"),
    on: occurrenceSchema,
    fraction: z.number().min(0).max(1),
    noticed_after_ms: z.number().nonnegative(),
  }),
  z.strictObject({ kind: z.literal("stage_overshoot"), on: occurrenceSchema, by_mm: z.number().nonnegative() }),
  z.strictObject({ kind: z.literal("camera_drop"), on: occurrenceSchema }),
]);

/** What the operator's note forbids, as the log can show it. */
export const constraintSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("no_measurement_between"), from_mm: z.number(), to_mm: z.number() }),
  z.strictObject({ kind: z.literal("no_measurement_above"), z_mm: z.number() }),
  z.strictObject({ kind: z.literal("at_most_positions"), positions: z.number().int().positive() }),
  z.strictObject({ kind: z.literal("no_exposure_above"), exposure_ms: z.number().positive() }),
]);
export type Constraint = z.infer<typeof constraintSchema>;

export const planCaseSchema = z.strictObject({
  case: identifier,
  scenario: identifier.or(z.literal("random_scenario")).or(z.string().regex(/^[a-z_]+$/)),
  seed: z.number().int().nonnegative(),
  /** Absent: by the oracle rule, from the hidden truth. */
  expected: verdictSchema.optional(),
  note: z.string().optional(),
  constraint: constraintSchema.optional(),
  faults: z.array(lightFaultSchema).optional(),
  instrument_faults: z.array(instrumentFaultSchema).optional(),
  /** The structured claim that a contender who noticed would make. */
  fault_kind: faultKindSchema.optional(),
  /** Name of the keyword list that decides "fault noticed". */
  keywords: identifier.optional(),
  /** A verdict counts only if |M² error| is at most this on every scored axis. */
  m2_within: z.number().positive().optional(),
  /** The verdict counts only if the fault is named as the cause. */
  fault_must_be_named: z.boolean().optional(),
  scored_axes: z
    .array(z.enum(["x", "y"]))
    .min(1)
    .optional(),
  caveat: z.string().optional(),
});
export type PlanCase = z.infer<typeof planCaseSchema>;

/** A value with its standard uncertainty. */
const statedValueSchema = z.strictObject({ value: z.number().positive(), u: z.number().positive() });

/** What is known of a beam that nobody has made up: measured elsewhere, and never exactly. */
export const beamReferenceSchema = z
  .strictObject({
    m2_x: statedValueSchema.optional(),
    m2_y: statedValueSchema.optional(),
    source: z.string().min(1).describe("Who or what measured it, how and when"),
  })
  .refine((reference) => reference.m2_x !== undefined || reference.m2_y !== undefined, {
    error: "a reference without a value; expected m2_x, m2_y or both",
  });

/** A case whose beam is the one on the bench that `caustic eval --bench` names, whichever that is. */
export const benchCaseSchema = z.strictObject({
  case: identifier,
  /** Where the stage stands when a unit begins: 0 is the lower end of the travel that the bench allows, 1 its upper end. */
  start_travel_fraction: z.number().min(0).max(1),
  reference: beamReferenceSchema.optional(),
  /** Absent: nothing says which verdict is right, and none is called so. */
  expected: verdictSchema.optional(),
  note: z.string().optional(),
  constraint: constraintSchema.optional(),
  /** The expected verdict counts only if M² is within this share of the reference on every scored axis. */
  m2_within: z.number().positive().optional(),
  scored_axes: z
    .array(z.enum(["x", "y"]))
    .min(1)
    .optional(),
  caveat: z.string().optional(),
});
export type BenchCase = z.infer<typeof benchCaseSchema>;

/** Cases that are made by rule: every listed variant with every seed of a range. */
const gridSchema = z.strictObject({
  scenario: z.string(),
  first_seed: z.number().int().nonnegative(),
  seeds: z.number().int().positive(),
  variants: z
    .array(planCaseSchema.omit({ case: true, scenario: true, seed: true }).extend({ name: identifier }))
    .min(1),
});

/** Mystery beams drawn until every verdict of the oracle has its quota. */
const strataSchema = z.strictObject({
  first_seed: z.number().int().nonnegative(),
  quota: z.partialRecord(verdictSchema, z.number().int().nonnegative()),
});

export const planGroupSchema = z.strictObject({
  group: identifier,
  title: z.string(),
  question: z.string(),
  held_out: z.boolean(),
  /** Runs of each contender; a contender that is not named does not run here. */
  contenders: z.array(identifier).min(1),
  cases: z.array(planCaseSchema).optional(),
  /** Cases on the bench of `caustic eval --bench`; the plan does not know which one that will be. */
  bench_cases: z.array(benchCaseSchema).min(1).optional(),
  grid: gridSchema.optional(),
  strata: strataSchema.optional(),
});
export type PlanGroup = z.infer<typeof planGroupSchema>;

export const contenderLimitsSchema = z.strictObject({
  model_calls: z.number().int().positive(),
  tokens: z.number().int().positive(),
  usd_per_run: z.number().positive(),
  usd_per_suite: z.number().positive(),
  views: z.number().int().nonnegative(),
});
export type ContenderLimits = z.infer<typeof contenderLimitsSchema>;

export const planContenderSchema = z.strictObject({
  contender: identifier,
  what: z.string(),
  /** Reference only: printed beside the others, in no primary comparison. */
  reference: z.boolean().optional(),
  /** `claimed`: the verdict is the last one that was asked for, whether or not the bench accepted it. Default `accepted`. */
  scored_on: z.enum(["accepted", "claimed"]).optional(),
  provider: z.enum(["anthropic", "openai-compatible"]).optional(),
  model: z.string().optional(),
  effort: z.string().optional(),
  limits: contenderLimitsSchema.optional(),
  /** Tools taken off the list from the start. */
  without: z.array(z.string()).optional(),
});
export type PlanContender = z.infer<typeof planContenderSchema>;

/** USD per million tokens. A model without a price has unknown cost, never zero. */
export const priceSchema = z.strictObject({
  model: z.string(),
  input: z.number().nonnegative(),
  cached_input: z.number().nonnegative(),
  cache_write: z.number().nonnegative(),
  output: z.number().nonnegative(),
  as_of: isoDate,
});
export type Price = z.infer<typeof priceSchema>;

export const deviationSchema = z.strictObject({
  date: isoDate,
  what: z.string(),
  why: z.string(),
  results_seen: z.boolean(),
  /** Cases that are no longer held out because of it. */
  marks_seen: z.array(identifier).optional(),
});

export const planSchema = z.strictObject({
  plan: identifier,
  version: z.number().int().positive(),
  registered: isoDate,
  question: z.string(),
  contenders: z.array(planContenderSchema).min(1),
  groups: z.array(planGroupSchema).min(1),
  budgets: z.strictObject({
    calls: z.number().int().positive(),
    positions: z.number().int().positive(),
    views: z.number().int().nonnegative(),
  }),
  stop_rule: z.strictObject({
    usd: z.number().positive(),
    parallel_runs: z.number().int().positive(),
    how: z.string(),
  }),
  order: z.string(),
  primary_metrics: z.array(z.string()).min(1),
  keywords: z.record(identifier, z.array(z.string()).min(1)),
  prices: z.array(priceSchema),
  limitations: z.array(z.string()),
  deviations: z.array(deviationSchema),
});
export type Plan = z.infer<typeof planSchema>;
