import { beamFacts, SATURATION } from "../beam-facts.ts";
import { type Family, has, holds } from "../draft.ts";

const kind = { tier: "core", split: "test", category: "conditional_retakes" } as const;

export const CONDITIONAL_RETAKES: readonly Family[] = [
  {
    ...kind,
    family: "retake_if_saturated",
    make(draw, variant) {
      const scenario = variant % 4 === 3 ? "clean" : "partial_saturation";
      const z = draw.step(124, 134, 1);
      const first = draw.pick([0.9, 1.1, 1.2]);
      const again = draw.pick([0.12, 0.15, 0.2]);
      const saturated = beamFacts(scenario).peak_counts(z, first) > SATURATION;
      return {
        scenario,
        prompt: `Measure at ${z} mm with ${first} ms and one frame. If the measurement is flagged saturated, reject it and measure again there with ${again} ms and one frame; otherwise do nothing more.`,
        gold: [
          `measure_at z = ${z} mm, exposure = ${first} ms, frames = 1 as m @@m`,
          `if has_flag(m, "saturated") {`,
          `  reject_measurement measurement = m, reason = "saturated" @@reject`,
          `  measure_at z = ${z} mm, exposure = ${again} ms, frames = 1 @@again`,
          "}",
        ],
        assertions: [
          holds("len(measurements)", saturated ? 2 : 1, undefined, saturated ? "again" : "m"),
          has("measurements[0]", "use", saturated ? "rejected" : "used", undefined, saturated ? "reject" : "m"),
          has("measurements[-1]", "exposure", saturated ? again : first, "ms", saturated ? "again" : "m", {
            input: "exposure",
          }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "retake_if_dim",
    make(draw, variant) {
      const dim = variant % 4 !== 2;
      const z = dim ? draw.pick([40, 50, 205, 215]) : draw.pick([120, 125, 135]);
      const longer = draw.step(10, 20, 1);
      return {
        prompt: `Measure at ${z} mm with 0.9 ms and one frame. If the peak is below 300 counts, reject the measurement and take it again with ${longer} ms and one frame.`,
        gold: [
          `measure_at z = ${z} mm, exposure = 0.9 ms, frames = 1 as m @@m`,
          "if m.peak < 300 counts {",
          `  reject_measurement measurement = m, reason = "too dim" @@reject`,
          `  measure_at z = ${z} mm, exposure = ${longer} ms, frames = 1 @@again`,
          "}",
        ],
        assertions: [
          holds("len(measurements)", dim ? 2 : 1, undefined, dim ? "again" : "m"),
          has("measurements[0]", "use", dim ? "rejected" : "used", undefined, dim ? "reject" : "m"),
          has("measurements[-1]", "exposure", dim ? longer : 0.9, "ms", dim ? "again" : "m", { input: "exposure" }),
        ],
      };
    },
  },
  {
    ...kind,
    family: "brighten_until",
    make(draw) {
      const { peak_counts } = beamFacts("clean");
      const z = draw.pick([85, 90, 95, 165, 170]);
      const start = draw.pick([0.2, 0.25, 0.3]);
      let exposure = start;
      const wanted = draw.pick([700, 900, 1100]);
      let rounds = 0;
      while (peak_counts(z, exposure) < wanted) {
        exposure *= 2;
        rounds += 1;
      }
      return {
        prompt: `At ${z} mm, begin with ${start} ms and one frame, and repeat with twice the exposure until the peak is at least ${wanted} counts. Give the exposure that was enough as the result "exposure".`,
        gold: [
          `let exposure = ${start} ms`,
          `measure_at z = ${z} mm, exposure = exposure, frames = 1 as m @@first`,
          `while m.peak < ${wanted} counts limit 10 {`,
          "  let exposure = exposure * 2",
          `  measure_at z = ${z} mm, exposure = exposure, frames = 1 as m`,
          "}",
          "result exposure = exposure @@result",
        ],
        assertions: [
          has("results", "exposure", Number(exposure.toPrecision(6)), "ms", "result", { tol: 0.01 }),
          holds("len(measurements)", rounds + 1, undefined, "first"),
          holds("measurements[-1].z_requested", z, "mm", "first"),
        ],
      };
    },
  },
  {
    ...kind,
    family: "go_by_the_width",
    make(draw) {
      const { width_um } = beamFacts("clean");
      const z = draw.pick([70, 80, 100, 110, 150, 160, 180]);
      const limit = draw.pick([250, 300, 350]);
      const wide = width_um("x", z) > limit;
      const [home, away] = [draw.step(20, 40, 5), draw.step(210, 230, 5)];
      return {
        prompt: `Measure at ${z} mm with one frame. If the width along x is above ${limit} µm, drive to ${home} mm, otherwise to ${away} mm.`,
        gold: [
          `measure_at z = ${z} mm, frames = 1 as m @@m`,
          `if m.d4sigma_x > ${limit} um {`,
          `  move_to z = ${home} mm${wide ? " @@go" : ""}`,
          "} else {",
          `  move_to z = ${away} mm${wide ? "" : " @@go"}`,
          "}",
        ],
        assertions: [
          has("status", "z_requested", wide ? home : away, "mm", "go", { input: "z" }),
          has("measurements[0]", "z_requested", z, "mm", "m"),
          holds("len(measurements)", 1, undefined, "m"),
        ],
      };
    },
  },
  {
    ...kind,
    family: "reject_the_dim_ones",
    make(draw) {
      const { peak_counts } = beamFacts("clean");
      const places = draw.some([50, 65, 80, 100, 120, 140, 160, 180, 200], 5);
      const limit = draw.pick([400, 450, 500]);
      const dim = places.filter((z) => peak_counts(z, 1) < limit).length;
      return {
        prompt: `Measure at ${places.join(" mm, ")} mm with 1 ms and one frame each. Reject every measurement whose peak is below ${limit} counts, and give their number as the result "rejected".`,
        gold: [
          "let rejected = 0",
          `for z in [${places.join(" mm, ")} mm] {`,
          "  measure_at z = z, exposure = 1 ms, frames = 1 as m @@m",
          `  if m.peak < ${limit} counts {`,
          "    reject_measurement measurement = m @@reject",
          "    let rejected = rejected + 1 @@count",
          "  }",
          "}",
          "result rejected = rejected @@result",
        ],
        assertions: [
          has("results", "rejected", dim, undefined, "count"),
          holds('len([m for m in measurements if m.use == "rejected"])', dim, undefined, "reject"),
          holds("len(measurements)", places.length, undefined, "m"),
        ],
      };
    },
  },
];
