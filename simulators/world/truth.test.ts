import { expect, test } from "vitest";
import { SCENARIOS } from "./scenarios.ts";
import { beamRadius_um, beamTruth, trueD4sigma_um } from "./truth.ts";

test("diameters and Rayleigh lengths of the clean beam are those computed elsewhere", () => {
  const { x, y, wavelength_nm } = beamTruth(SCENARIOS.clean);
  expect(wavelength_nm).toBe(632.8);
  const expected = [
    [0, 975.5, 995.1],
    [50, 609.0, 615.9],
    [130, 130.0, 136.9],
    [250, 901.9, 949.4],
  ] as const;
  for (const [z_mm, dX_um, dY_um] of expected) {
    expect(Math.abs(trueD4sigma_um(x, z_mm) - dX_um)).toBeLessThanOrEqual(0.05);
    expect(Math.abs(trueD4sigma_um(y, z_mm) - dY_um)).toBeLessThanOrEqual(0.05);
  }
  expect(x.rayleigh_mm).toBeCloseTo(17.479, 3);
  expect(y.rayleigh_mm).toBeCloseTo(17.659, 3);
});

test("M² = π d0 Θ / (4 λ), and the radius drawn is half the true diameter", () => {
  for (const scenario of Object.values(SCENARIOS)) {
    const truth = beamTruth(scenario);
    for (const [axis, beam] of [
      [truth.x, scenario.x],
      [truth.y, scenario.y],
    ] as const) {
      expect((Math.PI * axis.d0_um * axis.divergence_mrad) / (4 * truth.wavelength_nm)).toBeCloseTo(beam.m2, 12);
      expect(2 * beamRadius_um(beam, 77)).toBeCloseTo(trueD4sigma_um(axis, 77), 9);
      expect(trueD4sigma_um(axis, axis.z0_mm + axis.rayleigh_mm) / axis.d0_um).toBeCloseTo(Math.SQRT2, 12);
    }
  }
});
