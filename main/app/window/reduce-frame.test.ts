import { expect, test } from "vitest";
import { reduceFrame } from "./reduce-frame.ts";

test("each sample is the largest of its block, also where blocks are cut by the edge", () => {
  // 5 × 3 pixels, blocks of 2 × 2: three columns, two rows.
  const samples = Uint16Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  expect([...reduceFrame(samples, 5, 3, 2)]).toEqual([7, 9, 10, 12, 14, 15]);
});

test("a single bright pixel is lost nowhere", () => {
  for (let place = 0; place < 7 * 5; place++) {
    const samples = new Uint16Array(7 * 5);
    samples[place] = 4095;
    const reduced = reduceFrame(samples, 7, 5, 3);
    expect(reduced).toHaveLength(3 * 2);
    const column = Math.floor((place % 7) / 3);
    const row = Math.floor(Math.floor(place / 7) / 3);
    expect(reduced.indexOf(4095)).toBe(row * 3 + column);
  }
});

test("without a reduction the frame is as it was", () => {
  const samples = Uint16Array.from([9, 8, 7, 6]);
  expect(reduceFrame(samples, 2, 2, 1)).toEqual(samples);
});
