import { describe, expect, test } from "vitest";
import { FIT_WEIGHTS } from "../contract/vocabulary.ts";
import { fitCaustic } from "./caustic-fit.ts";
import { predictDiameter } from "./caustic-predict.ts";
import type { CausticPoint, DeterminedCaustic } from "./caustic-types.ts";

const WAVELENGTH_nm = 632.8;

interface Truth {
  readonly d0_um: number;
  readonly z0_mm: number;
  readonly divergence_mrad: number;
}

/** The closed form that physics.md pins: w0 65 µm, M² 1.2, waist at 130 mm. */
const CLEAN: Truth = { d0_um: 130, z0_mm: 130, divergence_mrad: (4 * 1.2 * WAVELENGTH_nm) / (Math.PI * 130) };
const SCAN = [90, 100, 110, 115, 120, 125, 130, 135, 140, 145, 150, 170, 180, 190, 200];

function width(truth: Truth, z_mm: number): number {
  return Math.sqrt(truth.d0_um ** 2 + (truth.divergence_mrad * (z_mm - truth.z0_mm)) ** 2);
}

function exact(truth: Truth, positions_mm: readonly number[], relativeU?: number): CausticPoint[] {
  return positions_mm.map((z_mm) => {
    const d_um = width(truth, z_mm);
    return { z_mm, d_um, ...(relativeU === undefined ? {} : { u_um: relativeU * d_um }) };
  });
}

/** Widths with a fixed pattern of relative errors, so that fits have something to disagree about. */
function disturbed(truth: Truth, positions_mm: readonly number[], size: number, u = size): CausticPoint[] {
  return exact(truth, positions_mm, u).map((point, i) => ({
    ...point,
    d_um: point.d_um * (1 + size * Math.sin(3.7 * i + 1)),
  }));
}

function determined(points: readonly CausticPoint[], options: Partial<Parameters<typeof fitCaustic>[1]> = {}) {
  const fit = fitCaustic(points, { wavelength_nm: WAVELENGTH_nm, ...options });
  if (!fit.determined) throw new Error(fit.why);
  return fit;
}

function failure(points: readonly CausticPoint[], options: Partial<Parameters<typeof fitCaustic>[1]> = {}) {
  const fit = fitCaustic(points, { wavelength_nm: WAVELENGTH_nm, ...options });
  if (fit.determined) throw new Error(`determined: M² = ${fit.m2.value}`);
  return fit;
}

describe("exact widths give the exact beam", () => {
  const beams: Truth[] = [
    CLEAN,
    { d0_um: 90, z0_mm: -40, divergence_mrad: 12 },
    { d0_um: 180, z0_mm: 300, divergence_mrad: 4.5 },
    { d0_um: 0.9, z0_mm: 0.01, divergence_mrad: 900 },
    { d0_um: 5000, z0_mm: 2e6, divergence_mrad: 0.2 },
  ];
  test.each(FIT_WEIGHTS)("weights %s", (weights) => {
    for (const beam of beams) {
      const rayleigh_mm = beam.d0_um / beam.divergence_mrad;
      const positions = [-3.1, -2.4, -0.9, -0.5, 0.1, 0.6, 0.9, 2.1, 2.7, 3.3].map((k) => beam.z0_mm + k * rayleigh_mm);
      const fit = determined(exact(beam, positions, 0.01), { weights });
      expect(fit.d0_um.value / beam.d0_um).toBeCloseTo(1, 7);
      expect((fit.z0_mm.value - beam.z0_mm) / rayleigh_mm).toBeCloseTo(0, 7);
      expect(fit.divergence_mrad.value / beam.divergence_mrad).toBeCloseTo(1, 7);
      expect(fit.rayleigh_mm.value / rayleigh_mm).toBeCloseTo(1, 7);
      expect(fit.m2.value / ((Math.PI * beam.d0_um * beam.divergence_mrad) / (4 * WAVELENGTH_nm))).toBeCloseTo(1, 7);
      expect(fit.iso.complete).toBe(true);
    }
  });

  test("the clean beam of the bench: M² 1.2, zR 17.479 mm", () => {
    const fit = determined(exact(CLEAN, SCAN, 0.002));
    expect(fit.m2.value).toBeCloseTo(1.2, 5);
    expect(fit.rayleigh_mm.value).toBeCloseTo(17.479, 3);
    expect(fit.weights).toBe("given");
    expect(fit.chi2_ndf).toBeCloseTo(0, 10);
    expect(fit.m2.u).toBeGreaterThan(0);
  });
});

describe("symmetries", () => {
  test.each(FIT_WEIGHTS)("order, mirror, shift and scale change nothing else: %s", (weights) => {
    const points = disturbed(CLEAN, SCAN, 0.01);
    const base = determined(points, { weights });
    const shuffled = determined([...points].reverse(), { weights });
    expect(shuffled.m2.value).toBeCloseTo(base.m2.value, 9);
    const mirrored = determined(
      points.map((point) => ({ ...point, z_mm: -point.z_mm })),
      { weights },
    );
    expect(mirrored.z0_mm.value).toBeCloseTo(-base.z0_mm.value, 7);
    expect(mirrored.m2.u).toBeCloseTo(base.m2.u, 7);
    const shifted = determined(
      points.map((point) => ({ ...point, z_mm: point.z_mm + 1e6 })),
      { weights },
    );
    expect(shifted.z0_mm.value - 1e6).toBeCloseTo(base.z0_mm.value, 5);
    expect(shifted.m2.value).toBeCloseTo(base.m2.value, 6);
    const doubled = determined(
      points.map((point) => ({ z_mm: point.z_mm, d_um: 2 * point.d_um, u_um: 2 * (point.u_um ?? 0) })),
      { weights },
    );
    expect(doubled.m2.value).toBeCloseTo(4 * base.m2.value, 7);
    expect(doubled.m2.u).toBeCloseTo(4 * base.m2.u, 7);
  });

  test("a repeated point with given uncertainties counts as one with √2 less", () => {
    const points = disturbed(CLEAN, SCAN, 0.003, 0.01);
    const first = points[4] as CausticPoint;
    const twice = determined([...points, first]);
    const merged = determined(
      points.map((point) => (point === first ? { ...point, u_um: (point.u_um ?? 0) / Math.SQRT2 } : point)),
    );
    expect(twice.m2.value).toBeCloseTo(merged.m2.value, 9);
    expect(twice.m2.u).toBeCloseTo(merged.m2.u, 9);
    expect(twice.iso.positions).toBe(points.length);
  });
});

describe("uncertainties", () => {
  test("the covariance is the one that a change of each width predicts", () => {
    const points = disturbed(CLEAN, SCAN, 0.003, 0.01);
    const base = determined(points);
    const variance = { m2: 0, z0_mm: 0, d0_um: 0, divergence_mrad: 0, rayleigh_mm: 0 };
    const names = Object.keys(variance) as (keyof typeof variance)[];
    points.forEach((point, i) => {
      const u = point.u_um ?? 0;
      const moved = (step: number) =>
        determined(points.map((other, k) => (k === i ? { ...other, d_um: other.d_um + step * u } : other)));
      const [up, down] = [moved(0.01), moved(-0.01)];
      for (const name of names) variance[name] += ((up[name].value - down[name].value) / 0.02) ** 2;
    });
    expect(base.chi2_ndf).toBeLessThan(1);
    // Curvature of the model separates the two by the size of the residuals over the widths.
    for (const name of names) expect(Math.sqrt(variance[name]) / base[name].u).toBeCloseTo(1, 2);
  });

  test("scatter beyond the given uncertainties enlarges them, scatter below does not shrink them", () => {
    const small = determined(disturbed(CLEAN, SCAN, 0.0001, 0.001));
    const fair = determined(exact(CLEAN, SCAN, 0.001));
    expect(small.m2.u).toBeCloseTo(fair.m2.u, 5);
    const large = determined(disturbed(CLEAN, SCAN, 0.01, 0.001));
    expect(large.chi2_ndf).toBeGreaterThan(10);
    expect(large.m2.u / fair.m2.u / large.studentFactor).toBeCloseTo(Math.sqrt(large.chi2_ndf ?? 0), 1);
    expect(large.studentFactor).toBeCloseTo(1.0434, 3);
    expect(large.flags.map((flag) => flag.code)).toContain("poor_fit");
    expect(fair.flags).toEqual([]);
  });

  test("without a scale of their own the scatter gives it, widened for few points", () => {
    const few = determined(disturbed(CLEAN, SCAN, 0.01), { weights: "relative" });
    expect(few.chi2_ndf).toBeUndefined();
    expect(few.degreesOfFreedom).toBe(12);
    expect(few.studentFactor).toBeCloseTo(1.0434, 3);
    const half = determined(disturbed(CLEAN, SCAN, 0.005), { weights: "relative" });
    expect(few.m2.u / half.m2.u).toBeCloseTo(2, 1);
  });

  test("calibration terms: M² as pitch², 1/stage, 1/wavelength; listed apart", () => {
    const points = exact(CLEAN, SCAN, 0.001);
    const calibration = { pixelPitch: 0.01, stageScale: 0.002, wavelength: 0.0005 };
    const fit = determined(points, { calibration });
    const bare = determined(points);
    const m2 = fit.m2.value;
    expect(fit.m2.parts.pixelPitch).toBeCloseTo(0.02 * m2, 10);
    expect(fit.m2.parts.stageScale).toBeCloseTo(0.002 * m2, 10);
    expect(fit.m2.parts.wavelength).toBeCloseTo(0.0005 * m2, 10);
    expect(fit.m2.parts.fit).toBe(bare.m2.u);
    expect(fit.m2.u).toBeCloseTo(Math.hypot(bare.m2.u, 0.02 * m2, 0.002 * m2, 0.0005 * m2), 10);
    // Each term is what the fit itself does when the scale is wrong by that much.
    const scaled = (d: number, z: number, l: number) =>
      determined(
        points.map((point) => ({ z_mm: z * point.z_mm, d_um: d * point.d_um, u_um: point.u_um ?? 1 })),
        { wavelength_nm: l * WAVELENGTH_nm },
      );
    for (const [name, moved, share] of [
      ["pixelPitch", scaled(1.0001, 1, 1), 0.01],
      ["stageScale", scaled(1, 1.0001, 1), 0.002],
      ["wavelength", scaled(1, 1, 1.0001), 0.0005],
    ] as const) {
      for (const quantity of ["m2", "d0_um", "divergence_mrad", "rayleigh_mm"] as const) {
        const change = Math.abs(moved[quantity].value - bare[quantity].value) / 0.0001;
        expect(fit[quantity].parts[name]).toBeCloseTo(change * share, quantity === "d0_um" ? 2 : 3);
      }
    }
  });

  test("an uncertain position counts where the curve is steep", () => {
    const points = exact(CLEAN, SCAN, 0.0005);
    const sure = determined(points);
    const unsure = determined(points, { uZ_mm: 0.2 });
    expect(unsure.z0_mm.u / sure.z0_mm.u).toBeGreaterThan(2);
    const normalized = determined(disturbed(CLEAN, SCAN, 0.01, 0.0005), { uZ_mm: 0.2 }).residuals;
    const at = (z_mm: number) => normalized.find((residual) => residual.z_mm === z_mm);
    const [steep, flat] = [at(190), at(130)];
    // u² = u_d² + (Θ²(z − z0)/d · u_z)²: at 190 mm the slope is 7.13 µm/mm.
    expect((steep?.residual_um ?? 0) / (steep?.normalized ?? 1)).toBeCloseTo(Math.hypot(0.0005 * 464, 7.13 * 0.2), 1);
    expect((flat?.residual_um ?? 0) / (flat?.normalized ?? 1)).toBeCloseTo(0.0005 * 130, 2);
  });

  test("predicted widths carry the band of the fit", () => {
    const fit = determined(exact(CLEAN, SCAN, 0.002));
    for (const z_mm of [0, 50, 130, 250]) {
      expect(predictDiameter(fit, z_mm).d_um).toBeCloseTo(width(CLEAN, z_mm), 3);
    }
    expect(predictDiameter(fit, fit.z0_mm.value).u_um).toBeCloseTo(fit.d0_um.u, 6);
    const far = predictDiameter(fit, fit.z0_mm.value + 1e6);
    expect(far.u_um / far.d_um).toBeCloseTo(fit.divergence_mrad.u / fit.divergence_mrad.value, 4);
    expect(predictDiameter(fit, 145).u_um).toBeLessThan(0.002 * width(CLEAN, 145));
  });
});

describe("what cannot be determined is a reason", () => {
  test("too few distinct positions, however many points", () => {
    expect(failure([]).reason).toBe("too_few_positions");
    const twoPlaces = exact(CLEAN, [100, 100, 100, 160, 160, 160.0001], 0.01);
    expect(failure(twoPlaces)).toMatchObject({ reason: "too_few_positions", positions: 2 });
    expect(failure(exact(CLEAN, [130, 130.001, 130.002, 160], 0.01), { uZ_mm: 0.002 }).positions).toBe(2);
  });

  test("three positions: enough with uncertainties, nothing to judge by without", () => {
    const fit = determined(exact(CLEAN, [100, 130, 160], 0.01));
    expect(fit.m2.value).toBeCloseTo(1.2, 4);
    expect(fit.m2.u).toBeGreaterThan(0);
    expect(fit.chi2_ndf).toBeUndefined();
    expect(fit.iso).toMatchObject({ complete: false, positions: 3 });
    expect(failure(exact(CLEAN, [100, 130, 160])).reason).toBe("no_uncertainty");
  });

  test("widths that shrink away from the middle, or stay, have no divergence", () => {
    const hill = SCAN.map((z_mm) => ({ z_mm, d_um: 500 - ((z_mm - 140) / 10) ** 2 }));
    expect(failure(hill).reason).toBe("no_divergence");
    expect(failure(SCAN.map((z_mm) => ({ z_mm, d_um: 300 }))).reason).toBe("no_divergence");
    expect(failure(SCAN.map((z_mm) => ({ z_mm, d_um: Math.sqrt(z_mm) }))).reason).toBe("no_divergence");
  });

  test("a cone, or a curve that dips below zero, has no waist", () => {
    expect(failure(SCAN.map((z_mm) => ({ z_mm, d_um: Math.abs(z_mm - 131) }))).reason).toBe("no_waist");
    const steep = [100, 110, 120, 130].map((z_mm) => ({ z_mm, d_um: Math.sqrt((z_mm - 115) ** 2 - 20) }));
    expect(failure(steep, { weights: "uniform_d2" }).reason).toBe("no_waist");
  });

  test.each([0, -5, Number.NaN, Number.POSITIVE_INFINITY])("a width of %s is named", (d_um) => {
    const points = exact(CLEAN, SCAN, 0.01).map((point, i) => (i === 3 ? { ...point, d_um } : point));
    const { reason, why } = failure(points);
    expect(reason).toBe("bad_width");
    expect(why).toContain("z = 115 mm");
    expect(why).toContain(String(d_um));
  });

  test("positions, uncertainties and wavelengths that are no numbers", () => {
    const points = exact(CLEAN, SCAN, 0.01);
    expect(failure([...points, { z_mm: Number.NaN, d_um: 100, u_um: 1 }]).reason).toBe("bad_position");
    for (const u_um of [0, -1, Number.NaN]) {
      expect(failure([...points, { z_mm: 1, d_um: 100, u_um }]).reason).toBe("bad_uncertainty");
    }
    expect(failure([...points, { z_mm: 1, d_um: 100 }], { weights: "given" }).why).toContain("missing");
    for (const wavelength_nm of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(failure(points, { wavelength_nm }).reason).toBe("bad_wavelength");
    }
  });

  test("numbers near the ends of the floating-point range give a reason or a finite fit", () => {
    for (const scale of [1e-300, 1e-150, 1e150, 1e300]) {
      for (const weights of FIT_WEIGHTS) {
        const points = exact(CLEAN, SCAN, 0.01).map((point) => ({
          z_mm: point.z_mm,
          d_um: point.d_um * scale,
          u_um: (point.u_um ?? 0) * scale,
        }));
        const fit = fitCaustic(points, { wavelength_nm: WAVELENGTH_nm, weights });
        if (fit.determined) {
          for (const quantity of [fit.m2, fit.z0_mm, fit.d0_um, fit.divergence_mrad, fit.rayleigh_mm]) {
            expect(Number.isFinite(quantity.value) && Number.isFinite(quantity.u)).toBe(true);
          }
        } else expect(fit.why).not.toBe("");
      }
    }
  });
});

describe("flags", () => {
  const codes = (fit: DeterminedCaustic) => fit.flags.map((flag) => flag.code);

  test("all positions on one side of the waist", () => {
    const beyond = determined(disturbed(CLEAN, [160, 165, 170, 175, 180, 185, 190, 195, 200, 205], 0.001));
    expect(beyond.flags).toEqual([{ code: "waist_outside_positions", value: beyond.z0_mm.value, limit: 160 }]);
    expect(beyond.iso.complete).toBe(false);
    expect(beyond.iso.missing.join()).toContain("within one Rayleigh length");
    const before = determined(exact(CLEAN, [50, 60, 70, 80, 90, 100, 110], 0.001));
    expect(before.flags[0]).toMatchObject({ code: "waist_outside_positions", limit: 110 });
  });

  test("M² significantly below 1 is flagged and never complete, M² near 1 is neither", () => {
    const impossible: Truth = { ...CLEAN, divergence_mrad: CLEAN.divergence_mrad * 0.75 };
    const scan = SCAN.map((z_mm) => 130 + (z_mm - 130) / 0.75);
    const fit = determined(disturbed(impossible, scan, 0.005));
    expect(fit.m2.value).toBeCloseTo(0.9, 1);
    expect(codes(fit)).toEqual(["m2_below_one"]);
    expect(fit.flags[0]).toMatchObject({ value: fit.m2.value + 2 * fit.m2.u, limit: 1 });
    expect(fit.iso.complete).toBe(false);
    expect(fit.iso.missing.join()).toContain("below 1");
    const gaussian: Truth = { ...CLEAN, divergence_mrad: CLEAN.divergence_mrad / 1.2 };
    const noisy = determined(disturbed(gaussian, scan, 0.02));
    expect(codes(noisy)).toEqual([]);
  });
});
