import type { PrincipalAxis, Scenario } from "./scenario.ts";

/** Helium–neon line on which every scenario runs. */
export const WAVELENGTH_nm = 632.8;

/** Closed-form values of one principal axis. Full widths and full angles. */
export interface AxisTruth {
  readonly m2: number;
  readonly z0_mm: number;
  readonly d0_um: number;
  readonly divergence_mrad: number;
  readonly rayleigh_mm: number;
}

/** What the beam really is, without its faults. For graders: nothing of it may reach whoever drives the bench. */
export interface BeamTruth {
  readonly wavelength_nm: number;
  readonly azimuth_deg: number;
  readonly x: AxisTruth;
  readonly y: AxisTruth;
}

/** Half angle of divergence, θ = M² λ / (π w0), in mrad. */
function halfAngle_mrad({ m2, w0_um }: PrincipalAxis): number {
  // nm / µm is mrad.
  return (m2 * WAVELENGTH_nm) / (Math.PI * w0_um);
}

/** Second-moment radius at a position, w(z)² = w0² + θ² (z − z0)². */
export function beamRadius_um(axis: PrincipalAxis, z_mm: number): number {
  // mrad × mm is µm.
  return Math.hypot(axis.w0_um, halfAngle_mrad(axis) * (z_mm - axis.z0_mm));
}

function axisTruth(axis: PrincipalAxis): AxisTruth {
  const theta_mrad = halfAngle_mrad(axis);
  return {
    m2: axis.m2,
    z0_mm: axis.z0_mm,
    d0_um: 2 * axis.w0_um,
    divergence_mrad: 2 * theta_mrad,
    rayleigh_mm: axis.w0_um / theta_mrad,
  };
}

/** Waist, divergence, Rayleigh length and M² of a scenario's beam. */
export function beamTruth(scenario: Scenario): BeamTruth {
  return {
    wavelength_nm: WAVELENGTH_nm,
    azimuth_deg: scenario.azimuth_deg,
    x: axisTruth(scenario.x),
    y: axisTruth(scenario.y),
  };
}

/** True d4σ diameter at a position: d(z)² = d0² + Θ² (z − z0)². */
export function trueD4sigma_um(axis: AxisTruth, z_mm: number): number {
  return Math.hypot(axis.d0_um, axis.divergence_mrad * (z_mm - axis.z0_mm));
}
