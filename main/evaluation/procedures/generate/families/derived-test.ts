import { type Family, has, holds } from "../draft.ts";
import { tidy } from "../draw.ts";

const lenses = { tier: "derived", split: "test", category: "derived_lens_propagation" } as const;
const budget = { tier: "derived", split: "test", category: "derived_scan_budget" } as const;
const WORKED_OUT = { tol: 0.06 } as const;
const round = (value: number): number => Number(value.toFixed(4));
const HALF_SENSOR_UM = 1320;

export const DERIVED_TEST: readonly Family[] = [
  {
    ...lenses,
    family: "thin_lens_image",
    make(draw) {
      const lens = draw.step(5, 20, 1);
      const focal = draw.step(60, 85, 1);
      const object = draw.step(200, 400, 10);
      const image = 1 / (1 / focal - 1 / object);
      return {
        prompt: `A thin lens of focal length ${focal} mm stands at z = ${lens} mm, the object ${object} mm before it. Take one frame in the plane of its image.`,
        gold: [
          `let image = 1 / (1 / ${focal} mm - 1 / ${object} mm)`,
          `measure_at z = ${lens} mm + image, frames = 1 @@m`,
        ],
        assertions: [
          has("measurements[0]", "z_requested", round(lens + image), "mm", "m", WORKED_OUT),
          has("measurements[0]", "frames", 1, undefined, "m", { input: "frames" }),
        ],
      };
    },
  },
  {
    ...lenses,
    family: "focus_depth_of_collimated",
    make(draw) {
      const lens = draw.step(10, 30, 1);
      const focal = draw.step(85, 105, 1);
      const diameter = draw.step(0.6, 1.2, 0.05);
      const m2 = draw.pick([1, 1.1, 1.2]);
      const zr = (4 * m2 * 632.8e-6 * focal ** 2) / (Math.PI * diameter ** 2);
      return {
        prompt: `A collimated beam (632.8 nm, d4σ ${diameter} mm, M² = ${m2}) meets a lens of f = ${focal} mm at z = ${lens} mm. Measure one frame in the focus and one frame a Rayleigh length of the focused beam behind it; the focused waist has the diameter 4 M² λ f / (π D).`,
        gold: [
          `let focus = ${lens} mm + ${focal} mm`,
          `let d0 = 4 * ${m2} * bench.wavelength * ${focal} mm / (pi * ${diameter} mm)`,
          `let zr = pi * d0^2 / (4 * ${m2} * bench.wavelength)`,
          "measure_at z = focus, frames = 1 @@focus",
          "measure_at z = focus + zr, frames = 1 @@behind",
        ],
        assertions: [
          has("measurements[0]", "z_requested", lens + focal, "mm", "focus", WORKED_OUT),
          has("measurements[1]", "z_requested", round(lens + focal + zr), "mm", "behind", WORKED_OUT),
        ],
      };
    },
  },
  {
    ...lenses,
    family: "waist_through_a_lens",
    make(draw) {
      const lens = draw.step(10, 25, 1);
      const focal = draw.step(70, 90, 1);
      const before = draw.step(110, 180, 5);
      const zr = draw.step(120, 260, 10);
      const after = focal + ((before - focal) * focal ** 2) / ((before - focal) ** 2 + zr ** 2);
      return {
        prompt: `A beam with its waist ${before} mm before a thin lens (f = ${focal} mm, at z = ${lens} mm) has a Rayleigh length of ${zr} mm there. Move the camera to the new waist behind the lens: its distance from the lens is f + (s − f) f² / ((s − f)² + zR²) with s the distance of the old waist.`,
        gold: [
          `let s = ${before} mm - ${focal} mm`,
          `let after = ${focal} mm + s * (${focal} mm)^2 / (s^2 + (${zr} mm)^2)`,
          `move_to z = ${lens} mm + after @@m`,
        ],
        assertions: [has("status", "z_requested", round(lens + after), "mm", "m", WORKED_OUT)],
      };
    },
  },
  {
    ...lenses,
    family: "plate_shifts_the_focus",
    make(draw) {
      const focus = draw.step(112, 130, 0.5);
      const thickness = draw.step(5, 25, 1);
      const index = draw.pick([1.45, 1.515, 1.62, 1.78]);
      const shift = thickness * (1 - 1 / index);
      return {
        prompt: `A plane plate of ${thickness} mm with the refractive index ${index} is put into a beam that converges to ${focus} mm. Take one frame in the shifted focus (paraxially, the shift is t (1 − 1/n) away from the lens), then one frame where the focus was without the plate.`,
        gold: [
          `let shift = ${thickness} mm * (1 - 1 / ${index})`,
          `measure_at z = ${focus} mm + shift, frames = 1 @@shifted`,
          `measure_at z = ${focus} mm, frames = 1 @@before`,
        ],
        assertions: [
          has("measurements[0]", "z_requested", round(focus + shift), "mm", "shifted", WORKED_OUT),
          has("measurements[1]", "z_requested", focus, "mm", "before", { input: "z" }),
        ],
      };
    },
  },
  {
    ...budget,
    family: "positions_in_a_window",
    make(draw) {
      const first = draw.step(105, 118, 1);
      const zr = draw.step(16, 22, 0.5);
      const length = draw.step(9.2, 15.2, 1);
      const apart = 0.15 * zr;
      const count = Math.floor(length / apart) + 1;
      return {
        prompt: `A window for measurements begins at ${first} mm and is ${length} mm long. Positions must be at least 0.15 Rayleigh lengths apart; the Rayleigh length is ${zr} mm. Fill the window from its beginning with as many positions as have room, exactly 0.15 Rayleigh lengths apart, one frame each with 0.5 ms.`,
        gold: [
          `let apart = 0.15 * ${zr} mm`,
          `for i in 0 to floor(${length} mm / apart) {`,
          `  measure_at z = ${first} mm + i * apart, exposure = 0.5 ms, frames = 1 @@m`,
          "}",
        ],
        assertions: [
          holds("len(measurements)", count, undefined, "m"),
          has("measurements[1]", "z_requested", round(first + apart), "mm", "m", WORKED_OUT),
          has("measurements[-1]", "z_requested", round(first + (count - 1) * apart), "mm", "m", WORKED_OUT),
          has("measurements[0]", "exposure", 0.5, "ms", "m", { input: "exposure" }),
        ],
      };
    },
  },
  {
    ...budget,
    family: "last_position_that_fits",
    make(draw) {
      const z0 = draw.step(80, 110, 1);
      const d0 = draw.step(120, 150, 2);
      const divergence = draw.step(11, 14, 0.25);
      const distance = Math.sqrt(HALF_SENSOR_UM ** 2 - d0 ** 2) / divergence;
      return {
        prompt: `The beam has its waist of ${d0} µm at ${z0} mm and a full divergence of ${divergence} mrad. Drive to the place behind the waist where its width reaches half the smaller side of this bench's sensor.`,
        gold: [
          "let half = min(bench.sensor_width, bench.sensor_height) * bench.pixel_pitch / 2 px",
          `move_to z = ${z0} mm + sqrt(half^2 - (${d0} um)^2) / ${divergence} mrad @@m`,
        ],
        assertions: [has("status", "z_requested", round(z0 + distance), "mm", "m", WORKED_OUT)],
      };
    },
  },
  {
    ...budget,
    family: "frames_for_an_uncertainty",
    make(draw) {
      const one = draw.step(0.5, 0.9, 0.05);
      const wanted = draw.pick([0.31, 0.34, 0.37]);
      const frames = Math.ceil((one / wanted) ** 2 - 1e-9);
      const z = draw.step(120, 138, 1);
      return {
        prompt: `A single frame gives the width to ± ${one} µm, and averaging N frames improves it as 1/√N. Measure at ${z} mm with the fewest frames that reach ± ${wanted} µm.`,
        gold: [`measure_at z = ${z} mm, frames = ceil((${tidy(one)} / ${wanted})^2) @@m`],
        assertions: [
          has("measurements[0]", "frames", frames, undefined, "m", { input: "frames" }),
          has("measurements[0]", "z_requested", z, "mm", "m", { input: "z" }),
        ],
      };
    },
  },
];
