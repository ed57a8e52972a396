import { describe, expect, test } from "vitest";
import { fitBothAxes } from "./caustic-both-axes.ts";
import { fitCaustic } from "./caustic-fit.ts";
import { darkCorrelation } from "./caustic-shared-dark.ts";
import type { CausticPoint } from "./caustic-types.ts";

const point = ([along, across]: readonly [number, number], id = "d1"): CausticPoint => ({
  z_mm: 0,
  d_um: along,
  dark: { id, u_um: 1, across_um: across },
});

/** The same sums pixel by pixel: x² − σ² over the area of three widths. */
function correlationByPixels(one: readonly [number, number], other: readonly [number, number]): number {
  const weight = ([along, across]: readonly [number, number], x: number, y: number) =>
    Math.abs(x) <= 1.5 * along && Math.abs(y) <= 1.5 * across ? x * x - (along / 4) ** 2 : 0;
  let [both, first, second] = [0, 0, 0];
  for (let x = -149.5; x < 150; x++) {
    for (let y = -149.5; y < 150; y++) {
      const [a, b] = [weight(one, x, y), weight(other, x, y)];
      both += a * b;
      first += a * a;
      second += b * b;
    }
  }
  return both / Math.sqrt(first * second);
}

describe("errors that a shared dark gives to two widths", () => {
  test.each([
    [
      [60, 60],
      [60, 60],
    ],
    [
      [60, 40],
      [80, 44],
    ],
    [
      [40, 60],
      [30, 100],
    ],
    [
      [30, 30],
      [96, 96],
    ],
  ] as const)("%j and %j correlate as the sums over their pixels do", (one, other) => {
    const expected = correlationByPixels(one, other);
    expect(darkCorrelation(point(one), point(other))).toBeCloseTo(expected, 2);
    expect(darkCorrelation(point(other), point(one))).toBeCloseTo(expected, 2);
  });

  test("different darks have nothing in common", () => {
    expect(darkCorrelation(point([50, 50], "d1"), point([50, 50], "d2"))).toBe(0);
    expect(darkCorrelation(point([50, 50]), { z_mm: 0, d_um: 50 })).toBe(0);
  });
});

describe("the fit", () => {
  const scan = [-60, -50, -42, -15, -8, 0, 8, 15, 42, 50, 60];
  const widths = scan.map((z_mm, i) => ({ z_mm, d_um: Math.hypot(130, 7.4 * z_mm) * (1 + 0.001 * Math.sin(3 * i)) }));
  const points = (share: number, id: (i: number) => string) =>
    widths.map(({ z_mm, d_um }, i): CausticPoint => {
      const u_um = 0.002 * d_um;
      return { z_mm, d_um, u_um, dark: { id: id(i), u_um: share * u_um, across_um: d_um } };
    });
  const fit = (list: readonly CausticPoint[]) => {
    const result = fitCaustic(list, { wavelength_nm: 632.8 });
    if (!result.determined) throw new Error(result.why);
    return result;
  };

  test("keeps its curve and widens its uncertainty by what the points share", () => {
    const alone = fit(points(0.5, String));
    const together = fit(points(0.5, () => "d1"));
    expect(together.m2.value).toBe(alone.m2.value);
    expect(together.d0_um.u).toBeGreaterThan(1.1 * alone.d0_um.u);
    expect(fit(points(0, () => "d1")).d0_um.u).toBe(alone.d0_um.u);
  });

  test("gives fully common errors of equal widths to their mean in full", () => {
    // Ten measurements at one place and two far ones: d0 is their mean.
    const crowd = [
      ...Array.from(
        { length: 10 },
        (): CausticPoint => ({ z_mm: 0, d_um: 130, u_um: 1, dark: { id: "d", u_um: 1, across_um: 130 } }),
      ),
      { z_mm: -100, d_um: 760, u_um: 0.001 },
      { z_mm: 100, d_um: 760, u_um: 0.001 },
    ];
    expect(fit(crowd).d0_um.u).toBeCloseTo(1, 2);
    expect(fit(crowd.map(({ dark: _, ...point_ }) => point_)).d0_um.u).toBeCloseTo(1 / Math.sqrt(10), 2);
  });

  test("takes the dark of each record along both axes", () => {
    const records = points(0.5, () => "").map(({ z_mm, d_um, u_um = 0 }, i) => ({
      id: `m${i}`,
      z_mm,
      d4sigmaX_um: d_um,
      d4sigmaY_um: 1.1 * d_um,
      uX_um: u_um,
      uY_um: u_um,
      dark: "d1",
      uDarkX_um: 0.5 * u_um,
      uDarkY_um: 0,
    }));
    const { x, y } = fitBothAxes(records, { wavelength_nm: 632.8 });
    const bare = fitBothAxes(
      records.map(({ dark: _, ...record }) => record),
      { wavelength_nm: 632.8 },
    );
    if (!x.determined || !y.determined || !bare.x.determined || !bare.y.determined) throw new Error("not determined");
    expect(x.d0_um.u).toBeGreaterThan(1.1 * bare.x.d0_um.u);
    expect(y.d0_um.u).toBe(bare.y.d0_um.u);
  });
});
