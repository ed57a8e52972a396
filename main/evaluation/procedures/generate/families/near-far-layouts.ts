import { beamFacts } from "../beam-facts.ts";
import { type Family, holds } from "../draft.ts";
import { tidy } from "../draw.ts";

const kind = { tier: "core", split: "test", category: "near_far_layouts" } as const;
const CLOSE = { tol: 0.002 } as const;

export const NEAR_FAR_LAYOUTS: readonly Family[] = [
  {
    ...kind,
    family: "near_window",
    make(draw) {
      const centre = draw.step(126, 132, 0.5);
      const half = draw.step(10, 15, 1);
      return {
        prompt: `Five near-field positions, evenly from ${half} mm before to ${half} mm behind ${centre} mm, one frame each, ascending.`,
        gold: [
          `for z in linspace(${centre} mm - ${half} mm, ${centre} mm + ${half} mm, 5) {`,
          "  measure_at z = z, frames = 1 @@m",
          "}",
        ],
        assertions: [
          holds("len(measurements)", 5, undefined, "m"),
          holds("measurements[0].z_requested", tidy(centre - half), "mm", "m", CLOSE),
          holds("measurements[2].z_requested", centre, "mm", "m", CLOSE),
          holds("measurements[4].z_requested", tidy(centre + half), "mm", "m", CLOSE),
        ],
      };
    },
  },
  {
    ...kind,
    family: "far_window",
    make(draw) {
      const first = draw.step(178, 190, 1);
      const apart = draw.step(6, 11, 0.5);
      const exposure = draw.step(6, 12, 0.5);
      return {
        prompt: `Four far-field positions, the first at ${first} mm and each ${apart} mm further on, with ${exposure} ms and one frame.`,
        gold: [
          "for i in 0 to 3 {",
          `  measure_at z = ${first} mm + i * ${apart} mm, exposure = ${exposure} ms, frames = 1 @@m`,
          "}",
        ],
        assertions: [
          holds("len(measurements)", 4, undefined, "m"),
          holds("measurements[0].z_requested", first, "mm", "m", CLOSE),
          holds("measurements[3].z_requested", tidy(first + 3 * apart), "mm", "m", CLOSE),
          holds("min([m.exposure for m in measurements])", exposure, "ms", "m", { input: "exposure" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "near_then_far",
    make(draw) {
      const near = [draw.step(116, 120, 0.5), draw.step(127, 131, 0.5), draw.step(138, 142, 0.5)];
      const far = [draw.step(55, 75, 2.5), draw.step(185, 205, 2.5)];
      const dim = draw.step(6, 11, 1);
      return {
        prompt: `Measure near the waist at ${near.join(" mm, ")} mm with 0.8 ms, then far from it at ${far.join(" mm and ")} mm with ${dim} ms. One frame each.`,
        gold: [
          `for z in [${near.join(" mm, ")} mm] {`,
          "  measure_at z = z, exposure = 0.8 ms, frames = 1 @@near",
          "}",
          `for z in [${far.join(" mm, ")} mm] {`,
          `  measure_at z = z, exposure = ${dim} ms, frames = 1 @@far`,
          "}",
        ],
        assertions: [
          holds("len(measurements)", 5, undefined, "far"),
          holds("measurements[1].z_requested", near[1] ?? 0, "mm", "near"),
          holds("measurements[2].exposure", 0.8, "ms", "near", { input: "exposure" }),
          holds("measurements[3].z_requested", far[0] ?? 0, "mm", "far"),
          holds("measurements[4].exposure", dim, "ms", "far", { input: "exposure" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "alternating_sides",
    make(draw) {
      const centre = draw.step(127, 131, 0.5);
      const distance = draw.step(42, 52, 2);
      return {
        prompt: `Around ${centre} mm measure ${distance} mm before, ${distance} mm behind, ${distance + 10} mm before and ${distance + 10} mm behind, in this order, with 8 ms and one frame each.`,
        gold: [
          `for distance in [${distance} mm, ${distance + 10} mm] {`,
          `  measure_at z = ${centre} mm - distance, exposure = 8 ms, frames = 1 @@before`,
          `  measure_at z = ${centre} mm + distance, exposure = 8 ms, frames = 1 @@behind`,
          "}",
        ],
        assertions: [
          holds("measurements[0].z_requested", tidy(centre - distance), "mm", "before", CLOSE),
          holds("measurements[1].z_requested", tidy(centre + distance), "mm", "behind", CLOSE),
          holds("measurements[2].z_requested", tidy(centre - distance - 10), "mm", "before", CLOSE),
          holds("measurements[3].z_requested", tidy(centre + distance + 10), "mm", "behind", CLOSE),
          holds("min([m.exposure for m in measurements])", 8, "ms", "before", { input: "exposure" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "count_near_and_far",
    make(draw) {
      const { truth } = beamFacts("clean");
      const near = draw.some([118, 122, 126, 130, 134, 138], draw.whole(3, 4));
      const far = draw.some([60, 72, 80, 186, 198], draw.whole(2, 3));
      const inside = near.filter((z) => Math.abs(z - truth.x.z0_mm) <= truth.x.rayleigh_mm).length;
      return {
        prompt: `Measure at ${[...near, ...far].join(" mm, ")} mm with 0.8 ms, one frame each, fit the caustic, and give the number of near positions of the x axis as the result "near" and of far ones as "far".`,
        gold: [
          `for z in [${[...near, ...far].join(" mm, ")} mm] {`,
          "  measure_at z = z, exposure = 0.8 ms, frames = 1 @@m",
          "}",
          "fit_caustic as caustic @@fit",
          "result near = caustic.x.near @@near",
          "result far = caustic.x.far @@far",
        ],
        assertions: [
          counted("near", inside, "near"),
          counted("far", far.length, "far"),
          holds("len(measurements)", near.length + far.length, undefined, "m"),
          holds("calls.fit_caustic >= 1", true, undefined, "fit"),
        ],
      };
    },
  },
];

function counted(name: string, value: number, mark: string) {
  return holds(`results.${name}`, value, undefined, mark);
}
