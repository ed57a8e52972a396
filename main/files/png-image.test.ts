import { encode } from "fast-png";
import { afterAll, describe, expect, it } from "vitest";
import {
  HEIGHT,
  hasImageMagick,
  imageMagick,
  picture,
  portableGreymap,
  temporaryFolder,
  WIDTH,
} from "./image-fixtures.ts";
import { readPng } from "./png-image.ts";
import { readImage } from "./read-image.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

const grey16 = () => encode({ width: WIDTH, height: HEIGHT, data: picture(65535), depth: 16, channels: 1 });

describe("PNG", () => {
  it("reads 16-bit grey", () => {
    const raster = readPng("x.png", grey16());
    expect(raster).toMatchObject({
      format: "16-bit PNG",
      width_px: WIDTH,
      height_px: HEIGHT,
      channels: 1,
      maximum: 65535,
    });
    expect(raster.samples).toEqual(picture(65535));
  });

  it("leaves transparency out and says so", () => {
    const rgba = readPng("x.png", encode({ width: 1, height: 1, data: new Uint8Array([9, 8, 7, 100]), channels: 4 }));
    expect(rgba).toMatchObject({
      channels: 3,
      samples: new Uint8Array([9, 8, 7]),
      notes: ["its transparency is ignored"],
    });
    const greyAlpha = readPng(
      "x.png",
      encode({ width: 2, height: 1, data: new Uint8Array([9, 0, 8, 0]), channels: 2 }),
    );
    expect(greyAlpha).toMatchObject({ channels: 1, samples: new Uint8Array([9, 8]) });
  });

  it("goes through the palette", () => {
    const data = new Uint8Array([2, 0, 1]);
    const palette = [
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
    ];
    const raster = readPng("x.png", encode({ width: 3, height: 1, data, palette, channels: 1 }));
    expect(Array.from(raster.samples)).toEqual([7, 8, 9, 1, 2, 3, 4, 5, 6]);
  });

  it.each([
    ["cut", grey16().subarray(0, 400), "truncated or damaged PNG"],
    ["cut inside its header", grey16().subarray(0, 20), "a PNG header has 33 bytes, found 20"],
    ["without image data", new Uint8Array([...grey16().subarray(0, 33), ...grey16().subarray(-12)]), "PNG"],
    ["of 0 × 0 pixels", withSize(0, 0), "0 × 0 pixels; expected at least 1 × 1"],
    ["of absurd size", withSize(1e6, 1e6), "expected at most 160 million"],
    ["larger than its data can be", withSize(12000, 12000), "truncated: 12000 × 12000 pixels need at least"],
    ["with a flipped bit", grey16().map((byte, i) => (i === 200 ? byte ^ 1 : byte)), "damaged PNG"],
  ])("refuses one that is %s", (_what, bytes, expected) => {
    expect(() => readPng("x.png", bytes)).toThrow(expected);
  });

  describe.skipIf(!hasImageMagick)("as ImageMagick writes it (skipped without ImageMagick)", () => {
    const source = () => folder.write("source.pgm", portableGreymap(picture(65535), 65535));
    it.each([
      ["16-bit grey", ["-depth", "16"], 16],
      ["16-bit grey, interlaced", ["-depth", "16", "-interlace", "PNG"], 16],
      ["16-bit RGB", ["-depth", "16", "-define", "png:color-type=2"], 16],
      ["16-bit RGBA", ["-depth", "16", "-define", "png:color-type=6"], 16],
    ])("reads %s", async (name, options, bits) => {
      const target = folder.path(`${name.replaceAll(/\W/g, "-")}.png`);
      imageMagick("convert", source(), ...options, target);
      const image = await readImage(target);
      expect(image.bitDepth).toBe(bits);
      expect(image.samples).toEqual(picture(65535));
    });

    it.each([1, 2, 4, 8])("reads %i-bit grey, stretched to 8 bits", async (depth) => {
      const top = 2 ** depth - 1;
      const levels = picture(top);
      const path = folder.write("levels.pgm", portableGreymap(levels, top));
      const target = folder.path(`grey-${depth}.png`);
      imageMagick("convert", path, "-define", `png:bit-depth=${depth}`, "-define", "png:color-type=0", target);
      const image = await readImage(target);
      expect(image.bitDepth).toBe(8);
      expect(image.samples).toEqual(levels.map((level) => (level * 255) / top));
    });

    it("reads a palette of 16 greys", async () => {
      const path = folder.write("levels.pgm", portableGreymap(picture(15), 15));
      const target = folder.path("palette.png");
      imageMagick("convert", path, "-define", "png:color-type=3", "-define", "png:bit-depth=4", target);
      expect((await readImage(target)).samples).toEqual(picture(15).map((level) => level * 17));
    });
  });
});

function withSize(width: number, height: number): Uint8Array {
  const bytes = grey16().slice();
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return bytes;
}
