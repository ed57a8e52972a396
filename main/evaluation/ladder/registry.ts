import { z } from "zod";
import { axisResultSchema } from "../../contract/axis-result.ts";
import { TOOLS, type ToolName } from "../../contract/tools.ts";
import { type Fact, fact } from "./fact.ts";

/*
 * What the ladder knows of the bench's tools. The world is closed: a tool that does not stand here does not exist, and an argument that
 * does not stand here cannot be given. `run` is bound by the harness, as every case has one run.
 */

export type ToolInputs = Readonly<Record<string, unknown>>;

/** A tool of the ladder. */
export interface Capability {
  readonly name: ToolName;
  readonly summary: string;
  /** Arguments that must be given, and that may be. */
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** It looks and changes nothing. */
  readonly looks: boolean;
  /** What must hold before the call with these arguments, which fit the schema. */
  needs(input: ToolInputs): readonly Fact[];
  /** What comes true when the call is answered. */
  gives(input: ToolInputs): readonly Fact[];
  /** What only the answer shows. */
  shows?(answer: unknown): readonly Fact[];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);
const numbers = (value: unknown): number[] => (Array.isArray(value) ? value.map(number) : []);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : []);

const fitSchema = z.object({ x: axisResultSchema, y: axisResultSchema });

/** `determined` and `covered` of a fit's answer. */
export function factsOfFit(answer: unknown): Fact[] {
  const fit = fitSchema.safeParse(answer);
  if (!fit.success) return [];
  const { x, y } = fit.data;
  if (!x.determined || !y.determined) return [];
  const unphysical = [x, y].some((axis) => axis.flags.some((flag) => flag.code === "m2_below_one"));
  return ["determined", ...(x.iso_coverage && y.iso_coverage && !unphysical ? ["covered"] : [])];
}

const measuredSchema = z.object({ measurement: z.string() });

const exposed = (input: ToolInputs): number[] =>
  input["exposure_ms"] === undefined ? [] : [number(input["exposure_ms"])];

export const CAPABILITIES: readonly Capability[] = [
  {
    name: "bench_status",
    summary: "tells position, exposure, measurements and darks",
    required: [],
    optional: [],
    looks: true,
    needs: () => [],
    gives: () => ["status_known"],
  },
  {
    name: "move_to",
    summary: "moves the stage to a position",
    required: ["z_mm", "reason"],
    optional: [],
    looks: false,
    needs: (input) => [fact("reachable", number(input["z_mm"]))],
    gives: (input) => [fact("at", number(input["z_mm"]))],
  },
  {
    name: "set_exposure",
    summary: "sets the exposure time",
    required: ["exposure_ms", "reason"],
    optional: [],
    looks: false,
    needs: (input) => [fact("exposable", number(input["exposure_ms"]))],
    gives: (input) => [fact("exposure", number(input["exposure_ms"]))],
  },
  {
    name: "take_darks",
    summary: "takes dark frames at one exposure, which becomes the present one",
    required: ["exposure_ms", "reason"],
    optional: ["frames"],
    looks: false,
    needs: (input) => [fact("exposable", number(input["exposure_ms"]))],
    gives: (input) => [fact("dark", number(input["exposure_ms"])), fact("exposure", number(input["exposure_ms"]))],
  },
  {
    name: "measure_at",
    summary: "moves to a position, exposes and gives the widths there",
    required: ["z_mm", "reason"],
    optional: ["exposure_ms", "frames"],
    looks: false,
    needs: (input) => [
      fact("reachable", number(input["z_mm"])),
      ...exposed(input).map((exposure_ms) => fact("exposable", exposure_ms)),
    ],
    gives: (input) => {
      const z_mm = number(input["z_mm"]);
      return [
        fact("measured", z_mm),
        fact("at", z_mm),
        ...exposed(input).flatMap((exposure_ms) => [
          fact("measured", z_mm, exposure_ms),
          fact("exposure", exposure_ms),
        ]),
      ];
    },
    shows: (answer) => {
      const taken = measuredSchema.safeParse(answer);
      return taken.success ? [fact("exists", taken.data.measurement), fact("used", taken.data.measurement)] : [];
    },
  },
  {
    name: "reject_measurement",
    summary: "leaves a measurement out of every fit",
    required: ["measurement", "reason"],
    optional: [],
    looks: false,
    needs: (input) => [fact("exists", text(input["measurement"]))],
    gives: (input) => [fact("rejected", text(input["measurement"]))],
  },
  {
    name: "restore_measurement",
    summary: "takes a rejected measurement back into the fits",
    required: ["measurement", "reason"],
    optional: [],
    looks: false,
    needs: (input) => [fact("exists", text(input["measurement"]))],
    gives: (input) => [fact("used", text(input["measurement"]))],
  },
  {
    name: "estimate_scan",
    summary: "tells time, travel and expected widths of a list of positions; nothing moves",
    required: ["positions_mm"],
    optional: ["frames"],
    looks: true,
    needs: () => [],
    gives: (input) => [fact("estimated", ...numbers(input["positions_mm"]))],
  },
  {
    name: "fit_caustic",
    summary: "fits the caustic to the measurements in use, leaving out some for this fit",
    required: [],
    optional: ["exclude", "reason"],
    looks: true,
    needs: (input) => texts(input["exclude"]).map((id) => fact("exists", id)),
    gives: () => ["fitted"],
    shows: factsOfFit,
  },
  {
    name: "suggest_positions",
    summary: "positions that would complete the ISO coverage, from the present fit",
    required: ["count"],
    optional: [],
    looks: true,
    needs: () => ["determined"],
    gives: () => ["suggested"],
  },
  {
    name: "finish",
    summary: "ends the run with a verdict; iso_compliant needs the coverage of both axes",
    required: ["verdict", "explanation"],
    optional: [],
    looks: false,
    needs: (input) => (input["verdict"] === "iso_compliant" ? ["covered"] : []),
    gives: (input) => [fact("finished", text(input["verdict"]))],
  },
];

/** Tools of the bench that the ladder leaves out, and why. */
export const EXCLUDED_FROM_REGISTRY: Readonly<Partial<Record<ToolName, string>>> = {
  bench_open: "every case starts with a run that is open; which bench it is, is not what the ladder asks",
  stop: "has an effect only while another call runs, and the ladder's calls come one after the other",
  job_status: "nothing becomes a job: the harness waits for long work",
  view_frame: "its answer is a picture, and whether one was read right is nothing that a deterministic grader can see",
};

/** Arguments of registered tools that the ladder leaves out, and why. */
export const EXCLUDED_ARGUMENTS: Readonly<Record<string, string>> = {
  run: "bound by the harness",
  image_code: "confirms pictures, and there are none",
  idempotency_key: "guards against lost answers, and the harness loses none",
  m2_x: "the bench sets its own fit beside the verdict; numbers are what the evaluation plan asks for",
  m2_y: "as m2_x",
  fault: "what is wrong with the light is what the evaluation plan asks for",
};

const byName: ReadonlyMap<string, Capability> = new Map(CAPABILITIES.map((one) => [one.name, one]));

/** The capability of that name; undefined where it is not registered, which is where the world ends. */
export const capability = (name: string): Capability | undefined => byName.get(name);

/** Why a call binds to nothing; undefined where it binds. `declared`: the tools of the case. */
export function bindingFault(name: string, input: unknown, declared: readonly string[]): string | undefined {
  const known = byName.get(name);
  if (known === undefined) return `unknown-tool: ${name} is not registered`;
  if (!declared.includes(name)) return `undeclared-tool: ${name} is not among the tools of the case`;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return "bad-arguments: they are no object";
  const keys = Object.keys(input).filter((key) => key !== "run");
  const alien = keys.find((key) => !known.required.includes(key) && !known.optional.includes(key));
  if (alien !== undefined) return `unknown-argument: ${name} takes no ${alien}`;
  const missing = known.required.find((key) => !keys.includes(key));
  if (missing !== undefined) return `unbound-argument: ${name} needs ${missing}`;
  const shape = TOOLS[known.name].input.safeParse(
    "run" in TOOLS[known.name].input.shape ? { ...input, run: "run" } : input,
  );
  if (shape.success) return undefined;
  const [issue] = shape.error.issues;
  return `bad-argument: ${name}: ${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? "does not fit"}`;
}
