import type {
  ProcedureAssertion,
  ProcedureSplit,
  ProcedureTask,
  ProcedureTier,
} from "../../../contract/procedure-task.ts";
import type { Draw } from "./draw.ts";

/** An assertion whose line is named by a mark in the gold program. */
export type DraftAssertion = Omit<ProcedureAssertion, "line"> & { readonly mark: string };

/** A task as a family writes it. Lines of the gold program may end in a mark, as `@@near`. */
export interface Draft {
  readonly scenario?: string;
  readonly seed?: number;
  readonly prompt: string;
  readonly gold: readonly string[];
  readonly assertions: readonly DraftAssertion[];
}

/** A kind of task, with everything that varies drawn from `draw`; `variant` counts its tasks from 0. */
export interface Family {
  readonly tier: ProcedureTier;
  readonly split: ProcedureSplit;
  readonly category: string;
  readonly family: string;
  readonly make: (draw: Draw, variant: number) => Draft;
}

interface Band {
  readonly tol?: number;
  readonly rtol?: number;
  readonly input?: string;
}

/** A property of something must have a value. */
export function has(
  target: string,
  prop: string,
  value: ProcedureAssertion["value"],
  unit: string | undefined,
  mark: string,
  band: Band = {},
): DraftAssertion {
  return { target, prop, value, ...(unit === undefined ? {} : { unit }), mark, ...band };
}

/** An expression must have a value. */
export function holds(
  expr: string,
  value: ProcedureAssertion["value"],
  unit: string | undefined,
  mark: string,
  band: Band = {},
): DraftAssertion {
  return { expr, value, ...(unit === undefined ? {} : { unit }), mark, ...band };
}

const MARK = /\s*@@(\S+)\s*$/;
/** Seeds of the benches begin here, away from those of the plans. */
const FIRST_SEED = 5000;

/** The task of a draft. Throws RangeError for a mark that is not there. */
export function taskFrom(family: Family, id: string, draft: Draft, variant: number): ProcedureTask {
  const marks = new Map<string, number>();
  const lines = draft.gold.map((line, i) => {
    const mark = MARK.exec(line)?.[1];
    if (mark !== undefined) marks.set(mark, i + 1);
    return line.replace(MARK, "");
  });
  const assertions = draft.assertions.map(({ mark, ...rest }): ProcedureAssertion => {
    const line = marks.get(mark);
    if (line === undefined) throw new RangeError(`${id}: the gold program has no line marked ${mark}`);
    return { ...rest, line };
  });
  const { tier, split, category, family: name } = family;
  return {
    id,
    tier,
    split,
    category,
    family: name,
    bench: { scenario: draft.scenario ?? "clean", seed: draft.seed ?? FIRST_SEED + variant },
    prompt: draft.prompt,
    gold: `${lines.join("\n")}\n`,
    assertions,
  };
}
