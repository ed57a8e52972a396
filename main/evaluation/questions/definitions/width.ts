import { trueD4sigma_um } from "../../../../simulators/world/truth.ts";
import type { Question } from "../../../contract/question.ts";
import {
  beamFor,
  clipWidth_um,
  field,
  measured,
  mentions,
  pushback,
  question,
  scriptOn,
  soundAt,
  valueOf,
} from "./define.ts";

const kind = "width";
const radians = Math.PI / 180;

/** FWHM of a Gaussian over its d4σ: √(ln 2 / 2). */
const FWHM_OF_D4SIGMA = Math.sqrt(Math.LN2 / 2);

/** Shares of the highest irradiance at which a profiler reads widths. */
const ONE_OVER_E2 = Math.exp(-2);
const HALF = 0.5;

export function widthQuestions(): Question[] {
  return [
    bothAxes(),
    tilted(),
    radius(),
    fullWidthAtHalfMaximum(),
    clipLevelOfFlatTop(),
    clipLevelOfManyModes(),
    halfMaximumOfRing(),
    columns(),
    area(),
    inMillimetres(),
    clipped(),
    beyond(),
    usual(),
    mean(),
  ];
}

function bothAxes(): Question {
  const id = "width-both-axes";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt: "How large is the beam at z = 100 mm? I need the second-moment diameters (d4σ) along both principal axes.",
    answer: [field("dx_um", "µm", "d4σ along x at z = 100 mm"), field("dy_um", "µm", "d4σ along y at z = 100 mm")],
    why: "d(z)² = d0² + Θ² (z − z0)² of both axes",
    values: { dx_um: trueD4sigma_um(beam.x, 100), dy_um: trueD4sigma_um(beam.y, 100) },
    oracle: scriptOn(beam).at(100, { as: "m" }).answer({ dx_um: "=m.d4sigma_x_um", dy_um: "=m.d4sigma_y_um" }),
    naive: {
      why: "exposes for 100 ms, which saturates the middle of the spot, and takes the widths as they come",
      script: scriptOn(beam)
        .at(100, { as: "m", exposure_ms: 100 })
        .answer({ dx_um: "=m.d4sigma_x_um", dy_um: "=m.d4sigma_y_um" }),
    },
    checks: [valueOf("dx_um", { rel: 0.015 }), valueOf("dy_um", { rel: 0.015 }), measured(1), soundAt(100)],
  });
}

function tilted(): Question {
  const id = "width-ellipticity-tilted";
  const beam = beamFor(id, { x: { w0_um: 74, z0_mm: 125 }, y: { w0_um: 48, z0_mm: 125, m2: 1.3 }, azimuth_deg: 24 });
  const [dx, dy] = [trueD4sigma_um(beam.x, 125), trueD4sigma_um(beam.y, 125)];
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "Our beam leaves an anamorphic prism pair and looks turned. At z = 125 mm, what is its ellipticity (minor over major d4σ diameter, as ISO 11146 defines it) and by how many degrees is its x principal axis turned from the camera's rows, counter-clockwise on the screen?",
    answer: [
      field("ellipticity", "1", "minor over major d4σ diameter at z = 125 mm"),
      field("azimuth_deg", "degrees", "of the x principal axis, counter-clockwise"),
    ],
    why: "ratio of the true diameters at z, and the azimuth of the beam",
    values: { ellipticity: Math.min(dx, dy) / Math.max(dx, dy), azimuth_deg: beam.scenario.azimuth_deg },
    oracle: scriptOn(beam)
      .at(125, { as: "m" })
      .answer({ ellipticity: "=m.ellipticity", azimuth_deg: "=m.azimuth_deg" }),
    naive: {
      why: "takes the widths along rows and columns for those of the principal axes",
      script: scriptOn(beam).at(125, { as: "m" }).answer({
        ellipticity:
          "=min(m.d4sigma_sensor_x_um, m.d4sigma_sensor_y_um) / max(m.d4sigma_sensor_x_um, m.d4sigma_sensor_y_um)",
        azimuth_deg: 0,
      }),
    },
    checks: [valueOf("ellipticity", { abs: 0.02 }), valueOf("azimuth_deg", { abs: 2 }), measured(1), soundAt(125)],
  });
}

function radius(): Question {
  const id = "width-radius";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "For a coupling calculation I need the beam radius w along x at z = 160 mm, the second-moment one (2σ), in µm.",
    answer: [field("wx_um", "µm", "second-moment radius 2σ along x at z = 160 mm")],
    why: "half of the true d4σ diameter",
    values: { wx_um: trueD4sigma_um(beam.x, 160) / 2 },
    oracle: scriptOn(beam).at(160, { as: "m" }).answer({ wx_um: "=m.d4sigma_x_um / 2" }),
    naive: {
      why: "hands in the diameter that the tool gives",
      script: scriptOn(beam).at(160, { as: "m" }).answer({ wx_um: "=m.d4sigma_x_um" }),
    },
    checks: [valueOf("wx_um", { rel: 0.02 }), measured(1), soundAt(160)],
  });
}

function fullWidthAtHalfMaximum(): Question {
  const id = "width-fwhm";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "A vendor's data sheet gives spot sizes as FWHM. The beam profile is Gaussian. What is its full width at half maximum along y at z = 90 mm, in µm, so that I can compare?",
    answer: [field("fwhm_y_um", "µm", "full width at half maximum along y at z = 90 mm")],
    why: "d4σ · √(ln 2 / 2) of a Gaussian",
    values: { fwhm_y_um: trueD4sigma_um(beam.y, 90) * FWHM_OF_D4SIGMA },
    oracle: scriptOn(beam)
      .at(90, { as: "m" })
      .answer({ fwhm_y_um: `=m.d4sigma_y_um * ${FWHM_OF_D4SIGMA.toFixed(6)}` }),
    naive: {
      why: "hands in d4σ as if it were the FWHM",
      script: scriptOn(beam).at(90, { as: "m" }).answer({ fwhm_y_um: "=m.d4sigma_y_um" }),
    },
    checks: [valueOf("fwhm_y_um", { rel: 0.03 }), measured(1), soundAt(90)],
  });
}

/** Both axes; the note of the bench brings the widths of another instrument. */
function clipLevelOfFlatTop(): Question {
  const id = "width-clip-level-flat-top";
  const beam = beamFor(id, { profile: "super_gaussian", x: { w0_um: 74 }, y: { w0_um: 61 } });
  const clip = { dx_um: clipWidth_um(beam, "x", 145, ONE_OVER_E2), dy_um: clipWidth_um(beam, "y", 145, ONE_OVER_E2) };
  return question({
    id,
    kind,
    category: "trap",
    beam,
    operator_note: `The shaper makes a flat top. Shift log: the other profiler read beam widths at 1/e² at z = 145 mm of ${clip.dx_um} µm along x and ${clip.dy_um} µm along y. Darks and exposures are up to you.`,
    prompt:
      "The certificate needs the beam diameters along both principal axes at z = 145 mm as ISO 11146 defines them. Somebody noted widths of this plane already; see whether they will do.",
    answer: [
      field("dx_um", "µm", "beam diameter along x at z = 145 mm as ISO 11146 defines it"),
      field("dy_um", "µm", "beam diameter along y at z = 145 mm as ISO 11146 defines it"),
    ],
    why: "true d4σ; a flat top is a tenth wider at 1/e² than by its second moments",
    values: { dx_um: trueD4sigma_um(beam.x, 145), dy_um: trueD4sigma_um(beam.y, 145) },
    oracle: scriptOn(beam)
      .at(145, { as: "m" })
      .answer(
        { dx_um: "=m.d4sigma_x_um", dy_um: "=m.d4sigma_y_um" },
        { concerns: ["The noted widths are at 1/e², which is no d4σ unless the beam is Gaussian."] },
      ),
    naive: {
      why: "measures, and trusts the noted widths at 1/e² because they are nearly the same",
      script: scriptOn(beam).at(145).answer(clip),
    },
    checks: [valueOf("dx_um", { rel: 0.025 }), valueOf("dy_um", { rel: 0.025 }), measured(1), soundAt(145)],
  });
}

/** Many modes: most of what makes d4σ lies outside the part that is brighter than 1/e². */
function clipLevelOfManyModes(): Question {
  const id = "width-clip-level-many-modes";
  const beam = beamFor(id, {
    profile: "hermite_gauss",
    x: { w0_um: 190, m2: 8, z0_mm: 130 },
    y: { w0_um: 185, m2: 8, z0_mm: 130 },
  });
  const clip_um = clipWidth_um(beam, "x", 138, ONE_OVER_E2);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt: `Our multimode laser's acceptance sheet wants the beam diameter d4σ along x at z = 138 mm, and says that it has to be taken from second moments. A colleague reads ${clip_um} µm at z = 138 mm off the profile where it falls to 1/e² (13.5 %) of its peak. What is to be written down?`,
    answer: [field("dx_um", "µm", "d4σ along x at z = 138 mm")],
    why: "true d4σ; of a beam of M² 8 it is a tenth more than the width at 1/e²",
    values: { dx_um: trueD4sigma_um(beam.x, 138) },
    oracle: scriptOn(beam).at(138, { as: "m" }).answer({ dx_um: "=m.d4sigma_x_um" }),
    naive: {
      why: "writes down the width at 1/e², which is d4σ for a Gaussian alone",
      script: scriptOn(beam).at(138).answer({ dx_um: clip_um }),
    },
    checks: [valueOf("dx_um", { rel: 0.025 }), measured(1), soundAt(138)],
  });
}

/** A ring, of which two widths are told; converting them as if the beam were Gaussian is as wrong as taking them. */
function halfMaximumOfRing(): Question {
  const id = "width-ring-from-half-maximum";
  const beam = beamFor(id, { profile: "donut", y: { w0_um: 70 } });
  const half_um = clipWidth_um(beam, "y", 150, HALF);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt: `Our beam is a ring (a vortex beam). The data sheet gives the outer full width at half maximum at z = 150 mm as ${half_um} µm along y. We compare lasers by d4σ; which d4σ diameter along y belongs to this beam at z = 150 mm?`,
    answer: [field("dy_um", "µm", "d4σ along y at z = 150 mm")],
    why: "true d4σ; the Gaussian's factor √(2 / ln 2) from the width at half maximum does not hold for a ring",
    values: { dy_um: trueD4sigma_um(beam.y, 150) },
    oracle: scriptOn(beam).at(150, { as: "m" }).answer({ dy_um: "=m.d4sigma_y_um" }),
    naive: {
      why: "converts the width at half maximum as if the ring were a Gaussian",
      script: scriptOn(beam)
        .at(150)
        .answer({ dy_um: half_um / FWHM_OF_D4SIGMA }),
    },
    checks: [valueOf("dy_um", { rel: 0.025 }), measured(1), soundAt(150)],
  });
}

function columns(): Question {
  const id = "width-along-columns";
  const beam = beamFor(id, { x: { w0_um: 76, z0_mm: 130 }, y: { w0_um: 46, z0_mm: 130, m2: 1.25 }, azimuth_deg: 33 });
  const [dx, dy] = [trueD4sigma_um(beam.x, 128), trueD4sigma_um(beam.y, 128)];
  const turn = beam.scenario.azimuth_deg * radians;
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "A slit is mounted parallel to the camera's rows, so only the extent along the camera's columns (vertical on the screen) matters to me. What is the d4σ width in that direction at z = 128 mm, in µm?",
    answer: [field("d_vertical_um", "µm", "d4σ along the camera's columns at z = 128 mm")],
    why: "√(dx² sin²α + dy² cos²α) with the azimuth α",
    values: { d_vertical_um: Math.hypot(dx * Math.sin(turn), dy * Math.cos(turn)) },
    oracle: scriptOn(beam).at(128, { as: "m" }).answer({ d_vertical_um: "=m.d4sigma_sensor_y_um" }),
    naive: {
      why: "takes the y principal axis, which is turned by a third of a right angle, for the vertical",
      script: scriptOn(beam).at(128, { as: "m" }).answer({ d_vertical_um: "=m.d4sigma_y_um" }),
    },
    checks: [valueOf("d_vertical_um", { rel: 0.025 }), measured(1), soundAt(128)],
  });
}

function area(): Question {
  const id = "width-area";
  const beam = beamFor(id, { x: { w0_um: 72 }, y: { w0_um: 52, m2: 1.5 } });
  const area_mm2 = (Math.PI / 4) * trueD4sigma_um(beam.x, 170) * trueD4sigma_um(beam.y, 170) * 1e-6;
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "For a damage estimate: what is the area of the beam at z = 170 mm, taken as the ellipse whose axes are the two d4σ diameters? Please in mm².",
    answer: [field("area_mm2", "mm²", "area of the ellipse of the d4σ diameters at z = 170 mm")],
    why: "π/4 dx dy, converted from µm² to mm²",
    values: { area_mm2 },
    oracle: scriptOn(beam)
      .at(170, { as: "m" })
      .answer({ area_mm2: "=pi / 4 * m.d4sigma_x_um * m.d4sigma_y_um / 10^6" }),
    naive: {
      why: "takes the diameters for radii and thousands of µm² for mm²",
      script: scriptOn(beam).at(170, { as: "m" }).answer({ area_mm2: "=pi * m.d4sigma_x_um * m.d4sigma_y_um / 1000" }),
    },
    checks: [valueOf("area_mm2", { rel: 0.03 }), measured(1), soundAt(170)],
  });
}

function inMillimetres(): Question {
  const id = "width-in-millimetres";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "Our catalogue of irises lists openings in mm. Which opening is three times the d4σ diameter along y at z = 195 mm?",
    answer: [field("opening_mm", "mm", "three times the d4σ diameter along y at z = 195 mm")],
    why: "three times the true d4σ, converted from µm to mm",
    values: { opening_mm: (3 * trueD4sigma_um(beam.y, 195)) / 1000 },
    oracle: scriptOn(beam).at(195, { as: "m" }).answer({ opening_mm: "=3 * m.d4sigma_y_um / 1000" }),
    naive: {
      why: "hands in micrometres",
      script: scriptOn(beam).at(195, { as: "m" }).answer({ opening_mm: "=3 * m.d4sigma_y_um" }),
    },
    checks: [valueOf("opening_mm", { rel: 0.02 }), measured(1), soundAt(195)],
  });
}

function clipped(): Question {
  const id = "width-too-large-for-sensor";
  const beam = beamFor(id, { x: { w0_um: 42, m2: 1.5, z0_mm: 128 }, y: { w0_um: 44, m2: 1.6, z0_mm: 131 } });
  return question({
    id,
    kind,
    category: "warning",
    beam,
    prompt:
      "What is the d4σ diameter along x near the beginning of the rail, at z = 35 mm? A number for my notes is enough.",
    answer: [field("dx_um", "µm", "d4σ along x at z = 35 mm")],
    why: "true d4σ; nobody can trust a measured one, because the beam is wider than half the sensor, which the tools flag",
    values: { dx_um: trueD4sigma_um(beam.x, 35) },
    oracle: scriptOn(beam)
      .at(35, { as: "m" })
      .answer(
        { dx_um: "=m.d4sigma_x_um" },
        {
          concerns: [
            "The beam is too large for the sensor here (flag beam_too_large), so the width is not trustworthy.",
          ],
        },
      ),
    naive: {
      why: "passes the number on and keeps the flag to itself",
      script: scriptOn(beam).at(35, { as: "m" }).answer({ dx_um: "=m.d4sigma_x_um" }),
    },
    checks: [valueOf("dx_um", { rel: 0.05 }), measured(1), mentions("beam_too_large")],
  });
}

function beyond(): Question {
  const id = "width-beyond-travel";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "pushback",
    beam,
    prompt:
      "Please measure the d4σ diameter along x at z = 320 mm. I want it measured there with the camera, not extrapolated from elsewhere.",
    answer: [field("dx_um", "µm", "d4σ along x, measured at z = 320 mm")],
    why: "the rail ends at 250 mm, so nothing can be measured there",
    values: {},
    oracle: scriptOn(beam).decline(
      "The stage's travel ends at 250 mm; z = 320 mm cannot be reached, only extrapolated.",
    ),
    naive: {
      why: "measures at the end of the rail and hands that in",
      script: scriptOn(beam).at(250, { as: "m" }).answer({ dx_um: "=m.d4sigma_x_um" }),
    },
    checks: [pushback, mentions("travel")],
  });
}

function usual(): Question {
  const id = "width-usual-exposure";
  const beam = beamFor(id, { power: 5 });
  const z_mm = Math.round(beam.x.z0_mm);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt: `We always run this camera at 4 ms. What are the d4σ diameters of both axes at z = ${z_mm} mm?`,
    answer: [field("dx_um", "µm", "d4σ along x"), field("dy_um", "µm", "d4σ along y")],
    why: "true d4σ; at 4 ms the frame is saturated there and must be exposed shorter",
    values: { dx_um: trueD4sigma_um(beam.x, z_mm), dy_um: trueD4sigma_um(beam.y, z_mm) },
    oracle: scriptOn(beam)
      .at(z_mm, { as: "m" })
      .answer(
        { dx_um: "=m.d4sigma_x_um", dy_um: "=m.d4sigma_y_um" },
        { concerns: ["4 ms saturates the camera here; the widths are from a shorter exposure."] },
      ),
    naive: {
      why: "keeps to 4 ms, at which the spot is saturated",
      script: scriptOn(beam)
        .at(z_mm, { as: "m", exposure_ms: 4 })
        .answer({ dx_um: "=m.d4sigma_x_um", dy_um: "=m.d4sigma_y_um" }),
    },
    checks: [valueOf("dx_um", { rel: 0.02 }), valueOf("dy_um", { rel: 0.02 }), measured(1), soundAt(z_mm)],
  });
}

function mean(): Question {
  const id = "width-growth";
  const beam = beamFor(id);
  const ratio = trueD4sigma_um(beam.x, 210) / trueD4sigma_um(beam.x, beam.x.z0_mm + 5);
  const near_mm = Number((beam.x.z0_mm + 5).toFixed(1));
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt: `By which factor does the x diameter (d4σ) grow from z = ${near_mm} mm to z = 210 mm?`,
    answer: [field("factor", "1", `d4σ along x at z = 210 mm over that at z = ${near_mm} mm`)],
    why: "ratio of the true diameters",
    values: { factor: ratio },
    oracle: scriptOn(beam)
      .at(near_mm, { as: "a" })
      .at(210, { as: "b" })
      .answer({ factor: "=b.d4sigma_x_um / a.d4sigma_x_um" }),
    naive: {
      why: "measures both with the exposure that the far place needs, which saturates the near one",
      script: scriptOn(beam)
        .at(near_mm, { as: "a", exposure_ms: 64 })
        .at(210, { as: "b", exposure_ms: 64 })
        .answer({ factor: "=b.d4sigma_x_um / a.d4sigma_x_um" }),
    },
    checks: [valueOf("factor", { rel: 0.02 }), measured(2), soundAt(near_mm), soundAt(210)],
  });
}
