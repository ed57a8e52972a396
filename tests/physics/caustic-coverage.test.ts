import { CholeskyDecomposition, Matrix } from "ml-matrix";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { describe, expect, test } from "vitest";
import { fitCaustic } from "../../main/analysis/caustic-fit.ts";
import { darkCorrelation } from "../../main/analysis/caustic-shared-dark.ts";
import type { CausticOptions, CausticPoint } from "../../main/analysis/caustic-types.ts";

/*
 * Calibration of the stated uncertainties: many beams of closed form, widths with noise of known size, and the share of
 * fits whose truth lies within one and two standard uncertainties.
 */

const BEAMS = 4000;
const QUANTITIES = ["m2", "z0_mm", "d0_um", "divergence_mrad", "rayleigh_mm"] as const;
/** Multiples of the Rayleigh length: the positions of a scripted scan, and the fewest that ISO allows. */
const SCRIPTED = [-4, -3.5, -3, -2.5, -0.95, -0.6, -0.3, 0, 0.3, 0.6, 0.95, 2.5, 3, 3.5, 4];
const FEWEST = [-3, -2.5, -0.9, -0.5, 0, 0.5, 0.9, 2.2, 2.6, 3.1];

interface Trial {
  readonly options: Omit<CausticOptions, "wavelength_nm">;
  readonly scan: readonly number[];
  /** Standard deviation of a width of d µm. */
  readonly noise_um: (d_um: number) => number;
  /** Stated over true standard deviation. */
  readonly stated?: number;
  /** Standard deviation of the place where the stage really stood. */
  readonly jitter_mm?: number;
  /** Share of the variance that the noise of two darks makes, one near and one far from the waist; told to the fit or not. */
  readonly darks?: { readonly share: number; readonly told: boolean };
}

function coverage({ options, scan, noise_um, stated = 1, jitter_mm = 0, darks }: Trial) {
  const generator = xoroshiro128plus(20261);
  const uniform = () => (generator.next() >>> 0) / 2 ** 32;
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const inside = Object.fromEntries(QUANTITIES.map((name) => [name, { one: 0, two: 0 }]));
  for (let beam = 0; beam < BEAMS; beam++) {
    const m2 = 1.05 + 0.75 * uniform();
    const d0_um = 90 + 90 * uniform();
    const z0_mm = 60 + 130 * uniform();
    const divergence_mrad = (4 * m2 * 632.8) / (Math.PI * d0_um);
    const rayleigh_mm = d0_um / divergence_mrad;
    const share = darks?.share ?? 0;
    const exact = scan.map((k): CausticPoint => {
      const z_mm = z0_mm + k * rayleigh_mm;
      const d_um = Math.hypot(d0_um, divergence_mrad * (z_mm + jitter_mm * normal() - z0_mm));
      const u_um = noise_um(d_um);
      const dark = { id: Math.abs(k) < 1 ? "near" : "far", u_um: Math.sqrt(share) * u_um, across_um: 1.1 * d_um };
      return { z_mm, d_um, u_um, dark };
    });
    const common = share > 0 ? commonNoise(exact, normal) : [];
    const points = exact.map(({ z_mm, d_um, u_um = 0, dark }, i): CausticPoint => {
      const error = Math.sqrt(1 - share) * normal() + Math.sqrt(share) * (common[i] ?? 0);
      const told = darks?.told === true && dark !== undefined ? { dark } : {};
      return { z_mm, d_um: d_um + u_um * error, u_um: stated * u_um, ...told };
    });
    const fit = fitCaustic(points, { wavelength_nm: 632.8, ...options });
    if (!fit.determined) throw new Error(fit.why);
    const truth = { m2, z0_mm, d0_um, divergence_mrad, rayleigh_mm };
    for (const name of QUANTITIES) {
      const error = Math.abs(fit[name].value - truth[name]);
      const count = inside[name] as { one: number; two: number };
      if (error <= fit[name].u) count.one += 100 / BEAMS;
      if (error <= 2 * fit[name].u) count.two += 100 / BEAMS;
    }
  }
  return inside;
}

/** Deviates of unit variance with the correlation of widths under shared darks. */
function commonNoise(points: readonly CausticPoint[], normal: () => number): number[] {
  // Equal widths on both sides of the waist correlate fully: a trace of their own noise keeps the matrix positive.
  const correlation = new Matrix(
    points.map((one, i) => points.map((other, k) => darkCorrelation(one, other) + (i === k ? 1e-9 : 0))),
  );
  const deviates = Matrix.columnVector(points.map(normal));
  return new CholeskyDecomposition(correlation).lowerTriangularMatrix.mmul(deviates).to1DArray();
}

function expectCalibrated(trial: Trial, one: readonly [number, number], two: readonly [number, number]): void {
  for (const [name, share] of Object.entries(coverage(trial))) {
    expect(share.one, `${name} within ±1 u`).toBeGreaterThanOrEqual(one[0]);
    expect(share.one, `${name} within ±1 u`).toBeLessThanOrEqual(one[1]);
    expect(share.two, `${name} within ±2 u`).toBeGreaterThanOrEqual(two[0]);
    expect(share.two, `${name} within ±2 u`).toBeLessThanOrEqual(two[1]);
  }
}

describe("coverage of ±1 u in 68 ± 4 % and ±2 u in 95 ± 2 % of the beams", () => {
  test.each([0.001, 0.003, 0.01])("given uncertainties of %s of the width", (r) => {
    expectCalibrated({ options: {}, scan: SCRIPTED, noise_um: (d) => r * d }, [64, 72], [93, 97]);
  });

  test("given uncertainties of unequal size", () => {
    expectCalibrated({ options: {}, scan: SCRIPTED, noise_um: (d) => 0.3 + 1e-5 * d * d }, [64, 72], [93, 97]);
  });

  test("given uncertainties with an unsteady stage", () => {
    const trial = { scan: SCRIPTED, noise_um: (d: number) => 0.0005 * d, jitter_mm: 0.05 };
    expectCalibrated({ ...trial, options: { uZ_mm: 0.05 } }, [64, 72], [93, 97]);
    // The same stage unmentioned: the waist's place is then overstated, so the option is what calibrates it.
    expect(coverage({ ...trial, options: {} })["z0_mm"]?.one).toBeLessThan(62);
  });

  test("given uncertainties that are half of the truth: the scatter mends them", () => {
    expectCalibrated({ options: {}, scan: SCRIPTED, noise_um: (d) => 0.003 * d, stated: 0.5 }, [64, 72], [93, 97]);
  });

  test("relative weights over relative scatter", () => {
    const noise_um = (d: number) => 0.005 * d;
    expectCalibrated({ options: { weights: "relative" }, scan: SCRIPTED, noise_um }, [64, 72], [93, 97]);
    // Seven degrees of freedom: Student's t has wider tails than ±2 of its own 68 % half-widths.
    expectCalibrated({ options: { weights: "relative" }, scan: FEWEST, noise_um }, [64, 72], [92.2, 97]);
  });

  test("uniform weights over scatter of one size", () => {
    const noise_um = () => 0.8;
    expectCalibrated({ options: { weights: "uniform_d" }, scan: SCRIPTED, noise_um }, [64, 72], [93, 97]);
    expectCalibrated(
      { options: { weights: "uniform_d2" }, scan: SCRIPTED, noise_um: (d) => 200 / d },
      [64, 72],
      [93, 97],
    );
  });

  test("darks that several positions share", () => {
    const trial = { options: {}, scan: SCRIPTED, noise_um: (d: number) => 0.002 * d };
    expectCalibrated({ ...trial, darks: { share: 0.25, told: true } }, [64, 72], [93, 97]);
    // Kept from the fit, the same noise makes the waist look better known than it is.
    expect(coverage({ ...trial, darks: { share: 0.25, told: false } })["d0_um"]?.one).toBeLessThan(64);
  });

  test("the fewest positions of ISO", () => {
    expectCalibrated({ options: {}, scan: FEWEST, noise_um: (d) => 0.003 * d }, [64, 72], [93, 97]);
  });
});
