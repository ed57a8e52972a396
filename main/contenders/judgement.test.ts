import { describe, expect, it } from "vitest";
import type { Measurement } from "../contract/tools.ts";
import { disturbedRange, driftPerMeasurement } from "./judgement.ts";
import { widthAt } from "./parabola.ts";

const POSITIONS = [10, 30, 50, 70, 90, 115, 120, 125, 130, 135, 140, 145, 180, 200, 220, 240];
const caustic = (spoil: (z: number) => number) =>
  POSITIONS.map((z_mm) => {
    const d_um = widthAt({ z0_mm: 130, d0_um: 130, rayleigh_mm: 17.5 }, z_mm) * spoil(z_mm);
    return { z_mm, d_um, u_um: 0.002 * d_um };
  });

describe("a disturbed range", () => {
  it("is found where widths are too large", () => {
    const x = caustic((z) => (z >= 175 && z <= 225 ? 1.3 : 1));
    expect(
      disturbedRange(
        x,
        caustic(() => 1),
      ),
    ).toEqual({ from_mm: 180, to_mm: 220 });
  });
  it("is found where only one axis suffers", () => {
    const y = caustic((z) => (z >= 25 && z <= 55 ? 0.85 : 1));
    expect(
      disturbedRange(
        caustic(() => 1),
        y,
      ),
    ).toEqual({ from_mm: 30, to_mm: 50 });
  });
  it("is not invented where every far width is off", () => {
    const bad = caustic((z) => (Math.abs(z - 130) > 30 ? 1.1 + 0.3 * Math.sin(z) ** 2 : 1));
    expect(disturbedRange(bad, bad)).toBeUndefined();
  });
});

const centroid = (x_px: (n: number, z: number) => number): Measurement[] =>
  [130, 20, 240, 125, 60, 200, 135, 90, 160].map(
    (z, n) => ({ z_actual_mm: z, centroid_x_px: x_px(n, z), centroid_y_px: 240 + 0.01 * Math.sin(n) }) as Measurement,
  );

describe("drift", () => {
  it("is the motion per measurement", () => {
    expect(driftPerMeasurement(centroid((n) => 320 + 4.5 * n + 0.02 * Math.sin(7 * n)))).toBeCloseTo(4.5, 1);
  });
  it("is not a beam that is tilted against the rail", () => {
    expect(driftPerMeasurement(centroid((n, z) => 320 + 0.3 * z + 0.02 * Math.sin(7 * n)))).toBeUndefined();
  });
  it("is not scatter", () => {
    expect(driftPerMeasurement(centroid((n) => 320 + 3 * Math.sin(5 * n)))).toBeUndefined();
  });
});
