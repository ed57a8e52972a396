import { beamFacts, SATURATION } from "../beam-facts.ts";
import { type Family, has, holds } from "../draft.ts";
import { tidy } from "../draw.ts";

const scans = { tier: "programmatic", split: "train", category: "programmed_scans" } as const;
const decisions = { tier: "programmatic", split: "test", category: "programmed_decisions" } as const;
const CLOSE = { tol: 0.002 } as const;
const round1 = (value: number): number => Number(value.toFixed(1));

export const PROGRAMMATIC: readonly Family[] = [
  {
    ...scans,
    family: "fine_around_the_narrowest",
    make(draw) {
      const { width_um } = beamFacts("clean");
      const first = draw.step(62, 74, 2);
      const coarse = Array.from({ length: 5 }, (_, i) => first + 26 * i);
      const narrowest = coarse.reduce((best, z) => (width_um("x", z) < width_um("x", best) ? z : best));
      const apart = draw.pick([4, 5, 6]);
      return {
        prompt: `Scan five positions from ${first} mm in steps of 26 mm, one frame each. Around the one with the smallest width along x take three more with one frame each: ${apart} mm before it, at it, and ${apart} mm behind it. Give the position of the narrowest of the five as the result "narrowest".`,
        gold: [
          "for i in 0 to 4 {",
          `  measure_at z = ${first} mm + i * 26 mm, frames = 1 into coarse @@coarse`,
          "}",
          "let narrowest = coarse[index_of_min([m.d4sigma_x for m in coarse])].z_requested",
          "for i in -1 to 1 {",
          `  measure_at z = narrowest + i * ${apart} mm, frames = 1 @@fine`,
          "}",
          "result narrowest = narrowest @@r",
        ],
        assertions: [
          has("results", "narrowest", narrowest, "mm", "r", { tol: 0.02 }),
          holds("len(measurements)", 8, undefined, "fine"),
          has("measurements[4]", "z_requested", first + 104, "mm", "coarse", CLOSE),
          has("measurements[5]", "z_requested", narrowest - apart, "mm", "fine", CLOSE),
          has("measurements[7]", "z_requested", narrowest + apart, "mm", "fine", CLOSE),
        ],
      };
    },
  },
  {
    ...scans,
    family: "geometric_distances",
    make(draw) {
      const centre = draw.step(126, 132, 1);
      const first = draw.pick([2, 2.5, 3, 3.5]);
      const count = draw.whole(4, 5);
      return {
        prompt: `Measure at distances from ${centre} mm that double each time: ${first} mm, then twice that, and so on, ${count} positions behind ${centre} mm in all, one frame with 0.7 ms each.`,
        gold: [
          `for i in 0 to ${count - 1} {`,
          `  measure_at z = ${centre} mm + ${first} mm * 2^i, exposure = 0.7 ms, frames = 1 @@m`,
          "}",
        ],
        assertions: [
          holds("len(measurements)", count, undefined, "m"),
          has("measurements[2]", "z_requested", tidy(centre + first * 4), "mm", "m", CLOSE),
          has("measurements[-1]", "z_requested", tidy(centre + first * 2 ** (count - 1)), "mm", "m", CLOSE),
          has("measurements[0]", "exposure", 0.7, "ms", "m", { input: "exposure" }),
        ],
      };
    },
  },
  {
    ...scans,
    family: "dark_for_every_exposure",
    make(draw) {
      const exposures = [draw.pick([0.3, 0.4]), draw.pick([0.6, 0.7]), draw.pick([1.2, 1.4])];
      const z = draw.step(104, 118, 2);
      return {
        prompt: `For each of the exposures ${exposures.join(" ms, ")} ms: take a dark of 2 frames, then measure at ${z} mm with 1 frame. Give the sum of the three peaks as the result "sum".`,
        gold: [
          "let peaks = []",
          `for exposure in [${exposures.join(" ms, ")} ms] {`,
          "  take_darks exposure = exposure, frames = 2 @@d",
          `  measure_at z = ${z} mm, exposure = exposure, frames = 1 as m @@m`,
          "  let peaks = append(peaks, m.peak) @@append",
          "}",
          "result sum = sum(peaks) @@r",
        ],
        assertions: [
          holds("len(darks)", 3, undefined, "d"),
          ...exposures.map((exposure, i) => has(`measurements[${i}]`, "exposure", exposure, "ms", "m", { tol: 0.001 })),
          has("measurements[2]", "dark", "d003", undefined, "d"),
          has(
            "results",
            "sum",
            Math.round(exposures.reduce((sum, exposure) => sum + beamFacts("clean").peak_counts(z, exposure), 0)),
            "counts",
            "append",
            { rtol: 0.08 },
          ),
        ],
      };
    },
  },
  {
    ...scans,
    family: "zigzag",
    make(draw) {
      const centre = draw.step(127, 131, 0.5);
      const apart = draw.step(5, 9, 0.5);
      return {
        prompt: `Zigzag around ${centre} mm: for k = 1, 2, 3 measure k · ${apart} mm before it and then k · ${apart} mm behind it, one frame with 0.6 ms each. Give the whole travel between the first and the last of these positions, summed over all moves between them, as the result "travel".`,
        gold: [
          "let places = []",
          "for k in 1 to 3 {",
          "  for side in [-1, 1] {",
          `    let places = append(places, ${centre} mm + side * k * ${apart} mm)`,
          "  }",
          "}",
          "for z in places {",
          "  measure_at z = z, exposure = 0.6 ms, frames = 1 @@m",
          "}",
          "let travel = 0 mm",
          "for i in 1 to len(places) - 1 {",
          "  let travel = travel + abs(places[i] - places[i - 1])",
          "}",
          "result travel = travel @@r",
        ],
        assertions: [
          holds("len(measurements)", 6, undefined, "m"),
          has("measurements[0]", "z_requested", tidy(centre - apart), "mm", "m", CLOSE),
          has("measurements[3]", "z_requested", tidy(centre + 2 * apart), "mm", "m", CLOSE),
          has("measurements[5]", "z_requested", tidy(centre + 3 * apart), "mm", "m", CLOSE),
          has("results", "travel", tidy(20 * apart), "mm", "r", { tol: 0.05 }),
        ],
      };
    },
  },
  {
    ...scans,
    family: "exposures_by_positions",
    make(draw) {
      const places = [draw.step(96, 104, 2), draw.step(150, 158, 2)];
      const exposures = [draw.pick([0.5, 0.6]), draw.pick([1.1, 1.3])];
      const places_text = places.join(" mm and ");
      return {
        prompt: `At ${places_text} mm measure with each of ${exposures.join(" ms and ")} ms, one frame each: all exposures at the first place, then all at the second. Give the ratio of the peaks at the first place, long over short, as the result "ratio".`,
        gold: [
          `for z in [${places.join(" mm, ")} mm] {`,
          `  for exposure in [${exposures.join(" ms, ")} ms] {`,
          "    measure_at z = z, exposure = exposure, frames = 1 into all @@m",
          "  }",
          "}",
          "result ratio = all[1].peak / all[0].peak @@r",
        ],
        assertions: [
          holds("len(measurements)", 4, undefined, "m"),
          has("measurements[1]", "exposure", exposures[1] ?? 0, "ms", "m", { tol: 0.001 }),
          has("measurements[2]", "z_requested", places[1] ?? 0, "mm", "m", CLOSE),
          has("results", "ratio", Number(((exposures[1] ?? 0) / (exposures[0] ?? 1)).toFixed(4)), undefined, "r", {
            rtol: 0.06,
          }),
        ],
      };
    },
  },
  {
    ...decisions,
    family: "halve_until_sound",
    make(draw) {
      const { peak_counts } = beamFacts("partial_saturation");
      const z = draw.step(122, 136, 1);
      const start = draw.pick([2, 2.4, 3, 3.6]);
      let exposure = start;
      let rounds = 0;
      while (peak_counts(z, exposure) > SATURATION) {
        exposure /= 2;
        rounds += 1;
      }
      return {
        scenario: "partial_saturation",
        prompt: `At ${z} mm start with ${start} ms and one frame. As long as the measurement is flagged saturated, reject it and measure again with half the exposure. Give the last exposure as the result "exposure" and the number of rejected measurements as "rejected".`,
        gold: [
          `let exposure = ${start} ms`,
          "let rejected = 0",
          `measure_at z = ${z} mm, exposure = exposure, frames = 1 as m @@first`,
          `while has_flag(m, "saturated") limit 10 {`,
          `  reject_measurement measurement = m, reason = "saturated" @@reject`,
          "  let rejected = rejected + 1 @@count",
          "  let exposure = exposure / 2",
          `  measure_at z = ${z} mm, exposure = exposure, frames = 1 as m @@again`,
          "}",
          "result exposure = exposure @@r",
          "result rejected = rejected @@n",
        ],
        assertions: [
          has("results", "exposure", tidy(exposure), "ms", "r", { tol: 0.012 }),
          has("results", "rejected", rounds, undefined, "count"),
          holds('len([m for m in measurements if m.use == "rejected"])', rounds, undefined, "reject"),
          has("measurements[-1]", "use", "used", undefined, "again"),
        ],
      };
    },
  },
  {
    ...decisions,
    family: "step_until_wide",
    make(draw) {
      const { width_um } = beamFacts("clean");
      const first = draw.step(138, 144, 1);
      const apart = draw.step(7, 10, 0.5);
      const limit = draw.pick([300, 340, 380]);
      let z = first;
      let count = 1;
      while (width_um("y", z) < limit) {
        z = tidy(z + apart);
        count += 1;
      }
      return {
        prompt: `Begin at ${first} mm with one frame and go on in steps of ${apart} mm, one frame at each, until the width along y is at least ${limit} µm. Give the position where that is first so as the result "edge".`,
        gold: [
          `let z = ${first} mm`,
          "measure_at z = z, frames = 1 as m @@first",
          `while m.d4sigma_y < ${limit} um limit 20 {`,
          `  let z = z + ${apart} mm`,
          "  measure_at z = z, frames = 1 as m @@again",
          "}",
          "result edge = m.z_requested @@r",
        ],
        assertions: [
          has("results", "edge", z, "mm", "r", { tol: 0.02 }),
          holds("len(measurements)", count, undefined, "first"),
          has("measurements[-1]", "z_requested", z, "mm", "again", { tol: 0.02 }),
        ],
      };
    },
  },
  {
    ...decisions,
    family: "bisect_the_width",
    make(draw) {
      const { width_um } = beamFacts("clean");
      const wanted = draw.step(260, 420, 20);
      const rounds = 6;
      let [low, high] = [140, 210];
      for (let i = 0; i < rounds; i++) {
        const middle = (low + high) / 2;
        if (width_um("x", middle) < wanted) low = middle;
        else high = middle;
      }
      return {
        prompt: `Between 140 mm and 210 mm the beam widens. Find where its width along x is ${wanted} µm by bisection: ${rounds} measurements of one frame with 1.5 ms, always in the middle of what is left, keeping the half in which the width is reached. Give the middle of the last interval as the result "place".`,
        gold: [
          "let low = 140 mm",
          "let high = 210 mm",
          `for i in 1 to ${rounds} {`,
          "  let middle = (low + high) / 2",
          "  measure_at z = middle, exposure = 1.5 ms, frames = 1 as m @@m",
          `  if m.d4sigma_x < ${wanted} um {`,
          "    let low = middle @@low",
          "  } else {",
          "    let high = middle @@high",
          "  }",
          "}",
          "result place = (low + high) / 2 @@r",
        ],
        assertions: [
          has("results", "place", tidy((low + high) / 2), "mm", "r", { tol: 1.2 }),
          holds("len(measurements)", rounds, undefined, "m"),
          has("measurements[0]", "z_requested", 175, "mm", "m", CLOSE),
          has("measurements[0]", "exposure", 1.5, "ms", "m", { input: "exposure" }),
        ],
      };
    },
  },
  {
    ...decisions,
    family: "count_by_grade",
    make(draw) {
      const { peak_counts } = beamFacts("partial_saturation");
      const exposure = draw.pick([0.8, 0.9, 1]);
      const places = draw.some([70, 90, 104, 112, 118, 124, 130, 136, 142, 150, 170], 6).filter((z) => {
        const share = peak_counts(z, exposure) / SATURATION;
        return share < 0.85 || share > 1.25;
      });
      const saturated = places.filter((z) => peak_counts(z, exposure) > SATURATION);
      return {
        scenario: "partial_saturation",
        prompt: `Measure with ${exposure} ms and one frame at ${places.join(" mm, ")} mm. Give how many are flagged saturated as the result "saturated", and the lowest and highest position of these as "first" and "last".`,
        gold: [
          `for z in [${places.join(" mm, ")} mm] {`,
          `  measure_at z = z, exposure = ${exposure} ms, frames = 1 into all @@m`,
          "}",
          `let bad = [m.z_requested for m in all if has_flag(m, "saturated")]`,
          "result saturated = len(bad) @@n",
          "result first = min(bad) @@first",
          "result last = max(bad) @@last",
        ],
        assertions: [
          has("results", "saturated", saturated.length, undefined, "n"),
          has("results", "first", saturated[0] ?? 0, "mm", "first", { tol: 0.02 }),
          has("results", "last", saturated.at(-1) ?? 0, "mm", "last", { tol: 0.02 }),
          holds("len(measurements)", places.length, undefined, "m"),
        ],
      };
    },
  },
  {
    ...decisions,
    family: "ratio_of_widths",
    make(draw) {
      const { width_um } = beamFacts("clean");
      const places = draw.some([84, 92, 100, 108, 146, 154, 162, 170], 4);
      const widths = places.map((z) => width_um("x", z));
      return {
        prompt: `Measure at ${places.join(" mm, ")} mm with 1.2 ms and one frame after a dark of 3 frames at 1.2 ms. Give the widest over the narrowest width along x as the result "ratio", and the list of widths in µm as "widths".`,
        gold: [
          "take_darks exposure = 1.2 ms, frames = 3 @@d",
          `for z in [${places.join(" mm, ")} mm] {`,
          "  measure_at z = z, exposure = 1.2 ms, frames = 1 into all @@m",
          "}",
          "let widths = [m.d4sigma_x for m in all]",
          "result ratio = max(widths) / min(widths) @@r",
          "result widths = widths @@w",
        ],
        assertions: [
          has("results", "ratio", Number((Math.max(...widths) / Math.min(...widths)).toFixed(4)), undefined, "r", {
            rtol: 0.03,
          }),
          holds("len(results.widths)", places.length, undefined, "w"),
          holds("results.widths[0]", round1(widths[0] ?? 0), "um", "w", { rtol: 0.02 }),
          has("measurements[0]", "dark", "d001", undefined, "d"),
        ],
      };
    },
  },
];
