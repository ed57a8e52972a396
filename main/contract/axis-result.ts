import { z } from "zod";
import { fitFlagSchema, fitWeightsSchema, flagSchema } from "./vocabulary.ts";

const counts = {
  near: z.number().int().nonnegative().describe("Positions used with |z − z0| ≤ zR"),
  far: z.number().int().nonnegative().describe("Positions used with |z − z0| ≥ 2 zR"),
  positions: z.number().int().nonnegative().describe("Distinct positions used"),
  flags: z.array(flagSchema(fitFlagSchema)),
};

/** One principal axis of a caustic fit, or why there is none (ISO 11146-1:2021, 9). Full widths, full divergence angle. */
export const determinedAxisSchema = z.object({
  determined: z.literal(true),
  m2: z.number().positive(),
  u_m2: z.number().nonnegative(),
  u_m2_parts: z
    .object({
      fit: z.number().nonnegative(),
      pixel_pitch: z.number().nonnegative(),
      stage_scale: z.number().nonnegative(),
      wavelength: z.number().nonnegative(),
    })
    .optional()
    .describe("Where u_m2 comes from, to be added in quadrature; present where calibration uncertainties are known"),
  z0_mm: z.number(),
  u_z0_mm: z.number().nonnegative(),
  d0_um: z.number().positive(),
  u_d0_um: z.number().nonnegative(),
  divergence_mrad: z.number().positive().describe("Full angle"),
  u_divergence_mrad: z.number().nonnegative(),
  rayleigh_mm: z.number().positive(),
  u_rayleigh_mm: z.number().nonnegative(),
  chi2_ndf: z
    .number()
    .nonnegative()
    .optional()
    .describe("Absent where no uncertainties were given or no degree of freedom is left"),
  weights: fitWeightsSchema,
  iso_coverage: z.boolean().describe("At least 10 positions, 5 within one and 5 beyond two Rayleigh lengths"),
  missing: z.array(z.string()).describe("What is missing for ISO coverage, in words; empty when nothing is"),
  ...counts,
});
export const undeterminedAxisSchema = z.object({
  determined: z.literal(false),
  why: z.string().describe("Why M² cannot be had from these measurements"),
  ...counts,
});
export const axisResultSchema = z.discriminatedUnion("determined", [determinedAxisSchema, undeterminedAxisSchema]);
export type DeterminedAxis = z.infer<typeof determinedAxisSchema>;
export type AxisResult = z.infer<typeof axisResultSchema>;
