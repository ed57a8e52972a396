import { z } from "zod";

/** What a run concludes (the evaluation plan's vocabulary). */
export const VERDICTS = [
  "iso_compliant",
  "estimate_not_compliant",
  "waist_not_accessible",
  "measurement_failed",
] as const;
export const verdictSchema = z.enum(VERDICTS);
export type Verdict = z.infer<typeof verdictSchema>;

/** What can be wrong with the light, the sensor or the room, as claimed in `finish`. */
export const FAULT_KINDS = [
  "none",
  "second_spot",
  "aperture",
  "defective_pixels",
  "pointing_drift",
  "background",
  "saturation",
  "other",
] as const;
export const faultKindSchema = z.enum(FAULT_KINDS);
export type FaultKind = z.infer<typeof faultKindSchema>;

/**
 * Flags of one frame or measurement, each raised by a number that broke a limit.
 * The first seven are always on; the rest are findings for the operator's window and for image files, and reach an
 * agent only where a plan enables them.
 */
export const FRAME_FLAGS = [
  "saturated",
  "low_signal",
  "too_few_pixels",
  "not_converged",
  "clipped",
  "beam_too_large",
  "background_stale",
  "second_spot",
  "structured_background",
  "smear",
  "area_cut",
  "no_signal",
  "centroid_drift",
  "caustic_outlier",
] as const;
export const frameFlagSchema = z.enum(FRAME_FLAGS);
export type FrameFlagCode = z.infer<typeof frameFlagSchema>;

/** Flags of a caustic fit. */
export const FIT_FLAGS = ["m2_below_one", "general_astigmatism", "waist_outside_positions", "poor_fit"] as const;
export const fitFlagSchema = z.enum(FIT_FLAGS);
export type FitFlagCode = z.infer<typeof fitFlagSchema>;

/** How far a frame's widths may be trusted. A refused frame takes part in no fit. */
export const GRADES = ["good", "usable", "refused"] as const;
export const gradeSchema = z.enum(GRADES);
export type Grade = z.infer<typeof gradeSchema>;

/** A flag with the number that raised it and the limit that it broke. */
export const flagSchema = <Code extends z.ZodType<string>>(code: Code) =>
  z.object({
    code,
    value: z.number().describe("The number that raised the flag"),
    limit: z.number().describe("The limit that it broke"),
  });

/** Weightings of a caustic fit; the name is part of every result because it changes M² by up to 10 %. */
export const FIT_WEIGHTS = ["given", "relative", "uniform_d", "uniform_d2"] as const;
export const fitWeightsSchema = z.enum(FIT_WEIGHTS);
export type FitWeights = z.infer<typeof fitWeightsSchema>;
