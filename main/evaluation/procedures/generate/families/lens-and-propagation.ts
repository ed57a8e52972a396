import { type Family, has, holds } from "../draft.ts";
import { tidy } from "../draw.ts";

const kind = { tier: "core", split: "test", category: "lens_and_propagation" } as const;
const CLOSE = { tol: 0.002 } as const;

export const LENS_AND_PROPAGATION: readonly Family[] = [
  {
    ...kind,
    family: "behind_a_lens",
    make(draw) {
      const lens = draw.step(18, 42, 1);
      const [first, second] = [draw.step(60, 75, 2.5), draw.step(95, 115, 2.5)];
      return {
        prompt: `A lens stands at z = ${lens} mm. Measure ${first} mm and then ${second} mm behind it, one frame each.`,
        gold: [
          `let lens = ${lens} mm`,
          `measure_at z = lens + ${first} mm, frames = 1 @@m1`,
          `measure_at z = lens + ${second} mm, frames = 1 @@m2`,
        ],
        assertions: [
          has("measurements[0]", "z_requested", tidy(lens + first), "mm", "m1", CLOSE),
          has("measurements[1]", "z_requested", tidy(lens + second), "mm", "m2", CLOSE),
          holds("max([m.frames for m in measurements])", 1, undefined, "m2", { input: "frames" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "through_focus",
    make(draw) {
      const lens = draw.step(20, 40, 2);
      const focal = draw.step(88, 102, 1);
      const defocus = draw.step(6, 14, 1);
      return {
        prompt: `A lens of ${focal} mm focal length at z = ${lens} mm focuses a collimated beam. Measure ${defocus} mm before the focus, in it, and ${defocus} mm behind it, one frame each.`,
        gold: [
          `let focus = ${lens} mm + ${focal} mm`,
          `for defocus in [-${defocus} mm, 0 mm, ${defocus} mm] {`,
          "  measure_at z = focus + defocus, frames = 1 @@m",
          "}",
        ],
        assertions: [
          holds("len(measurements)", 3, undefined, "m"),
          holds("measurements[0].z_requested", tidy(lens + focal - defocus), "mm", "m", CLOSE),
          holds("measurements[1].z_requested", lens + focal, "mm", "m", CLOSE),
          holds("measurements[2].z_requested", tidy(lens + focal + defocus), "mm", "m", CLOSE),
        ],
      };
    },
  },
  {
    ...kind,
    family: "shifted_focus",
    make(draw) {
      const focus = draw.step(118, 134, 0.5);
      const shift = draw.step(1.25, 6.25, 0.25);
      return {
        prompt: `Without the plate the focus lies at ${focus} mm; the plate moves it away from the lens by ${shift} mm, along the beam. Move the camera into the shifted focus.`,
        gold: [`move_to z = ${focus} mm + ${shift} mm @@m`],
        assertions: [
          has("status", "z_requested", tidy(focus + shift), "mm", "m", CLOSE),
          has("status", "z_actual", tidy(focus + shift), "mm", "m", { tol: 0.02 }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "metres_and_centimetres",
    make(draw) {
      const metres = draw.step(0.1, 0.14, 0.005);
      const centimetres = draw.step(15, 19, 0.5);
      return {
        prompt: `Measure one frame at ${metres} m and one at ${centimetres} cm from the stage's zero, in this order.`,
        gold: [`measure_at z = ${metres} m, frames = 1 @@m1`, `measure_at z = ${centimetres} cm, frames = 1 @@m2`],
        assertions: [
          has("measurements[0]", "z_requested", tidy(1000 * metres), "mm", "m1", CLOSE),
          has("measurements[1]", "z_requested", tidy(10 * centimetres), "mm", "m2", CLOSE),
          has("measurements[0]", "frames", 1, undefined, "m1", { input: "frames" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "planes_and_park",
    make(draw) {
      const start = draw.step(60, 90, 5);
      const stride = draw.step(15, 25, 1);
      const park = draw.step(4, 14, 1);
      return {
        prompt: `Follow the beam: one frame at ${start} mm, and after propagation over another ${stride} mm, and after the same distance once more. Then park ${park} mm before the last plane.`,
        gold: [
          `for i in 0 to 2 {`,
          `  measure_at z = ${start} mm + i * ${stride} mm, frames = 1 as last @@m`,
          "}",
          `move_to z = last.z_requested - ${park} mm @@park`,
        ],
        assertions: [
          holds("len(measurements)", 3, undefined, "m"),
          holds("measurements[1].z_requested", tidy(start + stride), "mm", "m", CLOSE),
          has("status", "z_requested", tidy(start + 2 * stride - park), "mm", "park", CLOSE),
        ],
      };
    },
  },
];
