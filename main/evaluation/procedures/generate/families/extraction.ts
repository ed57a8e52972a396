import { beamFacts } from "../beam-facts.ts";
import { type Family, has, holds } from "../draft.ts";
import { tidy } from "../draw.ts";

const widths = { tier: "extraction", split: "train", category: "extracted_waists" } as const;
const caustics = { tier: "extraction", split: "test", category: "extracted_caustics" } as const;

/** A scan that fits well: dense around the waist, wide in the far field. */
function scan(places: readonly number[], near_ms: number, far_ms: number, reach_mm: number, z0_mm: number): string[] {
  const near = places.filter((z) => Math.abs(z - z0_mm) <= reach_mm);
  const far = places.filter((z) => Math.abs(z - z0_mm) > reach_mm);
  return [
    `take_darks exposure = ${near_ms} ms, frames = 4`,
    `for z in [${near.join(" mm, ")} mm] {`,
    `  measure_at z = z, exposure = ${near_ms} ms, frames = 2 @@near`,
    "}",
    `take_darks exposure = ${far_ms} ms, frames = 4`,
    `for z in [${far.join(" mm, ")} mm] {`,
    `  measure_at z = z, exposure = ${far_ms} ms, frames = 2 @@far`,
    "}",
    "fit_caustic as caustic @@fit",
  ];
}

const AROUND = [-70, -56, -44, -24, -12, 0, 12, 24, 44, 56, 70];

export const EXTRACTION: readonly Family[] = [
  {
    ...widths,
    family: "waist_diameter",
    make(draw) {
      const { truth } = beamFacts("clean");
      const axis = draw.pick<"x" | "y">(["x", "y"]);
      const name = draw.pick(["d0", "waist_diameter"]);
      const places = AROUND.map((offset) => tidy(129 + draw.step(-1, 1, 0.5) + offset));
      return {
        prompt: `Measure this beam well enough for its waist diameter along ${axis}: its waist is near 129 mm. Darks at every exposure that you use, good signals without saturation, near and far positions. Give the d4σ waist diameter as the result "${name}" and its position as "z0".`,
        gold: [
          ...scan(places, 0.8, 8, 30, 129),
          `result ${name} = caustic.${axis}.d0 @@d0`,
          `result z0 = caustic.${axis}.z0 @@z0`,
        ],
        assertions: [
          has("results", name, truth[axis].d0_um, "um", "d0", { rtol: 0.015 }),
          has("results", "z0", truth[axis].z0_mm, "mm", "z0", { tol: 0.35 }),
          holds("len(fit.used) >= 8", true, undefined, "near"),
        ],
      };
    },
  },
  {
    ...widths,
    family: "width_at_a_lens",
    make(draw) {
      const { width_um } = beamFacts("clean");
      const lens = draw.step(5, 30, 5);
      const places = AROUND.map((offset) => tidy(129 + draw.step(-1, 1, 0.5) + offset));
      return {
        prompt: `A lens will stand at ${lens} mm, where the camera must not go: stay at 40 mm and above. Measure the caustic from there (the waist is near 129 mm) and give the diameter along x that the beam has at the lens, from the fit, as the result "at_lens".`,
        gold: [
          ...scan(places, 0.8, 8, 30, 129),
          "let axis = caustic.x",
          `result at_lens = hypot(axis.d0, axis.divergence * (${lens} mm - axis.z0)) in um @@r`,
        ],
        assertions: [
          has("results", "at_lens", Number(width_um("x", lens).toFixed(1)), "um", "r", { rtol: 0.01 }),
          holds("len(fit.used) >= 8 and min([m.z_requested for m in measurements]) >= 40 mm", true, undefined, "near"),
        ],
      };
    },
  },
  {
    ...caustics,
    family: "m2_of_both_axes",
    make(draw) {
      const { truth } = beamFacts("clean");
      const places = AROUND.map((offset) => tidy(129 + draw.step(-1, 1, 0.5) + offset));
      return {
        prompt: `Measure M² of both axes. The waist is near 129 mm; five positions within one Rayleigh length of about 17 mm and five beyond two are what the standard asks. Give "m2_x" and "m2_y", and as "compliant" whether both axes have the positions that ISO 11146 asks for.`,
        gold: [
          ...scan(
            [...places, 123.3, 135.3].sort((a, b) => a - b),
            0.8,
            8,
            30,
            129,
          ),
          "result m2_x = caustic.x.m2 @@x",
          "result m2_y = caustic.y.m2 @@y",
          "result compliant = caustic.x.iso_coverage and caustic.y.iso_coverage @@c",
        ],
        assertions: [
          has("results", "m2_x", truth.x.m2, undefined, "x", { rtol: 0.015 }),
          has("results", "m2_y", truth.y.m2, undefined, "y", { rtol: 0.015 }),
          has("results", "compliant", true, undefined, "c"),
        ],
      };
    },
  },
  {
    ...caustics,
    family: "distance_of_waists",
    make(draw) {
      const { truth } = beamFacts("different_waists");
      const places = [30, 45, 60, 80, 95, 110, 127, 145, 160, 175, 195, 215, 230].map((z) => z + draw.step(-2, 2, 0.5));
      const name = draw.pick(["astigmatism", "distance", "apart"]);
      return {
        scenario: "different_waists",
        prompt: `The two axes of this beam have their waists at different places, along 20 mm to 240 mm. Measure, fit, and give the distance of the two waists as the result "${name}" and the larger of the two divergences (full angle) as "divergence".`,
        gold: [
          "take_darks exposure = 3 ms, frames = 4",
          `for z in [${places.join(" mm, ")} mm] {`,
          "  measure_at z = z, exposure = 3 ms, frames = 2 @@near",
          "}",
          "fit_caustic as caustic @@fit",
          `result ${name} = abs(caustic.x.z0 - caustic.y.z0) @@r`,
          "result divergence = max(caustic.x.divergence, caustic.y.divergence) @@t",
        ],
        assertions: [
          has("results", name, tidy(Math.abs(truth.x.z0_mm - truth.y.z0_mm)), "mm", "r", { tol: 0.8 }),
          has(
            "results",
            "divergence",
            Number(Math.max(truth.x.divergence_mrad, truth.y.divergence_mrad).toFixed(4)),
            "mrad",
            "t",
            {
              rtol: 0.015,
            },
          ),
          holds("len(fit.used) >= 6", true, undefined, "near"),
        ],
      };
    },
  },
];
