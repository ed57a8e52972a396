import { FUNCTIONS } from "./functions.ts";
import { KEYWORDS } from "./parse.ts";
import { UNIT_NAMES } from "./units.ts";
import { BENCH_TYPE, VERBS } from "./verbs.ts";
import { type RecordType, type Type, describeType } from "./types.ts";

const EXAMPLE = `# Darks, a scan around the waist, a fit, and what came of it.
take_darks exposure = 1 ms, frames = 6
for z in linspace(100 mm, 160 mm, 7) {
  measure_at z = z, exposure = 1 ms, frames = 2 into scan
}
let narrowest = scan[index_of_min([m.d4sigma_x for m in scan])]
if has_flag(narrowest, "saturated") {
  reject_measurement measurement = narrowest, reason = "saturated"
  take_darks exposure = 0.4 ms, frames = 6
  measure_at z = narrowest.z_requested, exposure = 0.4 ms, frames = 2
}
fit_caustic as caustic
require caustic.x.determined, "no caustic along x"
result m2_x = caustic.x.m2
result waist = caustic.x.z0 in mm`;

const RULES = `- One statement a line. \`#\` begins a comment. Names are letters, digits and _.
- A verb takes its arguments as name = value, separated by commas, without brackets. \`as name\` keeps its answer under a name;
  \`into name\` adds it to the list of that name, which is made where it is missing.
- Quantities have units: 130 mm, 0.5 ms, 3000 counts, 7.4 mrad, 70 %. An argument with a dimension never takes a bare number. Angles are plain
  numbers, so an angle times a length is a length. Pixels and counts are dimensions of their own. \`value in um\` says in which
  unit a quantity is told.
- let name = value gives a name a value, also again; a name keeps its dimension. result name = value is what the procedure gives back.
- for x in list { … }, for i in 0 to 4 { … }, for z in 90 mm to 160 mm step 10 mm { … } (both ends included).
- while condition limit N { … } runs at most N times; it is an error if the condition still holds then.
- if condition { … } else if condition { … } else { … }; conditions are comparisons, joined by and, or, not.
- require condition, "message" ends the procedure with that message where the condition does not hold.
- Lists: [1 mm, 2 mm], list[0] the first, list[-1] the last, [m.z_actual for m in list if m.grade == "good"].
- A property that is not there (a width of an unusable frame, M² without enough positions) is an error; known(value) asks first.
- Names from the start: bench (what the bench says of itself) and pi.`;

function inputText(verb: string): string {
  const known = VERBS.get(verb);
  if (known === undefined) return "";
  const inputs = [...known.inputs.values()].map(({ name, required, type }) => {
    const kind =
      type.kind === "list"
        ? `a list of ${describeType(type.of)}`
        : name === "measurement"
          ? "a measurement"
          : describeType(type);
    return `${name}${required ? "" : "?"} (${kind})`;
  });
  return `- ${verb} ${inputs.join(", ")}`.trimEnd();
}

function properties(type: Type | undefined): string {
  return type?.kind === "record" ? [...type.fields.keys()].join(", ") : "";
}

/** The language in one page: for a model that is to write a program, and for whoever asks on the command line. */
export function procedureGuide(): string {
  const answer = (verb: string): RecordType | undefined => VERBS.get(verb)?.answer;
  const functions = [...FUNCTIONS.values()].map(({ usage, does }) => `- ${usage}: ${does}`);
  return [
    "A procedure is a text that drives a laser beam bench: a camera on a stage along the beam.",
    `Example:\n\n${EXAMPLE}`,
    `Rules:\n${RULES}`,
    `Verbs (? is optional):\n${[...VERBS.keys()].map(inputText).join("\n")}`,
    `Functions:\n${functions.join("\n")}\n- known(value): whether the value can be had`,
    `Properties of a measurement: ${properties(answer("measure_at"))}`,
    `Properties of a dark: ${properties(answer("take_darks"))}`,
    `Properties of a move: ${properties(answer("move_to"))}`,
    `Properties of a fit: ${properties(answer("fit_caustic"))}; of its axes fit.x and fit.y: ${properties(answer("fit_caustic")?.fields.get("x"))}`,
    `Properties of the bench: ${properties(BENCH_TYPE)}; limits, stage_travel and exposure_range have min and max.`,
    `Units: ${UNIT_NAMES.join(", ")}`,
    `Words that cannot be names: ${[...KEYWORDS].join(", ")}`,
    "Without exposure, a measurement uses the exposure in force (1 ms at the beginning); without frames, the bench's default.",
  ].join("\n\n");
}
