import { afterAll, describe, expect, it } from "vitest";
import { readBitmap } from "./bitmap-image.ts";
import {
  HEIGHT,
  hasImageMagick,
  imageMagick,
  picture,
  portableGreymap,
  temporaryFolder,
  WIDTH,
} from "./image-fixtures.ts";
import { readImage } from "./read-image.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

interface Header {
  readonly width?: number;
  readonly height?: number;
  readonly bits?: number;
  readonly compression?: number;
  readonly colours?: number;
  readonly gap?: number;
}

/** A bitmap with a 40-byte header; `after` is what follows it: palette or masks, then pixels. */
function bitmap(
  { width = 2, height = 2, bits = 24, compression = 0, colours = 0, gap = 0 }: Header,
  before: number[],
  pixels: number[],
): Uint8Array {
  const bytes = new Uint8Array(54 + before.length + gap + pixels.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, 54 + before.length + gap, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, bits, true);
  view.setUint32(30, compression, true);
  view.setUint32(46, colours, true);
  bytes.set(before, 54);
  bytes.set(pixels, 54 + before.length + gap);
  return bytes;
}

const reds = (bytes: Uint8Array) => Array.from(readBitmap("x.bmp", bytes).samples).filter((_, i) => i % 3 === 0);

describe("bitmaps", () => {
  const upwards = [3, 3, 3, 4, 4, 4, 0, 0, 1, 1, 1, 2, 2, 2, 0, 0];

  it("reads rows from the bottom up, or from the top down when the height is negative", () => {
    expect(reds(bitmap({}, [], upwards))).toEqual([1, 2, 3, 4]);
    expect(reds(bitmap({ height: -2 }, [], upwards))).toEqual([3, 4, 1, 2]);
  });

  it("takes blue, green, red in this order and finds the pixels where the header says", () => {
    const bytes = bitmap({ width: 1, height: 1, gap: 7 }, [], [30, 20, 10, 0]);
    expect(Array.from(readBitmap("x.bmp", bytes).samples)).toEqual([10, 20, 30]);
  });

  it("goes through the palette, whose order need not be that of the greys", () => {
    const palette = [200, 200, 200, 0, 100, 100, 100, 0, 7, 7, 7, 0];
    expect(reds(bitmap({ bits: 8, colours: 3 }, palette, [2, 1, 0, 0, 0, 1, 0, 0]))).toEqual([200, 100, 7, 100]);
  });

  it("reads 32 bits without and with masks", () => {
    const pixel = [10, 20, 30, 255];
    expect(Array.from(readBitmap("x.bmp", bitmap({ width: 1, height: 1, bits: 32 }, [], pixel)).samples)).toEqual([
      30, 20, 10,
    ]);
    const masks = [0xff, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0xff, 0];
    const masked = bitmap({ width: 1, height: 1, bits: 32, compression: 3 }, masks, pixel);
    expect(Array.from(readBitmap("x.bmp", masked).samples)).toEqual([10, 20, 30]);
  });

  it.each([
    [
      "truncated",
      bitmap({}, [], upwards).subarray(0, -1),
      "2 × 2 pixels need at least 16 bytes of image data, found 15",
    ],
    ["0 × 0", bitmap({ width: 0, height: 0 }, [], []), "0 × 0 pixels; expected at least 1 × 1"],
    ["16-bit", bitmap({ bits: 16 }, [], upwards), "16 bits per pixel at byte 28"],
    [
      "compressed",
      bitmap({ bits: 8, compression: 1 }, [], upwards),
      "compression 1 at byte 30; expected an uncompressed",
    ],
    ["without its palette", bitmap({ bits: 8 }, [], [0, 0, 0, 0, 0, 0, 0, 0]), "a palette of 256 colours"],
    [
      "outside its palette",
      bitmap({ bits: 8, colours: 1, width: 1, height: 1 }, [9, 9, 9, 0], [1, 0, 0, 0]),
      "colour 1 in row 0, column 0; the palette has 1",
    ],
    ["a stub", new Uint8Array([0x42, 0x4d, 0, 0]), "a BMP header has at least 26 bytes, found 4"],
  ])("refuses one that is %s", (_what, bytes, expected) => {
    expect(() => readBitmap("x.bmp", bytes)).toThrow(expected);
  });

  describe.skipIf(!hasImageMagick)("as ImageMagick writes them (skipped without ImageMagick)", () => {
    it.each([
      ["24-bit", ["-type", "TrueColor"]],
      ["32-bit with masks", ["-type", "TrueColorAlpha"]],
      ["version 3", ["-type", "TrueColor"], "BMP3:"],
      ["version 2", ["-type", "TrueColor"], "BMP2:"],
    ])("reads %s", async (name, options, prefix = "") => {
      const source = folder.write("source.pgm", portableGreymap(picture(250), 255));
      const target = folder.path(`${name.replaceAll(" ", "-")}.bmp`);
      imageMagick("convert", source, ...options, "-compress", "none", `${prefix}${target}`);
      const image = await readImage(target);
      expect([image.width_px, image.height_px]).toEqual([WIDTH, HEIGHT]);
      expect(image.samples).toEqual(picture(250));
    });

    it("reads a palette", async () => {
      const target = folder.path("palette.bmp");
      imageMagick(
        "convert",
        folder.write("source.pgm", portableGreymap(picture(250), 255)),
        "-type",
        "Palette",
        "-compress",
        "none",
        target,
      );
      const plain = folder.path("palette.pgm");
      imageMagick("convert", target, "-depth", "8", plain);
      const image = await readImage(target);
      expect(image.format).toBe("8-bit BMP");
      expect(image.samples).toEqual((await readImage(plain)).samples);
    });
  });
});
