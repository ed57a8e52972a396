import { describe, expect, test } from "vitest";
import { analyzeFrame, type FrameInput } from "./analyze-frame.ts";
import { type Exposure, expose, gaussianLight, seededNormal } from "./frame-fixtures.ts";

const BEAM = {
  width_px: 320,
  height_px: 240,
  centreX_px: 161.3,
  centreY_px: 118.6,
  dU_px: 60,
  dV_px: 48,
  azimuth_deg: 0,
  peak_counts: 3000,
};

function taken(exposure: Exposure, change: (light: Float64Array) => Float64Array = (light) => light, withDark = false) {
  const normal = seededNormal(5);
  const samples = expose(change(gaussianLight(BEAM)), exposure, normal);
  const input: FrameInput = {
    samples,
    width_px: 320,
    height_px: 240,
    bitDepth: exposure.bitDepth,
    pixelPitch_um: 1,
  };
  if (!withDark) return input;
  const dark = expose(new Float64Array(samples.length), exposure, normal);
  return { ...input, dark: { mean: Float64Array.from(dark), frames: 1, noise_counts: 1 } };
}

const camera = (black_counts: number, readNoise_counts: number, bitDepth = 12): Exposure => ({
  black_counts,
  readNoise_counts,
  electronsPerCount: 10,
  bitDepth,
});

describe("counts cut off at zero", () => {
  for (const withDark of [false, true])
    for (const extraFindings of [false, true])
      test.each([
        [-60, 8],
        [-15, 8],
        [-30, 3],
      ])(
        `black level %i with noise %i, ${withDark ? "with" : "without"} a dark, extra findings ${extraFindings}`,
        (black, noise) => {
          const analysis = analyzeFrame(taken(camera(black, noise), undefined, withDark), { extraFindings });
          expect(analysis.kind).toBe("refused");
          expect(analysis.reasons.join()).toMatch(/cut off at zero.*raise the black level/);
          expect(analysis.flags.map(({ code }) => code)).toEqual(extraFindings ? ["structured_background"] : []);
        },
      );

  test.each([
    [0, 8],
    [4, 6],
  ])("a small effect is covered by the uncertainty: black level %i with noise %i", (black, noise) => {
    const analysis = analyzeFrame(taken(camera(black, noise), undefined, true));
    if (analysis.kind !== "measured") throw new Error(analysis.reasons.join());
    expect(analysis.grade).toBe("usable");
    expect(analysis.reasons.join()).toMatch(/cut off at zero/);
    expect(Math.abs(analysis.widths.d4sigmaX_um - 60)).toBeLessThan(2 * analysis.widths.uX_um);
    expect(Math.abs(analysis.widths.d4sigmaY_um - 48)).toBeLessThan(2 * analysis.widths.uY_um);
  });

  test.each([
    ["a background of zero without noise", camera(0, 0)],
    ["noise well above zero", camera(40, 8)],
    ["less noise than rounding, black level 4", camera(4, 0.3)],
    ["less noise than rounding, between two values", camera(64.3, 0.3)],
  ])("%s is no cut", (_name, exposure) => {
    const analysis = analyzeFrame(taken(exposure, undefined, true), { extraFindings: true });
    expect(analysis.reasons).toEqual([]);
    expect(analysis.grade).toBe("good");
  });

  test("rounded light without any noise is no cut", () => {
    const samples = Uint16Array.from(gaussianLight(BEAM), (counts) => Math.round(counts));
    const input = { samples, width_px: 320, height_px: 240, bitDepth: 12, pixelPitch_um: 1 };
    expect(analyzeFrame(input).reasons.join()).not.toMatch(/cut off/);
  });
});

describe("counts that stop below full scale", () => {
  const stopping = (input: FrameInput): FrameInput => ({
    ...input,
    samples: input.samples.map((counts) => Math.min(counts, 2500)),
  });

  test("a plateau at one value counts as saturated", () => {
    for (const withDark of [false, true]) {
      const analysis = analyzeFrame(stopping(taken(camera(64, 3), undefined, withDark)));
      expect(analysis.kind).toBe("refused");
      expect(analysis.flags.map(({ code }) => code)).toEqual(["saturated"]);
      expect(analysis.reasons.join()).toMatch(/the counts stop at 2500, below full scale/);
    }
  });

  test("a flat top with noise, and one without, are none", () => {
    const flat = (light: Float64Array) => light.map((counts) => Math.min(counts, 2400));
    for (const noise of [3, 0]) expect(analyzeFrame(taken(camera(64, noise), flat, true)).flags).toEqual([]);
    const samples = Uint16Array.from(flat(gaussianLight(BEAM)), (counts) => Math.round(counts) + 64);
    expect(analyzeFrame({ ...taken(camera(64, 3)), samples }).flags).toEqual([]);
  });
});
