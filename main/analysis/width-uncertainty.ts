import type { MomentNoise } from "./moment-noise.ts";

/** What makes a width uncertain, each as a standard uncertainty of a principal variance σ² in pixel². */
export interface VarianceUncertainty {
  readonly x: number;
  readonly y: number;
}

/**
 * The area follows the widths, and its rim crosses noise: a share of the change of a width comes back through the area. For white noise the
 * derivative of the width map has the deviation `slope`; (1 − slope)⁻² is on average 1 + 3 slope². Full-size areas only.
 */
function areaFeedback(
  rimVariance: number,
  halfAlong_px: number,
  halfAcross_px: number,
  power: number,
  variance: number,
) {
  // ∂σ²/∂L: the two lines of pixels at ±L, each 2 × halfAcross long, weighted by (L² − σ²) / power.
  const noise = Math.sqrt(rimVariance * 4 * halfAcross_px);
  const perPixel = ((halfAlong_px ** 2 - variance) / power) * noise;
  // L = 1.5 d = 6 σ, so dL/dσ² = 3 / σ.
  const slope = Math.min((perPixel * 3) / Math.sqrt(variance), 1);
  return 1 + 3 * slope * slope;
}

export interface StatisticalInputs {
  readonly noise: MomentNoise;
  /** Variance of a pixel outside the area, mean frame. */
  readonly pixelVariance: number;
  /** Variance of the background's level. */
  readonly levelVariance: number;
  /** Change of σ²x and σ²y per count of background. */
  readonly leverX: number;
  readonly leverY: number;
  readonly varianceX: number;
  readonly varianceY: number;
  readonly power_counts: number;
  readonly halfLength_px: number;
  readonly halfBreadth_px: number;
}

/** Noise of the pixels, of the background's level, of the turning axes and of the area that follows the widths. */
export function statisticalUncertainty(inputs: StatisticalInputs): VarianceUncertainty {
  const { noise, varianceX, varianceY } = inputs;
  // The eigenvalues repel each other: where the beam is rounder than the noise tells, all of the noise of σ²xy enters the widths.
  const gap = (varianceX - varianceY) ** 2;
  const turning = noise.xy * Math.min(1, noise.xy / Math.max(gap, Number.MIN_VALUE));
  const feedbackX = areaFeedback(
    inputs.pixelVariance,
    inputs.halfLength_px,
    inputs.halfBreadth_px,
    inputs.power_counts,
    varianceX,
  );
  const feedbackY = areaFeedback(
    inputs.pixelVariance,
    inputs.halfBreadth_px,
    inputs.halfLength_px,
    inputs.power_counts,
    varianceY,
  );
  return {
    x: Math.sqrt((noise.xx + turning + inputs.leverX ** 2 * inputs.levelVariance) * feedbackX),
    y: Math.sqrt((noise.yy + turning + inputs.leverY ** 2 * inputs.levelVariance) * feedbackY),
  };
}

/**
 * Relative uncertainty of a variance by rounding to whole counts. Noise of 0.5 counts and more makes the mean of the rounded
 * values right; with less of it the faint wing is rounded as one: the mean error of a level reaches exp(−2π²σ²) / π counts. It
 * matters where the wing falls from half a count to a tenth of that; a Gaussian profile is assumed for where this is.
 */
export function roundingUncertainty(noise_counts: number, peak_counts: number): number {
  if (!(peak_counts > 1)) return 1;
  const amplitude = Math.exp(-2 * (Math.PI * noise_counts) ** 2) / Math.PI;
  const from = 2 * Math.log(peak_counts / 0.5);
  const to = 2 * Math.log(peak_counts / 0.05);
  const ring = (Math.PI / 4) * (to * to - from * from) - Math.PI * (to - from);
  return (amplitude * ring) / (2 * Math.PI * peak_counts);
}

/**
 * Relative uncertainty of a variance by a sensor that ends at `reach` standard deviations from the centroid on one side, for a Gaussian
 * profile: the part k φ(k) of the second moment lies beyond k.
 */
export function truncationUncertainty(reach: number): number {
  if (reach <= 0) return 1;
  return (reach * Math.exp((-reach * reach) / 2)) / Math.sqrt(2 * Math.PI);
}

/** u(d) of d = 4 √σ² from u(σ²). */
export function widthUncertainty(variance: number, uncertainty: number): number {
  return (2 * uncertainty) / Math.sqrt(variance);
}

/**
 * Standard uncertainty of the mean from the scatter of `values`, if the scatter is significantly larger than `expected` explains.
 * Taking the larger of the two always would be too much on average: of few values the scatter itself is uncertain, so it must
 * exceed the 99 % point of χ² before it counts. Returns undefined otherwise, and for fewer than two values.
 */
export function significantScatter(values: readonly number[], expected: number): number | undefined {
  const number = values.length;
  if (number < 2) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / number;
  const ofMean = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (number - 1) / number;
  return ofMean > expected ** 2 * reducedChi2At99(number - 1) ? Math.sqrt(ofMean) : undefined;
}

/** 99 % point of χ² / ν (E. B. Wilson and M. M. Hilferty, Proc. Natl. Acad. Sci. 17 (1931) 684). ν = 4 → 3.3. */
function reducedChi2At99(freedom: number): number {
  const spread = 2 / (9 * freedom);
  return (1 - spread + 2.3263 * Math.sqrt(spread)) ** 3;
}
