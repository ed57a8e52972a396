import { type Family, has, holds } from "../draft.ts";

const kind = { tier: "core", split: "train", category: "dark_libraries" } as const;

export const DARK_LIBRARIES: readonly Family[] = [
  {
    ...kind,
    family: "one_dark",
    make(draw) {
      const exposure = draw.step(2, 50, 0.5);
      const frames = draw.whole(2, 6);
      return {
        prompt: draw.pick([
          `Take a dark of ${frames} frames at ${exposure} ms.`,
          `The beam blocked, average ${frames} frames at an exposure of ${exposure} ms.`,
        ]),
        gold: [`take_darks exposure = ${exposure} ms, frames = ${frames} @@d`],
        assertions: [
          holds("len(darks)", 1, undefined, "d"),
          has("darks[0]", "exposure", exposure, "ms", "d", { input: "exposure" }),
          has("darks[0]", "frames", frames, undefined, "d", { input: "frames" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "three_darks",
    make(draw) {
      const exposures = [draw.step(0.2, 0.8, 0.1), draw.step(2, 6, 0.5), draw.step(10, 40, 2.5)];
      const frames = draw.whole(2, 4);
      return {
        prompt: `Prepare darks for the exposures ${exposures.join(" ms, ")} ms, in this order, ${frames} frames each.`,
        gold: [
          `for exposure in [${exposures.join(" ms, ")} ms] {`,
          `  take_darks exposure = exposure, frames = ${frames} @@d`,
          "}",
        ],
        assertions: [
          holds("len(darks)", 3, undefined, "d"),
          ...exposures.map((exposure, i) => has(`darks[${i}]`, "exposure", exposure, "ms", "d", { tol: 0.001 })),
          has("darks[2]", "frames", frames, undefined, "d", { input: "frames" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "dark_before_measurement",
    make(draw) {
      const z = draw.step(70, 100, 2);
      const exposure = draw.step(2, 5, 0.25);
      const frames = draw.whole(2, 5);
      return {
        prompt: `First a dark of ${frames} frames at ${exposure} ms, then one measurement at ${z} mm with that exposure and 1 frame, so that the dark is subtracted.`,
        gold: [
          `take_darks exposure = ${exposure} ms, frames = ${frames} @@d`,
          `measure_at z = ${z} mm, exposure = ${exposure} ms, frames = 1 @@m`,
        ],
        assertions: [
          has("measurements[0]", "dark", "d001", undefined, "d"),
          has("darks[0]", "exposure", exposure, "ms", "d", { input: "exposure" }),
          has("darks[0]", "frames", frames, undefined, "d", { input: "frames" }),
          has("measurements[0]", "z_requested", z, "mm", "m", { input: "z" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "dark_refresh",
    make(draw) {
      const z = draw.step(110, 145, 1);
      const exposure = draw.step(1.5, 3, 0.25);
      return {
        scenario: "background_drift",
        prompt: `The room light drifts. At ${exposure} ms: a dark of 3 frames, a measurement at ${z} mm with 1 frame, a fresh dark of 3 frames, and the measurement again.`,
        gold: [
          `take_darks exposure = ${exposure} ms, frames = 3 @@d1`,
          `measure_at z = ${z} mm, exposure = ${exposure} ms, frames = 1 @@m1`,
          `take_darks exposure = ${exposure} ms, frames = 3 @@d2`,
          `measure_at z = ${z} mm, exposure = ${exposure} ms, frames = 1 @@m2`,
        ],
        assertions: [
          has("measurements[0]", "dark", "d001", undefined, "d1"),
          has("measurements[1]", "dark", "d002", undefined, "d2"),
          has("darks[1]", "exposure", exposure, "ms", "d2"),
          has("measurements[1]", "z_requested", z, "mm", "m2"),
        ],
      };
    },
  },
  {
    ...kind,
    family: "dark_noise",
    make(draw) {
      const exposure = draw.step(1.5, 20, 0.5);
      const frames = draw.whole(4, 8);
      const name = draw.pick(["noise", "dark_noise", "read_noise"]);
      return {
        prompt: `Take ${frames} dark frames at ${exposure} ms and give the noise of one pixel as the result "${name}", and the mean level as "level".`,
        gold: [
          `take_darks exposure = ${exposure} ms, frames = ${frames} as dark @@d`,
          `result ${name} = dark.noise @@noise`,
          "result level = dark.mean @@level",
        ],
        assertions: [
          has("results", name, 3, "counts", "noise", { tol: 0.08 }),
          has("results", "level", 64, "counts", "level", { tol: 0.5 }),
          has("darks[0]", "exposure", exposure, "ms", "d", { input: "exposure" }),
          has("darks[0]", "frames", frames, undefined, "d", { input: "frames" }),
        ],
      };
    },
  },
];
