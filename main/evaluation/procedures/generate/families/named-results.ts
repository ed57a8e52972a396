import { beamFacts } from "../beam-facts.ts";
import { type Family, has, holds } from "../draft.ts";

const kind = { tier: "core", split: "test", category: "named_results" } as const;
/** A single frame's width is within two percent of the truth. */
const WIDTH = { rtol: 0.02 } as const;
const round1 = (value: number): number => Number(value.toFixed(1));

export const NAMED_RESULTS: readonly Family[] = [
  {
    ...kind,
    family: "width_at",
    make(draw) {
      const { width_um } = beamFacts("clean");
      const z = draw.step(105, 155, 2.5);
      const axis = draw.pick<"x" | "y">(["x", "y"]);
      const name = draw.pick(["width", "diameter", "d_measured"]);
      return {
        prompt: `Take a dark of 4 frames at 1 ms, measure at ${z} mm with 1 ms and 2 frames, and give the d4σ diameter along ${axis} as the result "${name}".`,
        gold: [
          "take_darks exposure = 1 ms, frames = 4 @@d",
          `measure_at z = ${z} mm, exposure = 1 ms, frames = 2 as m @@m`,
          `result ${name} = m.d4sigma_${axis} @@r`,
        ],
        assertions: [
          has("results", name, round1(width_um(axis, z)), "um", "r", WIDTH),
          has("measurements[0]", "frames", 2, undefined, "m", { input: "frames" }),
          holds("len(darks)", 1, undefined, "d"),
        ],
      };
    },
  },
  {
    ...kind,
    family: "peak_at",
    make(draw) {
      const { peak_counts } = beamFacts("clean");
      const z = draw.step(100, 120, 2);
      const exposure = draw.pick([0.5, 0.8, 1.2, 1.5]);
      return {
        prompt: `Measure at ${z} mm with ${exposure} ms and one frame. Give the brightest pixel above the background as the result "peak".`,
        gold: [`measure_at z = ${z} mm, exposure = ${exposure} ms, frames = 1 as m @@m`, "result peak = m.peak @@r"],
        assertions: [
          has("results", "peak", Math.round(peak_counts(z, exposure)), "counts", "r", { rtol: 0.08 }),
          has("measurements[0]", "exposure", exposure, "ms", "m", { input: "exposure" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "mean_width",
    make(draw) {
      const { width_um } = beamFacts("clean");
      const [a, b] = [draw.step(106, 120, 2), draw.step(138, 152, 2)];
      return {
        prompt: `Measure at ${a} mm and at ${b} mm with 1 ms and 2 frames each, after a dark of 4 frames at 1 ms. Give the mean of the two widths along x as the result "mean_x".`,
        gold: [
          "take_darks exposure = 1 ms, frames = 4",
          `for z in [${a} mm, ${b} mm] {`,
          "  measure_at z = z, exposure = 1 ms, frames = 2 into both @@m",
          "}",
          "result mean_x = mean([m.d4sigma_x for m in both]) @@r",
        ],
        assertions: [
          has("results", "mean_x", round1((width_um("x", a) + width_um("x", b)) / 2), "um", "r", WIDTH),
          holds("len(measurements)", 2, undefined, "m"),
        ],
      };
    },
  },
  {
    ...kind,
    family: "waist_of_fit",
    make(draw) {
      const axis = draw.pick<"x" | "y">(["x", "y"]);
      const { truth } = beamFacts("clean");
      const first = draw.step(96, 104, 2);
      return {
        prompt: `After a dark of 4 frames at 0.8 ms, measure at 5 evenly spaced positions from ${first} mm to ${first + 60} mm with 0.8 ms and one frame, fit, and give the waist position of the ${axis} axis as the result "waist".`,
        gold: [
          "take_darks exposure = 0.8 ms, frames = 4 @@d",
          `for z in linspace(${first} mm, ${first + 60} mm, 5) {`,
          "  measure_at z = z, exposure = 0.8 ms, frames = 1 @@m",
          "}",
          "fit_caustic as caustic @@fit",
          `result waist = caustic.${axis}.z0 @@r`,
        ],
        assertions: [
          has("results", "waist", truth[axis].z0_mm, "mm", "r", { tol: 0.6 }),
          holds("len(measurements)", 5, undefined, "m"),
          holds("measurements[0].dark", "d001", undefined, "d"),
        ],
      };
    },
  },
  {
    ...kind,
    family: "facts_of_the_bench",
    make(draw, variant) {
      const facts = [
        ["the width of the sensor in mm", "sensor", "bench.sensor_width * bench.pixel_pitch / 1 px in mm", 3.52, "mm"],
        [
          "half the smaller side of the sensor in mm",
          "half_side",
          "min(bench.sensor_width, bench.sensor_height) * bench.pixel_pitch / 2 px in mm",
          1.32,
          "mm",
        ],
        ["the wavelength in nm", "wavelength", "bench.wavelength", 632.8, "nm"],
        [
          "the length of the stage's travel in mm",
          "travel",
          "bench.stage_travel.max - bench.stage_travel.min",
          250,
          "mm",
        ],
        ["the full scale of the camera in counts", "full_scale", "bench.full_scale", 4095, "counts"],
      ] as const;
      const [words, name, gold, value, unit] = facts[variant % facts.length] ?? facts[0];
      const z = draw.step(30, 60, 5);
      return {
        prompt: `Give ${words} as the result "${name}", from what the bench says of itself, and move to ${z} mm.`,
        gold: [`result ${name} = ${gold} @@r`, `move_to z = ${z} mm @@m`],
        assertions: [
          has("results", name, value, unit, "r", { rtol: 1e-6 }),
          has("status", "z_requested", z, "mm", "m", { input: "z" }),
        ],
      };
    },
  },
];
