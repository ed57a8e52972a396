import { describe, expect, test } from "vitest";
import {
  PIXEL_FORMATS,
  packPixels,
  payloadBytes,
  pixelFormatNamed,
  pixelFormatOfCode,
  unpackPixels,
} from "./pixel-formats.ts";

function formatNamed(name: string) {
  const format = pixelFormatNamed(name);
  if (format === undefined) throw new Error(`no format ${name}`);
  return format;
}

/** Worked out by hand from the layouts of the Pixel Format Naming Convention and of GigE Vision. */
const TABLES: readonly (readonly [string, readonly number[], readonly number[]])[] = [
  ["Mono8", [0x00, 0x7f, 0xff], [0x00, 0x7f, 0xff]],
  ["Mono10", [0x3ff, 0x155], [0xff, 0x03, 0x55, 0x01]],
  ["Mono12", [0xabc, 0x123], [0xbc, 0x0a, 0x23, 0x01]],
  ["Mono14", [0x3abc, 0x0001], [0xbc, 0x3a, 0x01, 0x00]],
  ["Mono16", [0x1234, 0xffff], [0x34, 0x12, 0xff, 0xff]],
  // Four pixels of ten bits are one number of forty: 0xAA955003FF, lowest byte first.
  ["Mono10p", [0x3ff, 0x000, 0x155, 0x2aa], [0xff, 0x03, 0x50, 0x95, 0xaa]],
  ["Mono10p", [0x001, 0x200], [0x01, 0x00, 0x08]],
  ["Mono12p", [0xabc, 0x123], [0xbc, 0x3a, 0x12]],
  ["Mono12p", [0xfff, 0x000, 0xfff], [0xff, 0x0f, 0x00, 0xff, 0x0f]],
  ["Mono10Packed", [0x3ff, 0x155], [0xff, 0x13, 0x55]],
  ["Mono10Packed", [0x001, 0x002], [0x00, 0x21, 0x00]],
  ["Mono12Packed", [0xabc, 0x123], [0xab, 0x3c, 0x12]],
  ["Mono12Packed", [0x00f, 0xf00, 0x001], [0x00, 0x0f, 0xf0, 0x00, 0x01]],
];

test.each(TABLES)("%s: samples %j lie in the bytes %j", (name, samples, bytes) => {
  const format = formatNamed(name);
  expect(payloadBytes(format, samples.length)).toBe(bytes.length);
  expect([...unpackPixels(format, Uint8Array.from(bytes), samples.length)]).toEqual(samples);
  expect([...packPixels(format, Uint16Array.from(samples))]).toEqual(bytes);
});

describe.each(PIXEL_FORMATS)("$name", (format) => {
  test("is found by name and number, and its number tells its bits", () => {
    expect(pixelFormatNamed(format.name)).toBe(format);
    expect(pixelFormatOfCode(format.code)).toBe(format);
    expect((format.code >> 16) & 0xff).toBe(format.bitsPerPixel);
    expect(format.code >>> 24).toBe(1);
  });

  test.each([1, 2, 3, 5, 64])("gives back every sample of %i pixels", (pixels) => {
    const fullScale = 2 ** format.bitDepth - 1;
    const samples = Uint16Array.from({ length: pixels }, (_, index) => (index * 40_503 + 12_345) & fullScale);
    samples[0] = fullScale;
    const bytes = packPixels(format, samples);
    expect(bytes).toHaveLength(Math.ceil((pixels * format.bitsPerPixel) / 8));
    expect([...unpackPixels(format, bytes, pixels)]).toEqual([...samples]);
    // What follows the frame in the buffer changes nothing.
    const longer = new Uint8Array(bytes.length + 7).fill(0xff);
    longer.set(bytes);
    expect([...unpackPixels(format, longer, pixels)]).toEqual([...samples]);
  });

  test("refuses a frame that is a byte short", () => {
    const bytes = packPixels(format, new Uint16Array(8));
    expect(() => unpackPixels(format, bytes.subarray(1), 8)).toThrow(/8 pixels of .* take \d+ bytes, there are \d+/);
  });
});
