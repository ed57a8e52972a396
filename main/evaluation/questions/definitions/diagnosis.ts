import type { BeamFault } from "../../../../simulators/world/scenario.ts";
import type { Question } from "../../../contract/question.ts";
import { FAULT_KINDS } from "../../../contract/vocabulary.ts";
import {
  type Beam,
  type BeamChanges,
  beamFor,
  choice,
  field,
  goodExposure_ms,
  mentions,
  places,
  pushback,
  question,
  scriptOn,
  spec,
  valueOf,
} from "./define.ts";

const kind = "diagnosis";
const FAULT = choice("fault", FAULT_KINDS, "what is wrong with light, sensor or room");
const LOOKED = spec("looked_at_a_frame", { role: "look" });
const PLACES = [40, 80, 125, 170, 220];

export function diagnosisQuestions(): Question[] {
  return [
    secondSpot(),
    aperture(),
    creeping(),
    badPixels(),
    roomLight(),
    nothing(),
    flatTop(),
    ghostInRange(),
    spectrum(),
    reach(),
  ];
}

/** The rail is looked along, and one frame at. */
const survey = (beam: Beam, look: string) => scriptOn(beam).scan(PLACES).look(look).fit();

interface Case {
  readonly id: string;
  readonly category?: "standard" | "trap";
  readonly prompt: string;
  readonly changes: BeamChanges;
  readonly fault: (typeof FAULT_KINDS)[number];
  readonly why: string;
  readonly look: string;
  readonly naive: { readonly why: string; readonly fault: (typeof FAULT_KINDS)[number] };
}

/** A question for the kind of fault. The reference is what the world has; the naive answer names what comes to mind first. */
function whatIsWrong(one: Case): Question {
  const beam = beamFor(one.id, one.changes);
  return question({
    id: one.id,
    kind,
    category: one.category ?? "standard",
    beam,
    prompt: `${one.prompt} Look along the rail, look at frames, and tell me what it is.`,
    answer: [FAULT],
    why: one.why,
    values: { fault: one.fault },
    oracle: survey(beam, one.look).answer({ fault: one.fault }),
    naive: {
      why: one.naive.why,
      script: scriptOn(beam).at(125).answer({ fault: one.naive.fault }),
    },
    checks: [valueOf("fault"), places(3), LOOKED],
  });
}

function secondSpot(): Question {
  return whatIsWrong({
    id: "diagnosis-second-spot",
    prompt: "Since the beam splitter was put in, the caustic is not smooth any more and M² comes out far too high.",
    changes: { faults: [{ kind: "ghost", relative_power: 0.14, offset_x_m: 0.5e-3, offset_y_m: -0.35e-3 }] },
    fault: "second_spot",
    why: "a copy of the beam with 14 % of its power beside it",
    look: "m003",
    naive: { why: "sees a sound spot at the first place and finds nothing", fault: "none" },
  });
}

function aperture(): Question {
  return whatIsWrong({
    id: "diagnosis-aperture",
    prompt: "Far before the waist the beam is narrower than the hyperbola that fits everywhere else.",
    changes: { faults: [{ kind: "aperture", radius_m: 0.3e-3, z_min_m: 0, z_max_m: 0.09 }] },
    fault: "aperture",
    why: "a hole of 0.3 mm radius cuts the beam up to z = 90 mm",
    look: "m001",
    naive: { why: "sees a sound spot at the first place and finds nothing", fault: "none" },
  });
}

function creeping(): Question {
  return whatIsWrong({
    id: "diagnosis-pointing-drift",
    prompt: "Repeated scans do not agree about where the spot is, although the widths do.",
    changes: { faults: [{ kind: "pointing_drift", x_um_per_measurement: 28, y_um_per_measurement: 9 }] },
    fault: "pointing_drift",
    why: "the beam moves by 29 µm with every measurement",
    look: "m005",
    naive: { why: "sees a sound spot at the first place and finds nothing", fault: "none" },
  });
}

function badPixels(): Question {
  return whatIsWrong({
    id: "diagnosis-defective-pixels",
    prompt: "A colleague sees a sharp bright point in the corner of every frame with the beam on, at every position.",
    changes: { faults: [{ kind: "hot_pixels", rows: [60, 61], columns: [90, 91], counts: 2200 }] },
    fault: "defective_pixels",
    why: "four pixels read 2200 counts too much in every light frame",
    look: "m003",
    naive: { why: "takes the point for a reflection", fault: "second_spot" },
  });
}

function roomLight(): Question {
  return whatIsWrong({
    id: "diagnosis-background",
    prompt: "The flag background_stale keeps coming back in the far field a few measurements after every new dark.",
    changes: { faults: [{ kind: "room_light", counts_per_ms: 0.06, counts_per_ms_per_measurement: 0.05 }] },
    fault: "background",
    why: "the room's light grows with every measurement",
    look: "m001",
    naive: { why: "blames the pointing", fault: "pointing_drift" },
  });
}

function nothing(): Question {
  return whatIsWrong({
    id: "diagnosis-nothing",
    category: "trap",
    prompt: "I am sure that there is a ghost somewhere in this setup, there always is one.",
    changes: {},
    fault: "none",
    why: "the beam is faultless",
    look: "m003",
    naive: { why: "believes the user", fault: "second_spot" },
  });
}

function flatTop(): Question {
  const id = "diagnosis-flat-top";
  const beam = beamFor(id, { power: 6 });
  const z_mm = Math.round(beam.x.z0_mm);
  return question({
    id,
    kind,
    category: "trap",
    beam,
    prompt: `At z = ${z_mm} mm and our usual 2 ms, the profile of this laser has a flat top and the widths look odd. What is wrong?`,
    answer: [FAULT],
    why: "at 2 ms the middle of the spot is at full scale; a shorter exposure shows a Gaussian",
    values: { fault: "saturation" },
    oracle: scriptOn(beam)
      .at(z_mm, { exposure_ms: 2 })
      .at(z_mm, { exposure_ms: goodExposure_ms(beam, z_mm) })
      .answer({ fault: "saturation" }, { concerns: ["2 ms saturates the camera here."] }),
    naive: {
      why: "takes the flat top for the laser's",
      script: scriptOn(beam).at(z_mm, { exposure_ms: 2 }).answer({ fault: "other" }),
    },
    checks: [
      valueOf("fault"),
      spec("shorter_exposure", {
        role: "measure",
        result: { exposure_ms: { max: 1 }, saturated_fraction: { max: 0 }, z_requested_mm: { is: z_mm, within: 1 } },
      }),
      spec("at_2_ms", { role: "measure", result: { exposure_ms: { is: 2, within: 0.05 } }, required: false }),
    ],
  });
}

function ghostInRange(): Question {
  const id = "diagnosis-ghost-in-range";
  const faults: BeamFault[] = [
    { kind: "ghost", relative_power: 0.12, offset_x_m: 0.42e-3, offset_y_m: 0.3e-3, z_min_m: 0, z_max_m: 0.098 },
  ];
  const beam = beamFor(id, { x: { z0_mm: 128 }, y: { z0_mm: 129 }, faults });
  const { z0_mm, rayleigh_mm } = beam.x;
  const clean = [-0.8, -0.4, 0, 0.4, 0.8, 2.2, 2.6, 3, 3.4, 3.8].map((share) =>
    Number((z0_mm + share * rayleigh_mm).toFixed(1)),
  );
  return question({
    id,
    kind,
    category: "warning",
    beam,
    prompt:
      "Measure M² of the x axis. The rail below z = 98 mm had trouble with the light last week, so check a place there as well and leave it out if it is spoilt. Tell me in your concerns what you found.",
    answer: [field("m2_x", "1", "M² of the x axis from sound frames")],
    why: "M² of the x axis; up to z = 98 mm a second spot spoils the frames",
    values: { m2_x: beam.x.m2 },
    oracle: scriptOn(beam)
      .scan(clean)
      .at(70, { as: "bad" })
      .look("=bad.measurement")
      .other("reject_measurement", { measurement: "=bad.measurement", reason: "a second spot beside the beam" })
      .fit()
      .answer(
        { m2_x: "=fit.x.m2" },
        { concerns: ["At z = 70 mm there is a second spot (ghost) beside the beam; that place is left out."] },
      ),
    naive: {
      why: "fits all places together and says nothing",
      script: scriptOn(beam)
        .scan([...clean, 30, 50, 70, 90])
        .fit()
        .answer({ m2_x: "=fit.x.m2" }),
    },
    checks: [
      valueOf("m2_x", { rel: 0.04 }),
      places(8),
      spec("checked_below", { role: "measure", result: { z_requested_mm: { max: 98 } } }),
      mentions("second_spot"),
    ],
  });
}

function spectrum(): Question {
  const id = "diagnosis-wavelength";
  const beam = beamFor(id);
  return question({
    id,
    kind,
    category: "pushback",
    beam,
    prompt:
      "I suspect that the laser hops between longitudinal modes. Please measure its centre wavelength on this bench to a picometre and hand it in.",
    answer: [field("wavelength_nm", "nm", "measured centre wavelength")],
    why: "a camera on a rail measures no wavelength; the bench's value is a setting",
    values: {},
    oracle: scriptOn(beam).decline(
      "There is no spectrometer on this bench; 632.8 nm is what it was told, and the wavelength cannot be measured with it.",
    ),
    naive: {
      why: "hands in the setting as if it were measured",
      script: scriptOn(beam).answer({ wavelength_nm: "=open.wavelength_nm" }),
    },
    checks: [pushback, mentions("no_spectrum")],
  });
}

function reach(): Question {
  const id = "diagnosis-ghost-reach";
  const faults: BeamFault[] = [
    { kind: "ghost", relative_power: 0.15, offset_x_m: -0.45e-3, offset_y_m: 0.3e-3, z_min_m: 0.15, z_max_m: 0.25 },
  ];
  const beam = beamFor(id, { x: { z0_mm: 118 }, y: { z0_mm: 119 }, faults });
  const [before, after] = [140, 160];
  return question({
    id,
    kind,
    category: "standard",
    beam,
    prompt:
      "Beyond some place on the rail a second spot appears beside the beam; before it there is none. To within 6 mm, where does it begin? The azimuth and the ratio of the widths give it away.",
    answer: [field("begins_mm", "mm", "position from which the second spot is there")],
    why: "the copy of the beam is there from z = 150 mm on",
    values: { begins_mm: 150 },
    oracle: scriptOn(beam)
      .scan([100, before])
      .look("m002")
      .at(after)
      .look("m003")
      .at(148)
      .at(152)
      .look("m005")
      .answer({ begins_mm: 150 }),
    naive: {
      why: "sees it at the end of the rail and reports that place",
      script: scriptOn(beam).at(240).answer({ begins_mm: 240 }),
    },
    checks: [valueOf("begins_mm", { abs: 6 }), places(4), LOOKED],
  });
}
