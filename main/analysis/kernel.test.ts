import { describe, expect, test } from "vitest";
import type { KernelFrame, Rectangle, RectangleMoments } from "./kernel.ts";
import { frameOf, HEIGHT, RECTANGLES, WIDTH } from "./kernel-fixtures.ts";
import { rectangleGeometry, rectangleRows } from "./rectangle.ts";
import { referenceKernel } from "./reference-kernel.ts";
import { typescriptKernel } from "./typescript-kernel.ts";

const RELATIVE = 1e-12;

type Sums = Pick<RectangleMoments, "area_px" | "s0" | "sx" | "sy" | "sxx" | "sxy" | "syy">;
const ORDER = ["area_px", "s0", "sx", "sy", "sxx", "sxy", "syy"] as const;

/** Size of the terms that a sum is made of: what "relative" means for a sum that may come out near zero. */
function scaleOf(frame: KernelFrame, rectangle: Rectangle): Record<keyof Sums, number> {
  const { originX_px, originY_px } = referenceKernel.moments(frame, rectangle);
  const rows = rectangleRows(rectangle, WIDTH, HEIGHT);
  const scale = { area_px: 0, s0: 0, sx: 0, sy: 0, sxx: 0, sxy: 0, syy: 0 };
  for (let k = 0; k < rows.rowCount; k++)
    for (let column = 0; column < WIDTH; column++) {
      const left = Math.max(rows.spans[3 * k] as number, column - 0.5);
      const right = Math.min(rows.spans[3 * k + 1] as number, column + 0.5);
      if (right <= left) continue;
      const weight = (right - left) * (rows.spans[3 * k + 2] as number);
      const index = (rows.firstRow + k) * WIDTH + column;
      const value = weight * ((frame.samples[index] as number) + (frame.dark?.[index] ?? 0));
      const x = Math.abs(column - originX_px);
      const y = Math.abs(rows.firstRow + k - originY_px);
      scale.area_px += weight;
      scale.s0 += value;
      scale.sx += value * x;
      scale.sy += value * y;
      scale.sxx += value * x * x;
      scale.sxy += value * x * y;
      scale.syy += value * y * y;
    }
  return scale;
}

function expectSame(actual: Sums, expected: Sums, scale: Record<keyof Sums, number>): void {
  for (const key of ORDER) {
    const difference = Math.abs(actual[key] - expected[key]);
    expect(difference, `${key}: ${actual[key]} and ${expected[key]}`).toBeLessThanOrEqual(RELATIVE * scale[key]);
  }
}

describe("the fast kernel agrees with the reference", () => {
  for (const dark of ["none", "float32", "float64"] as const)
    for (const bitDepth of [8, 12, 16])
      for (const [name, rectangle] of Object.entries(RECTANGLES))
        test(`moments: ${bitDepth} bits, dark ${dark}, ${name}`, () => {
          const frame = frameOf(bitDepth, dark);
          const fast = typescriptKernel.moments(frame, rectangle);
          const slow = referenceKernel.moments(frame, rectangle);
          expectSame(fast, slow, scaleOf(frame, rectangle));
          expect(fast.saturated).toBe(slow.saturated);
          expect([fast.originX_px, fast.originY_px]).toEqual([slow.originX_px, slow.originY_px]);
        });

  for (const dark of ["none", "float32", "float64"] as const)
    for (const block_px of [4, 8, 100])
      test(`survey: dark ${dark}, blocks of ${block_px}`, () => {
        const frame = frameOf(12, dark);
        const fast = typescriptKernel.survey(frame, block_px);
        const slow = referenceKernel.survey(frame, block_px);
        expect(slow.saturated, "the fixture is saturated in the middle").toBeGreaterThan(4);
        expect({ ...fast, blockSums: [], total: 0 }).toEqual({ ...slow, blockSums: [], total: 0 });
        expect(Math.abs(fast.total - slow.total)).toBeLessThanOrEqual(RELATIVE * Math.abs(slow.total));
        fast.blockSums.forEach((sum, index) => {
          expect(Math.abs(sum - (slow.blockSums[index] as number))).toBeLessThanOrEqual(RELATIVE * slow.total);
        });
      });

  test("counts are added pixel by pixel, and their squares exactly", () => {
    const { samples } = frameOf(16, "none");
    const [fast, slow] = [new Uint32Array(samples.length).fill(9), new Uint32Array(samples.length).fill(9)];
    expect(typescriptKernel.addCounts(fast, samples)).toBe(referenceKernel.addCounts(slow, samples));
    expect(fast).toEqual(slow);
  });

  test("a single saturated pixel, a row of them and a diagonal are no square", () => {
    for (const pixels of [
      [[5, 5]],
      [
        [5, 5],
        [6, 5],
        [7, 5],
      ],
      [
        [5, 5],
        [6, 6],
        [7, 7],
      ],
    ]) {
      const samples = new Uint16Array(WIDTH * HEIGHT);
      for (const [column = 0, row = 0] of pixels) samples[row * WIDTH + column] = 255;
      const frame = { samples, width_px: WIDTH, height_px: HEIGHT, saturation_counts: 255 };
      for (const kernel of [typescriptKernel, referenceKernel]) {
        const survey = kernel.survey(frame, 8);
        expect(survey.saturatedSquare).toBe(false);
        expect(survey.saturated).toBe(pixels.length);
      }
    }
  });
});

describe.each([typescriptKernel, referenceKernel])("properties of the $name kernel", (kernel) => {
  const rectangle = RECTANGLES["turned"] as Rectangle;
  const frame = frameOf(12, "none");
  const now = kernel.moments(frame, rectangle);
  const scale = scaleOf(frame, rectangle);
  const withSamples = (samples: Uint16Array, width = WIDTH, height = HEIGHT): KernelFrame => ({
    samples,
    width_px: width,
    height_px: height,
    saturation_counts: 65536,
  });

  test("scale: three times the counts are three times the sums, the same area", () => {
    const tripled = kernel.moments(withSamples(frame.samples.map((value) => 3 * value)), rectangle);
    expectSame(
      {
        ...tripled,
        s0: tripled.s0 / 3,
        sx: tripled.sx / 3,
        sy: tripled.sy / 3,
        sxx: tripled.sxx / 3,
        sxy: tripled.sxy / 3,
        syy: tripled.syy / 3,
      },
      now,
      scale,
    );
  });

  test("bit depth: 12 bits moved to 16 are sixteen times the sums", () => {
    const wide = kernel.moments(withSamples(frame.samples.map((value) => value << 4)), rectangle);
    expectSame(
      {
        ...wide,
        s0: wide.s0 / 16,
        sx: wide.sx / 16,
        sy: wide.sy / 16,
        sxx: wide.sxx / 16,
        sxy: wide.sxy / 16,
        syy: wide.syy / 16,
      },
      now,
      scale,
    );
  });

  test("added constant: the sums grow by the moments of the area", () => {
    const raised = kernel.moments(withSamples(frame.samples.map((value) => value + 50)), rectangle);
    const rows = rectangleRows(rectangle, WIDTH, HEIGHT);
    const g = rectangleGeometry(rows, now.originX_px, now.originY_px);
    expectSame(
      {
        ...raised,
        s0: raised.s0 - 50 * g.g00,
        sx: raised.sx - 50 * g.g10,
        sy: raised.sy - 50 * g.g01,
        sxx: raised.sxx - 50 * g.g20,
        sxy: raised.sxy - 50 * g.g11,
        syy: raised.syy - 50 * g.g02,
      },
      now,
      scale,
    );
  });

  test("a dark is taken off with its sign", () => {
    const dark = Float64Array.from(frame.samples, (value, index) => value + (index % 3) - 1.5);
    const sums = kernel.moments({ ...frame, dark }, rectangle);
    const difference = kernel.moments(
      withSamples(Uint16Array.from(frame.samples, (_value, index) => 2 - (index % 3))),
      rectangle,
    );
    // sample − dark = 1.5 − index % 3 = (2 − index % 3) − 0.5
    expect(sums.s0).toBeCloseTo(difference.s0 - 0.5 * now.area_px, 6);
    expect(sums.s0).toBeLessThan(difference.s0);
  });

  test("shift: whole pixels move the origin and nothing else", () => {
    const moved = new Uint16Array(WIDTH * HEIGHT);
    for (let row = 0; row < HEIGHT - 4; row++)
      for (let column = 0; column < WIDTH - 7; column++)
        moved[(row + 4) * WIDTH + column + 7] = frame.samples[row * WIDTH + column] as number;
    const sums = kernel.moments(withSamples(moved), {
      ...rectangle,
      centreX_px: rectangle.centreX_px + 7,
      centreY_px: rectangle.centreY_px + 4,
    });
    expect([sums.originX_px - now.originX_px, sums.originY_px - now.originY_px]).toEqual([7, 4]);
    expectSame(sums, now, scale);
  });

  test("mirrored columns: odd moments in x change their sign", () => {
    const mirrored = frame.samples.map(
      (_value, index) => frame.samples[index - 2 * (index % WIDTH) + WIDTH - 1] as number,
    );
    const sums = kernel.moments(withSamples(mirrored), {
      ...rectangle,
      centreX_px: WIDTH - 1 - rectangle.centreX_px,
      angle_rad: -rectangle.angle_rad,
    });
    expectSame({ ...sums, sx: -sums.sx, sxy: -sums.sxy }, now, scale);
  });

  test("mirrored rows: odd moments in y change their sign", () => {
    const mirrored = new Uint16Array(WIDTH * HEIGHT);
    for (let row = 0; row < HEIGHT; row++)
      mirrored.set(frame.samples.subarray(row * WIDTH, (row + 1) * WIDTH), (HEIGHT - 1 - row) * WIDTH);
    const sums = kernel.moments(withSamples(mirrored), {
      ...rectangle,
      centreY_px: HEIGHT - 1 - rectangle.centreY_px,
      angle_rad: -rectangle.angle_rad,
    });
    expectSame({ ...sums, sy: -sums.sy, sxy: -sums.sxy }, now, scale);
  });

  test("turned by 90°: x and y change places for an upright area", () => {
    const upright = RECTANGLES["upright"] as Rectangle;
    const turned = new Uint16Array(WIDTH * HEIGHT);
    // (column, row) → (HEIGHT − 1 − row, column): clockwise.
    for (let row = 0; row < HEIGHT; row++)
      for (let column = 0; column < WIDTH; column++)
        turned[column * HEIGHT + HEIGHT - 1 - row] = frame.samples[row * WIDTH + column] as number;
    const before = kernel.moments(frame, upright);
    const after = kernel.moments(withSamples(turned, HEIGHT, WIDTH), {
      centreX_px: HEIGHT - 1 - upright.centreY_px,
      centreY_px: upright.centreX_px,
      halfLength_px: upright.halfBreadth_px,
      halfBreadth_px: upright.halfLength_px,
      angle_rad: 0,
    });
    expectSame(
      { ...after, sx: after.sy, sy: -after.sx, sxx: after.syy, sxy: -after.sxy, syy: after.sxx },
      before,
      scaleOf(frame, upright),
    );
  });

  test("fractions of pixels count: a constant frame gives the area itself", () => {
    const constant = withSamples(new Uint16Array(WIDTH * HEIGHT).fill(10));
    const upright = { centreX_px: 40.25, centreY_px: 30, halfLength_px: 10.3, halfBreadth_px: 5.6, angle_rad: 0 };
    expect(kernel.moments(constant, upright).s0).toBeCloseTo(10 * 20.6 * 11.2, 9);
    // Only the rows that hold a corner are not exact.
    const tilted = { ...upright, angle_rad: 0.35 };
    expect(Math.abs(kernel.moments(constant, tilted).s0 / (10 * 20.6 * 11.2) - 1)).toBeLessThan(1e-3);
  });

  test("the sums are continuous in every parameter of the area", () => {
    for (const base of [RECTANGLES["upright"], RECTANGLES["turned"]] as Rectangle[])
      for (const key of ["centreX_px", "centreY_px", "halfLength_px", "halfBreadth_px", "angle_rad"] as const) {
        let last: number | undefined;
        for (let step = 0; step <= 400; step++) {
          // Two pixels, or about two pixels at the far end.
          const change = step / 200 / (key === "angle_rad" ? 20 : 1);
          const { s0 } = kernel.moments(frame, { ...base, [key]: base[key] + change });
          if (last !== undefined) expect(Math.abs(s0 - last) / now.s0).toBeLessThan(1e-3);
          last = s0;
        }
      }
  });
});
