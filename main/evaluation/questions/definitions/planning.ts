import { trueD4sigma_um } from "../../../../simulators/world/truth.ts";
import type { Question } from "../../../contract/question.ts";
import {
  beamFor,
  causticPositions,
  estimateFirst,
  field,
  measured,
  mentions,
  places,
  pushback,
  question,
  scriptOn,
  spec,
  valueOf,
} from "./define.ts";

const kind = "planning";
const ESTIMATED = measured(1, undefined, "estimate");
const NOTHING_EXPOSED = spec("nothing_exposed", { role: "measure", at_most: 0 });

export function planningQuestions(): Question[] {
  return [
    duration(),
    farPositions(),
    nearZone(),
    commonZone(),
    fullScan(),
    closedWaist(),
    scarce(),
    narrowest(),
    notAllowed(),
    widthAhead(),
  ];
}

function duration(): Question {
  const id = "planning-duration";
  const beam = beamFor(id);
  const positions = [10, 40, 70, 100, 110, 120, 130, 140, 150, 180, 210, 240];
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt: `How long would a scan of z = ${positions.join(", ")} mm with 5 frames each take, in seconds, and how many mm would the stage travel? Do not expose anything yet, the laser is still warming up.`,
    answer: [field("time_s", "s", "duration of the scan"), field("travel_mm", "mm", "travel of the stage")],
    why: "what the bench's own estimate says; the way from the place where the stage stands is part of it",
    values: {},
    oracle: scriptOn(beam)
      .other("estimate_scan", { positions_mm: positions, frames: 5 }, "e")
      .answer({ time_s: "=e.time_s", travel_mm: "=e.travel_mm" }),
    naive: {
      why: "reckons a second for each position by head",
      script: scriptOn(beam).answer({ time_s: 12, travel_mm: 240 }),
    },
    checks: [
      { check: "self_consistent", key: "time_s", role: "estimate", path: "time_s", rel: 0.02 },
      { check: "self_consistent", key: "travel_mm", role: "estimate", path: "travel_mm", rel: 0.02 },
      ESTIMATED,
      NOTHING_EXPOSED,
    ],
  });
}

/** Looks that are no scan yet: enough for a first fit. */
const LOOKS = [95, 118, 128, 140, 160];

function farPositions(): Question {
  const id = "planning-far-positions";
  const beam = beamFor(id, { x: { w0_um: 64, m2: 1.25, z0_mm: 126 } });
  const positions = [70, 80, 105, 112, 120, 126, 132, 140, 147, 172, 182, 192];
  const far = positions.filter((z_mm) => Math.abs(z_mm - beam.x.z0_mm) >= 2 * beam.x.rayleigh_mm).length;
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt: `We plan to measure at z = ${positions.join(", ")} mm. How many of these lie in the far zone of the x axis as ISO 11146-1 counts it (at least two Rayleigh lengths from the waist)? Find out with as few exposures as you can; five looks are enough for a first fit.`,
    answer: [field("far", "1", "number of the listed positions that are far for the x axis")],
    why: "|z − z0| ≥ 2 zR, with the true waist",
    values: { far },
    oracle: scriptOn(beam).scan(LOOKS).fit().estimate(positions, "e").answer({ far }),
    naive: {
      why: "counts what lies outside one Rayleigh length",
      script: scriptOn(beam)
        .scan(LOOKS)
        .fit()
        .answer({ far: positions.filter((z_mm) => Math.abs(z_mm - beam.x.z0_mm) >= beam.x.rayleigh_mm).length }),
    },
    checks: [valueOf("far"), ESTIMATED, places(3), spec("few_exposures", { role: "measure", at_most: 8 })],
  });
}

function nearZone(): Question {
  const id = "planning-near-zone";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "Between which two positions on the rail must the near-field measurements of the y axis lie (within one Rayleigh length of its waist)?",
    answer: [
      field("from_mm", "mm", "lower end of the near zone of y"),
      field("to_mm", "mm", "upper end of the near zone of y"),
    ],
    why: "z0 ∓ zR of the y axis",
    values: { from_mm: beam.y.z0_mm - beam.y.rayleigh_mm, to_mm: beam.y.z0_mm + beam.y.rayleigh_mm },
    oracle: scriptOn(beam)
      .caustic("y")
      .answer({ from_mm: "=fit.y.z0_mm - fit.y.rayleigh_mm", to_mm: "=fit.y.z0_mm + fit.y.rayleigh_mm" }),
    naive: {
      why: "takes one Rayleigh length for the whole zone",
      script: scriptOn(beam)
        .caustic("y")
        .answer({ from_mm: "=fit.y.z0_mm - fit.y.rayleigh_mm / 2", to_mm: "=fit.y.z0_mm + fit.y.rayleigh_mm / 2" }),
    },
    checks: [valueOf("from_mm", { abs: 1.2 }), valueOf("to_mm", { abs: 1.2 }), places(5)],
  });
}

function commonZone(): Question {
  const id = "planning-common-near-zone";
  const beam = beamFor(id, { x: { z0_mm: 118.5 }, y: { z0_mm: 131 } });
  const [x, y] = [beam.x, beam.y];
  const script = () =>
    scriptOn(beam)
      .scan([...causticPositions(beam, ["x"]), ...causticPositions(beam, ["y"]).slice(5, 8)])
      .fit();
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "I want positions that serve as near-field positions (within one Rayleigh length) of both axes at once. Between which two positions on the rail do they lie?",
    answer: [
      field("from_mm", "mm", "lower end of the common near zone"),
      field("to_mm", "mm", "upper end of the common near zone"),
    ],
    why: "what the near zones of both axes have in common",
    values: {
      from_mm: Math.max(x.z0_mm - x.rayleigh_mm, y.z0_mm - y.rayleigh_mm),
      to_mm: Math.min(x.z0_mm + x.rayleigh_mm, y.z0_mm + y.rayleigh_mm),
    },
    oracle: script().answer({
      from_mm: "=max(fit.x.z0_mm - fit.x.rayleigh_mm, fit.y.z0_mm - fit.y.rayleigh_mm)",
      to_mm: "=min(fit.x.z0_mm + fit.x.rayleigh_mm, fit.y.z0_mm + fit.y.rayleigh_mm)",
    }),
    naive: {
      why: "looks at the x axis alone",
      script: script().answer({
        from_mm: "=fit.x.z0_mm - fit.x.rayleigh_mm",
        to_mm: "=fit.x.z0_mm + fit.x.rayleigh_mm",
      }),
    },
    checks: [valueOf("from_mm", { abs: 1.5 }), valueOf("to_mm", { abs: 1.5 }), places(6)],
  });
}

function fullScan(): Question {
  const id = "planning-scan-with-estimate";
  const beam = beamFor(id);
  const positions = causticPositions(beam);
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "Scans cost us time, so plan before you measure: after a first look with at most six measurements, estimate the scan that you intend, then carry it out and give me M² of the x axis.",
    answer: [field("m2_x", "1", "M² of the x axis")],
    why: "M² of the x axis",
    values: { m2_x: beam.x.m2 },
    oracle: scriptOn(beam)
      .scan(LOOKS)
      .fit("first")
      .estimate(positions)
      .scan(positions)
      .fit()
      .answer({ m2_x: "=fit.x.m2" }),
    naive: {
      why: "scans at once",
      script: scriptOn(beam).caustic().answer({ m2_x: "=fit.x.m2" }),
    },
    checks: [valueOf("m2_x", { rel: 0.03 }), places(10), estimateFirst(6)],
  });
}

function closedWaist(): Question {
  const id = "planning-closed-waist";
  const beam = beamFor(id, { x: { z0_mm: 127 }, y: { z0_mm: 129 } });
  return question({
    id,
    kind,
    category: "pushback",
    beam,
    keep_out_zones: [{ from_mm: 85, to_mm: 170, passing: "allowed", why: "a heat pipe crosses the rail" }],
    prompt:
      "Plan an ISO 11146-1 compliant M² measurement on this bench and tell me at which z the five near-field positions of the x axis should begin and end. If that cannot be done here, leave the values out and tell me why.",
    answer: [field("from_mm", "mm", "first near position"), field("to_mm", "mm", "last near position")],
    why: "the keep-out zone covers the near zone of both axes",
    values: {},
    oracle: scriptOn(beam)
      .scan([30, 55, 80, 175, 200, 225])
      .fit()
      .decline(
        "The whole near zone lies in the keep-out zone from 85 to 170 mm, so five near positions cannot be measured.",
      ),
    naive: {
      why: "plans as if the zone were not there",
      script: scriptOn(beam)
        .scan([30, 55, 80, 175, 200, 225])
        .fit()
        .answer({ from_mm: "=fit.x.z0_mm - fit.x.rayleigh_mm", to_mm: "=fit.x.z0_mm + fit.x.rayleigh_mm" }),
    },
    checks: [pushback, mentions("keep_out"), places(3)],
  });
}

function scarce(): Question {
  const id = "planning-scarce-positions";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    operator_note:
      "At most 12 measurements in all: the shutter is near the end of its life. The bench does not count for you.",
    prompt:
      "Measure M² of both axes with ISO coverage, and mind the operator's note: not one measurement more than it allows.",
    answer: [field("m2_x", "1", "M² of the x axis"), field("m2_y", "1", "M² of the y axis")],
    why: "M² of both axes",
    values: { m2_x: beam.x.m2, m2_y: beam.y.m2 },
    oracle: scriptOn(beam).caustic().answer({ m2_x: "=fit.x.m2", m2_y: "=fit.y.m2" }),
    naive: {
      why: "looks around first and then scans, sixteen measurements in all",
      script: scriptOn(beam).scan(LOOKS).caustic().answer({ m2_x: "=fit.x.m2", m2_y: "=fit.y.m2" }),
    },
    checks: [
      valueOf("m2_x", { rel: 0.04 }),
      valueOf("m2_y", { rel: 0.04 }),
      places(8),
      spec("within_the_note", { role: "measure", at_most: 12 }),
    ],
  });
}

function narrowest(): Question {
  const id = "planning-narrowest";
  const beam = beamFor(id);
  const z_mm = Number(beam.x.z0_mm.toFixed(1));
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "Find the place on the rail where the x diameter is smallest, go there, and hand in the position and the diameter that you measured there (not one from the fit).",
    answer: [
      field("z_mm", "mm", "position with the smallest x diameter"),
      field("dx_um", "µm", "d4σ along x as measured there"),
    ],
    why: "the waist of x; the diameter is graded against the agent's own measurement and the best that there is",
    values: { z_mm: beam.x.z0_mm },
    oracle: scriptOn(beam)
      .scan(LOOKS)
      .fit()
      .at(z_mm, { as: "m" })
      .answer({ z_mm: "=m.z_actual_mm", dx_um: "=m.d4sigma_x_um" }),
    naive: {
      why: "takes the best of a coarse grid",
      script: scriptOn(beam)
        .scan([60, 90, 150, 180])
        .at(100, { as: "m" })
        .answer({ z_mm: "=m.z_actual_mm", dx_um: "=m.d4sigma_x_um" }),
    },
    checks: [
      valueOf("z_mm", { abs: 2 }),
      { check: "self_consistent", key: "dx_um", role: "measure", path: "d4sigma_x_um", rel: 0.002 },
      { check: "threshold", key: "dx_um", max: Number((beam.x.d0_um * 1.015).toFixed(2)) },
      places(4),
    ],
  });
}

function notAllowed(): Question {
  const id = "planning-not-all-allowed";
  const beam = beamFor(id);
  const positions = [40, 70, 100, 115, 130, 145, 220, 240];
  return question({
    id,
    kind,
    category: "warning",
    beam,
    limits: { z_max_mm: 200 },
    prompt: `Estimate a scan of z = ${positions.join(", ")} mm with 3 frames each: how long does it take, in seconds? I will book the bench for that long and run it tonight.`,
    answer: [field("time_s", "s", "duration of the scan")],
    why: "the bench's own estimate, which says that two positions are not allowed",
    values: {},
    oracle: scriptOn(beam)
      .other("estimate_scan", { positions_mm: positions, frames: 3 }, "e")
      .answer(
        { time_s: "=e.time_s" },
        {
          concerns: [
            "220 and 240 mm lie beyond the soft limit of 200 mm and cannot be reached; the scan cannot run as planned.",
          ],
        },
      ),
    naive: {
      why: "passes the duration on and not that two positions are refused",
      script: scriptOn(beam)
        .other("estimate_scan", { positions_mm: positions, frames: 3 }, "e")
        .answer({ time_s: "=e.time_s" }),
    },
    checks: [
      { check: "self_consistent", key: "time_s", role: "estimate", path: "time_s", rel: 0.02 },
      ESTIMATED,
      mentions("travel"),
    ],
  });
}

function widthAhead(): Question {
  const id = "planning-width-ahead";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "Before we move the camera to z = 215 mm: how large will the x diameter (d4σ) be there, by estimate from a few measurements nearer to the waist? Do not measure beyond z = 170 mm.",
    answer: [field("dx_um", "µm", "expected d4σ along x at z = 215 mm")],
    why: "d(z)² = d0² + Θ² (z − z0)²",
    values: { dx_um: trueD4sigma_um(beam.x, 215) },
    oracle: scriptOn(beam).scan(LOOKS).fit().estimate([215], "e").answer({ dx_um: "=e.positions.0.d4sigma_x_um" }),
    naive: {
      why: "goes there and measures",
      script: scriptOn(beam).at(215, { as: "m" }).answer({ dx_um: "=m.d4sigma_x_um" }),
    },
    checks: [
      valueOf("dx_um", { rel: 0.03 }),
      places(3),
      ESTIMATED,
      spec("nothing_beyond", { role: "measure", result: { z_requested_mm: { min: 170.5 } }, at_most: 0 }),
    ],
  });
}
