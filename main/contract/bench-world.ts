import { z } from "zod";
import { budgetLeftSchema, keepOutZoneSchema, TOOL_NAMES } from "./tools.ts";
import { lightFaultSchema } from "./plan.ts";

const axisSchema = z.strictObject({
  w0_um: z.number().positive().describe("Second-moment radius of the waist"),
  m2: z.number().min(1),
  z0_mm: z.number().describe("Position of the waist on the stage's scale"),
});

/** The light of a simulated bench, as plain data: what the simulators call a scenario. */
export const worldScenarioSchema = z.strictObject({
  name: z.string().min(1),
  x: axisSchema,
  y: axisSchema,
  azimuth_deg: z.number().gt(-45).max(45),
  power_counts_per_ms: z.number().positive(),
  profile: z.enum(["gaussian", "hermite_gauss", "super_gaussian", "donut"]),
  faults: z.array(lightFaultSchema),
});

/** One simulated bench: its light, its noise, and what whoever drives it may do and is told. */
export const worldBenchSchema = z.strictObject({
  scenario: worldScenarioSchema,
  seed: z.number().int().nonnegative(),
  limits: z
    .strictObject({
      z_min_mm: z.number().optional(),
      z_max_mm: z.number().optional(),
      exposure_min_ms: z.number().positive().optional(),
      exposure_max_ms: z.number().positive().optional(),
    })
    .optional(),
  keep_out_zones: z.array(keepOutZoneSchema.strict()).optional(),
  budgets: budgetLeftSchema.strict().optional(),
  rules: z.array(z.string()).optional(),
  operator_note: z.string().optional(),
  tools: z.array(z.enum(TOOL_NAMES)).optional(),
});
export type WorldBench = z.infer<typeof worldBenchSchema>;

/** The file from which a server takes its simulated benches, by the names that clients see. */
export const benchWorldSchema = z.strictObject({
  benches: z.record(z.string().min(1).max(60), worldBenchSchema),
});
export type BenchWorld = z.infer<typeof benchWorldSchema>;
