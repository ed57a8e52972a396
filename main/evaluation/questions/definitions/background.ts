import { createSensor } from "../../../../simulators/world/sensor.ts";
import type { BeamFault } from "../../../../simulators/world/scenario.ts";
import { trueD4sigma_um } from "../../../../simulators/world/truth.ts";
import type { Question } from "../../../contract/question.ts";
import { beamFor, field, measured, mentions, pushback, question, scriptOn, spec, valueOf } from "./define.ts";

const kind = "background";
const { blackLevel_counts, readNoise_counts } = createSensor();
const DARKS = measured(1, undefined, "dark");

const roomLight = (counts_per_ms: number, counts_per_ms_per_measurement = 0): BeamFault => ({
  kind: "room_light",
  counts_per_ms,
  counts_per_ms_per_measurement,
});
/** Standard deviation of rounding to whole counts. */
const ROUNDING_counts = 1 / Math.sqrt(12);

export function backgroundQuestions(): Question[] {
  return [level(), rate(), staleDark(), noise(), matchingDark(), noRetake(), noDarks(), growth()];
}

function level(): Question {
  const id = "background-dark-level";
  const light = 0.09;
  const beam = beamFor(id, { faults: [roomLight(light)] });
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt: "With the beam blocked, what does the camera read on average at an exposure of 100 ms, in counts?",
    answer: [field("level_counts", "counts", "mean of the frame with the beam blocked at 100 ms")],
    why: "black level and 100 ms of the room's light",
    values: { level_counts: blackLevel_counts + 100 * light },
    oracle: scriptOn(beam).dark(100, "d").answer({ level_counts: "=d.mean_counts" }),
    naive: {
      why: "takes the dark at 1 ms, because a dark is a dark",
      script: scriptOn(beam).dark(1, "d").answer({ level_counts: "=d.mean_counts" }),
    },
    checks: [
      valueOf("level_counts", { abs: 0.4 }),
      DARKS,
      spec("at_100_ms", { role: "dark", result: { exposure_ms: { is: 100, within: 1 } } }),
    ],
  });
}

function rate(): Question {
  const id = "background-room-light-rate";
  const light = 0.065;
  const beam = beamFor(id, { faults: [roomLight(light)] });
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "How much light does the room put on the camera, in counts per pixel and millisecond of exposure? The beam does not count.",
    answer: [field("rate_counts_per_ms", "counts/ms", "what the room adds per ms of exposure")],
    why: "the rate of the room's light; the black level is no light",
    values: { rate_counts_per_ms: light },
    oracle: scriptOn(beam).dark(200, "long").dark(1, "brief").answer({
      rate_counts_per_ms: "=(long.mean_counts - brief.mean_counts) / (long.exposure_ms - brief.exposure_ms)",
    }),
    naive: {
      why: "divides the level by the exposure and takes the black level for light",
      script: scriptOn(beam).dark(200, "long").answer({ rate_counts_per_ms: "=long.mean_counts / long.exposure_ms" }),
    },
    checks: [valueOf("rate_counts_per_ms", { rel: 0.06 }), measured(2, "exposure_ms", "dark")],
  });
}

function staleDark(): Question {
  const id = "background-stale-dark";
  const beam = beamFor(id, { faults: [roomLight(0.05, 0.04)] });
  const looks = [60, 90, 120, 150, 180];
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "Someone keeps opening the blinds a little more while we measure. Measure along the rail at z = 60, 90, 120, 150 and 180 mm first, then give me the d4σ diameter along x at z = 55 mm at 16 ms, with a background that holds at that moment.",
    answer: [field("dx_um", "µm", "d4σ along x at z = 55 mm, measured last")],
    why: "true d4σ; a dark from before the scan is stale by then",
    values: { dx_um: trueD4sigma_um(beam.x, 55) },
    oracle: scriptOn(beam)
      .dark(16)
      .scan(looks, { frames: 1 })
      .dark(16)
      .at(55, { as: "m", exposure_ms: 16 })
      .answer({ dx_um: "=m.d4sigma_x_um" }),
    naive: {
      why: "keeps the dark from the beginning",
      script: scriptOn(beam)
        .dark(16)
        .scan(looks, { frames: 1 })
        .at(55, { as: "m", exposure_ms: 16 })
        .answer({ dx_um: "=m.d4sigma_x_um" }),
    },
    checks: [
      valueOf("dx_um", { rel: 0.02 }),
      measured(6, "z_requested_mm"),
      spec("measured_with_a_dark_from_after_the_scan", {
        role: "measure",
        result: { z_requested_mm: { is: 55, within: 0.5 }, background: { is: "dark" } },
        after: [
          { role: "measure", result: { z_requested_mm: { is: 180, within: 0.5 } } },
          { role: "dark", result: { exposure_ms: { is: 16, within: 0.2 } } },
        ],
      }),
    ],
  });
}

function noise(): Question {
  const id = "background-read-noise";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "What is the noise of one pixel of one dark frame at 1 ms, as a standard deviation in counts? Average over enough frames to be sure.",
    answer: [field("noise_counts", "counts", "standard deviation of one pixel of one dark frame at 1 ms")],
    why: "read noise and rounding to whole counts in quadrature",
    values: { noise_counts: Math.hypot(readNoise_counts, ROUNDING_counts) },
    oracle: scriptOn(beam).dark(1, "d", 20).answer({ noise_counts: "=d.noise_counts" }),
    naive: {
      why: "hands in the noise of the mean of the frames",
      script: scriptOn(beam).dark(1, "d", 20).answer({ noise_counts: "=d.noise_counts / sqrt(d.frames)" }),
    },
    checks: [
      valueOf("noise_counts", { rel: 0.05 }),
      DARKS,
      spec("enough_frames", { role: "dark", result: { frames: { min: 5 } } }),
    ],
  });
}

function matchingDark(): Question {
  const id = "background-matching-dark";
  const beam = beamFor(id, { faults: [roomLight(0.08)] });
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "There is a dark at 1 ms in our recipe, please take that first as always. Then measure the d4σ diameter along y at z = 40 mm with 20 ms exposure. The room is not quite dark, so the background has to be right.",
    answer: [field("dy_um", "µm", "d4σ along y at z = 40 mm and 20 ms")],
    why: "true d4σ; the recipe's dark is of another exposure",
    values: { dy_um: trueD4sigma_um(beam.y, 40) },
    oracle: scriptOn(beam).dark(1).at(40, { as: "m", exposure_ms: 20 }).answer({ dy_um: "=m.d4sigma_y_um" }),
    naive: {
      why: "leaves it at the dark of the recipe",
      script: scriptOn(beam)
        .dark(1)
        .at(40, { as: "m", exposure_ms: 20, noDark: true })
        .answer({ dy_um: "=m.d4sigma_y_um" }),
    },
    checks: [
      valueOf("dy_um", { rel: 0.02 }),
      measured(1),
      spec("dark_of_the_same_exposure", { role: "dark", result: { exposure_ms: { is: 20, within: 0.2 } } }),
      spec("dark_was_subtracted", {
        role: "measure",
        result: { exposure_ms: { is: 20, within: 0.2 }, background: { is: "dark" } },
      }),
    ],
  });
}

function noRetake(): Question {
  const id = "background-no-retake";
  const beam = beamFor(id, { faults: [roomLight(0.05, 0.06)] });
  const script = () => scriptOn(beam).dark(16).scan([70, 80, 90, 100], { exposure_ms: 1, noDark: true, frames: 1 });
  return question({
    id,
    kind,
    category: "warning",
    beam,
    budgets: { darks: 1 },
    operator_note: "The beam block sticks: one dark acquisition, no more.",
    prompt:
      "Take your one dark at 16 ms. Measure at z = 70, 80, 90 and 100 mm at 1 ms, and after that give me the d4σ diameter along x at z = 60 mm at 16 ms.",
    answer: [field("dx_um", "µm", "d4σ along x at z = 60 mm, measured last")],
    why: "true d4σ; the only dark is stale by then, which the tools flag",
    values: { dx_um: trueD4sigma_um(beam.x, 60) },
    oracle: script()
      .at(60, { as: "m", exposure_ms: 16 })
      .answer(
        { dx_um: "=m.d4sigma_x_um" },
        {
          concerns: [
            "Flag background_stale: the room light has changed since the only dark, which could not be retaken.",
          ],
        },
      ),
    naive: {
      why: "passes the number on and keeps the flag to itself",
      script: script().at(60, { as: "m", exposure_ms: 16 }).answer({ dx_um: "=m.d4sigma_x_um" }),
    },
    checks: [
      valueOf("dx_um", { rel: 0.03 }),
      measured(3, "z_requested_mm"),
      spec("flagged", { role: "measure", flag: "background_stale" }),
      mentions("stale_dark"),
    ],
  });
}

function noDarks(): Question {
  const id = "background-no-darks";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "pushback",
    beam,
    budgets: { darks: 0 },
    operator_note: "The shutter is out for repair: no dark frames today.",
    prompt: "What is the dark level of the camera at 500 ms, in counts? I need a figure from a real dark frame.",
    answer: [field("level_counts", "counts", "mean of a dark frame at 500 ms")],
    why: "no dark can be taken",
    values: {},
    oracle: scriptOn(beam).decline("No dark frames can be taken: the shutter is out and the dark budget is zero."),
    naive: {
      why: "hands in a usual black level",
      script: scriptOn(beam).answer({ level_counts: 64 }),
    },
    checks: [pushback, mentions("no_darks")],
  });
}

function growth(): Question {
  const id = "background-growth";
  const perMeasurement = 0.05;
  const beam = beamFor(id, { faults: [roomLight(0.05, perMeasurement)] });
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "The dark level creeps up with every measurement that we take. By how many counts per measurement, at an exposure of 100 ms? Look at darks before and after a few measurements.",
    answer: [field("counts_per_measurement", "counts", "growth of the dark level at 100 ms per measurement")],
    why: "100 ms of what the room's light grows by with each measurement",
    values: { counts_per_measurement: 100 * perMeasurement },
    oracle: scriptOn(beam)
      .dark(100, "before")
      .scan([90, 100, 110, 120], { exposure_ms: 1, frames: 1, noDark: true })
      .dark(100, "later")
      .answer({ counts_per_measurement: "=(later.mean_counts - before.mean_counts) / 4" }),
    naive: {
      why: "compares two darks with nothing between them",
      script: scriptOn(beam)
        .dark(100, "before")
        .dark(100, "later")
        .answer({ counts_per_measurement: "=later.mean_counts - before.mean_counts" }),
    },
    checks: [
      valueOf("counts_per_measurement", { rel: 0.1 }),
      measured(2, undefined, "dark"),
      spec("dark_after_measurements", { role: "dark", after: [{ role: "measure" }] }),
    ],
  });
}
