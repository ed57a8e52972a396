import type { FrameAnalysis, FramesInput } from "./frame-analysis.ts";
import { percent } from "./frame-flags.ts";
import { azimuthOnScreen_deg, widthOf } from "./principal-widths.ts";
import { thresholdWidths } from "./threshold-widths.ts";

const LABEL = "thresholded widths are biased low (about 1 % on clean frames, 10 % on noisy ones): for comparison only";

/** Method `threshold`: the mean over the frames, less the dark where there is one, by laserbeamsize's recipe. */
export function comparisonAnalysis(input: FramesInput): FrameAnalysis {
  const { frames, width_px, height_px, dark, pixelPitch_um } = input;
  const first = frames[0] as Uint16Array;
  const counts = frames.length === 1 && dark === undefined ? first : meanFrame(frames, dark?.mean);
  const fullScale = 2 ** input.bitDepth - 1;
  const result = thresholdWidths(counts, width_px, height_px);
  const facts = {
    method: "threshold",
    flags: [],
    saturatedFraction: shareAtLeast(frames, fullScale),
    iterations: result?.iterations ?? 0,
    converged: result?.converged ?? false,
    offset_counts: result?.background_counts ?? 0,
    peak_counts: Math.max(0, largest(counts) - (result?.background_counts ?? 0)),
  } as const;
  if (result === undefined || !(result.widths.x_px > 0 && result.widths.y_px > 0)) {
    const why = result === undefined ? "no pixel rises above the threshold" : "the lit pixels have no width";
    return { kind: "refused", grade: "refused", ...facts, reasons: [why] };
  }
  const { widths } = result;
  const reasons = [LABEL];
  if (!result.converged) reasons.push("did not settle within a pixel");
  if (facts.saturatedFraction > 0)
    reasons.push(`saturated: ${percent(facts.saturatedFraction)} of the frame at full scale`);
  // The bias of thresholding is the uncertainty that can be stated: a tenth of the width.
  const u_um = (width_px_: number): number => 0.1 * width_px_ * pixelPitch_um;
  return {
    kind: "comparison",
    grade: result.converged && facts.saturatedFraction === 0 ? "usable" : "refused",
    ...facts,
    reasons,
    widths: {
      d4sigmaX_um: widths.x_px * pixelPitch_um,
      d4sigmaY_um: widths.y_px * pixelPitch_um,
      uX_um: u_um(widths.x_px),
      uY_um: u_um(widths.y_px),
      uDarkX_um: 0,
      uDarkY_um: 0,
      d4sigmaSensorX_um: widthOf(result.sensorVarianceX) * pixelPitch_um,
      d4sigmaSensorY_um: widthOf(result.sensorVarianceY) * pixelPitch_um,
      azimuth_deg: azimuthOnScreen_deg(widths.angle_rad),
      ellipticity: Math.min(widths.x_px, widths.y_px) / Math.max(widths.x_px, widths.y_px),
      centroidX_px: result.centroidX_px,
      centroidY_px: result.centroidY_px,
    },
  };
}

function meanFrame(frames: readonly Uint16Array[], dark: Float64Array | Float32Array | undefined): Float64Array {
  const mean = new Float64Array((frames[0] as Uint16Array).length);
  for (const frame of frames)
    for (let index = 0; index < mean.length; index++) mean[index] = (mean[index] as number) + (frame[index] as number);
  for (let index = 0; index < mean.length; index++)
    mean[index] = (mean[index] as number) / frames.length - (dark === undefined ? 0 : (dark[index] as number));
  return mean;
}

function shareAtLeast(frames: readonly Uint16Array[], limit: number): number {
  let number = 0;
  for (const frame of frames) for (const value of frame) if (value >= limit) number++;
  return number / (frames.length * (frames[0] as Uint16Array).length);
}

function largest(counts: Uint16Array | Float64Array): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of counts) if (value > most) most = value;
  return most;
}
