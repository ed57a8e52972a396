import { describe, expect, it } from "vitest";
import { fitParabola, widthAt } from "./parabola.ts";

const TRUTH = { z0_mm: 131.7, d0_um: 132.4, rayleigh_mm: 17.3 };
const at = (z_mm: number, u_um = 0.2) => ({ z_mm, d_um: widthAt(TRUTH, z_mm), u_um });

describe("the operator's own caustic", () => {
  it("recovers the caustic that made the widths", () => {
    const fit = fitParabola([5, 60, 110, 128, 150, 240].map((z) => at(z)));
    expect(fit?.z0_mm).toBeCloseTo(TRUTH.z0_mm, 6);
    expect(fit?.d0_um).toBeCloseTo(TRUTH.d0_um, 5);
    expect(fit?.rayleigh_mm).toBeCloseTo(TRUTH.rayleigh_mm, 6);
    expect(fit?.chi2_ndf).toBeLessThan(1e-9);
  });

  it("sees in χ²/ν that one width is off by ten uncertainties", () => {
    const points = [5, 60, 110, 128, 150, 240].map((z) => at(z));
    points[2] = { ...at(110), d_um: at(110).d_um + 2 };
    expect(fitParabola(points)?.chi2_ndf).toBeGreaterThan(4);
  });

  it.each([
    ["two points", [at(1), at(2)]],
    ["one position three times", [at(10), at(10), at(10)]],
    [
      "widths that shrink away from the middle",
      [
        { ...at(0), d_um: 100 },
        { ...at(10), d_um: 200 },
        { ...at(20), d_um: 100 },
      ],
    ],
  ])("gives none from %s", (_, points) => {
    expect(fitParabola(points)).toBeUndefined();
  });
});
