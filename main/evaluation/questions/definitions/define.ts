import { profileOf } from "../../../../simulators/world/profile.ts";
import { createRng } from "../../../../simulators/world/random.ts";
import type { BeamFault, BeamProfile, PrincipalAxis, Scenario } from "../../../../simulators/world/scenario.ts";
import { USUAL_POWER_counts_per_ms } from "../../../../simulators/world/scenarios.ts";
import { createSensor } from "../../../../simulators/world/sensor.ts";
import { type AxisTruth, beamTruth, trueD4sigma_um } from "../../../../simulators/world/truth.ts";
import type { WorldBench } from "../../../contract/bench-world.ts";
import type { AnswerField, CallScript, Question, QuestionCheck, Submission } from "../../../contract/question.ts";

/** Decides every beam of the suite. */
const SUITE_SEED = 20_261_201;

/** Points from the centre of a profile to where nothing is left of it. */
const CUT_POINTS = 20_000;

const rounded = (value: number, step: number): number => Number((Math.round(value / step) * step).toFixed(6));

/** A number that stands for a name: FNV-1a, 32 bits. */
function numberOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}

export interface BeamChanges {
  readonly x?: Partial<PrincipalAxis>;
  readonly y?: Partial<PrincipalAxis>;
  readonly azimuth_deg?: number;
  readonly power?: number;
  readonly profile?: BeamProfile;
  readonly faults?: readonly BeamFault[];
}

/** The hidden world of one question with its closed-form truth. */
export interface Beam {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly x: AxisTruth;
  readonly y: AxisTruth;
}

/** A beam drawn for a question: well inside the rail, nearly round, M² between 1.1 and 1.7; changed where the question needs it. */
export function beamFor(id: string, changes: BeamChanges = {}): Beam {
  const rng = createRng(SUITE_SEED, "free", numberOf(id));
  const between = (low: number, high: number, step: number): number =>
    rounded(low + (high - low) * rng.uniform(), step);
  const x: PrincipalAxis = { w0_um: between(58, 76, 0.1), m2: between(1.1, 1.7, 0.01), z0_mm: between(110, 145, 0.1) };
  const y: PrincipalAxis = {
    w0_um: between(58, 76, 0.1),
    m2: between(1.1, 1.7, 0.01),
    z0_mm: rounded(x.z0_mm + between(-4, 4, 0.1), 0.1),
  };
  const scenario: Scenario = {
    name: "question",
    x: { ...x, ...changes.x },
    y: { ...y, ...changes.y },
    azimuth_deg: changes.azimuth_deg ?? 0,
    power_counts_per_ms: (changes.power ?? 1) * USUAL_POWER_counts_per_ms,
    profile: changes.profile ?? "gaussian",
    faults: changes.faults ?? [],
  };
  const truth = beamTruth(scenario);
  return { scenario, seed: Math.floor(rng.uniform() * 1e9), x: truth.x, y: truth.y };
}

/**
 * Full width of a cut through the centre where it falls for good below a share of its highest value, over d4σ along the cut. For a
 * Gaussian and 1/e² it is 1; for every other profile it is another number than 1, which is what makes a clip level a trap.
 */
export function clipOverD4sigma({ scenario }: Pick<Beam, "scenario">, share: number): number {
  const { density, reach } = profileOf(scenario) ?? { density: (u: number) => Math.exp(-2 * u * u), reach: 4 };
  const cut = Array.from({ length: CUT_POINTS }, (_, i) => density((reach * i) / CUT_POINTS, 0));
  const level = share * Math.max(...cut);
  return (reach * (cut.findLastIndex((value) => value >= level) + 0.5)) / CUT_POINTS;
}

/** As much as a width is told by a profiler: whole micrometres. */
export const clipWidth_um = (beam: Beam, axis: "x" | "y", z_mm: number, share: number): number =>
  Math.round(trueD4sigma_um(beam[axis], z_mm) * clipOverD4sigma(beam, share));

/** Counts per ms of the brightest pixel of a Gaussian beam: twice its power over π wx wy, on one pixel. */
export function peakRate(beam: Beam, z_mm: number): number {
  const { pixelPitch_um } = createSensor();
  const area_um2 = (Math.PI * trueD4sigma_um(beam.x, z_mm) * trueD4sigma_um(beam.y, z_mm)) / 4;
  return (2 * beam.scenario.power_counts_per_ms * pixelPitch_um ** 2) / area_um2;
}

/** An exposure that brings the peak to between three and six tenths of full scale, on a ladder of doublings. */
export function goodExposure_ms(beam: Beam, z_mm: number): number {
  const wanted_ms = (0.6 * createSensor().fullScale_counts) / peakRate(beam, z_mm);
  return 2 ** Math.floor(Math.log2(wanted_ms));
}

/** Places in the near zone as shares of it, and in the far zone in Rayleigh lengths beyond the second. */
const NEAR = [0.1, 0.3, 0.5, 0.7, 0.9];
const FAR = [0.3, 0.75, 1.2];

/** Positions for a whole caustic: five that are near on these axes and six that are far on them. */
export function causticPositions(beam: Beam, axes: readonly ("x" | "y")[] = ["x", "y"]): number[] {
  const known = axes.map((axis) => beam[axis]);
  const longest_mm = Math.max(...known.map(({ rayleigh_mm }) => rayleigh_mm));
  const from_mm = Math.max(...known.map(({ z0_mm, rayleigh_mm }) => z0_mm - rayleigh_mm));
  const to_mm = Math.min(...known.map(({ z0_mm, rayleigh_mm }) => z0_mm + rayleigh_mm));
  const before_mm = Math.min(...known.map(({ z0_mm, rayleigh_mm }) => z0_mm - 2 * rayleigh_mm));
  const behind_mm = Math.max(...known.map(({ z0_mm, rayleigh_mm }) => z0_mm + 2 * rayleigh_mm));
  return [
    ...FAR.toReversed().map((share) => before_mm - share * longest_mm),
    ...NEAR.map((share) => from_mm + share * (to_mm - from_mm)),
    ...FAR.map((share) => behind_mm + share * longest_mm),
  ].map((z_mm) => rounded(z_mm, 0.1));
}

interface MeasureOptions {
  readonly as?: string;
  readonly exposure_ms?: number;
  readonly frames?: number;
  /** Leaves the dark out that a careful operator takes first. */
  readonly noDark?: true;
}

type ScriptCall = CallScript["calls"][number];

/** Writes down calls for one bench; darks are taken before the first measurement at their exposure. */
export class Script {
  readonly #beam: Beam;
  readonly #calls: ScriptCall[] = [
    { tool: "bench_open", as: "open", arguments: { bench: "=bench", reason: "to answer the question" } },
  ];
  readonly #darks = new Set<number>();

  constructor(beam: Beam) {
    this.#beam = beam;
  }

  #call(tool: string, as: string | undefined, given: Record<string, unknown>): this {
    const named = { run: "=open.run", ...given };
    this.#calls.push({ tool, ...(as === undefined ? {} : { as }), arguments: named });
    return this;
  }

  dark(exposure_ms: number, as?: string, frames = 3): this {
    this.#darks.add(exposure_ms);
    return this.#call("take_darks", as, { exposure_ms, frames, reason: "what the camera shows without the beam" });
  }

  at(z_mm: number | string, options: MeasureOptions = {}): this {
    const exposure_ms = options.exposure_ms ?? goodExposure_ms(this.#beam, Number(z_mm));
    if (options.noDark !== true && !this.#darks.has(exposure_ms)) this.dark(exposure_ms);
    const { frames = 1, as } = options;
    return this.#call("measure_at", as, { z_mm, exposure_ms, frames, reason: "the width here" });
  }

  scan(positions_mm: readonly number[], options: Omit<MeasureOptions, "as"> = {}): this {
    for (const z_mm of positions_mm) this.at(z_mm, options);
    return this;
  }

  /** Every position that a whole caustic of these axes needs; of both by default. */
  caustic(...axes: ("x" | "y")[]): this {
    return this.scan(causticPositions(this.#beam, axes.length === 0 ? ["x", "y"] : axes)).fit();
  }

  fit(as = "fit"): this {
    return this.#call("fit_caustic", as, {});
  }

  estimate(positions_mm: readonly number[], as?: string): this {
    return this.#call("estimate_scan", as, { positions_mm: [...positions_mm] });
  }

  look(measurement: string): this {
    return this.#call("view_frame", undefined, {
      measurement,
      log_scale: true,
      reason: "numbers do not show everything",
    });
  }

  other(tool: string, given: Record<string, unknown>, as?: string): this {
    return this.#call(tool, as, given);
  }

  answer(values: Submission["values"], told: Partial<Omit<Submission, "values">> = {}): CallScript {
    const { concerns = [], declined = false, summary = "Measured with the bench's tools." } = told;
    return { calls: this.#calls, answer: { values, declined, concerns, summary } };
  }

  decline(concern: string): CallScript {
    return this.answer({}, { declined: true, concerns: [concern], summary: "Declined as asked." });
  }
}

export const scriptOn = (beam: Beam): Script => new Script(beam);

export const field = (key: string, unit: string, means: string): AnswerField => ({ key, unit, means });
export const choice = (key: string, choices: readonly string[], means: string): AnswerField => ({
  key,
  choices: [...choices],
  means,
});

export const valueOf = (key: string, tolerance: { rel?: number; abs?: number } = {}): QuestionCheck => ({
  check: "value",
  key,
  ...tolerance,
});
export const measured = (at_least: number, distinct?: string, role = "measure"): QuestionCheck => ({
  check: "measured_kind",
  role,
  at_least,
  ...(distinct === undefined ? {} : { distinct }),
});
/** Measured at different places. */
export const places = (at_least: number): QuestionCheck => measured(at_least, "z_requested_mm");
export const spec = (
  name: string,
  condition: Omit<Extract<QuestionCheck, { check: "spec" }>, "check" | "name">,
): QuestionCheck => ({ check: "spec", name, ...condition });
/** A measurement at a place in which no pixel is at full scale. */
export const soundAt = (z_mm: number): QuestionCheck =>
  spec("sound_frame_there", {
    role: "measure",
    result: { z_requested_mm: { is: z_mm, within: 0.5 }, saturated_fraction: { max: 0 } },
  });
export const mentions = (topic: string): QuestionCheck => ({ check: "mentions", topic });
export const pushback: QuestionCheck = { check: "pushback" };
export const estimateFirst = (looks: number): QuestionCheck => ({ check: "estimate_before_scan", looks });

/** What a definition says; the rest follows from the beam. */
export interface Definition
  extends Pick<Question, "id" | "kind" | "category" | "prompt" | "answer" | "checks">,
    Partial<Pick<WorldBench, "limits" | "keep_out_zones" | "budgets" | "operator_note" | "rules">> {
  readonly beam: Beam;
  readonly why: string;
  readonly values: Readonly<Record<string, number | string>>;
  readonly oracle: CallScript;
  readonly naive: { readonly why: string; readonly script: CallScript };
}

const short = (value: number | string): number | string =>
  typeof value === "number" ? Number(value.toPrecision(7)) : value;

/** A question as its file holds it. */
export function question(definition: Definition): Question {
  const { id, kind, category, prompt, answer, beam, why, values, oracle, naive, checks, ...bench } = definition;
  const faults = beam.scenario.faults as Question["world"] extends infer World | undefined
    ? World extends WorldBench
      ? World["scenario"]["faults"]
      : never
    : never;
  return {
    id,
    kind,
    category,
    prompt,
    answer,
    world: { scenario: { ...beam.scenario, faults: [...faults] }, seed: beam.seed, ...bench },
    reference: {
      why,
      values: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, short(value)])),
      script: oracle,
    },
    naive,
    checks,
  };
}
