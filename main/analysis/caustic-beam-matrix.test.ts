import { describe, expect, test } from "vitest";
import { type BeamMatrix, fitBeamMatrix, type MomentPlane } from "./caustic-beam-matrix.ts";

/*
 * Beams whose 4 × 4 matrix is known: a simple astigmatic one by its closed form, and images of it by lenses and rotations. Any
 * such system is symplectic and keeps M²eff and a.
 */
type Matrix = readonly (readonly number[])[];
const WAVELENGTH_nm = 632.8;
const SCAN = [-60, -45, -30, -15, -8, 0, 8, 15, 30, 45, 60];

const multiply = (a: Matrix, b: Matrix): Matrix =>
  a.map((row) => (b[0] ?? []).map((_, k) => row.reduce((sum, value, i) => sum + value * (b[i]?.[k] ?? 0), 0)));
const transpose = (a: Matrix): Matrix => (a[0] ?? []).map((_, k) => a.map((row) => row[k] ?? 0));
const through = (system: Matrix, beam: Matrix): Matrix => multiply(multiply(system, beam), transpose(system));

/** Rows and columns x, y, u, v in µm and mrad at the common waist plane. */
function simpleAstigmatic(d0X_um: number, m2X: number, d0Y_um: number, m2Y: number): Matrix {
  const thetaX = (4 * m2X * WAVELENGTH_nm) / (Math.PI * d0X_um);
  const thetaY = (4 * m2Y * WAVELENGTH_nm) / (Math.PI * d0Y_um);
  const squares = [d0X_um, d0Y_um, thetaX, thetaY].map((full) => (full / 4) ** 2);
  return squares.map((square, i) => squares.map((_, k) => (i === k ? square : 0)));
}

const drift = (z_mm: number): Matrix => [
  [1, 0, z_mm, 0],
  [0, 1, 0, z_mm],
  [0, 0, 1, 0],
  [0, 0, 0, 1],
];
function rotation(angle_deg: number): Matrix {
  const c = Math.cos((angle_deg * Math.PI) / 180);
  const s = Math.sin((angle_deg * Math.PI) / 180);
  return [
    [c, -s, 0, 0],
    [s, c, 0, 0],
    [0, 0, c, -s],
    [0, 0, s, c],
  ];
}
/** A cylindrical lens whose power acts along x. */
const cylinder = (f_mm: number): Matrix => [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [-1 / f_mm, 0, 1, 0],
  [0, 0, 0, 1],
];

/** What a camera sees of a beam along z. */
function planesOf(beam: Matrix, relativeU: number, noise: (i: number) => number = () => 0): MomentPlane[] {
  return SCAN.map((z_mm, i) => {
    const there = through(drift(z_mm), beam);
    const [xx = 0, xy = 0] = there[0] ?? [];
    const yy = there[1]?.[1] ?? 0;
    const mean = (xx + yy) / 2;
    const half = Math.hypot((xx - yy) / 2, xy);
    const xLarger = xx >= yy;
    const dX = 4 * Math.sqrt(xLarger ? mean + half : mean - half) * (1 + relativeU * noise(2 * i));
    const dY = 4 * Math.sqrt(xLarger ? mean - half : mean + half) * (1 + relativeU * noise(2 * i + 1));
    const azimuth_deg = (0.5 * Math.atan((2 * xy) / (xx - yy)) * 180) / Math.PI;
    return { z_mm, d4sigmaX_um: dX, d4sigmaY_um: dY, uX_um: relativeU * dX, uY_um: relativeU * dY, azimuth_deg };
  });
}

function fitted(planes: readonly MomentPlane[], twist_um_mrad?: number): BeamMatrix {
  const matrix = fitBeamMatrix(planes, {
    wavelength_nm: WAVELENGTH_nm,
    ...(twist_um_mrad === undefined ? {} : { twist_um_mrad }),
  });
  if (!matrix.determined) throw new Error(matrix.why);
  return matrix;
}

describe("beam matrix from planes along z", () => {
  const aligned = simpleAstigmatic(130, 1.2, 180, 2.1);

  test("an aligned simple astigmatic beam: M²eff = √(M²x M²y), a = ½ (M²x − M²y)²", () => {
    const matrix = fitted(planesOf(aligned, 0.002));
    expect(matrix.m2Effective).toBeCloseTo(Math.sqrt(1.2 * 2.1), 6);
    expect(matrix.intrinsicAstigmatism).toBeCloseTo(0.5 * (1.2 - 2.1) ** 2, 6);
    expect(matrix.intrinsicallyStigmatic).toBe(false);
    expect(matrix.axesFixed).toBe(true);
    expect(matrix.xx_um2).toBeCloseTo((130 / 4) ** 2, 4);
    expect(matrix.z_mm).toBeCloseTo(0, 9);
  });

  test.each([-40, -20, 10, 33, 45])("turned by %s° it has the same numbers and fixed axes there", (angle_deg) => {
    const matrix = fitted(planesOf(through(rotation(angle_deg), aligned), 0.002));
    expect(matrix.m2Effective).toBeCloseTo(Math.sqrt(1.2 * 2.1), 5);
    expect(matrix.intrinsicAstigmatism).toBeCloseTo(0.5 * (1.2 - 2.1) ** 2, 5);
    expect(Math.abs(matrix.azimuth_deg - angle_deg) % 90).toBeCloseTo(0, 4);
    expect(matrix.fixedAxes_chi2_ndf).toBeLessThan(1e-6);
    expect(matrix.axesFixed).toBe(true);
  });

  test("a stigmatic beam has no intrinsic astigmatism", () => {
    const matrix = fitted(planesOf(simpleAstigmatic(130, 1.3, 150, 1.3), 0.002));
    expect(matrix.intrinsicAstigmatism).toBeCloseTo(0, 6);
    expect(matrix.intrinsicallyStigmatic).toBe(true);
  });

  test("a cylindrical lens across the axes makes them turn; the invariants stay", () => {
    const system = [drift(10), rotation(35), cylinder(60), rotation(-35), drift(20)].reduceRight((a, b) =>
      multiply(b, a),
    );
    const beam = through(system, aligned);
    const twist_um_mrad = (beam[0]?.[3] ?? 0) - (beam[1]?.[2] ?? 0);
    expect(Math.abs(twist_um_mrad)).toBeGreaterThan(1);
    const planes = planesOf(beam, 0.002);
    const matrix = fitted(planes, twist_um_mrad);
    expect(matrix.axesFixed).toBe(false);
    expect(matrix.fixedAxes_chi2_ndf).toBeGreaterThan(100);
    expect(matrix.m2Effective).toBeCloseTo(Math.sqrt(1.2 * 2.1), 5);
    expect(matrix.intrinsicAstigmatism).toBeCloseTo(0.5 * (1.2 - 2.1) ** 2, 4);
    // Without the second scan the twist is missing and M²eff comes out too large.
    expect(fitted(planes).m2Effective).toBeGreaterThan(matrix.m2Effective + 1e-3);
  });

  test("the stated uncertainty of M²eff covers its scatter, and noise does not turn the axes", () => {
    let state = 7;
    const uniform = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return (state + 0.5) / 2 ** 32;
    };
    const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    let inside = 0;
    let fixed = 0;
    for (let trial = 0; trial < 600; trial++) {
      const matrix = fitted(planesOf(through(rotation(12), aligned), 0.004, normal));
      if (Math.abs(matrix.m2Effective - Math.sqrt(1.2 * 2.1)) <= matrix.uM2Effective) inside++;
      if (matrix.axesFixed) fixed++;
    }
    expect(inside / 600).toBeGreaterThan(0.62);
    expect(inside / 600).toBeLessThan(0.76);
    expect(fixed).toBe(600);
  });

  test("what cannot be determined says why", () => {
    const planes = planesOf(aligned, 0.002);
    const options = { wavelength_nm: WAVELENGTH_nm };
    const why = (broken: readonly MomentPlane[]) => {
      const matrix = fitBeamMatrix(broken, options);
      return matrix.determined ? "" : matrix.why;
    };
    expect(why(planes.slice(0, 4))).toContain("at least 5 planes; there are 4");
    expect(why(planes.map((plane) => ({ ...plane, z_mm: 3 })))).toContain("three different places");
    expect(why(planes.map((plane, i) => (i === 2 ? { ...plane, uX_um: 0 } : plane)))).toContain("plane at -30 mm");
    expect(why(planes.map((plane, i) => (i === 2 ? { ...plane, azimuth_deg: Number.NaN } : plane)))).toContain("-30");
    const hollow = planes.map((plane) => ({ ...plane, d4sigmaX_um: Math.max(1, 900 - plane.d4sigmaX_um) }));
    expect(why(hollow)).toContain("no beam");
  });
});
