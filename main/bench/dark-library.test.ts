import { describe, expect, it } from "vitest";
import type { Frame } from "../../drivers/protocol/frame.ts";
import { typescriptKernel } from "../analysis/typescript-kernel.ts";
import { averageDark } from "./average-dark.ts";
import { DarkLibrary } from "./dark-library.ts";

const PIXELS = 64 * 48;

/** Counts by rule, scattered over frames and pixels without any help of the code under test. */
const countsAt = (frame: number, pixel: number, top: number): number =>
  Math.floor((top / 2) * (1 + 0.01 * Math.sin(12.9898 * pixel + 78.233 * frame) + 0.5 * Math.cos(pixel)));

const frames = (count: number, top: number): Frame[] =>
  Array.from({ length: count }, (_, frame) => ({
    width_px: 64,
    height_px: 48,
    samples: Uint16Array.from({ length: PIXELS }, (_, pixel) => countsAt(frame, pixel, top)),
    bitDepth: 16,
    exposure_ms: 1,
    startedAt_ms: 0,
    sequence: frame,
    simulated: true,
  }));

describe("a dark", () => {
  it.each([
    [2, 40],
    [10, 4095],
    [100, 65_535],
  ])("of %d frames up to %d counts has the mean of every pixel and the scatter over the frames", (count, top) => {
    const library = new DarkLibrary();
    const dark = library.add(averageDark(frames(count, top), typescriptKernel), 1, 0);
    const { reference } = library.at(1) ?? {};
    let scatter = 0;
    let total = 0;
    for (let pixel = 0; pixel < PIXELS; pixel++) {
      const values = Array.from({ length: count }, (_, frame) => countsAt(frame, pixel, top));
      const mean = values.reduce((a, b) => a + b, 0) / count;
      scatter += values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
      total += mean;
      if (pixel % 97 === 0) expect(reference?.mean[pixel]).toBe(Math.fround(mean));
    }
    expect(dark.noise_counts).toBeCloseTo(Math.sqrt(scatter / PIXELS), 5);
    expect(dark.mean_counts).toBeCloseTo(total / PIXELS, 2);
  });

  it("of equal frames has no scatter", () => {
    const [frame] = frames(1, 4095) as [Frame];
    expect(averageDark([frame, frame, frame], typescriptKernel).reference.noise_counts).toBe(0);
  });
});

it("averaging another dark changes nothing in the ones before", () => {
  const samples = (top: number) => ({ samples: Uint16Array.from({ length: 64 }, (_, i) => (i * 7) % top) });
  const first = averageDark([samples(50), samples(40)], typescriptKernel);
  const mean = first.reference.mean.slice();
  const again = averageDark([samples(30), samples(20)], typescriptKernel);
  expect(first.reference.mean).toEqual(mean);
  let sum = 0;
  for (const counts of again.reference.mean) sum += counts;
  expect(again.mean_counts).toBe(sum / 64);
  expect(averageDark([samples(50), samples(40)], typescriptKernel)).toEqual(first);
});
