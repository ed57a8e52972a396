import { describe, expect, it } from "vitest";
import { readPortableAnymap } from "./portable-anymap.ts";

const read = (...parts: (string | number[])[]) =>
  readPortableAnymap(
    "x.pgm",
    new Uint8Array(parts.flatMap((part) => (typeof part === "string" ? [...new TextEncoder().encode(part)] : part))),
  );

describe("portable anymaps", () => {
  it("reads 8-bit binary grey with comments in the header", () => {
    const raster = read("P5 # made by hand\n# 3 wide\n3\t2 # two rows\n255\n", [0, 10, 32, 9, 254, 255]);
    expect(raster).toMatchObject({ format: "8-bit PGM", width_px: 3, height_px: 2, channels: 1, maximum: 255 });
    expect(Array.from(raster.samples)).toEqual([0, 10, 32, 9, 254, 255]);
  });

  it("reads two bytes per sample, the upper one first, above a maximum of 255", () => {
    const raster = read("P5 2 1 4095\n", [0x0f, 0xff, 0x01, 0x02]);
    expect(raster.maximum).toBe(4095);
    expect(Array.from(raster.samples)).toEqual([0xfff, 0x102]);
  });

  it("reads text, with comments between samples", () => {
    const raster = read("P2\n2 2\n65535\n0 1\n# row 2\n65535 300\n");
    expect(Array.from(raster.samples)).toEqual([0, 1, 65535, 300]);
  });

  it("reads colour, as text and binary", () => {
    expect(read("P3 1 1 255 1 2 3")).toMatchObject({ channels: 3, samples: new Uint16Array([1, 2, 3]) });
    expect(read("P6 1 1 255\n", [1, 2, 3])).toMatchObject({ channels: 3, samples: new Uint16Array([1, 2, 3]) });
  });

  it.each([
    [
      "truncated binary",
      () => read("P5 3 2 255\n", [1, 2, 3, 4, 5]),
      "3 × 2 pixels need at least 6 bytes of image data, found 5",
    ],
    ["truncated text", () => read("P2 2 2 255 10 20 30"), "the file ends where sample 4 of 4 was expected"],
    ["a header cut off", () => read("P5 3"), "the file ends where the height was expected"],
    ["0 × 0", () => read("P5 0 0 255\n"), "0 × 0 pixels; expected at least 1 × 1"],
    ["absurd size", () => read("P5 99999 99999 255\n"), "expected at most 160 million"],
    ["maxval 0", () => read("P5 1 1 0\n", [0]), "maxval is 0; expected 1 to 65535"],
    ["maxval 70000", () => read("P5 1 1 70000\n", [0, 0]), "maxval is 70000; expected 1 to 65535"],
    ["a word for a number", () => read("P5 wide 1 255\n"), "the width at byte 3 is not a number"],
    [
      "a sample above maxval",
      () => read("P5 2 2 100\n", [1, 2, 3, 101]),
      "sample 101 in row 1, place 1 is above the header's maxval 100",
    ],
    ["a text sample above maxval", () => read("P2 2 1 100 5 70000"), "sample 70000 in row 0, place 1"],
  ])("refuses %s", (_what, work, expected) => {
    expect(work).toThrow(expected);
  });
});
