import { describe, expect, it } from "vitest";
import { widthAt } from "./parabola.ts";
import { evenPositions, hasRoom, planPositions } from "./scan-plan.ts";

const BOUNDS = { min_mm: 0, max_mm: 250, keepOut: [], largestWidth_um: 1320, edgeWidth_um: { x: 2112, y: 1584 } };
const X = { z0_mm: 130, d0_um: 130, rayleigh_mm: 17.5 };
const Y = { z0_mm: 165, d0_um: 136, rayleigh_mm: 17.7 };

describe("the planned positions", () => {
  it("give both axes at least five near and five far, each with its margin", () => {
    const plan = planPositions({ x: X, y: Y }, [], BOUNDS);
    for (const axis of [X, Y]) {
      const distances = plan.map((z) => Math.abs(z - axis.z0_mm) / axis.rayleigh_mm);
      expect(distances.filter((d) => d <= 0.9).length).toBeGreaterThanOrEqual(5);
      expect(distances.filter((d) => d >= 2.3).length).toBeGreaterThanOrEqual(5);
    }
  });

  it("keep to the rail, out of keep-out zones and to widths that fit the sensor", () => {
    const tight = {
      min_mm: 20,
      max_mm: 230,
      keepOut: [{ from_mm: 120, to_mm: 128 }],
      largestWidth_um: 700,
      edgeWidth_um: { x: 700, y: 700 },
    };
    const plan = planPositions({ x: X, y: undefined }, [], tight);
    expect(plan.length).toBeGreaterThanOrEqual(10);
    for (const z of plan) {
      expect(z).toBeGreaterThanOrEqual(20);
      expect(z).toBeLessThanOrEqual(230);
      expect(z < 120 || z > 128).toBe(true);
      expect(widthAt(X, z)).toBeLessThanOrEqual(700);
    }
  });

  it("give a slim axis its far positions where the wide one still fits the sensor", () => {
    const wide = { z0_mm: 146, d0_um: 92, rayleigh_mm: 4.2 };
    const slim = { z0_mm: 145.5, d0_um: 164.6, rayleigh_mm: 30.4 };
    const plan = planPositions({ x: wide, y: slim }, [], BOUNDS);
    expect(plan.filter((z) => Math.abs(z - slim.z0_mm) >= 2.3 * slim.rayleigh_mm).length).toBeGreaterThanOrEqual(5);
    expect(plan.every((z) => widthAt(wide, z) <= BOUNDS.edgeWidth_um.x)).toBe(true);
  });

  it("ask for nothing when enough is measured", () => {
    const first = planPositions({ x: X, y: undefined }, [], BOUNDS);
    expect(planPositions({ x: X, y: undefined }, first, BOUNDS)).toEqual([]);
  });

  it("stay away from a stretch that is known to be disturbed", () => {
    const plan = planPositions({ x: X, y: undefined }, [], BOUNDS, [{ from_mm: 170, to_mm: 250 }]);
    expect(plan.every((z) => z < 170)).toBe(true);
    expect(plan.length).toBeGreaterThanOrEqual(10);
  });
});

describe("room on the rail", () => {
  it("is there for a waist in the middle", () => expect(hasRoom(X, BOUNDS)).toBe(true));
  it("is not there when the near window hangs over the end", () =>
    expect(hasRoom({ ...X, z0_mm: 258 }, BOUNDS)).toBe(false));
  it("is not there when the beam outgrows the sensor before it is far", () =>
    expect(hasRoom(X, { ...BOUNDS, largestWidth_um: 250 })).toBe(false));
  it("is not there when a keep-out zone covers the waist", () =>
    expect(hasRoom(X, { ...BOUNDS, keepOut: [{ from_mm: 110, to_mm: 150 }] })).toBe(false));
});

describe("even positions", () => {
  it("span the rail with a margin at both ends", () => {
    expect(evenPositions(3, BOUNDS)).toEqual([12.5, 125, 237.5]);
  });
});
