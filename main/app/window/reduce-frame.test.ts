import { expect, test } from "vitest";
import { loadNativeReduction } from "../../kernel/native-kernel.ts";
import { alignedRegion, plainReduction, reduceFrame } from "./reduce-frame.ts";

test("each sample is the largest of its block, also where blocks are cut by the edge", () => {
  // 5 × 3 pixels, blocks of 2 × 2: three columns, two rows.
  const samples = Uint16Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  expect([...reduceFrame({ samples, width_px: 5, height_px: 3 }, { reduction: 2 }).samples]).toEqual([
    7, 9, 10, 12, 14, 15,
  ]);
});

test("a single bright pixel is lost nowhere", () => {
  for (let place = 0; place < 7 * 5; place++) {
    const samples = new Uint16Array(7 * 5);
    samples[place] = 4095;
    const { samples: reduced } = reduceFrame({ samples, width_px: 7, height_px: 5 }, { reduction: 3 });
    expect(reduced).toHaveLength(3 * 2);
    const column = Math.floor((place % 7) / 3);
    const row = Math.floor(Math.floor(place / 7) / 3);
    expect(reduced.indexOf(4095)).toBe(row * 3 + column);
  }
});

test("without a reduction the frame is as it was", () => {
  const samples = Uint16Array.from([9, 8, 7, 6]);
  expect(reduceFrame({ samples, width_px: 2, height_px: 2 }, { reduction: 1 })).toEqual({ samples });
});

/** 17 × 11 pixels that all differ. */
const numbered = {
  samples: Uint16Array.from({ length: 17 * 11 }, (_, index) => (index * 71) % 4093),
  width_px: 17,
  height_px: 11,
};

test("a region is cut out where it lies, and its edges fall between the blocks of the whole picture", () => {
  const region = { left_px: 4, top_px: 3, width_px: 6, height_px: 5 };
  const whole = reduceFrame(numbered, { reduction: 3 }).samples;
  const part = reduceFrame(numbered, { reduction: 3, region });
  expect(part.region).toEqual({ left_px: 3, top_px: 3, width_px: 9, height_px: 6 });
  for (let row = 0; row < 2; row++)
    for (let column = 0; column < 3; column++)
      expect(part.samples[row * 3 + column]).toBe(whole[(row + 1) * 6 + column + 1]);
  const exact = reduceFrame(numbered, { reduction: 1, region });
  expect(exact.region).toEqual(region);
  expect(exact.samples[0]).toBe(numbered.samples[3 * 17 + 4]);
  expect(exact.samples.at(-1)).toBe(numbered.samples[7 * 17 + 9]);
});

test("a region that leaves the sensor is cut to it, one that covers it is none, and one beside it is the nearest block", () => {
  expect(alignedRegion({ left_px: 10, top_px: 8, width_px: 50, height_px: 50 }, 17, 11, 4)).toEqual({
    left_px: 8,
    top_px: 8,
    width_px: 9,
    height_px: 3,
  });
  expect(alignedRegion({ left_px: 0, top_px: 0, width_px: 17, height_px: 11 }, 17, 11, 4)).toBeUndefined();
  expect(alignedRegion({ left_px: 99, top_px: 99, width_px: 1, height_px: 1 }, 17, 11, 4)).toEqual({
    left_px: 16,
    top_px: 8,
    width_px: 1,
    height_px: 3,
  });
});

test("the pixel under the pointer has its own counts, and none beside the sensor", () => {
  const at = (column_px: number, row_px: number) =>
    reduceFrame(numbered, { reduction: 4, pointer: { column_px, row_px } }).pointer;
  expect(at(16, 10)).toEqual({ column_px: 16, row_px: 10, counts: numbered.samples.at(-1) });
  expect(at(5, 2)?.counts).toBe(numbered.samples[2 * 17 + 5]);
  expect(at(17, 0)).toBeUndefined();
  expect(at(0, 11)).toBeUndefined();
});

test("a region comes with the level of the whole sensor's rim, however bright the region is", () => {
  const samples = new Uint16Array(40 * 30).fill(64);
  for (let row = 5; row < 25; row++) samples.fill(3000, row * 40 + 5, row * 40 + 35);
  const region = { left_px: 10, top_px: 10, width_px: 10, height_px: 10 };
  expect(reduceFrame({ samples, width_px: 40, height_px: 30 }, { reduction: 2, region }).rim_counts).toBe(64);
});

const native = loadNativeReduction();

test.skipIf(native === undefined)("the compiled loop gives the plain one's counts", () => {
  for (const reduction of [1, 2, 3, 5, 8])
    for (const region of [undefined, { left_px: 3, top_px: 2, width_px: 9, height_px: 7 }]) {
      const detail = { reduction, ...(region === undefined ? {} : { region }) };
      expect(reduceFrame(numbered, detail, native)).toEqual(reduceFrame(numbered, detail, plainReduction));
    }
  expect(() => native?.(new Uint16Array(10), 5, 0, 0, 5, 3, 1, new Uint16Array(15))).toThrow(RangeError);
  expect(() => native?.(new Uint16Array(15), 5, 1, 0, 5, 3, 1, new Uint16Array(15))).toThrow(RangeError);
});
