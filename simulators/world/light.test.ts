import { describe, expect, test } from "vitest";
import { lightOnSensor } from "./light.ts";
import { hermiteGaussWeights } from "./profile.ts";
import { BEAM_PROFILES, type BeamFault, type Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios.ts";
import { createSensor, type SensorChoice } from "./sensor.ts";
import { beamTruth, trueD4sigma_um } from "./truth.ts";

const sensor = createSensor();
const clean: Scenario = SCENARIOS.clean;

/** Plain moments over the whole sensor; the beams here are small enough to lie inside it. */
function moments(light: Float32Array, { width_px, height_px, pixelPitch_um } = sensor) {
  let [total, x, y, xx, xy, yy] = [0, 0, 0, 0, 0, 0];
  for (let row = 0; row < height_px; row++) {
    for (let column = 0; column < width_px; column++) {
      const value = light[row * width_px + column] as number;
      total += value;
      x += value * column;
      y += value * row;
      xx += value * column * column;
      xy += value * column * row;
      yy += value * row * row;
    }
  }
  x /= total;
  y /= total;
  const p2 = pixelPitch_um ** 2;
  return {
    total,
    column: x,
    row: y,
    xx_um2: (xx / total - x * x) * p2,
    xy_um2: (xy / total - x * y) * p2,
    yy_um2: (yy / total - y * y) * p2,
  };
}

const withFaults = (...faults: BeamFault[]): Scenario => ({ ...clean, faults });
const at = (light: Float32Array, row: number, column: number): number =>
  light[row * sensor.width_px + column] as number;

describe("light on the sensor", () => {
  for (const profile of BEAM_PROFILES) {
    for (const azimuth_deg of [0, 17]) {
      for (const z_mm of [95, 130]) {
        test(`${profile} at ${azimuth_deg}°, z = ${z_mm} mm: power, centre and second moments are those of the beam`, () => {
          const scenario: Scenario = { ...clean, profile, azimuth_deg, x: { w0_um: 65, m2: 2.3, z0_mm: 130 } };
          const found = moments(lightOnSensor(scenario, sensor, z_mm, 0));
          const truth = beamTruth(scenario);
          const varX = (trueD4sigma_um(truth.x, z_mm) / 4) ** 2;
          const varY = (trueD4sigma_um(truth.y, z_mm) / 4) ** 2;
          const cos = Math.cos((azimuth_deg * Math.PI) / 180);
          const sin = Math.sin((azimuth_deg * Math.PI) / 180);
          expect(found.total / scenario.power_counts_per_ms).toBeCloseTo(1, 4);
          expect(found.column).toBeCloseTo(320, 4);
          expect(found.row).toBeCloseTo(240, 4);
          expect(found.xx_um2 / (varX * cos ** 2 + varY * sin ** 2)).toBeCloseTo(1, 3);
          expect(found.yy_um2 / (varX * sin ** 2 + varY * cos ** 2)).toBeCloseTo(1, 3);
          // Rows count downwards: counter-clockwise on the screen makes the covariance of a wide x axis negative.
          expect(found.xy_um2 / varX).toBeCloseTo((-(varX - varY) * sin * cos) / varX, 3);
        });
      }
    }
  }

  test("a wide x axis at a positive azimuth rises to the right", () => {
    const wide: Scenario = { ...clean, azimuth_deg: 30, x: { w0_um: 150, m2: 1.2, z0_mm: 130 } };
    const light = lightOnSensor(wide, sensor, 130, 0);
    expect(at(light, 239 - 20, 319 + 34)).toBeGreaterThan(5 * at(light, 239 + 20, 319 + 34));
  });

  test("the four profiles differ where their names say", () => {
    const centre = (profile: Scenario["profile"]): number =>
      at(lightOnSensor({ ...clean, profile }, sensor, 100, 0), 240, 320);
    expect(centre("donut")).toBeLessThan(0.02 * centre("gaussian"));
    expect(centre("super_gaussian")).toBeLessThan(0.6 * centre("gaussian"));
    expect(centre("hermite_gauss")).not.toBeCloseTo(centre("gaussian"), 0);
  });

  test("Hermite–Gauss weights are a mixture whose mean order gives M²", () => {
    for (const m2 of [1, 1.05, 1.8, 2, 2.99, 3, 5.5]) {
      const weights = hermiteGaussWeights(m2);
      expect(weights.every((weight) => weight >= 0)).toBe(true);
      expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
      expect(weights.reduce((sum, weight, n) => sum + weight * (2 * n + 1), 0)).toBeCloseTo(m2, 12);
    }
  });

  test("the Gaussian recurrence equals the exponential, also for a spot beyond the sensor's edge", () => {
    const tilted: Scenario = {
      ...clean,
      azimuth_deg: -21,
      faults: [{ kind: "pointing_drift", x_um_per_measurement: 1800, y_um_per_measurement: -1400 }],
    };
    const light = lightOnSensor(tilted, sensor, 20, 1);
    const wX = trueD4sigma_um(beamTruth(tilted).x, 20) / 2;
    const wY = trueD4sigma_um(beamTruth(tilted).y, 20) / 2;
    const azimuth = (-21 * Math.PI) / 180;
    for (const [row, column] of [
      [0, 639],
      [0, 500],
      [100, 639],
      [60, 450],
    ] as const) {
      const x = (column - 320) * 5.5 - 1800;
      const y = (row - 240) * 5.5 + 1400;
      const u = (x * Math.cos(azimuth) - y * Math.sin(azimuth)) / wX;
      const v = (x * Math.sin(azimuth) + y * Math.cos(azimuth)) / wY;
      const expected = ((2 * 6.5e5 * 5.5 ** 2) / (Math.PI * wX * wY)) * Math.exp(-2 * (u * u + v * v));
      expect(at(light, row, column) / expected).toBeCloseTo(1, 5);
    }
  });

  test("a pixel that integrates over its area adds pitch²/12 to the variance, one that reads its centre nothing", () => {
    const variance = (choice: SensorChoice): number =>
      moments(lightOnSensor(clean, createSensor(choice), 130, 0)).xx_um2;
    expect(variance({ pixelResponse: "centre" })).toBeCloseTo(32.5 ** 2, 2);
    expect(variance({ pixelResponse: "area" }) - variance({})).toBeCloseTo(5.5 ** 2 / 12, 2);
  });

  test("the light scales with the bits of the readout", () => {
    const total = (choice: SensorChoice): number => moments(lightOnSensor(clean, createSensor(choice), 130, 0)).total;
    expect(total({ pixelFormat: "Mono8" }) / total({})).toBeCloseTo(255 / 4095, 6);
    expect(total({ pixelFormat: "Mono16" }) / total({})).toBeCloseTo(65535 / 4095, 6);
  });
});

describe("faults of the light", () => {
  test("a ghost is a copy of the beam at its offset, inside its range and at its ends", () => {
    const ghost: BeamFault = {
      kind: "ghost",
      relative_power: 0.12,
      offset_x_m: 0.55e-3,
      offset_y_m: -0.275e-3,
      z_min_m: 0.17,
      z_max_m: 0.25,
    };
    for (const z_mm of [170, 200, 250]) {
      const plain = lightOnSensor(clean, sensor, z_mm, 0);
      const light = lightOnSensor(withFaults(ghost), sensor, z_mm, 0);
      // 100 columns to the right and 50 rows up.
      for (const [row, column] of [
        [190, 420],
        [200, 380],
        [150, 450],
      ] as const) {
        const expected = at(plain, row, column) + 0.12 * at(plain, row + 50, column - 100);
        expect(at(light, row, column) / expected).toBeCloseTo(1, 5);
      }
    }
    expect(lightOnSensor(withFaults(ghost), sensor, 169.9, 0)).toEqual(lightOnSensor(clean, sensor, 169.9, 0));
  });

  test("an aperture leaves the inside as it is and nothing outside, centred on the drifting beam", () => {
    const faults: BeamFault[] = [
      { kind: "aperture", radius_m: 0.35e-3, z_min_m: 0.03, z_max_m: 0.07 },
      { kind: "pointing_drift", x_um_per_measurement: 55, y_um_per_measurement: 0 },
    ];
    const plain = lightOnSensor(withFaults(faults[1] as BeamFault), sensor, 50, 3);
    const light = lightOnSensor(withFaults(...faults), sensor, 50, 3);
    // Radius 63.6 pixels about column 320 + 30.
    expect(at(light, 240, 350 + 62)).toBe(at(plain, 240, 350 + 62));
    expect(at(light, 240, 350 + 66)).toBe(0);
    expect(at(light, 240, 350 - 62)).toBe(at(plain, 240, 350 - 62));
    expect(at(light, 240, 350 - 66)).toBe(0);
    expect(at(plain, 240, 350 + 66)).toBeGreaterThan(0);
  });

  test("the aperture passes the closed-form share 1 − exp(−2 r²/w²) of a round beam", () => {
    const round: Scenario = { ...withFaults({ kind: "aperture", radius_m: 0.35e-3 }), y: clean.x };
    const w_um = trueD4sigma_um(beamTruth(round).x, 60) / 2;
    const share = moments(lightOnSensor(round, sensor, 60, 0)).total / round.power_counts_per_ms;
    expect(share).toBeCloseTo(1 - Math.exp((-2 * 350 ** 2) / w_um ** 2), 3);
  });

  test("pointing drift moves the centre by its step with every measurement", () => {
    const drifting = withFaults({ kind: "pointing_drift", x_um_per_measurement: 25, y_um_per_measurement: -11 });
    for (const measurements of [0, 1, 12]) {
      const found = moments(lightOnSensor(drifting, sensor, 130, measurements));
      expect(found.column).toBeCloseTo(320 + (25 * measurements) / 5.5, 3);
      expect(found.row).toBeCloseTo(240 - (11 * measurements) / 5.5, 3);
    }
  });
});
