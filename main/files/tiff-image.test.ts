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
import { readImage } from "./read-image.ts";
import { readTiff } from "./tiff-image.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

type Tags = Record<number, [type: number, values: number[]]>;

/** A classic TIFF of one page made by hand: the pixels at byte 8, then what does not fit into the tags, then the tags. */
function tiff(little: boolean, pixels: number[], change: Tags = {}): Uint8Array {
  const tags: Tags = {
    256: [4, [2]],
    257: [4, [2]],
    258: [3, [8]],
    259: [3, [1]],
    262: [3, [1]],
    273: [4, [8]],
    277: [3, [1]],
    278: [4, [2]],
    279: [4, [pixels.length]],
    ...change,
  };
  const size: Record<number, number> = { 3: 2, 4: 4 };
  const entries = Object.entries(tags)
    .map(([tag, [type, values]]) => ({ tag: Number(tag), type, values }))
    .filter(({ values }) => values.length > 0);
  const bytes = new Uint8Array(4096);
  const view = new DataView(bytes.buffer);
  const put = (at: number, type: number, value: number) =>
    type === 3 ? view.setUint16(at, value, little) : view.setUint32(at, value, little);
  bytes.set(little ? [0x49, 0x49] : [0x4d, 0x4d]);
  view.setUint16(2, 42, little);
  bytes.set(pixels, 8);
  let free = 8 + pixels.length + (pixels.length % 2);
  const directory = 2048;
  view.setUint32(4, directory, little);
  view.setUint16(directory, entries.length, little);
  entries.forEach(({ tag, type, values }, index) => {
    const at = directory + 2 + 12 * index;
    const valueBytes = size[type] ?? 4;
    view.setUint16(at, tag, little);
    view.setUint16(at + 2, type, little);
    view.setUint32(at + 4, values.length, little);
    const outside = valueBytes * values.length > 4;
    if (outside) view.setUint32(at + 8, free, little);
    values.forEach((value, i) => put((outside ? free : at + 8) + i * valueBytes, type, value));
    if (outside) free += valueBytes * values.length;
  });
  return bytes.subarray(0, directory + 2 + 12 * entries.length + 4);
}

const samplesOf = async (bytes: Uint8Array) => Array.from((await readTiff("x.tif", bytes)).samples);

describe("TIFF", () => {
  it("reads either byte order", async () => {
    const deep: Tags = { 258: [3, [16]], 279: [4, [8]] };
    expect(await samplesOf(tiff(true, [1, 0, 2, 0, 3, 1, 255, 255], deep))).toEqual([1, 2, 259, 65535]);
    expect(await samplesOf(tiff(false, [0, 1, 0, 2, 1, 3, 255, 255], deep))).toEqual([1, 2, 259, 65535]);
  });

  it("reads several strips and packed strips", async () => {
    const strips: Tags = { 273: [4, [8, 12]], 278: [4, [1]], 279: [4, [2, 2]] };
    expect(await samplesOf(tiff(true, [1, 2, 0, 0, 3, 4], strips))).toEqual([1, 2, 3, 4]);
    const packBits: Tags = { 259: [3, [32773]], 279: [4, [4]] };
    expect(await samplesOf(tiff(true, [0xff, 7, 0xff, 9], packBits))).toEqual([7, 7, 9, 9]);
  });

  it("reads tiles that reach over the edge", async () => {
    const tiled = tiff(true, [1, 2, 9, 9, 9, 9, 3, 9, 9, 9, 9, 9], {
      256: [4, [3]],
      257: [4, [1]],
      273: [4, []],
      322: [4, [2]],
      323: [4, [2]],
      324: [4, [8, 14]],
      325: [4, [4, 4]],
    });
    expect(await samplesOf(tiled)).toEqual([1, 2, 3]);
  });

  it("turns white-is-zero around", async () => {
    expect(await samplesOf(tiff(true, [0, 1, 254, 255], { 262: [3, [0]] }))).toEqual([255, 254, 1, 0]);
  });

  it("turns the picture as its orientation says", async () => {
    const turned = (orientation: number) => samplesOf(tiff(true, [1, 2, 3, 4], { 274: [3, [orientation]] }));
    expect(await turned(2)).toEqual([2, 1, 4, 3]);
    expect(await turned(3)).toEqual([4, 3, 2, 1]);
    expect(await turned(4)).toEqual([3, 4, 1, 2]);
    await expect(turned(6)).rejects.toThrow("orientation 6 swaps rows and columns; expected 1 to 4");
  });

  it("reads channels side by side and one after the other", async () => {
    const rgb: Tags = { 256: [4, [1]], 257: [4, [2]], 258: [3, [8, 8, 8]], 262: [3, [2]], 277: [3, [3]] };
    expect(await samplesOf(tiff(true, [1, 2, 3, 4, 5, 6], rgb))).toEqual([1, 2, 3, 4, 5, 6]);
    const planes: Tags = { ...rgb, 273: [4, [8, 10, 12]], 279: [4, [2, 2, 2]], 284: [3, [2]] };
    expect(await samplesOf(tiff(true, [1, 4, 2, 5, 3, 6], planes))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("takes floating point as values and names a NaN by its place", async () => {
    const floats = new Uint8Array(new Float32Array([0.5, -1, 2, 8]).buffer);
    const change: Tags = { 258: [3, [32]], 279: [4, [16]], 339: [3, [3]] };
    expect(await samplesOf(tiff(true, [...floats], change))).toEqual([0.5, -1, 2, 8]);
    const bad = new Uint8Array(new Float32Array([0.5, -1, Number.NaN, 8]).buffer);
    const path = folder.write("nan.tif", tiff(true, [...bad], change));
    await expect(readImage(path)).rejects.toThrow("NaN in row 1, column 0; every pixel must be a finite number");
  });

  it.each<[string, Tags, string]>([
    ["0 × 0", { 256: [4, [0]], 257: [4, [0]] }, "0 × 0 pixels; expected at least 1 × 1"],
    ["of absurd size", { 256: [4, [1e6]], 257: [4, [1e6]] }, "expected at most 160 million"],
    ["with more pixels than bytes", { 256: [4, [3000]], 257: [4, [3000]] }, "3000 × 3000 pixels need at least 9000000"],
    ["JPEG inside", { 259: [3, [7]] }, "compression 7 loses detail or is not read"],
    ["CMYK", { 262: [3, [5]] }, "colour model 5; expected grey, RGB or a palette"],
    ["1-bit", { 258: [3, [1]] }, "1 bits per sample of format 1; expected 8 to 16"],
    ["with a strip behind the end", { 273: [4, [50_000]] }, "strip 1 of 1 ends at byte 50004"],
    ["with an empty strip", { 279: [4, [0]] }, "strip 1 of 1 ends at byte 8 and has 0 bytes"],
    ["with too few strips", { 278: [4, [1]] }, "1 strips listed; expected 2"],
    [
      "with tiles of no size",
      { 273: [4, []], 322: [4, [0]], 323: [4, [0]], 324: [4, [8]], 325: [4, [4]] },
      "tiles of 0 × 0 pixels",
    ],
    ["with a strip that is too short", { 279: [4, [3]] }, "truncated or damaged TIFF"],
    ["with a palette missing", { 262: [3, [3]] }, "a palette of 0 colours; expected 256"],
  ])("refuses one that is %s", async (_what, change, expected) => {
    await expect(readTiff("x.tif", tiff(true, [1, 2, 3, 4], change))).rejects.toThrow(expected);
  });

  it("refuses tags that point out of the file and lists of pages that turn in a circle", async () => {
    const whole = tiff(true, [1, 2, 3, 4]);
    await expect(readTiff("x.tif", whole.subarray(0, 2060))).rejects.toThrow(
      "truncated TIFF: a directory of 9 tags at byte 2048",
    );
    const many = whole.slice();
    new DataView(many.buffer).setUint32(2048 + 2 + 4, 0x3fffffff, true);
    await expect(readTiff("x.tif", many)).rejects.toThrow("tag 256 with 1073741823 values");
    const circle = whole.slice();
    new DataView(circle.buffer).setUint32(circle.length - 4, 2048, true);
    expect(await samplesOf(circle)).toEqual([1, 2, 3, 4]);
  });

  describe.skipIf(!hasImageMagick)("as ImageMagick writes it (skipped without ImageMagick)", () => {
    const source = (top: number) => folder.write(`source-${top}.pgm`, portableGreymap(picture(top), top));
    const variants = [255, 65535].flatMap((top) =>
      ["None", "LZW", "Zip", "RLE"].flatMap((compression) =>
        ["LSB", "MSB"].flatMap((endian) => ["strips", "tiles"].map((layout) => ({ top, compression, endian, layout }))),
      ),
    );
    it.each(variants)(
      "reads $top counts, $compression, $endian, $layout",
      async ({ top, compression, endian, layout }) => {
        const target = folder.path(`${top}-${compression}-${endian}-${layout}.tif`);
        const blocks =
          layout === "tiles" ? ["-define", "tiff:tile-geometry=16x16"] : ["-define", "tiff:rows-per-strip=7"];
        imageMagick("convert", source(top), "-compress", compression, "-endian", endian, ...blocks, target);
        const image = await readImage(target);
        expect([image.width_px, image.height_px, image.bitDepth]).toEqual([WIDTH, HEIGHT, top === 255 ? 8 : 16]);
        expect(image.samples).toEqual(picture(top));
      },
    );

    it.each([
      ["RGB with a predictor", ["-type", "TrueColor", "-compress", "LZW", "-define", "tiff:predictor=2"]],
      ["RGB in tiles", ["-type", "TrueColor", "-compress", "Zip", "-define", "tiff:tile-geometry=16x16"]],
      ["RGB in planes", ["-type", "TrueColor", "-interlace", "plane"]],
      ["RGB with transparency", ["-type", "TrueColorAlpha"]],
      ["BigTIFF", ["-compress", "LZW"], "TIFF64:"],
    ])("reads %s", async (name, options, prefix = "") => {
      const target = folder.path(`${name.replaceAll(" ", "-")}.tif`);
      imageMagick("convert", source(255), ...options, `${prefix}${target}`);
      const image = await readImage(target);
      expect(image.samples).toEqual(picture(255));
      expect(image.bitDepth).toBe(8);
    });

    it.each([
      ["a palette", ["-type", "Palette"]],
      ["white as zero", ["-define", "quantum:polarity=min-is-white"]],
    ])("sees %s as ImageMagick itself does", async (name, options) => {
      const target = folder.path(`${name.replaceAll(" ", "-")}.tif`);
      imageMagick("convert", source(255), ...options, target);
      const plain = folder.path("plain.pgm");
      imageMagick("convert", target, "-depth", "8", plain);
      expect((await readImage(target)).samples).toEqual((await readImage(plain)).samples);
    });

    it("reads the first of several pages and says so", async () => {
      const target = folder.path("pages.tif");
      imageMagick("convert", source(255), "(", source(255), "-negate", ")", source(255), target);
      const image = await readImage(target);
      expect(image.samples).toEqual(picture(255));
      expect(image.notes).toContain("first of 3 pages");
    });
  });
});
