import type { FitFlagCode, FitWeights } from "../contract/vocabulary.ts";
import type { Symmetric3 } from "./caustic-least-squares.ts";
import type { IsoPositions } from "./iso-positions.ts";

/** One width of one principal axis at one place. */
export interface CausticPoint {
  /** Where the stage stood (readback, not setpoint). */
  readonly z_mm: number;
  /** Full d4σ width, > 0. */
  readonly d_um: number;
  /** Standard uncertainty of the width, > 0. */
  readonly u_um?: number;
  /** What this width has in common with others; used by `given` weights. */
  readonly dark?: SharedDark;
}

/** The dark that was subtracted: its noise is the same in every measurement that it serves. */
export interface SharedDark {
  readonly id: string;
  /** The part of the width's uncertainty that comes from the dark's noise, ≥ 0 and at most all of it. */
  readonly u_um: number;
  /** Full width along the other axis: the size of the area over which the dark's noise was summed. */
  readonly across_um: number;
}

/** Relative standard uncertainties that are common to all points, so that no fit can see them. */
export interface CalibrationUncertainty {
  /** Of the pixel pitch, and of the magnification where there is one. */
  readonly pixelPitch?: number;
  /** Of the length that the stage calls a millimetre. */
  readonly stageScale?: number;
  readonly wavelength?: number;
}

export interface CausticOptions {
  readonly wavelength_nm: number;
  /** Default: `given` where every point carries an uncertainty, else `relative`. */
  readonly weights?: FitWeights;
  /** Standard uncertainty of every position (stage repeatability); used by `given` weights alone. Default 0. */
  readonly uZ_mm?: number;
  readonly calibration?: CalibrationUncertainty;
}

/** A fitted quantity with its standard uncertainty and where that comes from. */
export interface FittedQuantity {
  readonly value: number;
  /** Standard uncertainty: the parts in quadrature. */
  readonly u: number;
  readonly parts: {
    readonly fit: number;
    readonly pixelPitch: number;
    readonly stageScale: number;
    readonly wavelength: number;
  };
}

export interface FitFlag {
  readonly code: FitFlagCode;
  /** The number that raised the flag, and the limit that it broke. */
  readonly value: number;
  readonly limit: number;
}

/** Why a caustic has no M². */
export type CausticFailure =
  /** The wavelength is not a positive number. */
  | "bad_wavelength"
  /** A position is not a finite number. */
  | "bad_position"
  /** A width is not a positive finite number. */
  | "bad_width"
  /** `given` weights, and an uncertainty is missing or not a positive finite number. */
  | "bad_uncertainty"
  /** Fewer than three distinct positions. */
  | "too_few_positions"
  /** Three points and no uncertainties: the curve passes through all of them and nothing tells how good it is. */
  | "no_uncertainty"
  /** The equations do not determine three parameters. */
  | "singular"
  /** c ≤ 0: the widths do not grow away from any waist. */
  | "no_divergence"
  /** 4ac − b² ≤ 0: the parabola of d² reaches zero, so there is no waist of positive width. */
  | "no_waist"
  /** Numbers overflow or vanish. */
  | "out_of_range"
  /** The iteration did not settle. */
  | "not_converged";

export interface CausticResidual {
  readonly z_mm: number;
  readonly d_um: number;
  readonly fitted_um: number;
  /** Measured minus fitted. */
  readonly residual_um: number;
  /** Residual over the standard deviation that the fit used for it; absent where the weights have no absolute scale. */
  readonly normalized?: number;
}

/** A caustic of one principal axis: d²(z) = d0² + Θ²(z − z0)². Full widths, full divergence angle. */
export interface DeterminedCaustic {
  readonly determined: true;
  readonly weights: FitWeights;
  readonly wavelength_nm: number;
  readonly m2: FittedQuantity;
  readonly z0_mm: FittedQuantity;
  readonly d0_um: FittedQuantity;
  readonly divergence_mrad: FittedQuantity;
  readonly rayleigh_mm: FittedQuantity;
  /** Of (d0_um, z0_mm, divergence_mrad), upper triangle, from the fit alone, scaled to the scatter of the points where that sets the scale. */
  readonly covariance: Symmetric3;
  /** By how much the uncertainties exceed the root of the covariance, because a scatter from few points is itself uncertain. */
  readonly studentFactor: number;
  readonly degreesOfFreedom: number;
  /** χ²/ν; absent where the weights have no absolute scale or no degree of freedom is left. */
  readonly chi2_ndf?: number;
  readonly iso: IsoPositions;
  readonly flags: readonly FitFlag[];
  /** In the order of the points. */
  readonly residuals: readonly CausticResidual[];
}

export interface UndeterminedCaustic {
  readonly determined: false;
  readonly reason: CausticFailure;
  /** The reason as a sentence, with the number that was wrong and what was expected. */
  readonly why: string;
  /** Distinct positions that were offered. */
  readonly positions: number;
  readonly flags: readonly FitFlag[];
}

export type CausticFit = DeterminedCaustic | UndeterminedCaustic;
