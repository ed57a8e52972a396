import { describe, expect, test } from "vitest";
import { widthFieldsSchema } from "../contract/width-fields.ts";
import {
  type AnalysisOptions,
  analyzeFrame,
  analyzeFrames,
  type BeamWidths,
  type FrameAnalysis,
  type FrameInput,
  type FramesInput,
} from "./analyze-frame.ts";
import { CAMERA, expose, exposeDark, type GaussianFrame, gaussianLight, seededNormal } from "./frame-fixtures.ts";
import { referenceKernel } from "./reference-kernel.ts";
import { toWidthFields } from "./to-width-fields.ts";

const BEAM: GaussianFrame = {
  width_px: 320,
  height_px: 240,
  centreX_px: 161.3,
  centreY_px: 118.6,
  dU_px: 48,
  dV_px: 36,
  azimuth_deg: 20,
  peak_counts: 3000,
};
const PITCH_UM = 5.5;

function measure(beam: GaussianFrame, seed = 1, more: { frames?: number; light?: Float64Array } = {}) {
  const normal = seededNormal(seed);
  const light = more.light ?? gaussianLight(beam);
  const dark = exposeDark(light.length, 4, CAMERA, normal);
  return {
    frames: Array.from({ length: more.frames ?? 1 }, () => expose(light, CAMERA, normal)),
    width_px: beam.width_px,
    height_px: beam.height_px,
    bitDepth: CAMERA.bitDepth,
    pixelPitch_um: PITCH_UM,
    dark,
  };
}

/** The same frames without their dark. */
function darkless({ frames, width_px, height_px, bitDepth, pixelPitch_um }: FramesInput): FramesInput {
  return { frames, width_px, height_px, bitDepth, pixelPitch_um };
}

function widthsOf(analysis: FrameAnalysis): BeamWidths {
  if (analysis.kind !== "measured") throw new Error(`${analysis.grade}: ${analysis.reasons.join("; ")}`);
  return analysis.widths;
}

const codes = (analysis: FrameAnalysis): string[] => analysis.flags.map((flag) => flag.code);

/** No field of a result, and no number in a sentence, may be NaN or infinite; the wire form must fit its schema. */
function expectFinite(analysis: FrameAnalysis): void {
  const walk = (value: unknown, path: string): void => {
    if (typeof value === "number") expect(Number.isFinite(value), path).toBe(true);
    else if (typeof value === "string") expect(value).not.toMatch(/NaN|Infinity|undefined/);
    else if (typeof value === "object" && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`);
  };
  walk(analysis, "analysis");
  widthFieldsSchema.parse(toWidthFields(analysis));
  if (analysis.grade !== "good") expect(analysis.reasons.length).toBeGreaterThan(0);
}

describe("widths of a clean frame", () => {
  test("size, centre, azimuth and peak of a turned ellipse come back", () => {
    const analysis = analyzeFrames(measure(BEAM));
    const widths = widthsOf(analysis);
    expect(analysis).toMatchObject({ grade: "good", method: "dark", flags: [], reasons: [], converged: true });
    expect(widths.d4sigmaX_um / (48 * PITCH_UM)).toBeCloseTo(1, 2);
    expect(widths.d4sigmaY_um / (36 * PITCH_UM)).toBeCloseTo(1, 2);
    expect(widths.azimuth_deg).toBeCloseTo(20, 0);
    expect(widths.ellipticity).toBeCloseTo(0.75, 2);
    expect(widths.centroidX_px).toBeCloseTo(161.3, 1);
    expect(widths.centroidY_px).toBeCloseTo(118.6, 1);
    expect(analysis.peak_counts).toBeGreaterThan(2900);
    expect(analysis.peak_counts).toBeLessThan(3200);
    const cosine2 = Math.cos((20 * Math.PI) / 180) ** 2;
    expect(widths.d4sigmaSensorX_um / PITCH_UM / Math.sqrt(48 ** 2 * cosine2 + 36 ** 2 * (1 - cosine2))).toBeCloseTo(
      1,
      2,
    );
    expectFinite(analysis);
  });

  test.each([
    [0, 0, 48],
    [44, 44, 48],
    [46, -44, 36],
    [90, 0, 36],
    [-30, -30, 48],
    [-60, 30, 36],
  ])("a long axis at %i° gives the azimuth %i° and x %i pixels wide", (azimuth_deg, expected_deg, x_px) => {
    const widths = widthsOf(analyzeFrames(measure({ ...BEAM, azimuth_deg })));
    expect(Math.abs(widths.azimuth_deg - expected_deg)).toBeLessThan(0.9);
    expect(widths.d4sigmaX_um / PITCH_UM / x_px).toBeCloseTo(1, 1);
  });

  test("the reference kernel gives the same to 1e-9", () => {
    const input = measure(BEAM);
    const fast = widthsOf(analyzeFrames(input));
    const slow = widthsOf(analyzeFrames(input, { kernel: referenceKernel }));
    for (const key of Object.keys(fast) as (keyof BeamWidths)[])
      expect(Math.abs(fast[key] / slow[key] - 1), key).toBeLessThan(1e-9);
  });

  test("the part that the dark's noise has in the uncertainty is what another dark of the same kind changes", () => {
    const normal = seededNormal(21);
    const input = measure({ ...BEAM, azimuth_deg: 0 });
    const widths = Array.from({ length: 30 }, () =>
      widthsOf(analyzeFrames({ ...input, dark: exposeDark(320 * 240, 4, CAMERA, normal) })),
    );
    const mean = widths.reduce((sum, one) => sum + one.d4sigmaX_um, 0) / 30;
    const scatter = Math.sqrt(widths.reduce((sum, one) => sum + (one.d4sigmaX_um - mean) ** 2, 0) / 29);
    const [first] = widths as [BeamWidths];
    // A deviation of 30 values is known to 13 %.
    expect(scatter / first.uDarkX_um).toBeGreaterThan(0.65);
    expect(scatter / first.uDarkX_um).toBeLessThan(1.4);
    expect(first.uDarkX_um).toBeLessThan(first.uX_um);
  });

  test("an added constant in frame and dark changes nothing", () => {
    const input = measure(BEAM);
    const raised = {
      ...input,
      frames: input.frames.map((frame) => frame.map((value) => value + 300)),
      dark: { ...input.dark, mean: input.dark.mean.map((value) => value + 300) },
    };
    expect(widthsOf(analyzeFrames(raised)).d4sigmaX_um).toBeCloseTo(widthsOf(analyzeFrames(input)).d4sigmaX_um, 6);
  });

  test("a constant in the frame alone is taken off and flagged as a stale background", () => {
    const input = measure(BEAM);
    const raised = { ...input, frames: input.frames.map((frame) => frame.map((value) => value + 3)) };
    const analysis = analyzeFrames(raised);
    expect(codes(analysis)).toEqual(["background_stale"]);
    expect(analysis).toMatchObject({ grade: "usable" });
    expect(analysis.offset_counts).toBeCloseTo(3, 1);
    expect(widthsOf(analysis).d4sigmaX_um).toBeCloseTo(widthsOf(analyzeFrames(input)).d4sigmaX_um, 3);
  });

  test("negative differences are kept: the mean error over many frames stays below a tenth of one frame's uncertainty", () => {
    const faint = { ...BEAM, dU_px: 60, dV_px: 60, azimuth_deg: 0, peak_counts: 500 };
    let sum = 0;
    let u = 0;
    const number = 40;
    for (let seed = 1; seed <= number; seed++) {
      const widths = widthsOf(analyzeFrames(measure(faint, seed)));
      sum += (widths.d4sigmaX_um + widths.d4sigmaY_um) / 2 / PITCH_UM / 60 - 1;
      u += widths.uX_um / PITCH_UM / 60;
    }
    // The mean of two widths of 40 frames has itself a deviation of about u / 9.
    expect(Math.abs(sum / number)).toBeLessThan((0.35 * u) / number);
  });
});

describe("stated uncertainties", () => {
  /** (measured − true) / u over many frames. */
  function pulls(
    beam: GaussianFrame,
    frames: number,
    seeds: number,
    change: (input: FrameInput) => FrameInput = (input) => input,
  ) {
    const light = gaussianLight(beam);
    const all: number[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const { frames: taken, ...rest } = measure(beam, 100 + seed, { frames, light });
      const widths = widthsOf(
        analyzeFrames({ ...change({ ...rest, samples: taken[0] as Uint16Array }), frames: taken }),
      );
      all.push((widths.d4sigmaX_um / PITCH_UM - beam.dU_px) / widths.uX_um);
      all.push((widths.d4sigmaY_um / PITCH_UM - beam.dV_px) / widths.uY_um);
    }
    return all.map((pull) => pull * PITCH_UM);
  }
  const rootMeanSquare = (values: number[]): number =>
    Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);

  test.each([
    ["one bright frame", { ...BEAM, azimuth_deg: 0 }, 1],
    ["five bright frames", { ...BEAM, azimuth_deg: 0 }, 5],
    ["five faint frames", { ...BEAM, dU_px: 70, dV_px: 50, azimuth_deg: 30, peak_counts: 450 }, 5],
    ["a beam whose area is larger than the sensor", { ...BEAM, dU_px: 110, dV_px: 90, azimuth_deg: 0 }, 3],
  ] as const)("%s: the scatter about the truth is what is stated", (_name, beam, frames) => {
    const all = pulls(beam, frames, 40);
    // 80 values: the root mean square of pulls is 1 ± 0.08.
    expect(rootMeanSquare(all)).toBeGreaterThan(0.75);
    expect(rootMeanSquare(all)).toBeLessThan(1.25);
    expect(all.filter((pull) => Math.abs(pull) < 2).length / all.length).toBeGreaterThan(0.9);
  });

  test("a noise model gives about the same as the noise found in the frame", () => {
    const input = measure({ ...BEAM, azimuth_deg: 0 });
    const found = widthsOf(analyzeFrames(input));
    const told = widthsOf(analyzeFrames({ ...input, noise: { readNoise_counts: 3, electronsPerCount: 2.56 } }));
    expect(found.uX_um / told.uX_um).toBeGreaterThan(0.8);
    expect(found.uX_um / told.uX_um).toBeLessThan(1.25);
  });

  test("frames that scatter more than their noise explains enlarge the uncertainty", () => {
    const normal = seededNormal(3);
    const frames = [40, 44, 48, 52, 56].map((dU_px) =>
      expose(gaussianLight({ ...BEAM, dU_px, azimuth_deg: 0 }), CAMERA, normal),
    );
    const input = { ...measure({ ...BEAM, azimuth_deg: 0 }), frames };
    const widths = widthsOf(analyzeFrames(input));
    const scatter_px = Math.sqrt(40 / 5);
    expect(widths.uX_um / PITCH_UM).toBeGreaterThan(0.8 * scatter_px);
    expect(widths.uY_um / PITCH_UM).toBeLessThan(0.3);
  });
});

describe("flags of the seven kinds", () => {
  test("saturated by a square of four pixels", () => {
    const input = measure(BEAM);
    for (const at of [0, 1, 320, 321]) (input.frames[0] as Uint16Array)[10 * 320 + 10 + at] = 4095;
    const analysis = analyzeFrames(input);
    expect(codes(analysis)).toContain("saturated");
    expect(analysis.kind).toBe("refused");
  });

  test("saturated by a share of the area, not by one pixel alone", () => {
    const input = measure(BEAM);
    (input.frames[0] as Uint16Array)[118 * 320 + 161] = 4095;
    expect(codes(analyzeFrames(input))).toEqual([]);
    for (const column of [150, 155, 165, 170]) (input.frames[0] as Uint16Array)[118 * 320 + column] = 4095;
    const analysis = analyzeFrames(input);
    expect(analysis.flags).toEqual([{ code: "saturated", value: analysis.saturatedFraction, limit: 1e-4 }]);
    expect(analysis.saturatedFraction).toBeGreaterThan(1e-4);
  });

  test("low signal is usable, with a larger uncertainty", () => {
    const analysis = analyzeFrames(measure({ ...BEAM, peak_counts: 380, dU_px: 60, dV_px: 60 }));
    expect(codes(analysis)).toEqual(["low_signal"]);
    expect(analysis.grade).toBe("usable");
    expect(widthsOf(analysis).uX_um).toBeGreaterThan(widthsOf(analyzeFrames(measure(BEAM))).uX_um);
  });

  test("too few pixels", () => {
    const analysis = analyzeFrames(measure({ ...BEAM, dU_px: 12, dV_px: 7 }));
    expect(codes(analysis)).toEqual(["too_few_pixels"]);
    expect(analysis.flags[0]?.value).toBeCloseTo(7, 0);
  });

  test("beam too large although no light is lost", () => {
    const beam = { ...BEAM, centreX_px: 159.5, centreY_px: 119.5, dU_px: 123, dV_px: 100, azimuth_deg: 0 };
    const analysis = analyzeFrames(measure(beam));
    expect(codes(analysis)).toEqual(["beam_too_large"]);
    expect(widthsOf(analysis).d4sigmaX_um / PITCH_UM / 123).toBeCloseTo(1, 2);
  });

  test("clipped: light reaches the edge; the rectangle alone does not count", () => {
    const reaching = { ...BEAM, centreX_px: 60, dU_px: 60, dV_px: 60, azimuth_deg: 0 };
    expect(codes(analyzeFrames(measure(reaching)))).toEqual([]);
    const cut = analyzeFrames(measure({ ...reaching, centreX_px: 30 }));
    expect(codes(cut)).toContain("clipped");
    expect(cut.kind).toBe("refused");
  });

  test("clipped: a small beam cut in half by the edge of a large sensor", () => {
    const cut = analyzeFrames(measure({ ...BEAM, centreY_px: 0, dU_px: 16, dV_px: 16, azimuth_deg: 0 }));
    expect(codes(cut)).toContain("clipped");
    expect(cut.kind).toBe("refused");
  });

  test("a spot beyond the area is no matter without the extra findings, and named with them", () => {
    const light = gaussianLight(BEAM);
    gaussianLight({ ...BEAM, centreX_px: 270, centreY_px: 200, peak_counts: 200 }).forEach((counts, index) => {
      light[index] = (light[index] as number) + counts;
    });
    const input = measure(BEAM, 1, { light });
    expect(codes(analyzeFrames(input)).filter((code) => code !== "background_stale")).toEqual([]);
    const found = analyzeFrames(input, { extraFindings: true });
    expect(codes(found)).toContain("second_spot");
    expect(found.kind).toBe("refused");
  });

  test("a streak through the beam is named with the extra findings", () => {
    const light = gaussianLight(BEAM);
    for (let row = 0; row < 240; row++)
      for (let column = 150; column < 173; column++)
        light[row * 320 + column] = (light[row * 320 + column] as number) + 20;
    const input = measure(BEAM, 1, { light });
    const found = analyzeFrames(input, { extraFindings: true });
    expect(codes(found)).toContain("smear");
    expect(found.kind).toBe("refused");
  });

  test("a streak that ends before the sensor does is the beam's own and no smear", () => {
    const light = gaussianLight(BEAM);
    for (let row = 0; row < 240; row++)
      for (let column = 150; column < 173; column++)
        if (Math.abs(row - BEAM.centreY_px) < 102)
          light[row * 320 + column] = (light[row * 320 + column] as number) + 20;
    const found = analyzeFrames(measure(BEAM, 1, { light }), { extraFindings: true });
    expect(codes(found)).not.toContain("smear");
  });

  test("two beams of equal power inside the area are remarked upon, and so is a faint one; a single one is not", () => {
    const pair = (distance_px: number, peak_counts: number) => {
      const light = gaussianLight({ ...BEAM, centreX_px: 160 - distance_px / 2, dU_px: 30, dV_px: 30 });
      gaussianLight({
        ...BEAM,
        centreX_px: 160 + distance_px / 2,
        dU_px: 30,
        dV_px: 30,
        peak_counts,
      }).forEach((counts, index) => {
        light[index] = (light[index] as number) + counts;
      });
      return measure(BEAM, 1, { light });
    };
    for (const peak_counts of [3000, 400]) {
      const input = pair(50, peak_counts);
      expect(codes(analyzeFrames(input))).toEqual([]);
      const found = analyzeFrames(input, { extraFindings: true });
      expect(codes(found)).toEqual(["second_spot"]);
      expect(found.reasons.join()).toMatch(/more than one maximum inside the integration area/);
      expect(found).toMatchObject({ kind: "measured", grade: "usable" });
    }
    expect(codes(analyzeFrames(pair(0, 500), { extraFindings: true }))).toEqual([]);
  });

  test("a centroid that moves between the frames", () => {
    const normal = seededNormal(9);
    const frames = [0, 2, 4].map((shift) =>
      expose(gaussianLight({ ...BEAM, centreX_px: 160 + shift }), CAMERA, normal),
    );
    const input = { ...measure(BEAM), frames };
    expect(codes(analyzeFrames(input))).toEqual([]);
    const found = analyzeFrames(input, { extraFindings: true });
    expect(codes(found)).toEqual(["centroid_drift"]);
    expect(found.kind).toBe("measured");
  });
});

describe("frames without a dark", () => {
  const withoutDark = (beam: GaussianFrame, add: (column: number, row: number) => number = () => 0) => {
    const light = gaussianLight(beam);
    light.forEach((counts, index) => {
      light[index] = counts + add(index % beam.width_px, Math.floor(index / beam.width_px));
    });
    return darkless(measure(beam, 4, { light }));
  };

  test("an offset is found, and the width is right within its uncertainty", () => {
    const analysis = analyzeFrames(withoutDark(BEAM), { extraFindings: true });
    const widths = widthsOf(analysis);
    expect(analysis).toMatchObject({ method: "iso", grade: "good", reasons: [] });
    expect(analysis.offset_counts).toBeCloseTo(64, 0);
    expect(Math.abs(widths.d4sigmaX_um / PITCH_UM - 48)).toBeLessThan(2 * (widths.uX_um / PITCH_UM));
  });

  test("a tilted background is followed by a plane", () => {
    const analysis = analyzeFrames(
      withoutDark(BEAM, (column, row) => 0.3 * column + 0.1 * row),
      { extraFindings: true },
    );
    const widths = widthsOf(analysis);
    expect(Math.abs(widths.d4sigmaX_um / PITCH_UM - 48)).toBeLessThan(2 * (widths.uX_um / PITCH_UM));
    expect(Math.abs(widths.d4sigmaY_um / PITCH_UM - 36)).toBeLessThan(2 * (widths.uY_um / PITCH_UM));
    expect(widths.d4sigmaX_um / PITCH_UM / 48).toBeCloseTo(1, 1);
  });

  test("a halo around the beam is refused, or the uncertainty covers it", () => {
    const halo = (column: number, row: number) =>
      60 * Math.exp(-((column - 161) ** 2 + (row - 118) ** 2) / (2 * 60 ** 2));
    const analysis = analyzeFrames(withoutDark(BEAM, halo), { extraFindings: true });
    if (analysis.kind === "measured") {
      expect(Math.abs(analysis.widths.d4sigmaX_um / PITCH_UM - 48)).toBeLessThan(
        2 * (analysis.widths.uX_um / PITCH_UM),
      );
    } else {
      expect(analysis.reasons.join()).toMatch(/background|settle|area/);
    }
  });
});

describe("bad input gives a typed refusal with a reason, never NaN, never an exception", () => {
  const flat = (counts: number, width_px = 64, height_px = 48) => ({
    samples: new Uint16Array(width_px * height_px).fill(counts),
    width_px,
    height_px,
    bitDepth: 12,
    pixelPitch_um: 5,
  });
  const withPixels = (pixels: readonly (readonly [number, number, number])[], counts = 100) => {
    const input = flat(counts);
    for (const [column, row, value] of pixels) input.samples[row * 64 + column] = value;
    return input;
  };
  const darkOf = (value: number, length = 64 * 48) => ({
    mean: new Float64Array(length).fill(value),
    frames: 5,
    noise_counts: 1,
  });
  const nanDark = darkOf(100);
  nanDark.mean[1000] = Number.NaN;
  const infiniteDark = darkOf(100);
  infiniteDark.mean[7] = Number.POSITIVE_INFINITY;

  const CASES: Record<string, [FrameInput, RegExp]> = {
    "0 × 0": [{ ...flat(0, 0, 0) }, /0 × 0/],
    "1 × 1": [flat(5, 1, 1), /no light/],
    "1 × 64": [flat(5, 1, 64), /no light/],
    "2 × 2": [flat(5, 2, 2), /no light/],
    "constant zero": [flat(0), /no light: nothing in the picture is brighter than its rim/],
    constant: [flat(100), /no light/],
    "all saturated": [flat(4095), /saturated/],
    "constant with a dark": [{ ...flat(100), dark: darkOf(100) }, /no light/],
    "dark brighter than the frame": [{ ...flat(100), dark: darkOf(140) }, /no light/],
    "NaN in the dark": [{ ...flat(100), dark: nanDark }, /not finite/],
    "infinity in the dark": [{ ...flat(100), dark: infiniteDark }, /not finite/],
    "dark of another size": [{ ...flat(100), dark: darkOf(1, 10) }, /10 values/],
    "samples of another size": [{ ...flat(100), samples: new Uint16Array(7) }, /7 samples/],
    "one-pixel beam": [withPixels([[30, 20, 3000]]), /too few pixels|did not settle/],
    "one-pixel beam with a dark": [
      { ...withPixels([[30, 20, 3000]]), dark: darkOf(100) },
      /too few pixels|did not settle/,
    ],
    "one-pixel beam in the corner": [withPixels([[0, 0, 3000]]), /./],
    "a column of one pixel's width": [withPixels([...Array(48).keys()].map((row) => [30, row, 3000] as const)), /./],
    "two pixels far apart": [
      withPixels([
        [5, 5, 3000],
        [60, 44, 3000],
      ]),
      /./,
    ],
    "bit depth 0": [{ ...flat(0), bitDepth: 0 }, /bit depth/],
    "pixel pitch 0": [{ ...flat(0), pixelPitch_um: 0 }, /pixel pitch/],
  };
  const VARIANTS: AnalysisOptions[] = [
    {},
    { extraFindings: true },
    { startArea: "sensor" },
    { method: "iso", extraFindings: true },
  ];
  for (const [name, [input, reason]] of Object.entries(CASES))
    test(name, () => {
      for (const options of VARIANTS) {
        const analysis = analyzeFrame(input, options);
        expectFinite(analysis);
        if (options.method === undefined) {
          expect(analysis.kind).toBe("refused");
          expect(analysis.reasons.join("; ")).toMatch(reason);
        }
        expect(Object.keys(toWidthFields(analysis)).includes("d4sigma_x_um")).toBe(analysis.kind !== "refused");
      }
      expectFinite(analyzeFrame(input, { method: "threshold" }));
    });

  test("method dark without a dark", () => {
    expect(analyzeFrame(flat(5), { method: "dark" }).reasons).toEqual(["method 'dark' needs a dark; none was given"]);
  });

  test("a pixel pitch that is no number", () => {
    const analysis = analyzeFrame({ ...flat(0), pixelPitch_um: Number.NaN });
    expect(analysis.reasons).toEqual(["the pixel pitch is NaN µm; a positive number is expected"]);
  });

  test("no frames", () => {
    expect(analyzeFrames({ ...flat(5), frames: [] }).reasons.join()).toMatch(/no frame/);
  });

  test("noise alone", () => {
    for (let seed = 1; seed < 12; seed++) {
      const analysis = analyzeFrames(measure({ ...BEAM, peak_counts: 0 }, seed));
      expectFinite(analysis);
      expect(analysis.kind).toBe("refused");
      expect(codes(analysis)).toContain("low_signal");
    }
  });

  test("two equal beams: a width of one of them, named as such by the extra findings", () => {
    const beam = { ...BEAM, centreX_px: 70, dU_px: 40, dV_px: 40, azimuth_deg: 0 };
    const light = gaussianLight(beam);
    gaussianLight({ ...beam, centreX_px: 250 }).forEach((counts, index) => {
      light[index] = (light[index] as number) + counts;
    });
    const input = measure(beam, 1, { light });
    expectFinite(analyzeFrames(input));
    expectFinite(analyzeFrames(input, { startArea: "sensor" }));
    const found = analyzeFrames(input, { extraFindings: true });
    expect(codes(found)).toContain("second_spot");
    expect(found.kind).toBe("refused");
  });

  test("a beam on every edge and corner", () => {
    for (const centreX_px of [0, 160, 319])
      for (const centreY_px of [0, 120, 239]) {
        if (centreX_px === 160 && centreY_px === 120) continue;
        const input = measure({ ...BEAM, centreX_px, centreY_px });
        const analysis = analyzeFrames(input);
        expectFinite(analysis);
        expect(analysis.kind).toBe("refused");
        expect(codes(analysis)).toContain("clipped");
      }
  });
});

describe("what is wrong with a frame counts for threshold too, which gives its numbers all the same", () => {
  const compared = (input: FramesInput, options: AnalysisOptions = {}) => {
    const analysis = analyzeFrames(input, { ...options, method: "threshold" });
    if (analysis.kind !== "comparison") throw new Error(analysis.reasons.join());
    expectFinite(analysis);
    return analysis;
  };

  test("a beam cut by the edge", () => {
    const analysis = compared(measure({ ...BEAM, centreX_px: 30, dU_px: 60, dV_px: 60, azimuth_deg: 0 }));
    expect(analysis.grade).toBe("refused");
    expect(codes(analysis)).toContain("clipped");
    expect(analysis.reasons.join()).toMatch(/biased low.*clipped: the left edge/);
  });

  test("a black level below zero", () => {
    const input = darkless(measure(BEAM));
    const floored = { ...input, frames: input.frames.map((frame) => frame.map((counts) => Math.max(0, counts - 84))) };
    const analysis = compared(floored);
    expect(analysis.grade).toBe("refused");
    expect(analysis.reasons.join()).toMatch(/cut off at zero/);
  });

  test("a spot of its own only with the extra findings", () => {
    const light = gaussianLight(BEAM);
    gaussianLight({ ...BEAM, centreX_px: 270, centreY_px: 200, peak_counts: 200 }).forEach((counts, index) => {
      light[index] = (light[index] as number) + counts;
    });
    const input = measure(BEAM, 1, { light });
    expect(compared(input).grade).toBe("usable");
    const found = compared(input, { extraFindings: true });
    expect(found.grade).toBe("refused");
    expect(codes(found)).toContain("second_spot");
  });

  test("wings that the threshold cuts off enlarge the uncertainty beyond a tenth", () => {
    const light = gaussianLight({ ...BEAM, dU_px: 40, dV_px: 40, peak_counts: 900 });
    gaussianLight({ ...BEAM, dU_px: 110, dV_px: 110, peak_counts: 60 }).forEach((counts, index) => {
      light[index] = (light[index] as number) + counts;
    });
    const noisy = { ...CAMERA, readNoise_counts: 25, black_counts: 300 };
    const normal = seededNormal(8);
    const input = {
      ...measure(BEAM),
      frames: [expose(light, noisy, normal)],
      dark: exposeDark(light.length, 20, noisy, normal),
    };
    const analysis = compared(input);
    const other = analyzeFrames(input);
    const widths = other.kind === "refused" ? other.indicativeOnly : other.widths;
    const apart = Math.abs((widths?.d4sigmaX_um ?? 0) - analysis.widths.d4sigmaX_um);
    expect(analysis.widths.uX_um / analysis.widths.d4sigmaX_um).toBeGreaterThan(0.1);
    expect(analysis.widths.uX_um).toBeCloseTo(apart / 2, 6);
  });
});

test("threshold is a comparison, never a measurement", () => {
  const analysis = analyzeFrames(darkless(measure(BEAM)), { method: "threshold" });
  if (analysis.kind !== "comparison") throw new Error(analysis.kind);
  expect(analysis.reasons[0]).toMatch(/biased low/);
  expect(analysis.grade).toBe("usable");
  expect(analysis.widths.d4sigmaX_um / PITCH_UM).toBeGreaterThan(46.5);
  expect(analysis.widths.d4sigmaX_um / PITCH_UM).toBeLessThan(48);
  expect(toWidthFields(analysis).background).toBe("threshold");
});
