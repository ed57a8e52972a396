import { expect, test } from "vitest";
import { SCENARIOS } from "./scenarios.ts";
import { createSensor } from "./sensor.ts";
import { World } from "./world.ts";

test("the stage stands within 2 µm rms of its readback, anew for every measurement and place, the same for the same", () => {
  const world = new World(SCENARIOS.clean, createSensor(), 5);
  const errors_mm: number[] = [];
  for (let measurement = 0; measurement < 100; measurement++) {
    for (let z_mm = 0; z_mm < 250; z_mm += 12.5) {
      errors_mm.push(world.truePosition_mm(z_mm, measurement) - z_mm);
    }
  }
  const n = errors_mm.length;
  const mean = errors_mm.reduce((sum, value) => sum + value, 0) / n;
  const rms = Math.sqrt(errors_mm.reduce((sum, value) => sum + value * value, 0) / n);
  expect(Math.abs(mean)).toBeLessThan((5 * 0.002) / Math.sqrt(n));
  expect(Math.abs(rms / 0.002 - 1)).toBeLessThan(5 / Math.sqrt(2 * n));
  expect(new Set(errors_mm).size).toBe(n);
  expect(world.truePosition_mm(130, 4)).toBe(new World(SCENARIOS.clean, createSensor(), 5).truePosition_mm(130, 4));
});
