import { describe, expect, test } from "vitest";
import { fitBothAxes, type WidthRecord } from "./caustic-both-axes.ts";
import { alignAxes, azimuthUncertainty_deg, type PrincipalAxes, turningOfAxes } from "./general-astigmatism.ts";

const plane = (azimuth_deg: number, minor = 70, relativeU = 0.002): PrincipalAxes => ({
  d4sigmaX_um: 100,
  d4sigmaY_um: minor,
  uX_um: 100 * relativeU,
  uY_um: minor * relativeU,
  azimuth_deg,
});

describe("turning of the axes", () => {
  test("more than 10° between clearly elliptical planes", () => {
    expect(turningOfAxes([plane(5), plane(9), plane(17)])).toEqual({
      code: "general_astigmatism",
      value: 12,
      limit: 10,
    });
    expect(turningOfAxes([plane(5), plane(9), plane(14)])).toBeUndefined();
  });

  test("±45° are the same axes", () => {
    expect(turningOfAxes([plane(44), plane(-44), plane(45)])).toBeUndefined();
    expect(turningOfAxes([plane(40), plane(-38)])?.value).toBeCloseTo(12, 10);
  });

  test("round planes have no azimuth", () => {
    expect(turningOfAxes([plane(0, 88), plane(30, 88), plane(-40, 99)])).toBeUndefined();
    expect(turningOfAxes([])).toBeUndefined();
  });

  test("a turn within the noise of the azimuth is none", () => {
    expect(turningOfAxes([plane(0, 86, 0.002), plane(12, 86, 0.002)])).toBeDefined();
    expect(turningOfAxes([plane(0, 86, 0.02), plane(12, 86, 0.02)])).toBeUndefined();
  });

  test("uncertainty of the azimuth: 0.90° for 0.5 % at 0.8", () => {
    expect(azimuthUncertainty_deg(plane(0, 80, 0.005))).toBeCloseTo(0.9003, 3);
    expect(azimuthUncertainty_deg(plane(0, 100, 0.005))).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("axes followed along z", () => {
  test("a beam near 45° keeps its x", () => {
    const swapped = { ...plane(-44), d4sigmaX_um: 70, d4sigmaY_um: 100, uX_um: 1, uY_um: 2 };
    const [first, second, third] = alignAxes([plane(44), swapped, plane(43)]);
    expect(first).toEqual(plane(44));
    expect(second).toMatchObject({ d4sigmaX_um: 100, d4sigmaY_um: 70, uX_um: 2, uY_um: 1, azimuth_deg: 46 });
    expect(third).toEqual(plane(43));
  });

  test("a round plane and a beam without azimuths stay as they are", () => {
    const round = plane(-40, 99.9, 0.01);
    expect(alignAxes([plane(20), round])[1]).toEqual(round);
    const bare = { d4sigmaX_um: 100, d4sigmaY_um: 50 };
    expect(alignAxes([bare, bare])).toEqual([bare, bare]);
  });
});

describe("both axes", () => {
  const positions = [90, 100, 110, 115, 120, 125, 130, 135, 140, 145, 150, 170, 180, 190, 200];
  const record = (z_mm: number, i: number): WidthRecord => {
    const d4sigmaX_um = Math.hypot(130, ((4 * 1.2 * 632.8) / (Math.PI * 130)) * (z_mm - 130));
    const d4sigmaY_um = Math.hypot(136, ((4 * 1.3 * 632.8) / (Math.PI * 136)) * (z_mm - 128));
    return { id: `m${i}`, z_mm, d4sigmaX_um, d4sigmaY_um, uX_um: 0.001 * d4sigmaX_um, uY_um: 0.001 * d4sigmaY_um };
  };

  test("recover a simple astigmatic beam, one fit each", () => {
    const { x, y, used, leftOut, flags } = fitBothAxes(positions.map(record), { wavelength_nm: 632.8 });
    if (!x.determined || !y.determined) throw new Error("not determined");
    expect(x.m2.value).toBeCloseTo(1.2, 5);
    expect(y.m2.value).toBeCloseTo(1.3, 5);
    expect(y.z0_mm.value).toBeCloseTo(128, 5);
    expect([x.weights, y.weights]).toEqual(["given", "given"]);
    expect(used).toHaveLength(positions.length);
    expect({ leftOut, flags }).toEqual({ leftOut: [], flags: [] });
  });

  test("recover it when its azimuth of 45° lets the frames exchange x and y", () => {
    const turned = positions.map(record).map((r, i): WidthRecord => {
      if (i % 2 === 0) return { ...r, azimuth_deg: 44.5 };
      const { d4sigmaX_um, d4sigmaY_um, uX_um, uY_um, id, z_mm } = r as Required<WidthRecord>;
      return {
        id,
        z_mm,
        d4sigmaX_um: d4sigmaY_um,
        d4sigmaY_um: d4sigmaX_um,
        uX_um: uY_um,
        uY_um: uX_um,
        azimuth_deg: -44.5,
      };
    });
    const { x, y } = fitBothAxes(turned, { wavelength_nm: 632.8 });
    if (!x.determined || !y.determined) throw new Error("not determined");
    expect(x.chi2_ndf).toBeLessThan(1e-6);
    expect(x.m2.value).toBeCloseTo(1.2, 5);
    expect(y.m2.value).toBeCloseTo(1.3, 5);
  });

  test("records without usable widths are left out by name", () => {
    const bad: WidthRecord[] = [
      { id: "refused", z_mm: 1, d4sigmaX_um: 1, d4sigmaY_um: 1, refused: "saturated" },
      { id: "empty", z_mm: 2 },
      { id: "half", z_mm: 3, d4sigmaX_um: 100 },
      { id: "zero", z_mm: 4, d4sigmaX_um: 100, d4sigmaY_um: 0 },
      { id: "nan", z_mm: 5, d4sigmaX_um: Number.NaN, d4sigmaY_um: 100 },
      { id: "nowhere", z_mm: Number.NaN, d4sigmaX_um: 100, d4sigmaY_um: 100 },
    ];
    const { x, used, leftOut } = fitBothAxes([...bad, ...positions.map(record)], { wavelength_nm: 632.8 });
    expect(x.determined).toBe(true);
    expect(used).toHaveLength(positions.length);
    expect(leftOut).toEqual([
      { id: "refused", why: "saturated" },
      { id: "empty", why: "no x width" },
      { id: "half", why: "no y width" },
      { id: "zero", why: "y width 0 µm is not a positive number" },
      { id: "nan", why: "x width NaN µm is not a positive number" },
      { id: "nowhere", why: "position NaN mm is not a number" },
    ]);
  });
});
