import { decode } from "fast-png";
import { expect, test } from "vitest";
import type { Frame } from "../../drivers/protocol/frame.ts";
import { drawText, textWidth } from "./bitmap-font.ts";
import { SATURATED, createRamp } from "./colour-map.ts";
import { createCanary } from "./canary.ts";
import { LARGEST_PICTURE_BYTES, type PictureOptions, drawPicture } from "./picture.ts";

function frame(
  width_px: number,
  height_px: number,
  counts: (column: number, row: number) => number,
  bitDepth = 12,
): Frame {
  const samples = new Uint16Array(width_px * height_px);
  for (let row = 0; row < height_px; row++) {
    for (let column = 0; column < width_px; column++) samples[row * width_px + column] = counts(column, row);
  }
  return { width_px, height_px, samples, bitDepth, exposure_ms: 1, startedAt_ms: 0, sequence: 0, simulated: true };
}

const OPTIONS: PictureOptions = {
  logScale: false,
  pixelPitch_um: 5.5,
  caption: "m001",
  code: "KXW47",
  simulated: false,
};

/** Colour of every pixel as "r,g,b", row by row. */
function colours(png: Uint8Array): string[][] {
  const { width, height, data, palette } = decode(png);
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => (palette?.[data[y * width + x] ?? 0] ?? []).join(",")),
  );
}

const noise = (): (() => number) => {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
};

test("lightness rises along the whole ramp, which starts dark and ends bright", () => {
  const light = createRamp(128).map(([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b);
  expect(light[0]).toBeLessThan(20);
  expect(light.at(-1)).toBeGreaterThan(220);
  for (let i = 1; i < light.length; i++) expect(light[i]).toBeGreaterThan((light[i - 1] ?? 0) - 0.5);
});

test("the brightest place of the frame is the brightest of the picture, and the numbers beside it are raw counts", () => {
  const spot = frame(320, 200, (x, y) => (x === 200 && y === 50 ? 1000 : 64));
  const picture = drawPicture(spot, OPTIONS);
  expect(picture).toMatchObject({ minimum_counts: 64, maximum_counts: 1000, scale_um_per_picture_px: 5.5 });
  const brightest = createRamp(128).at(-1)?.join(",");
  const found = colours(picture.png).flatMap((row, y) =>
    row.flatMap((colour, x) => (colour === brightest ? [[x, y]] : [])),
  );
  expect(found).toEqual([[34 + 200, 12 + 50]]);
});

test("saturated pixels have a colour of their own, also after averaging over blocks", () => {
  const spot = frame(2448, 2048, (x, y) => (x === 1000 && y === 1000 ? 4095 : 100));
  const picture = drawPicture(spot, OPTIONS);
  expect(picture.scale_um_per_picture_px).toBe(22);
  const cyan = colours(picture.png)
    .flat()
    .filter((colour) => colour === SATURATED.join(","));
  expect(cyan).toHaveLength(1);
});

test.each([
  ["640 × 480", 640, 480],
  ["2448 × 2048", 2448, 2048],
  ["100 × 3000", 100, 3000],
])("pure noise of %s pixels stays below 100 kB on either scale", (_name, width, height) => {
  const next = noise();
  const rough = frame(width, height, () => Math.floor(next() * 4096));
  for (const logScale of [false, true]) {
    expect(drawPicture(rough, { ...OPTIONS, logScale }).png.length).toBeLessThanOrEqual(LARGEST_PICTURE_BYTES);
  }
});

test("a crop shows its own part, larger, with the sensor's pixel numbers", () => {
  const step = frame(640, 480, (x) => (x < 320 ? 10 : 20));
  const picture = drawPicture(step, { ...OPTIONS, crop: { x_px: 316, y_px: 100, width_px: 8, height_px: 8 } });
  expect(picture).toMatchObject({ minimum_counts: 10, maximum_counts: 20, scale_um_per_picture_px: 5.5 / 40 });
  const row = colours(picture.png)[12 + 160] ?? [];
  expect(row[34 + 159]).not.toBe(row[34 + 160]);
  expect(new Set(row.slice(34, 34 + 160)).size).toBe(1);
});

test("an even frame is drawn, not divided by zero", () => {
  for (const logScale of [false, true]) {
    const picture = drawPicture(
      frame(64, 64, () => 0),
      { ...OPTIONS, logScale },
    );
    expect(picture).toMatchObject({ minimum_counts: 0, maximum_counts: 0 });
  }
});

test("equal arguments give equal bytes; code and watermark change them", () => {
  const even = frame(200, 100, () => 64);
  const bytes = (options: Partial<PictureOptions>) =>
    Buffer.from(drawPicture(even, { ...OPTIONS, ...options }).png).toString("base64");
  expect(bytes({})).toBe(bytes({}));
  expect(bytes({ code: "KXW49" })).not.toBe(bytes({}));
  expect(bytes({ simulated: true })).not.toBe(bytes({}));
});

test("the code can be read from the picture", () => {
  const picture = drawPicture(
    frame(320, 100, () => 64),
    OPTIONS,
  );
  const drawn = colours(picture.png);
  const top = drawn.length - 17;
  const ink = "240,240,240";
  const expected = new Set<string>();
  drawText("CODE KXW47", 34, top, 2, (x, y) => expected.add(`${x},${y}`));
  const found = new Set<string>();
  for (let y = top; y < top + 14; y++) {
    for (let x = 34; x < 34 + textWidth("CODE KXW47", 2); x++) if (drawn[y]?.[x] === ink) found.add(`${x},${y}`);
  }
  expect(found).toEqual(expected);
});

test("codes follow from the key and the event, and nobody confuses their letters", () => {
  const canary = createCanary("one");
  expect(canary(7)).toBe(createCanary("one")(7));
  const codes = Array.from({ length: 200 }, (_, seq) => canary(seq));
  expect(new Set(codes).size).toBe(200);
  expect(codes.every((code) => /^[ACDEFHJKMNPRTVWXY34679]{5}$/.test(code))).toBe(true);
  expect(codes.filter((code, seq) => code === createCanary("two")(seq))).toEqual([]);
});
