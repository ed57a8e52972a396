import type { WidthFields } from "../contract/width-fields.ts";
import type { FrameAnalysis } from "./frame-analysis.ts";

/** The wire form of an analysis. Widths of a refused frame stay out: what is on the wire as a width is a result. */
export function toWidthFields(analysis: FrameAnalysis): WidthFields {
  const facts = {
    peak_counts: analysis.peak_counts,
    saturated_fraction: analysis.saturatedFraction,
    iterations: analysis.iterations,
    converged: analysis.converged,
    background: analysis.method,
    grade: analysis.grade,
    reasons: [...analysis.reasons],
    flags: analysis.flags.map((flag) => ({ ...flag })),
  };
  if (analysis.kind === "refused") return facts;
  const { widths } = analysis;
  return {
    d4sigma_x_um: widths.d4sigmaX_um,
    d4sigma_y_um: widths.d4sigmaY_um,
    u_x_um: widths.uX_um,
    u_y_um: widths.uY_um,
    ...(widths.uDarkX_um > 0 ? { u_x_dark_um: widths.uDarkX_um } : {}),
    ...(widths.uDarkY_um > 0 ? { u_y_dark_um: widths.uDarkY_um } : {}),
    d4sigma_sensor_x_um: widths.d4sigmaSensorX_um,
    d4sigma_sensor_y_um: widths.d4sigmaSensorY_um,
    azimuth_deg: widths.azimuth_deg,
    ellipticity: widths.ellipticity,
    centroid_x_px: widths.centroidX_px,
    centroid_y_px: widths.centroidY_px,
    ...facts,
  };
}
