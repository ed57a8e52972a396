import type { z } from "zod";
import { TOOLS, type ToolName } from "../contract/tools.ts";
import { type RecordType, type Type, typeOfSchema, withoutOptional } from "./types.ts";
import { NUMBER, type Unit, splitWireName } from "./units.ts";

/**
 * The bench's verbs that a program may call, under the names that they have for an agent. Opening the bench, looking after jobs and
 * STOP are the runner's; a picture is of no use to a program.
 */
export const VERB_NAMES = [
  "move_to",
  "set_exposure",
  "take_darks",
  "measure_at",
  "reject_measurement",
  "restore_measurement",
  "fit_caustic",
  "estimate_scan",
  "suggest_positions",
  "bench_status",
  "finish",
] as const satisfies readonly ToolName[] as readonly string[];
export type VerbName = Exclude<ToolName, "bench_open" | "stop" | "job_status" | "view_frame">;

/** One argument of a verb. */
export interface VerbInput {
  /** As a program writes it: the wire name without its unit. */
  readonly name: string;
  readonly key: string;
  readonly unit?: Unit;
  readonly schema: z.core.$ZodType;
  readonly required: boolean;
  readonly type: Type;
}

export interface Verb {
  readonly name: VerbName;
  readonly inputs: ReadonlyMap<string, VerbInput>;
  readonly answer: RecordType;
}

/** Arguments that the runner fills in, or that make no sense in a program. */
const RUNNERS_INPUTS = new Set(["run", "image_code", "idempotency_key"]);
const ANSWERS: Partial<Record<VerbName, string>> = {
  measure_at: "a measurement",
  take_darks: "a dark",
  fit_caustic: "a fit",
  move_to: "a move",
  estimate_scan: "an estimate",
  suggest_positions: "a suggestion",
  bench_status: "the status",
};

function recordOf(type: Type): RecordType {
  if (type.kind === "record") return type;
  throw new TypeError("a verb answers with something else than an object");
}

/** What is left of the budgets stands in every answer; a program finds it in the status. */
function withoutBudget(type: Type): RecordType {
  const record = recordOf(type);
  return { ...record, fields: new Map([...record.fields].filter(([name]) => name !== "budget")) };
}

function verbFrom(name: VerbName): Verb {
  const { input, output } = TOOLS[name];
  const inputs = Object.entries(input.shape as Record<string, z.core.$ZodType>)
    .filter(([key]) => !RUNNERS_INPUTS.has(key))
    .map(([key, given]): [string, VerbInput] => {
      const split = splitWireName(key);
      const schema = withoutOptional(given);
      const type = typeOfSchema(schema, split.unit?.dimension ?? NUMBER, key);
      // The runner gives a reason where the program has none.
      const required = given === schema && key !== "reason";
      return [split.name, { ...split, key, schema, required, type }];
    });
  const answer = typeOfSchema(output, NUMBER, ANSWERS[name] ?? `the answer of ${name}`);
  return { name, inputs: new Map(inputs), answer: name === "bench_status" ? recordOf(answer) : withoutBudget(answer) };
}

export const VERBS: ReadonlyMap<string, Verb> = new Map(
  (VERB_NAMES as readonly VerbName[]).map((name): [string, Verb] => [name, verbFrom(name)]),
);

/** The type of the name `bench`, which every program begins with. */
export const BENCH_TYPE: RecordType = withoutBudget(typeOfSchema(TOOLS.bench_open.output, NUMBER, "the bench"));
