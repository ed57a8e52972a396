import type { FaultKind, FitFlagCode, FrameFlagCode, Verdict } from "../../main/contract/vocabulary.ts";

/** Flags of a frame as an operator says them, and what to do. */
export const FRAME_FLAG_WORDS: Readonly<Record<FrameFlagCode, { readonly name: string; readonly advice: string }>> = {
  saturated: { name: "Saturated", advice: "Shorten the exposure or attenuate the beam." },
  low_signal: { name: "Low signal", advice: "Lengthen the exposure." },
  too_few_pixels: { name: "Too few pixels", advice: "The beam is sampled too coarsely here." },
  not_converged: { name: "Did not settle", advice: "The integration area finds no end: look at the background." },
  clipped: { name: "Clipped", advice: "The beam reaches the edge of the sensor." },
  beam_too_large: { name: "Beam too large", advice: "Move nearer to the waist." },
  background_stale: { name: "Background stale", advice: "Retake the dark at this exposure." },
  second_spot: { name: "Second spot", advice: "Look for a reflection." },
  structured_background: { name: "Structured background", advice: "Look for stray light." },
  smear: { name: "Smear", advice: "Columns or rows carry light of their own." },
  area_cut: { name: "Area cut", advice: "The integration area leaves the sensor." },
  no_signal: { name: "No light", advice: "Is the beam blocked?" },
  centroid_drift: { name: "Pointing drifts", advice: "The beam moved between frames." },
  caustic_outlier: { name: "Outlier", advice: "It does not lie on the caustic of the others." },
};

export const FIT_FLAG_WORDS: Readonly<Record<FitFlagCode, string>> = {
  m2_below_one: "M² below one: physics forbids it, look for clipped or thresholded widths",
  general_astigmatism: "The axes turn along z: a single M² per axis does not describe this beam",
  waist_outside_positions: "The waist lies outside the measured positions",
  poor_fit: "The points scatter more than their uncertainties",
};

/** Whether an explanation says no more than its verdict, as it does where nobody wrote one. */
export function saysNothing({ verdict, explanation }: { verdict: Verdict; explanation: string }): boolean {
  return explanation.trim() === "" || explanation === VERDICT_WORDS[verdict];
}

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  iso_compliant: "Measured to ISO 11146",
  estimate_not_compliant: "Estimate, not to ISO 11146",
  waist_not_accessible: "Waist not accessible",
  measurement_failed: "Measurement failed",
};

export const FAULT_WORDS: Readonly<Record<FaultKind, string>> = {
  none: "none",
  second_spot: "second spot",
  aperture: "aperture cuts the beam",
  defective_pixels: "defective pixels",
  pointing_drift: "pointing drifts",
  background: "background",
  saturation: "saturation",
  other: "other",
};

/** Tools as a timeline says them. */
export const TOOL_WORDS: Readonly<Record<string, string>> = {
  bench_open: "Open bench",
  bench_status: "Look at status",
  move_to: "Move",
  stop: "STOP",
  set_exposure: "Set exposure",
  take_darks: "Take darks",
  measure_at: "Measure",
  job_status: "Wait for job",
  reject_measurement: "Reject",
  restore_measurement: "Restore",
  view_frame: "Look at frame",
  estimate_scan: "Estimate scan",
  fit_caustic: "Fit caustic",
  suggest_positions: "Suggest positions",
  finish: "Finish",
};
