import type { AxisResult } from "../contract/axis-result.ts";
import type { CausticFit, FitFlag } from "./caustic-types.ts";

/**
 * A fit as it stands on the wire. `ofBothAxes` are flags that no single axis can raise. Near and far are 0 where no
 * waist was found to count from.
 */
export function toAxisResult(fit: CausticFit, ofBothAxes: readonly FitFlag[] = []): AxisResult {
  const flags = [...fit.flags, ...ofBothAxes];
  if (!fit.determined) {
    return { determined: false, why: fit.why, near: 0, far: 0, positions: fit.positions, flags };
  }
  const { fit: scatter, pixelPitch, stageScale, wavelength } = fit.m2.parts;
  const calibrated = pixelPitch > 0 || stageScale > 0 || wavelength > 0;
  return {
    determined: true,
    m2: fit.m2.value,
    u_m2: fit.m2.u,
    ...(calibrated
      ? { u_m2_parts: { fit: scatter, pixel_pitch: pixelPitch, stage_scale: stageScale, wavelength } }
      : {}),
    z0_mm: fit.z0_mm.value,
    u_z0_mm: fit.z0_mm.u,
    d0_um: fit.d0_um.value,
    u_d0_um: fit.d0_um.u,
    divergence_mrad: fit.divergence_mrad.value,
    u_divergence_mrad: fit.divergence_mrad.u,
    rayleigh_mm: fit.rayleigh_mm.value,
    u_rayleigh_mm: fit.rayleigh_mm.u,
    ...(fit.chi2_ndf === undefined ? {} : { chi2_ndf: fit.chi2_ndf }),
    weights: fit.weights,
    iso_coverage: fit.iso.complete,
    missing: [...fit.iso.missing],
    near: fit.iso.near,
    far: fit.iso.far,
    positions: fit.iso.positions,
    flags,
  };
}
