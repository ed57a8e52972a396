import { quadraticForm } from "./caustic-least-squares.ts";
import type { DeterminedCaustic } from "./caustic-types.ts";

/**
 * Full width of a fitted caustic at a place, with its standard uncertainty from the whole covariance of the fit:
 * ±u along a grid of z is the confidence band of the curve. The calibration terms are not in it, since a width measured
 * with the same instruments shares them.
 */
export function predictDiameter(
  fit: Pick<DeterminedCaustic, "d0_um" | "z0_mm" | "divergence_mrad" | "covariance" | "studentFactor">,
  z_mm: number,
): { readonly d_um: number; readonly u_um: number } {
  const d0_um = fit.d0_um.value;
  const divergence_mrad = fit.divergence_mrad.value;
  const distance_mm = z_mm - fit.z0_mm.value;
  const d_um = Math.hypot(d0_um, divergence_mrad * distance_mm);
  const variance_um2 = quadraticForm(fit.covariance, [
    d0_um / d_um,
    (-divergence_mrad * divergence_mrad * distance_mm) / d_um,
    (divergence_mrad * distance_mm * distance_mm) / d_um,
  ]);
  return { d_um, u_um: fit.studentFactor * Math.sqrt(variance_um2) };
}
