import { type Family, has, holds } from "../draft.ts";
import { tidy } from "../draw.ts";

const kind = { tier: "core", split: "train", category: "coarse_to_fine_loops" } as const;
const CLOSE = { tol: 0.002 } as const;

export const COARSE_TO_FINE_LOOPS: readonly Family[] = [
  {
    ...kind,
    family: "even_scan",
    make(draw) {
      const count = draw.whole(4, 6);
      const first = draw.step(60, 90, 5);
      const last = tidy(first + (count - 1) * draw.pick([12, 15, 18]));
      return {
        prompt: `Measure at ${count} evenly spaced positions from ${first} mm to ${last} mm, ends included, one frame each.`,
        gold: [`for z in linspace(${first} mm, ${last} mm, ${count}) {`, "  measure_at z = z, frames = 1 @@m", "}"],
        assertions: [
          holds("len(measurements)", count, undefined, "m"),
          holds("measurements[0].z_requested", first, "mm", "m", CLOSE),
          holds("measurements[1].z_requested", tidy(first + (last - first) / (count - 1)), "mm", "m", CLOSE),
          holds("measurements[-1].z_requested", last, "mm", "m", CLOSE),
          holds("measurements[0].frames", 1, undefined, "m", { input: "frames" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "step_scan",
    make(draw) {
      const step = draw.pick([8, 10, 12.5]);
      const first = draw.step(80, 110, 2);
      const last = tidy(first + 4 * step);
      return {
        prompt: `Move in steps of ${step} mm from ${first} mm to ${last} mm and take one frame at every stop.`,
        gold: [`for z in ${first} mm to ${last} mm step ${step} mm {`, "  measure_at z = z, frames = 1 @@m", "}"],
        assertions: [
          holds("len(measurements)", 5, undefined, "m"),
          holds("measurements[1].z_requested - measurements[0].z_requested", step, "mm", "m", CLOSE),
          holds("measurements[4].z_requested", last, "mm", "m", CLOSE),
          holds("max([m.frames for m in measurements])", 1, undefined, "m", { input: "frames" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "scan_with_exposure",
    make(draw) {
      const places = draw.some([55, 65, 75, 185, 195, 205], 4);
      const exposure = draw.step(5, 12, 0.5);
      return {
        prompt: `Measure at ${places.join(" mm, ")} mm in this order, each with ${exposure} ms and one frame.`,
        gold: [
          `for z in [${places.join(" mm, ")} mm] {`,
          `  measure_at z = z, exposure = ${exposure} ms, frames = 1 @@m`,
          "}",
        ],
        assertions: [
          ...places.map((z, i) => holds(`measurements[${i}].z_requested`, z, "mm", "m")),
          holds("min([m.exposure for m in measurements])", exposure, "ms", "m", { input: "exposure" }),
          holds("max([m.frames for m in measurements])", 1, undefined, "m", { input: "frames" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "coarse_then_fine",
    make(draw) {
      const centre = draw.step(122, 136, 2);
      const apart = draw.pick([2, 2.5, 3]);
      return {
        prompt: `Coarse scan: 80 mm, 130 mm and 180 mm. Then fine: three positions ${apart} mm apart, the middle one at ${centre} mm, ascending. One frame everywhere.`,
        gold: [
          "for z in 80 mm to 180 mm step 50 mm {",
          "  measure_at z = z, frames = 1 @@coarse",
          "}",
          "for i in -1 to 1 {",
          `  measure_at z = ${centre} mm + i * ${apart} mm, frames = 1 @@fine`,
          "}",
        ],
        assertions: [
          holds("len(measurements)", 6, undefined, "fine"),
          holds("measurements[1].z_requested", 130, "mm", "coarse", CLOSE),
          holds("measurements[3].z_requested", tidy(centre - apart), "mm", "fine", CLOSE),
          holds("measurements[5].z_requested", tidy(centre + apart), "mm", "fine", CLOSE),
        ],
      };
    },
  },
  {
    ...kind,
    family: "scan_around_a_gap",
    make(draw) {
      const from = draw.pick([100, 110, 120]);
      const to = from + 25;
      const all = [80, 95, 110, 125, 140, 155, 170];
      const kept = all.filter((z) => z < from || z > to);
      return {
        prompt: `Scan from 80 mm to 170 mm in steps of 15 mm with one frame each, but leave out every position from ${from} mm to ${to} mm, ends included.`,
        gold: [
          "for z in 80 mm to 170 mm step 15 mm {",
          `  if z < ${from} mm or z > ${to} mm {`,
          "    measure_at z = z, frames = 1 @@m",
          "  }",
          "}",
        ],
        assertions: [
          holds("len(measurements)", kept.length, undefined, "m"),
          ...kept.slice(0, 3).map((z, i) => holds(`measurements[${i}].z_requested`, z, "mm", "m", CLOSE)),
          has("measurements[-1]", "z_requested", kept.at(-1) ?? 0, "mm", "m", CLOSE),
        ],
      };
    },
  },
];
