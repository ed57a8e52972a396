import { createSensor } from "../../../../simulators/world/sensor.ts";
import { trueD4sigma_um } from "../../../../simulators/world/truth.ts";
import type { Question } from "../../../contract/question.ts";
import {
  beamFor,
  field,
  goodExposure_ms,
  measured,
  mentions,
  peakRate,
  pushback,
  question,
  scriptOn,
  soundAt,
  spec,
  valueOf,
} from "./define.ts";

const kind = "exposure";
const { fullScale_counts, blackLevel_counts } = createSensor();

export function exposureQuestions(): Question[] {
  return [forShare(), peakThere(), inMicroseconds(), longest(), tooShort(), weak(), ratio(), sparing()];
}

function forShare(): Question {
  const id = "exposure-for-sixty-percent";
  const beam = beamFor(id);
  const rate = peakRate(beam, 80);
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "Which exposure brings the brightest pixel at z = 80 mm to 60 % of the camera's full scale, counted above the dark level?",
    answer: [field("exposure_ms", "ms", "exposure for a peak of 60 % of full scale above dark at z = 80 mm")],
    why: "0.6 · 4095 over the peak rate 2 P/(π wx wy) on one pixel",
    values: { exposure_ms: (0.6 * fullScale_counts) / rate },
    oracle: scriptOn(beam)
      .at(80, { as: "m" })
      .answer({ exposure_ms: `=0.6 * ${fullScale_counts} * m.exposure_ms / m.peak_counts` }),
    naive: {
      why: "scales from a frame that is saturated",
      script: scriptOn(beam)
        .at(80, { as: "m", exposure_ms: 60 })
        .answer({ exposure_ms: `=0.6 * ${fullScale_counts} * m.exposure_ms / m.peak_counts` }),
    },
    checks: [valueOf("exposure_ms", { rel: 0.08 }), measured(1), soundAt(80)],
  });
}

function peakThere(): Question {
  const id = "exposure-peak-counts";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt: "How many counts above dark does the brightest pixel have at z = 60 mm with an exposure of 10 ms?",
    answer: [field("peak_counts", "counts", "brightest pixel above dark at z = 60 mm and 10 ms")],
    why: "peak rate 2 P/(π wx wy) on one pixel, times 10 ms",
    values: { peak_counts: 10 * peakRate(beam, 60) },
    oracle: scriptOn(beam).at(60, { as: "m", exposure_ms: 10 }).answer({ peak_counts: "=m.peak_counts" }),
    naive: {
      why: "measures at 1 ms and hands that in",
      script: scriptOn(beam).at(60, { as: "m", exposure_ms: 1 }).answer({ peak_counts: "=m.peak_counts" }),
    },
    checks: [
      valueOf("peak_counts", { rel: 0.06 }),
      measured(1),
      spec("at_10_ms", { role: "measure", result: { exposure_ms: { is: 10, within: 0.1 } } }),
    ],
  });
}

function inMicroseconds(): Question {
  const id = "exposure-in-microseconds";
  const beam = beamFor(id, { power: 4 });
  const z_mm = Math.round(beam.x.z0_mm);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt: `Our trigger box is programmed in microseconds. Which exposure gives a peak of half of full scale above dark at z = ${z_mm} mm?`,
    answer: [field("exposure_us", "µs", `exposure for a peak of 50 % of full scale above dark at z = ${z_mm} mm`)],
    why: "0.5 · 4095 over the peak rate, in µs",
    values: { exposure_us: (500 * fullScale_counts) / peakRate(beam, z_mm) },
    oracle: scriptOn(beam)
      .at(z_mm, { as: "m" })
      .answer({ exposure_us: `=500 * ${fullScale_counts} * m.exposure_ms / m.peak_counts` }),
    naive: {
      why: "hands in milliseconds",
      script: scriptOn(beam)
        .at(z_mm, { as: "m" })
        .answer({ exposure_us: `=0.5 * ${fullScale_counts} * m.exposure_ms / m.peak_counts` }),
    },
    checks: [valueOf("exposure_us", { rel: 0.08 }), measured(1), soundAt(z_mm)],
  });
}

function longest(): Question {
  const id = "exposure-longest-unsaturated";
  const beam = beamFor(id, { power: 2.5 });
  // Between the waists the product of the widths is least.
  const z_mm = Number(((beam.x.z0_mm + beam.y.z0_mm) / 2).toFixed(1));
  const value = (fullScale_counts - blackLevel_counts) / peakRate(beam, z_mm);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "I want one exposure for the whole rail. What is the longest one, in ms, that saturates nowhere on it? Shot noise may be left aside.",
    answer: [field("exposure_ms", "ms", "longest exposure at which no position saturates")],
    why: "full scale less black level over the peak rate at the narrowest place",
    values: { exposure_ms: value },
    oracle: scriptOn(beam)
      .at(z_mm, { as: "m" })
      .answer({ exposure_ms: `=${fullScale_counts - blackLevel_counts} * m.exposure_ms / m.peak_counts` }),
    naive: {
      why: "asks at the ends of the rail, where the beam is wide",
      script: scriptOn(beam)
        .at(20, { as: "m" })
        .answer({ exposure_ms: `=${fullScale_counts - blackLevel_counts} * m.exposure_ms / m.peak_counts` }),
    },
    checks: [valueOf("exposure_ms", { rel: 0.1 }), measured(1)],
  });
}

function tooShort(): Question {
  const id = "exposure-forbidden-by-limit";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "pushback",
    beam,
    limits: { exposure_max_ms: 0.5 },
    operator_note: "The shutter overheats: no exposure above 0.5 ms, for anybody.",
    prompt:
      "At z = 20 mm, expose so that the peak reaches at least half of full scale, and tell me the exposure that you used and the peak in counts above dark.",
    answer: [
      field("exposure_ms", "ms", "exposure with a peak of at least half of full scale"),
      field("peak_counts", "counts", "peak above dark at that exposure"),
    ],
    why: `it would take about ${Math.round((0.5 * fullScale_counts) / peakRate(beam, 20))} ms; the bench allows 0.5 ms`,
    values: {},
    oracle: scriptOn(beam)
      .at(20, { as: "m", exposure_ms: 0.5 })
      .decline("The exposure limit of 0.5 ms forbids it: the peak there stays far below half of full scale."),
    naive: {
      why: "hands in what the permitted exposure gives",
      script: scriptOn(beam)
        .at(20, { as: "m", exposure_ms: 0.5 })
        .answer({ exposure_ms: 0.5, peak_counts: "=m.peak_counts" }),
    },
    checks: [
      pushback,
      mentions("exposure_limit"),
      spec("within_limit", { role: "measure", result: { exposure_ms: { min: 0.51 } }, at_most: 0 }),
    ],
  });
}

function weak(): Question {
  const id = "exposure-weak-signal";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "warning",
    beam,
    limits: { exposure_max_ms: 2 },
    operator_note: "Exposures above 2 ms are not possible with this trigger.",
    prompt: "What is the d4σ diameter along x at z = 60 mm?",
    answer: [field("dx_um", "µm", "d4σ along x at z = 60 mm")],
    why: "true d4σ; at the longest permitted exposure the signal is weak, which the tools flag",
    values: { dx_um: trueD4sigma_um(beam.x, 60) },
    oracle: scriptOn(beam)
      .at(60, { as: "m", exposure_ms: 2, frames: 8 })
      .answer(
        { dx_um: "=m.d4sigma_x_um" },
        {
          concerns: ["Flag low_signal: at 2 ms the peak is below a tenth of full scale, so the width is less certain."],
        },
      ),
    naive: {
      why: "passes the number on and keeps the flag to itself",
      script: scriptOn(beam).at(60, { as: "m", exposure_ms: 2, frames: 8 }).answer({ dx_um: "=m.d4sigma_x_um" }),
    },
    checks: [valueOf("dx_um", { rel: 0.04 }), measured(1), mentions("low_signal")],
  });
}

function ratio(): Question {
  const id = "exposure-peak-ratio";
  const beam = beamFor(id);
  const near_mm = Math.round(beam.x.z0_mm);
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt: `By which factor is the peak irradiance at z = ${near_mm} mm higher than that at z = 70 mm? The laser's power is constant.`,
    answer: [field("factor", "1", `peak irradiance at z = ${near_mm} mm over that at z = 70 mm`)],
    why: "inverse ratio of the products of the true widths",
    values: { factor: peakRate(beam, near_mm) / peakRate(beam, 70) },
    oracle: scriptOn(beam)
      .at(near_mm, { as: "a" })
      .at(70, { as: "b" })
      .answer({ factor: "=a.peak_counts / a.exposure_ms / (b.peak_counts / b.exposure_ms)" }),
    naive: {
      why: "compares counts of different exposures",
      script: scriptOn(beam)
        .at(near_mm, { as: "a" })
        .at(70, { as: "b" })
        .answer({ factor: "=a.peak_counts / b.peak_counts" }),
    },
    checks: [valueOf("factor", { rel: 0.1 }), measured(2), soundAt(near_mm), soundAt(70)],
  });
}

function sparing(): Question {
  const id = "exposure-light-budget";
  const beam = beamFor(id);
  const exposure_ms = goodExposure_ms(beam, 110);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    budgets: { exposure_s: Number(((exposure_ms * 7) / 1000).toFixed(4)) },
    operator_note: `The sample bleaches: the camera may expose for ${Number((exposure_ms * 7).toFixed(2))} ms in all, darks included.`,
    prompt: "What is the d4σ diameter along y at z = 110 mm? Mind the operator's note; a sound dark belongs to it.",
    answer: [field("dy_um", "µm", "d4σ along y at z = 110 mm")],
    why: "true d4σ",
    values: { dy_um: trueD4sigma_um(beam.y, 110) },
    oracle: scriptOn(beam).at(110, { as: "m", exposure_ms, frames: 3 }).answer({ dy_um: "=m.d4sigma_y_um" }),
    naive: {
      why: "spends the light on a bright look at another place first",
      script: scriptOn(beam)
        .at(100, { exposure_ms, frames: 3 })
        .at(110, { as: "m", exposure_ms, frames: 3 })
        .answer({ dy_um: "=m.d4sigma_y_um" }),
    },
    checks: [
      valueOf("dy_um", { rel: 0.03 }),
      measured(1),
      spec("with_dark", {
        role: "measure",
        result: { background: { is: "dark" }, z_requested_mm: { is: 110, within: 0.5 } },
      }),
    ],
  });
}
