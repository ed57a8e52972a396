import { describe, expect, test } from "vitest";
import { oracleVerdict } from "./oracle.ts";
import { randomScenario } from "./random-scenario.ts";
import type { PrincipalAxis, Scenario } from "./scenario.ts";
import { SCENARIOS, type ScenarioName } from "./scenarios.ts";
import { createSensor } from "./sensor.ts";
import { beamTruth } from "./truth.ts";

const STAGE = { travelMin_mm: 0, travelMax_mm: 250 };
const verdict = (scenario: Scenario, stage = STAGE, sensor = createSensor()): string =>
  oracleVerdict(beamTruth(scenario), stage, sensor);

describe("oracleVerdict", () => {
  const known: readonly (readonly [ScenarioName, string])[] = [
    ["clean", "iso_compliant"],
    ["partial_saturation", "iso_compliant"],
    ["background_drift", "iso_compliant"],
    ["beam_too_large", "iso_compliant"],
    ["waist_outside_range", "waist_not_accessible"],
    ["different_waists", "iso_compliant"],
  ];
  for (const [name, expected] of known) {
    test(`${name}: ${expected}`, () => {
      expect(verdict(SCENARIOS[name])).toBe(expected);
    });
  }

  test("the mystery beams of the plan have the verdicts that it prints", () => {
    const verdicts = Array.from({ length: 10 }, (_, index) => verdict(randomScenario(1000 + index)));
    expect(verdicts).toEqual(verdicts.map((_, index) => (index === 4 ? "waist_not_accessible" : "iso_compliant")));
  });

  const beam = (x: Partial<PrincipalAxis>, y: Partial<PrincipalAxis> = {}): Scenario => ({
    ...SCENARIOS.clean,
    x: { ...SCENARIOS.clean.x, ...x },
    y: { ...SCENARIOS.clean.y, ...y },
  });

  test("the ends of the travel are inside it, and either axis decides", () => {
    expect(verdict(beam({}, { z0_mm: 250 }))).toBe("iso_compliant");
    expect(verdict(beam({}, { z0_mm: 250.001 }))).toBe("waist_not_accessible");
    expect(verdict(beam({ z0_mm: -0.001 }))).toBe("waist_not_accessible");
  });

  test("room is counted in steps of 0.15 zR: five points need 0.6 zR, far windows of both sides add up", () => {
    // zR of both axes 20 mm: near is ±18 mm, far begins 46 mm from the waist.
    const axis = { w0_um: Math.sqrt((20 * 632.8) / Math.PI), m2: 1 };
    const at = (z0_mm: number): Scenario => beam({ ...axis, z0_mm }, { ...axis, z0_mm });
    // Far windows of 6 mm on each side: 3 points each.
    expect(verdict(at(52), { travelMin_mm: 0, travelMax_mm: 104 })).toBe("iso_compliant");
    // 6 mm and 2 mm: 3 and 1.
    expect(verdict(at(52), { travelMin_mm: 0, travelMax_mm: 100 })).toBe("estimate_not_compliant");
    // One side alone: 12 mm hold 5, less hold 4.
    expect(verdict(at(0), { travelMin_mm: 0, travelMax_mm: 58.001 })).toBe("iso_compliant");
    expect(verdict(at(0), { travelMin_mm: 0, travelMax_mm: 57.9 })).toBe("estimate_not_compliant");
    // The smaller window of an axis at the very end: no far position on that side, and no negative room.
    expect(verdict(at(0), { travelMin_mm: 0, travelMax_mm: 20 })).toBe("estimate_not_compliant");
  });

  test("far positions where the beam is wider than half the smaller side do not count", () => {
    // θ large: beyond 2.3 zR the beam of M² 30 soon exceeds 1320 µm.
    const wide = { w0_um: 270, m2: 30, z0_mm: 125 };
    expect(verdict(beam(wide, wide))).toBe("estimate_not_compliant");
    expect(verdict(beam(wide, wide), STAGE, createSensor({ size: "2448x2048" }))).toBe("iso_compliant");
    expect(verdict(beam({ ...wide, w0_um: 700 }, wide))).toBe("estimate_not_compliant");
  });
});
