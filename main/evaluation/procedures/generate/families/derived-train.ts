import { FULL_SCALE } from "../beam-facts.ts";
import { type Family, has, holds } from "../draft.ts";
import { tidy } from "../draw.ts";

const rayleigh = { tier: "derived", split: "train", category: "derived_rayleigh_positions" } as const;
const exposures = { tier: "derived", split: "train", category: "derived_exposure_rules" } as const;
/** Positions that have to be worked out may be rounded to a tenth of a millimetre. */
const WORKED_OUT = { tol: 0.06 } as const;
/** The camera's exposures are multiples of 0.01 ms. */
const EXPOSURE = { tol: 0.012 } as const;
const WAVELENGTH_MM = 632.8e-6;
const round = (value: number): number => Number(value.toFixed(4));

/** Rayleigh length in mm of a waist diameter in µm. */
const rayleigh_mm = (d0_um: number, m2: number): number => (Math.PI * (d0_um / 1000) ** 2) / (4 * m2 * WAVELENGTH_MM);

export const DERIVED_TRAIN: readonly Family[] = [
  {
    ...rayleigh,
    family: "rayleigh_from_waist",
    make(draw) {
      const z0 = draw.step(118, 138, 1);
      const d0 = draw.step(110, 150, 2);
      const m2 = draw.step(1.1, 1.6, 0.05);
      const zr = rayleigh_mm(d0, m2);
      return {
        prompt: `A beam of 632.8 nm has its waist at ${z0} mm with d4σ diameter ${d0} µm and M² = ${m2}. Take one frame one Rayleigh length before the waist and one frame one Rayleigh length behind it.`,
        gold: [
          `let d0 = ${d0} um`,
          `let zr = pi * d0^2 / (4 * ${m2} * bench.wavelength)`,
          `measure_at z = ${z0} mm - zr, frames = 1 @@before`,
          `measure_at z = ${z0} mm + zr, frames = 1 @@behind`,
        ],
        assertions: [
          has("measurements[0]", "z_requested", round(z0 - zr), "mm", "before", WORKED_OUT),
          has("measurements[1]", "z_requested", round(z0 + zr), "mm", "behind", WORKED_OUT),
          holds("len(measurements)", 2, undefined, "behind"),
        ],
      };
    },
  },
  {
    ...rayleigh,
    family: "near_edges_from_divergence",
    make(draw) {
      const z0 = draw.step(120, 138, 0.5);
      const d0 = draw.step(115, 150, 1);
      const divergence = draw.step(5.5, 8.5, 0.1);
      const edge = (0.9 * d0) / divergence;
      return {
        prompt: `The waist of ${d0} µm lies at ${z0} mm, the full divergence is ${divergence} mrad. Measure with one frame at the two edges of the near window, 0.9 Rayleigh lengths from the waist, the lower one first.`,
        gold: [
          `let zr = ${d0} um / ${divergence} mrad`,
          "for side in [-0.9, 0.9] {",
          `  measure_at z = ${z0} mm + side * zr, frames = 1 @@m`,
          "}",
        ],
        assertions: [
          has("measurements[0]", "z_requested", round(z0 - edge), "mm", "m", WORKED_OUT),
          has("measurements[1]", "z_requested", round(z0 + edge), "mm", "m", WORKED_OUT),
        ],
      };
    },
  },
  {
    ...rayleigh,
    family: "first_far_position",
    make(draw) {
      const z0 = draw.step(95, 125, 1);
      const d0 = draw.step(110, 140, 2);
      const m2 = draw.step(1.05, 1.5, 0.05);
      const rule = draw.pick([2.1, 2.3, 2.5]);
      const zr = rayleigh_mm(d0, m2);
      return {
        prompt: `Waist ${z0} mm, d0 = ${d0} µm, M² = ${m2}, 632.8 nm. Put the camera at the first far-field position behind the waist: ${rule} Rayleigh lengths from it. Do not measure.`,
        gold: [`let zr = pi * (${d0} um)^2 / (4 * ${m2} * 632.8 nm)`, `move_to z = ${z0} mm + ${rule} * zr @@m`],
        assertions: [has("status", "z_requested", round(z0 + rule * zr), "mm", "m", WORKED_OUT)],
      };
    },
  },
  {
    ...rayleigh,
    family: "waist_between_equal_widths",
    make(draw) {
      const z0 = draw.step(112, 140, 0.5);
      const distance = draw.step(20.5, 44.5, 1);
      return {
        prompt: `The beam is equally wide at ${tidy(z0 - distance)} mm and at ${tidy(z0 + distance)} mm. Measure once, one frame, where its waist must be.`,
        gold: [`measure_at z = (${tidy(z0 - distance)} mm + ${tidy(z0 + distance)} mm) / 2, frames = 1 @@m`],
        assertions: [
          has("measurements[0]", "z_requested", z0, "mm", "m", WORKED_OUT),
          has("measurements[0]", "frames", 1, undefined, "m", { input: "frames" }),
        ],
      };
    },
  },
  {
    ...exposures,
    family: "scale_to_full_scale",
    make(draw) {
      const peak = draw.step(300, 900, 25);
      const exposure = draw.step(0.8, 2.4, 0.2);
      const percent = draw.pick([55, 60, 70, 75]);
      return {
        prompt: `At ${exposure} ms the peak reads ${peak} counts above the background. The camera has 12 bits. Set the exposure at which the peak would be at ${percent} % of full scale.`,
        gold: [
          `let wanted = ${percent} % * bench.full_scale`,
          `set_exposure exposure = ${exposure} ms * wanted / ${peak} counts @@e`,
        ],
        assertions: [
          has("status", "exposure", round((exposure * percent * FULL_SCALE) / 100 / peak), "ms", "e", {
            ...EXPOSURE,
            input: "exposure",
          }),
        ],
      };
    },
  },
  {
    ...exposures,
    family: "exposure_for_a_wider_beam",
    make(draw) {
      const [dx, dy] = [draw.step(150, 220, 5), draw.step(150, 220, 5)];
      const [wx, wy] = [draw.step(380, 560, 10), draw.step(380, 560, 10)];
      const exposure = draw.step(0.4, 1.2, 0.1);
      return {
        prompt: `Where the beam is ${dx} µm by ${dy} µm wide, ${exposure} ms are right. Set the exposure that gives the same peak where it is ${wx} µm by ${wy} µm wide, the power being the same.`,
        gold: [`set_exposure exposure = ${exposure} ms * (${wx} um * ${wy} um) / (${dx} um * ${dy} um) @@e`],
        assertions: [
          has("status", "exposure", round((exposure * wx * wy) / (dx * dy)), "ms", "e", {
            ...EXPOSURE,
            input: "exposure",
          }),
        ],
      };
    },
  },
  {
    ...exposures,
    family: "darks_by_doubling",
    make(draw) {
      const first = draw.step(0.15, 0.45, 0.05);
      const count = draw.whole(3, 5);
      const frames = draw.whole(2, 3);
      return {
        prompt: `Take darks of ${frames} frames for ${count} exposures, the first ${first} ms and each the double of the one before.`,
        gold: [
          `for i in 0 to ${count - 1} {`,
          `  take_darks exposure = ${first} ms * 2^i, frames = ${frames} @@d`,
          "}",
        ],
        assertions: [
          holds("len(darks)", count, undefined, "d"),
          has("darks[-1]", "exposure", tidy(first * 2 ** (count - 1)), "ms", "d", EXPOSURE),
          has("darks[0]", "frames", frames, undefined, "d", { input: "frames" }),
        ],
      };
    },
  },
];
