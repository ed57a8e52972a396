import { readdirSync, readFileSync } from "node:fs";
import { decode as decodePng } from "fast-png";
import { decode as decodeTiff } from "tiff";
import { afterAll, describe, expect, it } from "vitest";
import { HEIGHT, hasImageMagick, imageMagick, picture, temporaryFolder, WIDTH } from "./image-fixtures.ts";
import { readImage } from "./read-image.ts";
import { writeImage } from "./write-image.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

const frame = (top = 4095) => ({ width_px: WIDTH, height_px: HEIGHT, samples: picture(top), bitDepth: 12 });
const provenance = { program: "caustic", simulated: true, scenario: "clean", z_mm: 50 };

describe("TIFF", () => {
  it("comes back from another decoder with its samples, resolution and provenance", async () => {
    const path = folder.path("one.tiff");
    await writeImage(path, [frame()], 5.5, provenance);
    const [page] = decodeTiff(readFileSync(path));
    expect([page?.width, page?.height, page?.bitsPerSample]).toEqual([WIDTH, HEIGHT, 16]);
    expect([page?.fields.get(305), page?.resolutionUnit, page?.fields.get(281)]).toEqual(["caustic", 3, 4095]);
    expect(page?.data).toEqual(picture(4095));
    expect(page?.xResolution).toBeCloseTo(10_000 / 5.5, 3);
    expect(JSON.parse(page?.imageDescription ?? "")).toEqual({ ...provenance, bits: 12 });
  });

  it("comes back from our own reader, which knows its depth and that it is simulated", async () => {
    const path = folder.path("own.tif");
    await writeImage(path, [frame(900)], 5.5, provenance);
    expect(await readImage(path)).toMatchObject({ bitDepth: 12, simulated: true, samples: picture(900), notes: [] });
    await writeImage(path, [frame()], 5.5, { program: "caustic", simulated: false });
    expect((await readImage(path)).simulated).toBe(false);
  });

  it("holds several frames as pages", async () => {
    const path = folder.path("many.tiff");
    await writeImage(path, [frame(100), frame(200), frame(300)], 5.5, provenance);
    const pages = decodeTiff(readFileSync(path));
    expect(pages.map((page) => page.data)).toEqual([picture(100), picture(200), picture(300)]);
    expect((await readImage(path)).notes).toContain("first of 3 pages");
  });

  it.skipIf(!hasImageMagick)("is read by ImageMagick as 16-bit grey (skipped without ImageMagick)", async () => {
    const path = folder.path("magick.tiff");
    await writeImage(path, [frame(65535)], 5.5, provenance);
    expect(imageMagick("identify", "-format", "%w %h %z %[type]", path)).toBe(`${WIDTH} ${HEIGHT} 16 Grayscale`);
    const back = folder.path("back.pgm");
    imageMagick("convert", path, "-depth", "16", back);
    expect((await readImage(back)).samples).toEqual(picture(65535));
  });
});

describe("PNG", () => {
  it("comes back with its samples and provenance", async () => {
    const path = folder.path("one.png");
    await writeImage(path, [frame(65535)], 5.5, provenance);
    const png = decodePng(readFileSync(path));
    expect(png).toMatchObject({ width: WIDTH, height: HEIGHT, depth: 16, channels: 1 });
    expect(png.data).toEqual(picture(65535));
    expect(JSON.parse(png.text["Description"] ?? "")).toEqual({ ...provenance, bits: 12 });
    expect((await readImage(path)).simulated).toBe(true);
  });

  it.skipIf(!hasImageMagick)("is read by ImageMagick as 16-bit grey (skipped without ImageMagick)", async () => {
    const path = folder.path("magick.png");
    await writeImage(path, [frame(65535)], 5.5, provenance);
    const back = folder.path("back.pgm");
    imageMagick("convert", path, "-depth", "16", back);
    expect((await readImage(back)).samples).toEqual(picture(65535));
  });
});

describe("what cannot be written", () => {
  it.each([
    ["x.jpg", [frame()], 'the extension ".jpg"; expected .tiff, .tif or .png'],
    ["x.png", [frame(), frame()], "a PNG holds one frame, not 2; expected .tiff"],
    ["x.tiff", [], "no frame to write"],
    ["no/such/folder/x.tiff", [frame()], "cannot be written (ENOENT)"],
  ])("is refused: %s", async (name, frames, expected) => {
    await expect(writeImage(folder.path(name), frames, 5.5, provenance)).rejects.toThrow(expected);
  });

  it("leaves nothing half-written behind", () => {
    expect(readdirSync(folder.path(".")).filter((name) => name.includes("partial"))).toEqual([]);
  });
});
