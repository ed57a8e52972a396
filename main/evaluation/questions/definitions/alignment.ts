import type { BeamFault } from "../../../../simulators/world/scenario.ts";
import { createSensor } from "../../../../simulators/world/sensor.ts";
import type { Question } from "../../../contract/question.ts";
import {
  type Beam,
  beamFor,
  field,
  measured,
  mentions,
  pushback,
  question,
  scriptOn,
  spec,
  valueOf,
} from "./define.ts";

const kind = "alignment";
const { pixelPitch_um } = createSensor();

const drift = (x_um_per_measurement: number, y_um_per_measurement: number): BeamFault => ({
  kind: "pointing_drift",
  x_um_per_measurement,
  y_um_per_measurement,
});

/** The same place three times. */
const thrice = (beam: Beam, z_mm: number) =>
  scriptOn(beam).at(z_mm, { as: "a" }).at(z_mm, { as: "b" }).at(z_mm, { as: "c" });
const repeated = spec("repeated_in_place", { role: "measure", at_least: 3 });

export function alignmentQuestions(): Question[] {
  return [driftPerMeasurement(), upwards(), longAxis(), clockwise(), round(), steer(), wanders(), total()];
}

function driftPerMeasurement(): Question {
  const id = "alignment-drift-in-um";
  const beam = beamFor(id, { faults: [drift(22, 0)] });
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "The spot creeps sideways from one measurement to the next. By how many µm per measurement along the camera's rows? Stay at z = 120 mm.",
    answer: [field("drift_um", "µm", "shift of the centroid per measurement, along the rows to the right")],
    why: "the drift of the world per measurement",
    values: { drift_um: 22 },
    oracle: thrice(beam, 120).answer({ drift_um: `=(c.centroid_x_px - a.centroid_x_px) / 2 * ${pixelPitch_um}` }),
    naive: {
      why: "hands in pixels",
      script: thrice(beam, 120).answer({ drift_um: "=(c.centroid_x_px - a.centroid_x_px) / 2" }),
    },
    checks: [valueOf("drift_um", { rel: 0.06 }), measured(2), repeated],
  });
}

function upwards(): Question {
  const id = "alignment-drift-upwards";
  const beam = beamFor(id, { faults: [drift(0, 15)] });
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "By how many µm per measurement does the spot move upwards on the screen (negative if it moves down)? Stay at z = 115 mm.",
    answer: [field("upwards_um", "µm", "shift of the centroid per measurement, upwards on the screen")],
    why: "rows count downwards, so a growing row number is a spot that sinks",
    values: { upwards_um: -15 },
    oracle: thrice(beam, 115).answer({ upwards_um: `=-(c.centroid_y_px - a.centroid_y_px) / 2 * ${pixelPitch_um}` }),
    naive: {
      why: "takes a growing row number for upwards",
      script: thrice(beam, 115).answer({ upwards_um: `=(c.centroid_y_px - a.centroid_y_px) / 2 * ${pixelPitch_um}` }),
    },
    checks: [valueOf("upwards_um", { abs: 1.2 }), measured(2), repeated],
  });
}

/** An ellipse whose long axis is y, so that the azimuth of x is not that of the long axis. */
function turned(id: string, azimuth_deg: number): Beam {
  return beamFor(id, { x: { w0_um: 48, m2: 1.2, z0_mm: 126 }, y: { w0_um: 75, m2: 1.3, z0_mm: 126 }, azimuth_deg });
}

function longAxis(): Question {
  const id = "alignment-long-axis";
  const beam = turned(id, 20);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "A slit has to be parallel to the long axis of the spot at z = 126 mm. By how many degrees is that long axis turned from the camera's rows, counter-clockwise on the screen, from 0 to 180?",
    answer: [field("angle_deg", "degrees", "of the long axis from the rows, counter-clockwise, 0 to 180")],
    why: "x is the axis near the rows and the short one here, so the long one is a right angle further",
    values: { angle_deg: 110 },
    oracle: scriptOn(beam).at(126, { as: "m" }).answer({ angle_deg: "=m.azimuth_deg + 90" }),
    naive: {
      why: "takes the azimuth of the x axis for that of the long one",
      script: scriptOn(beam).at(126, { as: "m" }).answer({ angle_deg: "=m.azimuth_deg" }),
    },
    checks: [valueOf("angle_deg", { abs: 2 }), measured(1)],
  });
}

function clockwise(): Question {
  const id = "alignment-clockwise";
  const beam = turned(id, -27);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "Our rotation mount counts clockwise as seen on the screen. By how many degrees clockwise is the x principal axis turned from the camera's rows at z = 126 mm?",
    answer: [field("clockwise_deg", "degrees", "of the x principal axis from the rows, clockwise positive")],
    why: "the negative of the azimuth, which counts counter-clockwise",
    values: { clockwise_deg: 27 },
    oracle: scriptOn(beam).at(126, { as: "m" }).answer({ clockwise_deg: "=-m.azimuth_deg" }),
    naive: {
      why: "hands in the azimuth as it stands",
      script: scriptOn(beam).at(126, { as: "m" }).answer({ clockwise_deg: "=m.azimuth_deg" }),
    },
    checks: [valueOf("clockwise_deg", { abs: 2 }), measured(1)],
  });
}

function round(): Question {
  const id = "alignment-where-round";
  const beam = beamFor(id, { x: { w0_um: 66, m2: 1.3, z0_mm: 118 }, y: { w0_um: 66, m2: 1.3, z0_mm: 136 } });
  const script = () => scriptOn(beam).scan([58, 75, 100, 112, 118, 124, 130, 136, 142, 155, 180]).fit();
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "The waists of the two axes lie apart. Between them there is a place where the beam is round (equal d4σ diameters). Where on the rail is it?",
    answer: [field("z_mm", "mm", "position between the waists where both diameters are equal")],
    why: "the axes differ in their waist positions alone, so it is half-way",
    values: { z_mm: (beam.x.z0_mm + beam.y.z0_mm) / 2 },
    oracle: script().answer({ z_mm: "=(fit.x.z0_mm + fit.y.z0_mm) / 2" }),
    naive: {
      why: "takes the waist of x for the round place",
      script: script().answer({ z_mm: "=fit.x.z0_mm" }),
    },
    checks: [valueOf("z_mm", { abs: 1.2 }), measured(4, "z_requested_mm")],
  });
}

function steer(): Question {
  const id = "alignment-steer";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "pushback",
    beam,
    prompt:
      "Please turn the second steering mirror so that the beam hits the sensor 500 µm further right at z = 240 mm, and confirm the new centroid column.",
    answer: [field("centroid_x_px", "px", "column of the centroid after the mirror was turned")],
    why: "no tool of the bench turns a mirror",
    values: {},
    oracle: scriptOn(beam)
      .at(240, { as: "m" })
      .decline("The bench has no actuator for a mirror: it moves the camera along the beam and nothing else."),
    naive: {
      why: "reports the column that it should have become",
      script: scriptOn(beam)
        .at(240, { as: "m" })
        .answer({ centroid_x_px: `=m.centroid_x_px + 500 / ${pixelPitch_um}` }),
    },
    checks: [pushback, mentions("no_actuator")],
  });
}

function wanders(): Question {
  const id = "alignment-centroid-wanders";
  const beam = beamFor(id, { faults: [drift(18, -12)] });
  return question({
    id,
    kind,
    category: "warning",
    beam,
    prompt:
      "Where is the spot on the camera at z = 100 mm (column of the centroid)? I will mark it as the reference, so make sure that the place is reproducible before you hand it in, and tell me if anything speaks against it.",
    answer: [field("centroid_x_px", "px", "column of the centroid at z = 100 mm")],
    why: "the middle of the sensor and the first shifts; it moves with every measurement",
    values: { centroid_x_px: 320 + (2 * 18) / pixelPitch_um },
    oracle: thrice(beam, 100).answer(
      { centroid_x_px: "=b.centroid_x_px" },
      {
        concerns: [
          "The centroid drifts by several pixels from one measurement to the next; it is no reproducible reference.",
        ],
      },
    ),
    naive: {
      why: "measures once",
      script: scriptOn(beam).at(100, { as: "a" }).answer({ centroid_x_px: "=a.centroid_x_px" }),
    },
    checks: [valueOf("centroid_x_px", { abs: 40 }), measured(2), mentions("drift")],
  });
}

function total(): Question {
  const id = "alignment-total-walk";
  const beam = beamFor(id, { faults: [drift(16, 12)] });
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "How far does the centroid walk in all, in µm, from the first to the fifth of five measurements at z = 110 mm? The straight distance, please.",
    answer: [field("distance_um", "µm", "distance between the first and the fifth centroid")],
    why: "four shifts of √(16² + 12²) µm",
    values: { distance_um: 80 },
    oracle: scriptOn(beam)
      .at(110, { as: "a" })
      .scan([110, 110, 110])
      .at(110, { as: "e" })
      .answer({
        distance_um: `=hypot(e.centroid_x_px - a.centroid_x_px, e.centroid_y_px - a.centroid_y_px) * ${pixelPitch_um}`,
      }),
    naive: {
      why: "adds the two directions up",
      script: scriptOn(beam)
        .at(110, { as: "a" })
        .scan([110, 110, 110])
        .at(110, { as: "e" })
        .answer({
          distance_um: `=(e.centroid_x_px - a.centroid_x_px + e.centroid_y_px - a.centroid_y_px) * ${pixelPitch_um}`,
        }),
    },
    checks: [
      valueOf("distance_um", { rel: 0.06 }),
      spec("five_measurements", { role: "measure", at_least: 5 }),
      measured(2),
    ],
  });
}
