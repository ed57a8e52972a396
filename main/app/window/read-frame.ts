import type { Frame } from "../../../drivers/protocol/frame.ts";
import { analyzeFrame } from "../../analysis/analyze-frame.ts";
import { lineProfile } from "../../analysis/axis-profile.ts";
import type { MomentKernel } from "../../analysis/kernel.ts";
import { toWidthFields } from "../../analysis/to-width-fields.ts";
import type { BeamOutline, FrameHeader } from "../../contract/window-frame.ts";

/** What is found in a frame for the eye: numbers, the outline over the picture, profiles. */
export type FrameReading = Pick<FrameHeader, "widths" | "outline" | "profiles" | "power_counts_per_ms" | "analysis_ms">;

/** The integration area reaches this far from the centroid, in full widths (ISO 11146-1: three widths across). */
const AREA_HALF = 1.5;

/**
 * Widths of one raw frame without its dark, with every finding, for the window alone: a measurement averages frames and takes a
 * dark off, and its numbers are the result.
 */
export function readFrame(
  frame: Frame,
  pixelPitch_um: number,
  kernel: MomentKernel | undefined,
  now_ms: () => number,
): FrameReading {
  const began_ms = now_ms();
  const { samples, width_px, height_px, bitDepth } = frame;
  const analysis = analyzeFrame(
    { samples, width_px, height_px, bitDepth, pixelPitch_um },
    { extraFindings: true, ...(kernel === undefined ? {} : { kernel }) },
  );
  const beam = analysis.kind === "refused" ? analysis.indicativeOnly : analysis.widths;
  const widths = toWidthFields(analysis);
  if (beam === undefined) return { widths, analysis_ms: now_ms() - began_ms };
  const outline: BeamOutline = {
    centroid_x_px: beam.centroidX_px,
    centroid_y_px: beam.centroidY_px,
    d_x_px: beam.d4sigmaX_um / pixelPitch_um,
    d_y_px: beam.d4sigmaY_um / pixelPitch_um,
    azimuth_deg: beam.azimuth_deg,
    indicative: analysis.kind === "refused",
  };
  const along = (angle_deg: number, d_px: number) =>
    lineProfile(
      { samples, width_px, height_px, pixelPitch_um },
      { centreX_px: beam.centroidX_px, centreY_px: beam.centroidY_px, angle_deg, halfLength_px: AREA_HALF * d_px },
    );
  const profile = (angle_deg: number, d_px: number) => {
    const { counts, ...rest } = along(angle_deg, d_px);
    return { ...rest, counts: counts.map((value) => Math.round(value * 10) / 10) };
  };
  const power = areaCounts(frame, outline, analysis.offset_counts) / frame.exposure_ms;
  return {
    widths,
    outline,
    profiles: {
      x: profile(outline.azimuth_deg, outline.d_x_px),
      y: profile(outline.azimuth_deg + 90, outline.d_y_px),
    },
    ...(Number.isFinite(power) ? { power_counts_per_ms: power } : {}),
    analysis_ms: now_ms() - began_ms,
  };
}

/** Counts above the background inside the integration area. */
function areaCounts(frame: Frame, outline: BeamOutline, offset_counts: number): number {
  const angle_rad = (outline.azimuth_deg * Math.PI) / 180;
  const cosine = Math.cos(angle_rad);
  const sine = Math.sin(angle_rad);
  const halfX = AREA_HALF * outline.d_x_px;
  const halfY = AREA_HALF * outline.d_y_px;
  const reachX = Math.abs(halfX * cosine) + Math.abs(halfY * sine);
  const reachY = Math.abs(halfX * sine) + Math.abs(halfY * cosine);
  const left = Math.max(0, Math.ceil(outline.centroid_x_px - reachX));
  const right = Math.min(frame.width_px - 1, Math.floor(outline.centroid_x_px + reachX));
  const top = Math.max(0, Math.ceil(outline.centroid_y_px - reachY));
  const bottom = Math.min(frame.height_px - 1, Math.floor(outline.centroid_y_px + reachY));
  let sum = 0;
  for (let row = top; row <= bottom; row++) {
    const up = outline.centroid_y_px - row;
    for (let column = left; column <= right; column++) {
      const across = column - outline.centroid_x_px;
      if (Math.abs(across * cosine + up * sine) > halfX || Math.abs(up * cosine - across * sine) > halfY) continue;
      sum += (frame.samples[row * frame.width_px + column] as number) - offset_counts;
    }
  }
  return sum;
}
