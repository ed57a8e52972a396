import { encode } from "fast-png";
import { gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it, vi } from "vitest";
import { FileError } from "./file-error.ts";
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
import { writeImage } from "./write-image.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

/** Every kind of file once, small. */
async function kinds(): Promise<Map<string, Uint8Array>> {
  const grey = portableGreymap(picture(65535), 65535);
  const frame = { width_px: WIDTH, height_px: HEIGHT, samples: picture(4095), bitDepth: 12 };
  await writeImage(folder.path("own.tiff"), [frame, frame], 5.5, { program: "caustic", simulated: true });
  const rows = Array.from({ length: HEIGHT }, (_, row) =>
    picture(4095)
      .slice(row * WIDTH, (row + 1) * WIDTH)
      .join(";"),
  );
  const files = new Map<string, Uint8Array>([
    ["binary PGM", grey],
    ["text PGM", new TextEncoder().encode(`P2\n${WIDTH} ${HEIGHT}\n255\n${picture(255).join(" ")}\n`)],
    ["gzip", gzipSync(grey)],
    ["PNG", encode({ width: WIDTH, height: HEIGHT, data: picture(65535), depth: 16, channels: 1 })],
    ["TIFF", readFileSync(folder.path("own.tiff"))],
    ["CSV", new TextEncoder().encode(rows.join("\n"))],
  ]);
  if (hasImageMagick) {
    const source = folder.write("source.pgm", grey);
    const coarse = folder.write("coarse.pgm", portableGreymap(picture(63), 63));
    for (const [name, target, options] of [
      ["LZW TIFF", "lzw.tif", ["-compress", "LZW", "-define", "tiff:predictor=2"]],
      ["tiled deflate TIFF", "tiled.tif", ["-compress", "Zip", "-define", "tiff:tile-geometry=16x16"]],
      ["PackBits TIFF", "packbits.tif", ["-compress", "RLE"]],
      ["BigTIFF", "big.tif64", []],
      ["palette BMP", "palette.bmp", ["-type", "Palette"]],
      ["32-bit BMP", "masks.bmp", ["-type", "TrueColorAlpha"]],
      ["palette PNG", "palette.png", ["-type", "Palette"]],
    ] as const) {
      imageMagick("convert", name.startsWith("palette") ? coarse : source, ...options, folder.path(target));
      files.set(name, readFileSync(folder.path(target)));
    }
  }
  return files;
}

/** Reads bytes that may be anything: either an image whose every sample is in range, or one sentence. */
async function outcome(bytes: Uint8Array): Promise<"image" | "refused"> {
  const path = folder.write("damaged", bytes);
  try {
    const image = await readImage(path, { channel: 0 });
    expect(image.samples.length).toBe(image.width_px * image.height_px);
    expect(image.bitDepth).toBeGreaterThanOrEqual(8);
    expect(Math.max(...image.samples.slice(0, 1000))).toBeLessThan(2 ** image.bitDepth);
    return "image";
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    expect(error.message).toMatch(/^[^\n]*damaged: [^\n]+$/);
    return "refused";
  }
}

/** A small generator, so that a failing byte can be found again (Lehmer, multiplier 48271). */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

describe("damaged files end in one sentence or an image, never in a crash", () => {
  it("cut at every fiftieth of their length", async () => {
    for (const [kind, bytes] of await kinds()) {
      let refused = 0;
      for (let part = 0; part < 50; part++) {
        if ((await outcome(bytes.subarray(0, Math.floor((bytes.length * part) / 50)))) === "refused") refused += 1;
      }
      // A table that ends with a whole row is a smaller table, and a TIFF's later pages are not needed.
      const least = kind === "CSV" ? 40 : kind === "TIFF" ? 20 : 48;
      expect(refused, kind).toBeGreaterThanOrEqual(least);
    }
  });

  it("with bytes changed at random", async () => {
    const warning = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const draw = draws(7);
    for (const bytes of (await kinds()).values()) {
      for (let round = 0; round < 60; round++) {
        const changed = bytes.slice();
        // Headers decide most, so half of the changes go there.
        const reach = round % 2 === 0 ? Math.min(200, changed.length) : changed.length;
        for (let n = 0; n <= draw(4); n++) changed[draw(reach)] = draw(256);
        await outcome(changed);
      }
    }
    warning.mockRestore();
  });
});
