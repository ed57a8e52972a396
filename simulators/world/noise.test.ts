import { describe, expect, test } from "vitest";
import { exposeSensor } from "./exposure.ts";
import { noiseKey } from "./noise-key.ts";
import { createRng } from "./random.ts";
import { createSensor } from "./sensor.ts";
import { normalAt } from "./ziggurat.ts";

const WIDTH = 640;
const PIXELS = WIDTH * 480;

function deviates(seed: number, acquisition: number, frame: number, count = PIXELS): Float64Array {
  const key = noiseKey(seed, "measurement", acquisition, frame);
  return Float64Array.from({ length: count }, (_, index) => normalAt(key, index));
}

/** Mean of products of two series, the second shifted; its standard error is 1/√n for independent deviates. */
function correlation(a: Float64Array, b: Float64Array, shift = 0): number {
  let sum = 0;
  for (let i = 0; i + shift < a.length; i++) sum += (a[i] as number) * (b[i + shift] as number);
  return sum / (a.length - shift);
}

function moment(values: Float64Array, power: number): number {
  let sum = 0;
  for (const value of values) sum += value ** power;
  return sum / values.length;
}

describe("normal deviates", () => {
  // Twelve frames: 3.7 million deviates.
  const frames = Array.from({ length: 12 }, (_, frame) => deviates(11, 4, frame));
  const all = new Float64Array(frames.length * PIXELS);
  frames.forEach((frame, i) => all.set(frame, i * PIXELS));
  const n = all.length;

  test("have the moments of the normal distribution within five standard errors", () => {
    expect(Math.abs(moment(all, 1))).toBeLessThan(5 / Math.sqrt(n));
    expect(Math.abs(moment(all, 2) - 1)).toBeLessThan(5 * Math.sqrt(2 / n));
    expect(Math.abs(moment(all, 3))).toBeLessThan(5 * Math.sqrt(15 / n));
    expect(Math.abs(moment(all, 4) - 3)).toBeLessThan(5 * Math.sqrt(96 / n));
    expect(Math.abs(moment(all, 6) - 15)).toBeLessThan(5 * Math.sqrt(10_170 / n));
  });

  test("follow the distribution function from the middle into the tail", () => {
    // Two-sided probabilities beyond 0.5, 1, 2, 3, 3.7 and 4.5 standard deviations; the ziggurat's tail begins at 3.654.
    const beyond: readonly (readonly [number, number])[] = [
      [0.5, 0.6170750775],
      [1, 0.3173105079],
      [2, 0.0455002639],
      [3, 0.0026997961],
      [3.7, 2.155962e-4],
      [4.5, 6.7953e-6],
    ];
    for (const [limit, probability] of beyond) {
      const expected = n * probability;
      for (const sign of [-1, 1]) {
        const found = all.reduce((count, value) => count + (sign * value > limit ? 1 : 0), 0);
        expect(Math.abs(found - expected / 2), `beyond ${sign * limit}`).toBeLessThan(5 * Math.sqrt(expected / 2));
      }
    }
  });

  test("fill 400 bins between −4 and 4 as the bell does, over 30 million deviates", () => {
    const perUnit = 50;
    const counts = new Float64Array(8 * perUnit);
    const total = 30_000_000;
    const key = noiseKey(2, "free");
    for (let index = 0; index < total; index++) {
      const bin = Math.floor((normalAt(key, index) + 4) * perUnit);
      if (bin >= 0 && bin < counts.length) counts[bin] = (counts[bin] as number) + 1;
    }
    const bell = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
    let chi2 = 0;
    counts.forEach((count, bin) => {
      const left = bin / perUnit - 4;
      const middle = left + 0.5 / perUnit;
      // Simpson's rule is exact to 1e-10 over so narrow a bin.
      const share = (bell(left) + 4 * bell(middle) + bell(left + 1 / perUnit)) / (6 * perUnit);
      chi2 += (count - total * share) ** 2 / (total * share);
    });
    expect(chi2).toBeLessThan(counts.length + 5 * Math.sqrt(2 * counts.length));
    expect(chi2).toBeGreaterThan(counts.length - 5 * Math.sqrt(2 * counts.length));
  });

  test("are uncorrelated between neighbours, rows, frames, measurements and seeds, in value and in magnitude", () => {
    const [first, second] = frames as [Float64Array, Float64Array];
    const squares = (values: Float64Array): Float64Array => values.map((value) => (value * value - 1) / Math.SQRT2);
    const pairs: readonly (readonly [string, Float64Array, Float64Array, number])[] = [
      ["next column", first, first, 1],
      ["second column", first, first, 2],
      ["next row", first, first, WIDTH],
      ["256 columns on", first, first, 256],
      ["next frame", first, second, 0],
      ["next frame, next column", first, second, 1],
      ["next measurement", first, deviates(11, 5, 0), 0],
      ["next seed", first, deviates(12, 4, 0), 0],
      ["measurement and frame swapped", deviates(11, 1, 2), deviates(11, 2, 1), 0],
    ];
    for (const [name, a, b, shift] of pairs) {
      expect(Math.abs(correlation(a, b, shift)), name).toBeLessThan(4.5 / Math.sqrt(PIXELS));
      expect(Math.abs(correlation(squares(a), squares(b), shift)), name).toBeLessThan(4.5 / Math.sqrt(PIXELS));
    }
  });

  test("of different streams are not shifted copies of each other", () => {
    const first = deviates(1, 0, 0, 4096);
    for (let frame = 1; frame <= 20; frame++) {
      const other = new Set(deviates(1, 0, frame, 4096));
      expect(first.filter((value) => other.has(value)).length).toBeLessThan(40);
    }
  });

  test("draw large seeds and neighbouring purposes apart", () => {
    const keys = [0, 1, -1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 52].flatMap((seed) =>
      (["measurement", "dark", "live"] as const).map((purpose) => JSON.stringify(noiseKey(seed, purpose, 0, 0))),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("the exposure loop", () => {
  test("adds the deviate of key and index to every pixel", () => {
    const sensor = createSensor({ pixelFormat: "Mono16" });
    const key = noiseKey(3, "dark", 1, 2);
    const samples = exposeSensor({ sensor, exposure_ms: 1, light: undefined, roomLight_counts_per_ms: 0, key });
    const expected = Uint16Array.from({ length: samples.length }, (_, index) =>
      Math.floor(sensor.blackLevel_counts + sensor.readNoise_counts * normalAt(key, index) + 0.5),
    );
    expect(samples).toEqual(expected);
  });
});

describe("createRng", () => {
  test("repeats itself for the same seed, purpose and number, and for no other", () => {
    const draw = (seed: number, number: number): number[] => {
      const rng = createRng(seed, "fault", number);
      return [rng.uniform(), rng.normal(), rng.uniform()];
    };
    expect(draw(5, 1)).toEqual(draw(5, 1));
    expect(draw(5, 1)).not.toEqual(draw(6, 1));
    expect(draw(5, 1)).not.toEqual(draw(5, 2));
  });

  test("draws uniform deviates evenly from [0, 1)", () => {
    const rng = createRng(9);
    const bins = new Array<number>(20).fill(0);
    for (let i = 0; i < 100_000; i++) {
      const value = rng.uniform();
      expect(value >= 0 && value < 1).toBe(true);
      const bin = Math.floor(value * 20);
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    const chi2 = bins.reduce((sum, count) => sum + (count - 5000) ** 2 / 5000, 0);
    // 19 degrees of freedom: beyond 50 in one of 7000 cases.
    expect(chi2).toBeLessThan(50);
  });
});
