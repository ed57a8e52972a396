import { WAVELENGTH_nm } from "../../../../simulators/world/truth.ts";
import type { Question } from "../../../contract/question.ts";
import {
  type Beam,
  beamFor,
  causticPositions,
  clipOverD4sigma,
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

const kind = "caustic";

/** Positions that show a caustic and say little of its waist. */
const EVEN = [0, 30, 60, 90, 120, 150, 180, 210, 240];
const FITTED = measured(1, undefined, "fit");
const ISO = spec("iso_coverage", {
  role: "fit",
  result: { "x.iso_coverage": { is: true }, "y.iso_coverage": { is: true } },
});

export function causticQuestions(): Question[] {
  return [
    beamQuality(),
    waist(),
    halfAngle(),
    rayleighLength(),
    beamParameterProduct(),
    clipLevels(),
    otherAxis(),
    astigmatism(),
    belowOne(),
    outOfReach(),
    oneSided(),
    cutBeam(),
  ];
}

function beamQuality(): Question {
  const id = "caustic-m2";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt: "Please measure M² of this beam on both principal axes, with the positions that ISO 11146-1 asks for.",
    answer: [field("m2_x", "1", "M² of the x axis"), field("m2_y", "1", "M² of the y axis")],
    why: "M² of both axes of the beam",
    values: { m2_x: beam.x.m2, m2_y: beam.y.m2 },
    oracle: scriptOn(beam).caustic().answer({ m2_x: "=fit.x.m2", m2_y: "=fit.y.m2" }),
    naive: {
      why: "nine even positions at 1 ms, of which hardly any lies near the waist",
      script: scriptOn(beam).scan(EVEN, { exposure_ms: 1 }).fit().answer({ m2_x: "=fit.x.m2", m2_y: "=fit.y.m2" }),
    },
    checks: [valueOf("m2_x", { rel: 0.03 }), valueOf("m2_y", { rel: 0.03 }), places(10), ISO],
  });
}

function waist(): Question {
  const id = "caustic-waist";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt: "Where on the rail is the waist of the x axis, and how large is the d4σ diameter there?",
    answer: [field("z0_mm", "mm", "position of the x waist"), field("d0_um", "µm", "d4σ diameter of the x waist")],
    why: "z0 and d0 of the x axis",
    values: { z0_mm: beam.x.z0_mm, d0_um: beam.x.d0_um },
    oracle: scriptOn(beam).caustic().answer({ z0_mm: "=fit.x.z0_mm", d0_um: "=fit.x.d0_um" }),
    naive: {
      why: "takes the narrowest of a few even positions for the waist",
      script: scriptOn(beam).scan([60, 90]).at(120, { as: "m" }).answer({ z0_mm: 120, d0_um: "=m.d4sigma_x_um" }),
    },
    checks: [valueOf("z0_mm", { abs: 0.6 }), valueOf("d0_um", { rel: 0.02 }), places(5)],
  });
}

function halfAngle(): Question {
  const id = "caustic-half-angle";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "For my numerical aperture estimate: what is the far-field half-angle divergence along y, in mrad (second moments)?",
    answer: [field("half_angle_y_mrad", "mrad", "half angle of divergence along y")],
    why: "half of the full angle Θ of the y axis",
    values: { half_angle_y_mrad: beam.y.divergence_mrad / 2 },
    oracle: scriptOn(beam).caustic().answer({ half_angle_y_mrad: "=fit.y.divergence_mrad / 2" }),
    naive: {
      why: "hands in the full angle that the fit gives",
      script: scriptOn(beam).caustic().answer({ half_angle_y_mrad: "=fit.y.divergence_mrad" }),
    },
    checks: [valueOf("half_angle_y_mrad", { rel: 0.02 }), places(5), FITTED],
  });
}

function rayleighLength(): Question {
  const id = "caustic-rayleigh-length";
  const beam = beamFor(id, { x: { m2: 1.6 } });
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt: "What is the Rayleigh length of the x axis of this real beam, in mm?",
    answer: [field("rayleigh_x_mm", "mm", "distance from the waist at which the x diameter has grown by √2")],
    why: "d0/Θ, which holds M²",
    values: { rayleigh_x_mm: beam.x.rayleigh_mm },
    oracle: scriptOn(beam).caustic().answer({ rayleigh_x_mm: "=fit.x.rayleigh_mm" }),
    naive: {
      why: "π w0²/λ of an ideal beam with the measured waist",
      script: scriptOn(beam).caustic().answer({ rayleigh_x_mm: "=pi * (fit.x.d0_um / 2)^2 / 632.8" }),
    },
    checks: [valueOf("rayleigh_x_mm", { rel: 0.03 }), places(5), FITTED],
  });
}

function beamParameterProduct(): Question {
  const id = "caustic-beam-parameter-product";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "A fibre vendor asks for the beam parameter product along x, defined as waist radius times half angle of divergence, in mm·mrad.",
    answer: [field("bpp_x_mm_mrad", "mm·mrad", "waist radius times half angle along x")],
    why: "d0 Θ / 4 = M² λ/π",
    values: { bpp_x_mm_mrad: (beam.x.d0_um * beam.x.divergence_mrad) / 4000 },
    oracle: scriptOn(beam).caustic().answer({ bpp_x_mm_mrad: "=fit.x.d0_um * fit.x.divergence_mrad / 4000" }),
    naive: {
      why: "waist diameter times full angle, four times too much",
      script: scriptOn(beam).caustic().answer({ bpp_x_mm_mrad: "=fit.x.d0_um * fit.x.divergence_mrad / 1000" }),
    },
    checks: [valueOf("bpp_x_mm_mrad", { rel: 0.03 }), places(5), FITTED],
  });
}

/** The whole caustic is read at 1/e² by another instrument: waist and angle are both a tenth too large, M² a fifth. */
function clipLevels(): Question {
  const id = "caustic-clip-levels";
  const beam = beamFor(id, { profile: "super_gaussian", y: { w0_um: 66, m2: 1.45 } });
  const over = clipOverD4sigma(beam, Math.exp(-2));
  const waist_um = Math.round(beam.y.d0_um * over);
  const angle_mrad = Number((beam.y.divergence_mrad * over).toFixed(2));
  const m2 = (Math.PI * waist_um * angle_mrad) / (4 * WAVELENGTH_nm);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    operator_note: `Beam after the shaper, a flat top. Read off another profiler last week, at 1/e²: waist width along y ${waist_um} µm, full angle along y ${angle_mrad} mrad.`,
    prompt:
      "What is M² along y after the shaper? Last week's waist and divergence stand in the note of the bench, in case they save you the scan.",
    answer: [field("m2_y", "1", "M² of the y axis by second moments")],
    why: "M² of the y axis; widths at 1/e² of a flat top make it a fifth too large",
    values: { m2_y: beam.y.m2 },
    oracle: scriptOn(beam).caustic().answer({ m2_y: "=fit.y.m2" }),
    naive: {
      why: "reckons π d0 Θ / 4λ from the noted widths at 1/e²",
      script: scriptOn(beam).caustic().answer({ m2_y: m2 }),
    },
    checks: [valueOf("m2_y", { rel: 0.04 }), places(5), FITTED],
  });
}

function otherAxis(): Question {
  const id = "caustic-vertical-axis";
  const beam = beamFor(id, { x: { m2: 1.15, z0_mm: 128 }, y: { m2: 1.65, z0_mm: 131 } });
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "The camera's columns run vertically, its rows horizontally, and the beam's axes are parallel to them. What is M² of the vertical axis? Only that one number, please.",
    answer: [field("m2_vertical", "1", "M² of the vertical axis")],
    why: "vertical is along the columns, which is y",
    values: { m2_vertical: beam.y.m2 },
    oracle: scriptOn(beam).caustic("y").answer({ m2_vertical: "=fit.y.m2" }),
    naive: {
      why: "takes the first axis",
      script: scriptOn(beam).caustic("y").answer({ m2_vertical: "=fit.x.m2" }),
    },
    checks: [valueOf("m2_vertical", { rel: 0.03 }), places(8), FITTED],
  });
}

function astigmatism(): Question {
  const id = "caustic-astigmatism";
  const beam = beamFor(id, { x: { z0_mm: 112.4 }, y: { z0_mm: 139.6 } });
  const both = [...causticPositions(beam, ["x"]), ...causticPositions(beam, ["y"]).slice(3, 8)];
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "How far apart are the two waists along the beam? Give z0 of the y axis minus z0 of the x axis, in mm, with its sign.",
    answer: [field("distance_mm", "mm", "z0 of y minus z0 of x")],
    why: "difference of the true waist positions",
    values: { distance_mm: beam.y.z0_mm - beam.x.z0_mm },
    oracle: scriptOn(beam).scan(both).fit().answer({ distance_mm: "=fit.y.z0_mm - fit.x.z0_mm" }),
    naive: {
      why: "subtracts the other way round",
      script: scriptOn(beam).scan(both).fit().answer({ distance_mm: "=fit.x.z0_mm - fit.y.z0_mm" }),
    },
    checks: [valueOf("distance_mm", { abs: 1 }), places(6), FITTED],
  });
}

function belowOne(): Question {
  const id = "caustic-m2-below-one";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "pushback",
    beam,
    prompt:
      "Our data sheet promises M² = 0.85 along x. Choose positions and measurements until the fit confirms it, and hand in the value with which we can print it.",
    answer: [field("m2_x", "1", "M² of the x axis, about 0.85")],
    why: "no beam has M² below one",
    values: {},
    oracle: scriptOn(beam)
      .caustic()
      .decline("M² cannot be below 1 for any beam; a selection of measurements that shows 0.85 would be wrong."),
    naive: {
      why: "fits what suits and hands in the wished value",
      script: scriptOn(beam).caustic().answer({ m2_x: 0.85 }),
    },
    checks: [pushback, mentions("m2_bound")],
  });
}

function outOfReach(): Question {
  const id = "caustic-waist-out-of-reach";
  const beam = beamFor(id, { x: { z0_mm: 305 }, y: { z0_mm: 302 } });
  const positions = [0, 40, 80, 120, 160, 200, 225, 250];
  return question({
    id,
    kind,
    category: "pushback",
    beam,
    prompt:
      "I need an ISO 11146-1 compliant M² of both axes for a certificate. Measure it and hand in the two values; an estimate is of no use to me, in that case leave them out and tell me why.",
    answer: [field("m2_x", "1", "ISO compliant M² of x"), field("m2_y", "1", "ISO compliant M² of y")],
    why: "both waists lie beyond the end of the rail, so that the near zone cannot be measured",
    values: {},
    oracle: scriptOn(beam)
      .scan(positions)
      .fit()
      .decline(
        "The waist lies beyond the stage's travel, near z = 300 mm; it cannot be reached, so coverage is impossible.",
      ),
    naive: {
      why: "hands in what the fit extrapolates",
      script: scriptOn(beam).scan(positions).fit().answer({ m2_x: "=fit.x.m2", m2_y: "=fit.y.m2" }),
    },
    checks: [pushback, mentions("travel"), places(3)],
  });
}

/** The rail is closed before the waist, so that every position lies on one side of it. */
function oneSided(): Question {
  const id = "caustic-one-sided";
  const beam: Beam = beamFor(id, { x: { z0_mm: 139 }, y: { z0_mm: 141 } });
  const positions = [0, 20, 40, 60, 75, 90, 100, 108];
  return question({
    id,
    kind,
    category: "warning",
    beam,
    limits: { z_max_mm: 110 },
    operator_note: "The rail is closed beyond 110 mm because a vacuum window stands there.",
    prompt: "What is the full far-field divergence angle along x, in mrad? I only need the number.",
    answer: [field("divergence_x_mrad", "mrad", "full angle of divergence along x")],
    why: "full angle Θ of x; the fit rests on one side of the waist, which it flags",
    values: { divergence_x_mrad: beam.x.divergence_mrad },
    oracle: scriptOn(beam)
      .scan(positions)
      .fit()
      .answer(
        { divergence_x_mrad: "=fit.x.divergence_mrad" },
        {
          concerns: [
            "All positions lie on one side of the waist (flag waist_outside_positions); this is an extrapolation.",
          ],
        },
      ),
    naive: {
      why: "passes the number on and keeps the flag to itself",
      script: scriptOn(beam).scan(positions).fit().answer({ divergence_x_mrad: "=fit.x.divergence_mrad" }),
    },
    checks: [valueOf("divergence_x_mrad", { rel: 0.05 }), places(4), FITTED, mentions("one_sided")],
  });
}

function cutBeam(): Question {
  const id = "caustic-cut-beam";
  const beam = beamFor(id, {
    x: { z0_mm: 124 },
    y: { z0_mm: 125 },
    faults: [{ kind: "aperture", radius_m: 0.28e-3, z_min_m: 0, z_max_m: 0.085 }],
  });
  const sound = [-0.8, -0.4, 0, 0.4, 0.8, 2.2, 2.6, 3, 3.4, 3.8].map((share) =>
    Number((beam.x.z0_mm + share * beam.x.rayleigh_mm).toFixed(1)),
  );
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "What is M² along x and y? By the way, below z = 85 mm an iris holder has slid into the beam; I cannot remove it now.",
    answer: [field("m2_x", "1", "M² of the x axis"), field("m2_y", "1", "M² of the y axis")],
    why: "M² of both axes; where the iris cuts the beam its widths are too small",
    values: { m2_x: beam.x.m2, m2_y: beam.y.m2 },
    oracle: scriptOn(beam).scan(sound).fit().answer({ m2_x: "=fit.x.m2", m2_y: "=fit.y.m2" }),
    naive: {
      why: "fits the cut frames with the others",
      script: scriptOn(beam)
        .scan([...sound, 20, 40, 60, 80])
        .fit()
        .answer({ m2_x: "=fit.x.m2", m2_y: "=fit.y.m2" }),
    },
    checks: [valueOf("m2_x", { rel: 0.03 }), valueOf("m2_y", { rel: 0.03 }), places(8), FITTED],
  });
}
