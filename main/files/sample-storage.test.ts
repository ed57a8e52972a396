import { describe, expect, it } from "vitest";
import { HEIGHT, picture, WIDTH } from "./image-fixtures.ts";
import { type ChannelSamples, recogniseStorage, toCounts } from "./sample-storage.ts";

function recognise(samples: ChannelSamples["samples"], maximum: number | undefined, bits?: number) {
  const { storage, notes } = recogniseStorage({ path: "x", width_px: WIDTH, samples, maximum }, bits);
  return { bitDepth: storage.bitDepth, counts: toCounts(samples, storage), notes: notes.join("; ") };
}

describe("bits recognised from the data", () => {
  it.each([8, 10, 12, 14])("finds %i bits at the left of 16", (bits) => {
    const right = picture(2 ** bits - 1);
    const found = recognise(
      right.map((value) => value << (16 - bits)),
      65535,
    );
    expect(found.bitDepth).toBe(bits);
    expect(found.counts).toEqual(right);
    expect(found.notes).toContain(`${bits} bits at the left of 16: divided by ${2 ** (16 - bits)}`);
  });

  it("finds 8 bits at the left of 12", () => {
    const found = recognise(
      picture(255).map((value) => value << 4),
      4095,
    );
    expect(found).toMatchObject({ bitDepth: 8, counts: picture(255) });
  });

  it("overlooks a frame counter in a few pixels of a large frame, but no more", () => {
    const large = new Uint16Array(400 * 400).map((_, i) => (i % 4000) * 16);
    large[0] = 0x9011;
    expect(recognise(large, 65535)).toMatchObject({ bitDepth: 12 });
    expect(recognise(large, 65535).notes).toContain("all but 1 samples");
    large.set([1, 3], 1);
    expect(recognise(large, 65535)).toMatchObject({ bitDepth: 16 });
  });

  it.each([8, 10, 12, 14])("finds %i bits stretched over 16, by rounding", (bits) => {
    const right = picture(2 ** bits - 1);
    const found = recognise(
      right.map((value) => Math.round((value * 65535) / (2 ** bits - 1))),
      65535,
    );
    expect(found).toMatchObject({ bitDepth: bits, counts: right });
    expect(found.notes).toContain("stretched");
  });

  it("finds 12 bits stretched by repeating the upper bits", () => {
    const right = picture(4095);
    const found = recognise(
      right.map((value) => (value << 4) | (value >> 8)),
      65535,
    );
    expect(found).toMatchObject({ bitDepth: 12, counts: right });
  });

  it("takes samples at the right for the smallest camera depth that holds them, and says that it guessed", () => {
    expect(recognise(picture(4095), 65535)).toMatchObject({ bitDepth: 12, counts: picture(4095) });
    expect(recognise(picture(4095), 65535).notes).toContain("--bits says otherwise");
    expect(recognise(picture(900), 65535)).toMatchObject({ bitDepth: 10 });
    expect(recognise(picture(200), 65535)).toMatchObject({ bitDepth: 10 });
    expect(recognise(picture(65535), 65535)).toMatchObject({ bitDepth: 16, notes: "" });
    const saturated = picture(400).map((value) => Math.min(value, 255));
    expect(recognise(saturated, 65535)).toMatchObject({ bitDepth: 8 });
  });

  it("believes a header that states the depth", () => {
    expect(recognise(picture(900), 4095)).toMatchObject({ bitDepth: 12, counts: picture(900), notes: "" });
    expect(recognise(picture(100), 255)).toMatchObject({ bitDepth: 8, counts: picture(100), notes: "" });
  });

  it("puts a maximum between two depths at full scale only where the top is flat", () => {
    const flat = picture(1500).map((value) => Math.min(value, 1000));
    expect(recognise(flat, 1000).bitDepth).toBe(10);
    expect(Math.max(...recognise(flat, 1000).counts)).toBe(1023);
    const pointed = picture(999);
    expect(recognise(pointed, 1000).counts).toEqual(pointed);
  });

  it("leaves constant and black frames as they are", () => {
    const constant = new Uint16Array(WIDTH * HEIGHT).fill(4096);
    expect(recognise(constant, 65535)).toMatchObject({ bitDepth: 14, counts: constant });
    const black = new Uint16Array(WIDTH * HEIGHT);
    expect(recognise(black, 65535)).toMatchObject({ bitDepth: 16, counts: black });
  });
});

describe("bits stated by the operator", () => {
  it("go before the data", () => {
    expect(recognise(picture(900), 65535, 12)).toMatchObject({ bitDepth: 12, counts: picture(900) });
    expect(recognise(picture(4095), 65535, 16)).toMatchObject({ bitDepth: 16, counts: picture(4095) });
    const left = picture(1023).map((value) => value << 6);
    expect(recognise(left, 65535, 12)).toMatchObject({
      bitDepth: 12,
      counts: picture(1023).map((value) => value << 2),
    });
  });

  it("are refused when the samples do not fit", () => {
    expect(() => recognise(picture(65535), 65535, 12)).toThrow(
      "does not fit in 12 bits and the samples are no multiples of 16; expected --bits 16 or more",
    );
  });
});

describe("values that are no counts", () => {
  it("fill 16 bits linearly and do not look saturated", () => {
    const values = Float64Array.from(picture(65535), (value) => value / 65535 - 0.25);
    const { counts, bitDepth, notes } = recognise(values, undefined);
    expect(bitDepth).toBe(16);
    expect(notes).toContain("mapped linearly onto 16 bits");
    const least = Math.min(...values);
    const span = Math.max(...values) - least;
    values.forEach((value, i) =>
      expect(Math.abs((counts[i] as number) - ((value - least) / span) * 65534)).toBeLessThanOrEqual(0.5),
    );
  });

  it("count as full scale where their top is flat", () => {
    const values = Float64Array.from(picture(65535), (value) => Math.min(0.5, value / 65535));
    expect(Math.max(...recognise(values, undefined).counts)).toBe(65535);
  });

  it("keep the full scale that the operator states", () => {
    const values = Float64Array.from(picture(2000), (value) => value + 0.5);
    const { counts } = recognise(values, undefined, 12);
    expect(Math.max(...counts)).toBeGreaterThan(0.45 * 65535);
    expect(Math.max(...counts)).toBeLessThan(0.5 * 65535);
    expect(() => recognise(values, undefined, 10)).toThrow("does not fit in 10 bits; expected at most 1023");
  });
});
