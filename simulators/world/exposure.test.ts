import { describe, expect, test } from "vitest";
import { exposeSensor } from "./exposure.ts";
import { lightOnSensor } from "./light.ts";
import { noiseKey } from "./noise-key.ts";
import { SCENARIOS } from "./scenarios.ts";
import { createSensor, type PixelFormat } from "./sensor.ts";

function meanAndVariance(values: Iterable<number>): { mean: number; variance: number } {
  let [n, sum, squares] = [0, 0, 0];
  for (const value of values) {
    n++;
    sum += value;
    squares += value * value;
  }
  const mean = sum / n;
  return { mean, variance: squares / n - mean * mean };
}

const key = noiseKey(1, "measurement", 0, 0);
const flat = (pixels: number, rate: number): Float32Array => new Float32Array(pixels).fill(rate);

describe("exposeSensor", () => {
  const sensor = createSensor();
  const pixels = sensor.width_px * sensor.height_px;

  test("without light: black level 64 with 3 counts of read noise, plus the variance of rounding", () => {
    const { mean, variance } = meanAndVariance(
      exposeSensor({ sensor, exposure_ms: 100, light: undefined, roomLight_counts_per_ms: 0, key }),
    );
    expect(Math.abs(mean - 64)).toBeLessThan((5 * 3) / Math.sqrt(pixels));
    expect(Math.abs(variance - (9 + 1 / 12))).toBeLessThan(5 * 9 * Math.sqrt(2 / pixels));
  });

  test("photon transfer: variance grows with the signal by 4095 / 10 500 counts per count", () => {
    for (const signal of [10, 100, 1000, 3000]) {
      const light = flat(pixels, signal / 20);
      const { mean, variance } = meanAndVariance(
        exposeSensor({ sensor, exposure_ms: 20, light, roomLight_counts_per_ms: 0, key }),
      );
      const expected = 9 + 1 / 12 + (signal * 4095) / 10_500;
      expect(Math.abs(mean - 64 - signal)).toBeLessThan(5 * Math.sqrt(expected / pixels));
      expect(Math.abs(variance / expected - 1)).toBeLessThan(5 * Math.sqrt(2 / pixels));
    }
  });

  test("room light is even, grows with the exposure and has shot noise", () => {
    const { mean, variance } = meanAndVariance(
      exposeSensor({ sensor, exposure_ms: 200, light: undefined, roomLight_counts_per_ms: 0.5, key }),
    );
    expect(mean - 64).toBeCloseTo(100, 1);
    expect(variance / (9 + 1 / 12 + (100 * 4095) / 10_500)).toBeCloseTo(1, 2);
  });

  test("clips at full scale and at zero", () => {
    const bright = exposeSensor({ sensor, exposure_ms: 10, light: flat(pixels, 1e4), roomLight_counts_per_ms: 0, key });
    expect(bright.every((count) => count === 4095)).toBe(true);
    const noisy = { ...sensor, blackLevel_counts: 1 };
    const dark = exposeSensor({ sensor: noisy, exposure_ms: 1, light: undefined, roomLight_counts_per_ms: 0, key });
    expect(dark.every((count) => count < 50)).toBe(true);
    expect(dark.some((count) => count === 0)).toBe(true);
  });

  const formats: readonly (readonly [PixelFormat, number])[] = [
    ["Mono8", 8],
    ["Mono10", 10],
    ["Mono10p", 10],
    ["Mono12", 12],
    ["Mono12p", 12],
    ["Mono16", 16],
  ];
  for (const [pixelFormat, bits] of formats) {
    test(`${pixelFormat}: the same light fills the same share of full scale, and saturates at 2^${bits} − 1`, () => {
      const other = createSensor({ pixelFormat });
      const light = lightOnSensor(SCENARIOS.clean, other, 130, 0);
      const at = (exposure_ms: number): Uint16Array =>
        exposeSensor({ sensor: other, exposure_ms, light, roomLight_counts_per_ms: 0, key });
      const full = 2 ** bits - 1;
      const peak = at(1).reduce((a, b) => Math.max(a, b));
      expect(peak / full).toBeGreaterThan(2800 / 4095);
      expect(peak / full).toBeLessThan(3050 / 4095);
      expect(at(5).reduce((a, b) => Math.max(a, b))).toBe(full);
      expect(other.electronsPerCount * full).toBeCloseTo(10_500, 6);
    });
  }

  test("sensors of all sizes give frames of their size", () => {
    for (const [size, expected] of [
      ["640x480", 307_200],
      ["1280x1024", 1_310_720],
      ["2448x2048", 5_013_504],
    ] as const) {
      const big = createSensor({ size });
      expect(
        exposeSensor({ sensor: big, exposure_ms: 1, light: undefined, roomLight_counts_per_ms: 0, key }).length,
      ).toBe(expected);
    }
  });
});
