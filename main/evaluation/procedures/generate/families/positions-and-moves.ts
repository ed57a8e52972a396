import { type Family, has, holds } from "../draft.ts";
import { tidy } from "../draw.ts";

const ARRIVED = { tol: 0.02 } as const;
const kind = { tier: "core", split: "train", category: "positions_and_moves" } as const;

export const POSITIONS_AND_MOVES: readonly Family[] = [
  {
    ...kind,
    family: "single_move",
    make(draw) {
      const z = draw.step(14, 238, 0.5);
      return {
        prompt: draw.pick([
          `Move the camera to z = ${z} mm and leave it there.`,
          `The stage shall end at ${z} mm. Nothing is to be exposed.`,
          `Drive to ${z} mm along the beam, without measuring.`,
        ]),
        gold: [`move_to z = ${z} mm @@move`],
        assertions: [
          has("status", "z_requested", z, "mm", "move", { input: "z" }),
          has("status", "z_actual", z, "mm", "move", ARRIVED),
          holds("len(moves)", 1, undefined, "move"),
        ],
      };
    },
  },
  {
    ...kind,
    family: "move_sequence",
    make(draw) {
      const [a, b, c] = [draw.step(15, 80, 1), draw.step(95, 150, 1), draw.step(165, 235, 1)];
      const order = draw.pick([
        [b, a, c],
        [c, a, b],
        [a, c, b],
      ] as [number[], ...number[][]]);
      return {
        prompt: `Visit the positions ${order.join(" mm, ")} mm in this order, without taking any frame.`,
        gold: order.map((z, i) => `move_to z = ${z} mm @@m${i}`),
        assertions: order.map((z, i) => has(`moves[${i}]`, "z_requested", z, "mm", `m${i}`, { input: "z" })),
      };
    },
  },
  {
    ...kind,
    family: "measure_once",
    make(draw) {
      const z = draw.step(95, 165, 0.5);
      const frames = draw.pick([2, 3, 4]);
      return {
        prompt: draw.pick([
          `Take one measurement at z = ${z} mm with ${frames} frames.`,
          `Measure the beam once, at ${z} mm, averaging ${frames} frames.`,
        ]),
        gold: [`measure_at z = ${z} mm, frames = ${frames} @@m`],
        assertions: [
          holds("len(measurements)", 1, undefined, "m"),
          has("measurements[0]", "z_requested", z, "mm", "m", { input: "z" }),
          has("measurements[0]", "frames", frames, undefined, "m", { input: "frames" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "measure_and_park",
    make(draw) {
      const z = draw.step(100, 160, 1);
      const park = draw.step(5, 40, 2.5);
      return {
        prompt: `Measure at ${z} mm with one frame, then park the stage at ${park} mm.`,
        gold: [`measure_at z = ${z} mm, frames = 1 @@m`, `move_to z = ${park} mm @@park`],
        assertions: [
          has("measurements[0]", "z_requested", z, "mm", "m", { input: "z" }),
          has("measurements[0]", "frames", 1, undefined, "m", { input: "frames" }),
          has("status", "z_requested", park, "mm", "park", { input: "z" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "three_even_positions",
    make(draw) {
      const first = draw.step(60, 110, 2);
      const apart = draw.step(10, 25, 2.5);
      const places = [first, tidy(first + apart), tidy(first + 2 * apart)];
      return {
        prompt: `Measure with 1 frame each at ${places.join(" mm, ")} mm, from the lowest position to the highest.`,
        gold: places.map((z, i) => `measure_at z = ${z} mm, frames = 1 @@m${i}`),
        assertions: [
          holds("len(measurements)", 3, undefined, "m2"),
          ...places.map((z, i) => has(`measurements[${i}]`, "z_requested", z, "mm", `m${i}`, { input: "z" })),
        ],
      };
    },
  },
];
