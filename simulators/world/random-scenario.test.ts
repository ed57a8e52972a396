import { describe, expect, test } from "vitest";
import { randomScenario } from "./random-scenario.ts";
import { beamTruth } from "./truth.ts";

const all = Array.from({ length: 2000 }, (_, seed) => randomScenario(seed));
const share = (holds: (index: number) => boolean): number => all.filter((_, index) => holds(index)).length / all.length;

describe("randomScenario", () => {
  test("stays inside the stated ranges", () => {
    for (const scenario of all) {
      for (const axis of [scenario.x, scenario.y]) {
        expect(axis.w0_um >= 45 && axis.w0_um <= 90).toBe(true);
        expect(axis.m2 >= 1.05 && axis.m2 <= 3).toBe(true);
      }
      expect(scenario.x.z0_mm >= -30 && scenario.x.z0_mm <= 280).toBe(true);
      const apart = Math.abs(scenario.y.z0_mm - scenario.x.z0_mm) / beamTruth(scenario).x.rayleigh_mm;
      expect(apart).toBeLessThanOrEqual(1.501);
      expect(Math.abs(scenario.azimuth_deg)).toBeLessThanOrEqual(25);
      expect(scenario.profile).toBe("gaussian");
    }
  });

  test("has the stated shares: M² < 1.8 mostly, z0 mostly in 60–190 mm, room light 30 %, three times the power 25 %", () => {
    expect(share((i) => (all[i]?.x.m2 ?? 0) < 1.8)).toBeCloseTo(0.8, 1);
    expect(share((i) => (all[i]?.y.m2 ?? 0) < 1.8)).toBeCloseTo(0.8, 1);
    const inside = share((i) => (all[i]?.x.z0_mm ?? 0) >= 60 && (all[i]?.x.z0_mm ?? 0) <= 190);
    expect(inside).toBeGreaterThan(0.8);
    expect(share((i) => (all[i]?.x.z0_mm ?? 0) < 0)).toBeGreaterThan(0.005);
    expect(share((i) => (all[i]?.x.z0_mm ?? 0) > 250)).toBeGreaterThan(0.005);
    expect(Math.abs(share((i) => all[i]?.faults.length === 1) - 0.3)).toBeLessThan(0.04);
    expect(Math.abs(share((i) => all[i]?.power_counts_per_ms === 1.95e6) - 0.25)).toBeLessThan(0.04);
    expect(share((i) => (all[i]?.azimuth_deg ?? 0) > 0)).toBeCloseTo(0.5, 1);
  });

  test("is plain data that depends on the seed alone", () => {
    expect(randomScenario(1004)).toEqual(randomScenario(1004));
    expect(JSON.parse(JSON.stringify(all[7]))).toEqual(all[7]);
    expect(new Set(all.map((scenario) => JSON.stringify(scenario))).size).toBe(all.length);
  });
});
