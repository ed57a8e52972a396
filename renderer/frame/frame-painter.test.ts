import { expect, test } from "vitest";
import { COLOUR_MAP_NAMES, colourTable, saturatedColour } from "../plot/colour-maps.ts";
import { countColours, paintWords } from "./frame-painter.ts";

const RANGE = { log: false, low_counts: 100, high_counts: 1100, showSaturation: true } as const;

function rgb(word: number): [number, number, number] {
  return [word & 255, (word >> 8) & 255, (word >> 16) & 255];
}

test.each(COLOUR_MAP_NAMES)(
  "the map %s runs from its first to its last colour and shows saturation in another one",
  (map) => {
    const colours = countColours(4095, { ...RANGE, map });
    const table = colourTable(map);
    expect(rgb(colours[0] ?? 0)).toEqual([...table.subarray(0, 3)]);
    expect(rgb(colours[100] ?? 0)).toEqual([...table.subarray(0, 3)]);
    expect(rgb(colours[1100] ?? 0)).toEqual([...table.subarray(-4, -1)]);
    expect(rgb(colours[4095] ?? 0)).toEqual(saturatedColour(map));
    const inMap = Array.from({ length: 256 }, (_, level) => [...table.subarray(level * 4, level * 4 + 3)].join());
    expect(inMap).not.toContain(saturatedColour(map).join());
  },
);

test.each(["inferno", "viridis", "grey", "thermal"] as const)(
  "%s grows brighter with the counts, so that it reads in grey",
  (map) => {
    const table = colourTable(map);
    const light = (level: number): number =>
      0.2126 * (table[level * 4] ?? 0) + 0.7152 * (table[level * 4 + 1] ?? 0) + 0.0722 * (table[level * 4 + 2] ?? 0);
    for (let level = 8; level < 256; level += 8) expect(light(level)).toBeGreaterThan(light(level - 8));
  },
);

test("a logarithmic picture gives every decade the same share of the colours", () => {
  const colours = countColours(4095, {
    map: "grey",
    log: true,
    low_counts: 0,
    high_counts: 1000,
    showSaturation: false,
  });
  const shade = (counts: number): number => rgb(colours[counts] ?? 0)[0];
  expect(shade(1000)).toBe(255);
  expect(shade(100)).toBeCloseTo(170, -0.5);
  expect(shade(10)).toBeCloseTo(85, -0.5);
  expect(shade(1)).toBe(0);
});

const frame = (samples: number[], width_px: number) => ({
  samples: Uint16Array.from(samples),
  width_px,
  height_px: samples.length / width_px,
  fullScale_counts: 255,
});
/** Every count is its own colour. */
const PLAIN = Uint32Array.from({ length: 256 }, (_, counts) => counts);
const OUTSIDE = 0xff00_0000;

test("a pixel of the sensor covers its own square of the screen, and outside it is black", () => {
  const words = new Uint32Array(6 * 4);
  paintWords(words, 6, 4, frame([1, 2, 3, 4], 2), { scale: 2, offsetX: 1, offsetY: 0 }, PLAIN);
  const O = OUTSIDE;
  expect([...words]).toEqual([O, 1, 1, 2, 2, O, O, 1, 1, 2, 2, O, O, 3, 3, 4, 4, O, O, 3, 3, 4, 4, O]);
});

test("where a screen pixel covers several sensor pixels the brightest is shown, so that no spot falls between", () => {
  const samples = new Array<number>(64).fill(5);
  samples[3 * 8 + 6] = 200;
  const words = new Uint32Array(4);
  paintWords(words, 2, 2, frame(samples, 8), { scale: 0.25, offsetX: 0, offsetY: 0 }, PLAIN);
  expect(words[1]).toBe(200);
  expect(words[2]).toBe(5);
});
