import type { FrameFlagCode, Grade } from "../contract/vocabulary.ts";
import type { MomentKernel } from "./kernel.ts";

/**
 * How the background is removed; printed with every result. `dark`: subtract the dark, then the mean of the pixels outside the
 * integration area. `iso`: no dark, offset (and a plane where justified) from outside the area by a symmetric robust estimate.
 * `threshold`: as laserbeamsize does with `iso_noise=False`; biased low, only for comparing with other programs.
 */
export type BackgroundMethod = "dark" | "iso" | "threshold";

/** Mean of dark frames taken at the frame's exposure with the beam blocked. */
export interface DarkReference {
  /** Counts, row-major, as many as the frame has pixels. */
  readonly mean: Float64Array | Float32Array;
  /** How many dark frames were averaged. */
  readonly frames: number;
  /** Standard deviation of one pixel of one dark frame. */
  readonly noise_counts: number;
}

/** What is known of the sensor's noise. Without it the noise is estimated from the frames themselves. */
export interface SensorNoise {
  /** Standard deviation of one pixel of one frame without light. */
  readonly readNoise_counts: number;
  readonly electronsPerCount: number;
}

export interface FrameInput {
  /** Right-aligned counts, row-major, row 0 at the top. */
  readonly samples: Uint16Array;
  readonly width_px: number;
  readonly height_px: number;
  /** Full scale is `2 ** bitDepth − 1`. */
  readonly bitDepth: number;
  readonly pixelPitch_um: number;
  readonly dark?: DarkReference;
  readonly noise?: SensorNoise;
}

/** Several frames of one measurement: same place, same exposure, same dark. */
export type FramesInput = Omit<FrameInput, "samples"> & { readonly frames: readonly Uint16Array[] };

export interface AnalysisOptions {
  /** Default: `dark` with a dark, `iso` without. */
  readonly method?: BackgroundMethod;
  /**
   * Look for second spots, smear, structured background, a cut area and drift, and let them decide about the grade. Off by default:
   * an agent must not be told about faults; image files and the operator's window switch it on.
   */
  readonly extraFindings?: boolean;
  /** Where the first integration area comes from. Default `peak`. */
  readonly startArea?: "peak" | "sensor";
  /** Default: the TypeScript kernel. */
  readonly kernel?: MomentKernel;
}

export interface FrameFlag {
  readonly code: FrameFlagCode;
  /** The number that raised the flag. */
  readonly value: number;
  /** The limit that it broke. */
  readonly limit: number;
}

/**
 * Second-moment widths (full d4σ diameters, ISO 11146-1:2021, 7) with standard uncertainties. x is the principal axis closer to the
 * rows.
 */
export interface BeamWidths {
  readonly d4sigmaX_um: number;
  readonly d4sigmaY_um: number;
  readonly uX_um: number;
  readonly uY_um: number;
  /** The parts of uX_um and uY_um that come from the dark's own noise: all measurements with that dark share them. 0 without one. */
  readonly uDarkX_um: number;
  readonly uDarkY_um: number;
  readonly d4sigmaSensorX_um: number;
  readonly d4sigmaSensorY_um: number;
  /** Of the x axis, counter-clockwise as seen on the screen, (−45, 45]. */
  readonly azimuth_deg: number;
  /** Minor over major; above 0.87 the beam counts as circular and its azimuth means nothing. */
  readonly ellipticity: number;
  readonly centroidX_px: number;
  readonly centroidY_px: number;
}

export interface AnalysisFacts {
  readonly method: BackgroundMethod;
  /** Why the grade is not `good`, in words; empty when it is. */
  readonly reasons: readonly string[];
  readonly flags: readonly FrameFlag[];
  /** Brightest pixel above the background, mean over the frames. */
  readonly peak_counts: number;
  /** Share of the pixels in the integration area at full scale, 0…1. */
  readonly saturatedFraction: number;
  readonly iterations: number;
  readonly converged: boolean;
  /** What was taken off at the centroid on top of the dark. */
  readonly offset_counts: number;
}

/** A frame whose widths may be used. */
export interface MeasuredFrame extends AnalysisFacts {
  readonly kind: "measured";
  readonly grade: "good" | "usable";
  readonly widths: BeamWidths;
}

/**
 * A frame that gives no widths. What the iteration ended on, where it ended at all, is there for diagnosis (drawing the ellipse that
 * misled it) and is never a result.
 */
export interface RefusedFrame extends AnalysisFacts {
  readonly kind: "refused";
  readonly grade: "refused";
  readonly indicativeOnly?: BeamWidths;
}

/** Method `threshold`: widths by another program's recipe, biased low, whatever the grade. Never the result of a measurement. */
export interface ComparisonFrame extends AnalysisFacts {
  readonly kind: "comparison";
  readonly grade: Exclude<Grade, "good">;
  readonly widths: BeamWidths;
}

export type FrameAnalysis = MeasuredFrame | RefusedFrame | ComparisonFrame;
