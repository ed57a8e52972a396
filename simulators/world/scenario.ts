/*
 * A scenario is plain data: it can stand in a plan, in a log and in a hash. Keys are those of the wire, so that a plan
 * writes a fault as the evaluation plan defines it.
 */

/** One principal axis of the beam: w(z)² = w0² + θ² (z − z0)² with θ = M² λ / (π w0). */
export interface PrincipalAxis {
  /** Second-moment radius of the waist, half of its d4σ diameter. */
  readonly w0_um: number;
  /** Beam propagation ratio, ≥ 1. */
  readonly m2: number;
  /** Position of the waist on the stage's scale; may lie outside the travel. */
  readonly z0_mm: number;
}

/** Shape of the irradiance. All have the second moments of the principal axes, whatever they look like. */
export const BEAM_PROFILES = ["gaussian", "hermite_gauss", "super_gaussian", "donut"] as const;
export type BeamProfile = (typeof BEAM_PROFILES)[number];

/** A displaced copy of the beam. Offsets are along the sensor's columns (x, to the right) and rows (y, downwards). */
export interface Ghost {
  readonly kind: "ghost";
  /** Power of the copy over that of the beam. */
  readonly relative_power: number;
  readonly offset_x_m: number;
  readonly offset_y_m: number;
  /** First and last stage position at which the copy is there, both included; without them it is everywhere. */
  readonly z_min_m?: number;
  readonly z_max_m?: number;
}

/** A circular hole in front of the sensor, centred on the beam axis. Truncates; diffraction is left out. */
export interface Aperture {
  readonly kind: "aperture";
  readonly radius_m: number;
  readonly z_min_m?: number;
  readonly z_max_m?: number;
}

/** Defective pixels at every crossing of the rows and columns: `counts` more in every light frame, whatever the exposure. */
export interface HotPixels {
  readonly kind: "hot_pixels";
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly counts: number;
}

/** The beam's centre moves by this much with every measurement taken so far. */
export interface PointingDrift {
  readonly kind: "pointing_drift";
  readonly x_um_per_measurement: number;
  readonly y_um_per_measurement: number;
}

/** Even light on every pixel, beam blocked or not. Its change with the measurements makes old darks stale. */
export interface RoomLight {
  readonly kind: "room_light";
  readonly counts_per_ms: number;
  readonly counts_per_ms_per_measurement: number;
}

export type BeamFault = Ghost | Aperture | HotPixels | PointingDrift | RoomLight;

/** Everything that is true about one bench's light. Counts are those of a 12-bit readout of the reference pixel. */
export interface Scenario {
  readonly name: string;
  /** x is the principal axis that `azimuth_deg` turns away from the sensor's rows. */
  readonly x: PrincipalAxis;
  readonly y: PrincipalAxis;
  /** Of the x axis, counter-clockwise as seen on the screen, (−45, 45]. */
  readonly azimuth_deg: number;
  /** Summed over a sensor without edges, in counts of a 12-bit readout per ms of exposure. */
  readonly power_counts_per_ms: number;
  readonly profile: BeamProfile;
  readonly faults: readonly BeamFault[];
}
