import { levenbergMarquardt } from "ml-levenberg-marquardt";
import { inverse, Matrix } from "ml-matrix";
import { describe, expect, test } from "vitest";
import { fitCaustic } from "../../main/analysis/caustic-fit.ts";

/* The caustic fit against two libraries that share no line with it. */

const Z_mm = [90, 100, 110, 115, 120, 125, 130, 135, 140, 145, 150, 170, 180, 190, 200];
const D_um = Z_mm.map((z, i) => Math.hypot(130, 7.437 * (z - 130)) * (1 + 0.01 * Math.sin(3.7 * i + 1)));
const U_um = D_um.map((d, i) => d * (0.004 + 0.001 * (i % 4)));
const WAVELENGTH_nm = 632.8;

describe("caustic fit against independent libraries", () => {
  test("non-linear parameters as ml-levenberg-marquardt finds them", () => {
    const ours = fitCaustic(
      Z_mm.map((z_mm, i) => ({ z_mm, d_um: D_um[i] as number, u_um: U_um[i] as number })),
      { wavelength_nm: WAVELENGTH_nm },
    );
    // Divided by the uncertainties beforehand, with the index as abscissa, so that its own weights play no part.
    const theirs = levenbergMarquardt(
      { x: Z_mm.map((_, i) => i), y: D_um.map((d, i) => d / (U_um[i] as number)) },
      ([d0 = 0, z0 = 0, divergence = 0]) =>
        (i) =>
          Math.hypot(d0, divergence * ((Z_mm[i] as number) - z0)) / (U_um[i] as number),
      {
        initialValues: [120, 128, 7],
        maxIterations: 200,
        errorTolerance: 0,
        gradientDifference: 1e-4,
        centralDifference: true,
      },
    );
    if (!ours.determined) throw new Error(ours.why);
    const [d0, z0, divergence] = theirs.parameterValues as [number, number, number];
    expect(ours.d0_um.value / d0).toBeCloseTo(1, 6);
    expect(ours.z0_mm.value / z0).toBeCloseTo(1, 6);
    expect(ours.divergence_mrad.value / divergence).toBeCloseTo(1, 6);
  });

  test("relative weights: a, b, c and the propagated covariance by ml-matrix", () => {
    const ours = fitCaustic(
      Z_mm.map((z_mm, i) => ({ z_mm, d_um: D_um[i] as number })),
      { wavelength_nm: WAVELENGTH_nm, weights: "relative" },
    );
    if (!ours.determined) throw new Error(ours.why);
    const centre = 140;
    const rows = new Matrix(Z_mm.map((z) => [1, z - centre, (z - centre) ** 2]));
    const weights = Matrix.diag(D_um.map((d) => d ** -4));
    const right = Matrix.columnVector(D_um.map((d) => d * d));
    const normal = inverse(rows.transpose().mmul(weights).mmul(rows));
    const solution = normal.mmul(rows.transpose().mmul(weights).mmul(right));
    const [a, b, c] = solution.to1DArray() as [number, number, number];
    const residual = Matrix.sub(rows.mmul(solution), right);
    const chi2 = residual.transpose().mmul(weights).mmul(residual).get(0, 0);
    const covariance = normal.mul(chi2 / (Z_mm.length - 3));
    const D = 4 * a * c - b * b;
    const propagated = (gradient: number[]) => {
      const g = new Matrix([gradient]);
      return Math.sqrt(g.mmul(covariance).mmul(g.transpose()).get(0, 0));
    };
    const m2 = (Math.PI / (8 * WAVELENGTH_nm)) * Math.sqrt(D);
    const scale = Math.PI / (8 * WAVELENGTH_nm * Math.sqrt(D));
    const rayleigh = Math.sqrt(D) / (2 * c);
    const expected = [
      [ours.m2, m2, propagated([scale * 2 * c, -scale * b, scale * 2 * a])],
      [ours.z0_mm, centre - b / (2 * c), propagated([0, -1 / (2 * c), b / (2 * c * c)])],
      [ours.divergence_mrad, Math.sqrt(c), propagated([0, 0, 1 / (2 * Math.sqrt(c))])],
      [
        ours.rayleigh_mm,
        rayleigh,
        propagated([
          1 / Math.sqrt(D),
          -b / (2 * c * Math.sqrt(D)),
          a / (c * Math.sqrt(D)) - Math.sqrt(D) / (2 * c * c),
        ]),
      ],
    ] as const;
    for (const [quantity, value, u] of expected) {
      expect(quantity.value / value).toBeCloseTo(1, 8);
      expect(quantity.u / ours.studentFactor / u).toBeCloseTo(1, 7);
    }
  });
});
