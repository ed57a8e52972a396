import { trueD4sigma_um } from "../../../../simulators/world/truth.ts";
import type { Question } from "../../../contract/question.ts";
import { beamFor, field, mentions, places, pushback, question, scriptOn, valueOf } from "./define.ts";

const kind = "propagation";

export function propagationQuestions(): Question[] {
  return [
    behindTheBench(),
    throughLens(),
    afterWaist(),
    inGlass(),
    crossing(),
    expander(),
    harmonic(),
    collimated(),
    fewPositions(),
  ];
}

function behindTheBench(): Question {
  const id = "propagation-one-metre-on";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "A detector will stand one metre behind the end of the rail, at z = 1250 mm on the rail's scale, with nothing in between. How large will the beam be there along x (d4σ diameter, in mm)?",
    answer: [field("dx_mm", "mm", "d4σ diameter along x at z = 1250 mm")],
    why: "d(z)² = d0² + Θ² (z − z0)²",
    values: { dx_mm: trueD4sigma_um(beam.x, 1250) / 1000 },
    oracle: scriptOn(beam)
      .caustic()
      .answer({ dx_mm: "=hypot(fit.x.d0_um, fit.x.divergence_mrad * (1250 - fit.x.z0_mm)) / 1000" }),
    naive: {
      why: "takes the distance from the end of the rail for that from the waist",
      script: scriptOn(beam).caustic().answer({ dx_mm: "=hypot(fit.x.d0_um, fit.x.divergence_mrad * 1000) / 1000" }),
    },
    checks: [valueOf("dx_mm", { rel: 0.02 }), places(5)],
  });
}

function throughLens(): Question {
  const id = "propagation-through-lens";
  const beam = beamFor(id, { x: { m2: 1.5, z0_mm: 131.5 } });
  const f_mm = 50;
  const past_mm = 250 - beam.x.z0_mm - f_mm;
  const squeeze = f_mm ** 2 / (past_mm ** 2 + beam.x.rayleigh_mm ** 2);
  const fitted = "((250 - fit.x.z0_mm - 50)^2 + fit.x.rayleigh_mm^2)";
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "I will put a thin lens of 50 mm focal length at z = 250 mm. How far behind the lens will the new waist of the x axis be, and how large its d4σ diameter?",
    answer: [
      field("distance_mm", "mm", "from the lens to the new x waist"),
      field("d0_um", "µm", "d4σ diameter of the new x waist"),
    ],
    why: "s' = f + f² (s − f)/((s − f)² + zR²), d0' = d0 f/√((s − f)² + zR²) with the Rayleigh length of the real beam",
    values: { distance_mm: f_mm + squeeze * past_mm, d0_um: beam.x.d0_um * Math.sqrt(squeeze) },
    oracle: scriptOn(beam)
      .caustic()
      .answer({
        distance_mm: `=50 + 2500 * (250 - fit.x.z0_mm - 50) / ${fitted}`,
        d0_um: `=fit.x.d0_um * 50 / sqrt${fitted}`,
      }),
    naive: {
      why: "expects the waist in the focal plane, as of a plane wave",
      script: scriptOn(beam).caustic().answer({ distance_mm: 50, d0_um: "=50 * fit.x.divergence_mrad" }),
    },
    checks: [valueOf("distance_mm", { abs: 1.5 }), valueOf("d0_um", { rel: 0.03 }), places(5)],
  });
}

function afterWaist(): Question {
  const id = "propagation-after-waist";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt: "How large is the d4σ diameter along y half a metre after the waist of that axis? Please in µm.",
    answer: [field("dy_um", "µm", "d4σ diameter along y, 500 mm after the y waist")],
    why: "√(d0² + Θ² · 500²): the distance counts from the waist and not from the rail's zero",
    values: { dy_um: Math.hypot(beam.y.d0_um, beam.y.divergence_mrad * 500) },
    oracle: scriptOn(beam).caustic().answer({ dy_um: "=hypot(fit.y.d0_um, fit.y.divergence_mrad * 500)" }),
    naive: {
      why: "takes 500 mm for a position on the rail's scale",
      script: scriptOn(beam)
        .caustic()
        .answer({ dy_um: "=hypot(fit.y.d0_um, fit.y.divergence_mrad * (500 - fit.y.z0_mm))" }),
    },
    checks: [valueOf("dy_um", { rel: 0.02 }), places(5)],
  });
}

function inGlass(): Question {
  const id = "propagation-in-glass";
  const beam = beamFor(id);
  const n = 1.515;
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "The beam will enter a long block of glass (n = 1.515) through a flat face, straight on, so that its waist lies inside. What are the full divergence angle and the Rayleigh length of the x axis inside the glass?",
    answer: [
      field("divergence_x_mrad", "mrad", "full angle along x inside the glass"),
      field("rayleigh_x_mm", "mm", "Rayleigh length along x inside the glass"),
    ],
    why: "the wavelength in the medium is λ/n: Θ/n and n zR, with the same waist and M²",
    values: { divergence_x_mrad: beam.x.divergence_mrad / n, rayleigh_x_mm: beam.x.rayleigh_mm * n },
    oracle: scriptOn(beam)
      .caustic()
      .answer({ divergence_x_mrad: "=fit.x.divergence_mrad / 1.515", rayleigh_x_mm: "=fit.x.rayleigh_mm * 1.515" }),
    naive: {
      why: "hands in the values in air",
      script: scriptOn(beam)
        .caustic()
        .answer({ divergence_x_mrad: "=fit.x.divergence_mrad", rayleigh_x_mm: "=fit.x.rayleigh_mm" }),
    },
    checks: [valueOf("divergence_x_mrad", { rel: 0.03 }), valueOf("rayleigh_x_mm", { rel: 0.03 }), places(5)],
  });
}

function crossing(): Question {
  const id = "propagation-where-400-um";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "Beyond the waist, at which position on the rail does the x diameter (d4σ) reach 400 µm? I will put a pinhole there.",
    answer: [field("z_mm", "mm", "position beyond the waist at which d4σ along x is 400 µm")],
    why: "z0 + √(400² − d0²)/Θ",
    values: { z_mm: beam.x.z0_mm + Math.sqrt(400 ** 2 - beam.x.d0_um ** 2) / beam.x.divergence_mrad },
    oracle: scriptOn(beam)
      .caustic()
      .answer({ z_mm: "=fit.x.z0_mm + sqrt(400^2 - fit.x.d0_um^2) / fit.x.divergence_mrad" }),
    naive: {
      why: "takes the far field to begin at the waist with half the angle",
      script: scriptOn(beam).caustic().answer({ z_mm: "=fit.x.z0_mm + 400 / (fit.x.divergence_mrad / 2)" }),
    },
    checks: [valueOf("z_mm", { abs: 1 }), places(5)],
  });
}

function expander(): Question {
  const id = "propagation-expander";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "We image the y waist with an ideal afocal telescope that magnifies three times. Which waist diameter (d4σ) and which full divergence angle will the y axis have behind it?",
    answer: [
      field("d0_um", "µm", "d4σ diameter of the y waist behind the telescope"),
      field("divergence_mrad", "mrad", "full angle along y behind the telescope"),
    ],
    why: "3 d0 and Θ/3: their product cannot change",
    values: { d0_um: 3 * beam.y.d0_um, divergence_mrad: beam.y.divergence_mrad / 3 },
    oracle: scriptOn(beam)
      .caustic()
      .answer({ d0_um: "=3 * fit.y.d0_um", divergence_mrad: "=fit.y.divergence_mrad / 3" }),
    naive: {
      why: "magnifies the angle as well",
      script: scriptOn(beam)
        .caustic()
        .answer({ d0_um: "=3 * fit.y.d0_um", divergence_mrad: "=3 * fit.y.divergence_mrad" }),
    },
    checks: [valueOf("d0_um", { rel: 0.03 }), valueOf("divergence_mrad", { rel: 0.03 }), places(5)],
  });
}

function harmonic(): Question {
  const id = "propagation-second-harmonic";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt:
      "Suppose a beam of half this wavelength (316.4 nm) had the same waist diameter and the same M² as ours along x. What would its full divergence angle be, in mrad?",
    answer: [field("divergence_mrad", "mrad", "full angle along x at 316.4 nm")],
    why: "Θ = 4 M² λ/(π d0) goes with the wavelength",
    values: { divergence_mrad: beam.x.divergence_mrad / 2 },
    oracle: scriptOn(beam).caustic().answer({ divergence_mrad: "=fit.x.divergence_mrad / 2" }),
    naive: {
      why: "keeps the angle because waist and M² are kept",
      script: scriptOn(beam).caustic().answer({ divergence_mrad: "=fit.x.divergence_mrad" }),
    },
    checks: [valueOf("divergence_mrad", { rel: 0.03 }), places(5)],
  });
}

function collimated(): Question {
  const id = "propagation-stays-narrow";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "pushback",
    beam,
    prompt:
      "Which position along the rail gives a beam that, from there on, stays narrower than 200 µm (d4σ, x axis) over the next two metres without any further optics?",
    answer: [field("z_mm", "mm", "position from which the beam stays below 200 µm for two metres")],
    why: "no place: the Rayleigh length is a few centimetres, and the beam diverges to more than a centimetre",
    values: {},
    oracle: scriptOn(beam)
      .caustic()
      .decline(
        "Diffraction forbids it: with this waist and M² the Rayleigh length is about 2 cm, so no position does that.",
      ),
    naive: {
      why: "hands in the waist, where the beam is narrowest",
      script: scriptOn(beam).caustic().answer({ z_mm: "=fit.x.z0_mm" }),
    },
    checks: [pushback, mentions("diffraction"), places(2)],
  });
}

function fewPositions(): Question {
  const id = "propagation-few-positions";
  const beam = beamFor(id);
  const positions = [90, 115, 140, 165];
  return question({
    id,
    kind,
    category: "warning",
    beam,
    budgets: { positions: 4 },
    operator_note: "Beam time is short: four measurements at most.",
    prompt: "How large will the x diameter (d4σ, in µm) be at z = 400 mm? A figure for the drawing is enough.",
    answer: [field("dx_um", "µm", "d4σ diameter along x at z = 400 mm")],
    why: "d(z)² = d0² + Θ² (z − z0)²; four positions have no ISO coverage, as the fit says",
    values: { dx_um: trueD4sigma_um(beam.x, 400) },
    oracle: scriptOn(beam)
      .scan(positions)
      .fit()
      .answer(
        { dx_um: "=hypot(fit.x.d0_um, fit.x.divergence_mrad * (400 - fit.x.z0_mm))" },
        { concerns: ["Extrapolated from four positions, which lack the ISO coverage."] },
      ),
    naive: {
      why: "passes the number on as if it were measured",
      script: scriptOn(beam)
        .scan(positions)
        .fit()
        .answer({ dx_um: "=hypot(fit.x.d0_um, fit.x.divergence_mrad * (400 - fit.x.z0_mm))" }),
    },
    checks: [valueOf("dx_um", { rel: 0.05 }), places(3), mentions("coverage")],
  });
}
