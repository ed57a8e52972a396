import type { FrameFlagCode } from "../contract/vocabulary.ts";
import type { BeamWidths, FrameAnalysis, FrameFlag, FramesInput } from "./frame-analysis.ts";
import { percent } from "./frame-flags.ts";
import { azimuthOnScreen_deg, widthOf } from "./principal-widths.ts";
import { thresholdWidths } from "./threshold-widths.ts";

const LABEL = "thresholded widths are biased low (about 1 % on clean frames, 10 % on noisy ones): for comparison only";

/** Bias of thresholding as a share of the width: the least uncertainty that can be stated. */
const LEAST_UNCERTAINTY = 0.1;

/** What the analysis by method `dark` or `iso` found in the same frames. */
export interface DefaultFindings {
  /** Its widths, also where it refuses them. */
  readonly widths?: BeamWidths;
  readonly findings: readonly { readonly flag: FrameFlag; readonly reason: string; readonly refuses: boolean }[];
  /** Refusals that no flag stands for, in words. */
  readonly refusals: readonly string[];
}

/** Flags that speak of how the other method settled or of its background, not of the frame. */
const OF_THE_OTHER_METHOD: ReadonlySet<FrameFlagCode> = new Set(["not_converged", "background_stale"]);

/**
 * Method `threshold`: the mean over the frames, less the dark where there is one, by laserbeamsize's recipe. The numbers are always given;
 * the grade goes by what the other method found wrong with the frames as well.
 */
export function comparisonAnalysis(input: FramesInput, other: DefaultFindings): FrameAnalysis {
  const { frames, width_px, height_px, dark, pixelPitch_um } = input;
  const first = frames[0] as Uint16Array;
  const counts = frames.length === 1 && dark === undefined ? first : meanFrame(frames, dark?.mean);
  const fullScale = 2 ** input.bitDepth - 1;
  const result = thresholdWidths(counts, width_px, height_px);
  const findings = other.findings.filter(({ flag }) => !OF_THE_OTHER_METHOD.has(flag.code));
  const found = new Set([...findings.map(({ reason }) => reason), ...other.refusals]);
  const facts = {
    method: "threshold",
    flags: findings.map(({ flag }) => flag),
    saturatedFraction: shareAtLeast(frames, fullScale),
    iterations: result?.iterations ?? 0,
    converged: result?.converged ?? false,
    offset_counts: result?.background_counts ?? 0,
    peak_counts: Math.max(0, largest(counts) - (result?.background_counts ?? 0)),
  } as const;
  if (result === undefined || !(result.widths.x_px > 0 && result.widths.y_px > 0)) {
    const why = result === undefined ? "no pixel rises above the threshold" : "the lit pixels have no width";
    return { kind: "refused", grade: "refused", ...facts, reasons: [why, ...found] };
  }
  const { widths } = result;
  const reasons = [LABEL];
  if (!result.converged) reasons.push("did not settle within a pixel");
  const saturated = findings.some(({ flag }) => flag.code === "saturated");
  if (facts.saturatedFraction > 0 && !saturated)
    reasons.push(`saturated: ${percent(facts.saturatedFraction)} of the frame at full scale`);
  reasons.push(...found);
  const refused =
    !result.converged ||
    facts.saturatedFraction > 0 ||
    other.refusals.length > 0 ||
    findings.some(({ refuses }) => refuses);
  // The largest of the bias that thresholding is known for, the noise and half of the distance to the other method's widths.
  const u_um = (width_um: number, width?: number, uncertainty?: number): number =>
    Math.max(
      LEAST_UNCERTAINTY * width_um,
      uncertainty ?? 0,
      width === undefined || width === 0 ? 0 : Math.abs(width - width_um) / 2,
    );
  return {
    kind: "comparison",
    grade: refused ? "refused" : "usable",
    ...facts,
    reasons,
    widths: {
      d4sigmaX_um: widths.x_px * pixelPitch_um,
      d4sigmaY_um: widths.y_px * pixelPitch_um,
      uX_um: u_um(widths.x_px * pixelPitch_um, other.widths?.d4sigmaX_um, other.widths?.uX_um),
      uY_um: u_um(widths.y_px * pixelPitch_um, other.widths?.d4sigmaY_um, other.widths?.uY_um),
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
