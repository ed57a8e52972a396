import { type Family, has, holds } from "../draft.ts";

const kind = { tier: "core", split: "train", category: "exposures_and_saturation" } as const;

export const EXPOSURES_AND_SATURATION: readonly Family[] = [
  {
    ...kind,
    family: "exposure_value",
    make(draw) {
      const exposure = draw.step(1.5, 40, 0.5);
      return {
        prompt: draw.pick([
          `Set the exposure of the camera to ${exposure} ms. Take no frame.`,
          `The camera shall expose for ${exposure} ms from now on; nothing is measured yet.`,
        ]),
        gold: [`set_exposure exposure = ${exposure} ms @@e`],
        assertions: [has("status", "exposure", exposure, "ms", "e", { input: "exposure" })],
      };
    },
  },
  {
    ...kind,
    family: "measure_with_exposure",
    make(draw) {
      const z = draw.pick([60, 70, 80, 180, 190, 200]);
      const exposure = draw.step(4, 12, 0.5);
      return {
        prompt: `Measure at z = ${z} mm with an exposure of ${exposure} ms and a single frame.`,
        gold: [`measure_at z = ${z} mm, exposure = ${exposure} ms, frames = 1 @@m`],
        assertions: [
          has("measurements[0]", "z_requested", z, "mm", "m", { input: "z" }),
          has("measurements[0]", "exposure", exposure, "ms", "m", { input: "exposure" }),
          has("measurements[0]", "frames", 1, undefined, "m", { input: "frames" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "short_and_long_exposure",
    make(draw) {
      const z = draw.step(85, 100, 1);
      const short = draw.step(1.2, 2, 0.1);
      const long = draw.step(3, 5, 0.25);
      return {
        prompt: `At z = ${z} mm take two measurements with one frame each: the first with ${short} ms, the second with ${long} ms.`,
        gold: [
          `measure_at z = ${z} mm, exposure = ${short} ms, frames = 1 @@short`,
          `measure_at z = ${z} mm, exposure = ${long} ms, frames = 1 @@long`,
        ],
        assertions: [
          has("measurements[0]", "exposure", short, "ms", "short", { input: "exposure" }),
          has("measurements[1]", "exposure", long, "ms", "long", { input: "exposure" }),
          holds("measurements[1].z_requested", z, "mm", "long", { input: "z" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "exposure_in_microseconds",
    make(draw) {
      const exposure_us = draw.step(150, 850, 50);
      const z = draw.step(118, 142, 1);
      return {
        prompt: `Expose for ${exposure_us} µs and measure at ${z} mm, one frame. Leave the exposure at that.`,
        gold: [`set_exposure exposure = ${exposure_us} us @@e`, `measure_at z = ${z} mm, frames = 1 @@m`],
        assertions: [
          has("status", "exposure", exposure_us, "us", "e", { tol: 1 }),
          has("measurements[0]", "exposure", exposure_us, "us", "e", { tol: 1 }),
          has("measurements[0]", "z_requested", z, "mm", "m", { input: "z" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "reject_the_saturated",
    make(draw) {
      const z = draw.step(126, 132, 0.5);
      const bright = draw.pick([1.5, 2, 2.5, 3]);
      const right = draw.pick([0.15, 0.2, 0.25]);
      return {
        scenario: "partial_saturation",
        prompt: `Measure at ${z} mm with ${bright} ms, one frame. That is too bright on this bench: leave the measurement out of the fits, and measure again at the same place with ${right} ms and one frame.`,
        gold: [
          `measure_at z = ${z} mm, exposure = ${bright} ms, frames = 1 as bright @@bright`,
          `reject_measurement measurement = bright, reason = "saturated" @@reject`,
          `measure_at z = ${z} mm, exposure = ${right} ms, frames = 1 @@right`,
        ],
        assertions: [
          has("measurements[0]", "use", "rejected", undefined, "reject"),
          has("measurements[0]", "exposure", bright, "ms", "bright", { input: "exposure" }),
          has("measurements[1]", "use", "used", undefined, "right"),
          has("measurements[1]", "exposure", right, "ms", "right", { input: "exposure" }),
        ],
      };
    },
  },
];
