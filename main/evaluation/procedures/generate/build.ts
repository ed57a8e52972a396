import type { ProcedureTask } from "../../../contract/procedure-task.ts";
import { createDraw } from "./draw.ts";
import { type Family, taskFrom } from "./draft.ts";
import { FAMILIES, KEPT_OF } from "./families/index.ts";

/** Decides everything that is drawn. */
export const GENERATOR_SEED = 2026;
/** Candidates of a family are made until enough are kept, at most this many times as many. */
const MOST_CANDIDATES = 4;

const NAME_HASH = 31;
/** A number of a family's name: its draws do not depend on which other families there are. */
function nameNumber(name: string): number {
  return Array.from(name).reduce((sum, letter) => (Math.imul(sum, NAME_HASH) + (letter.codePointAt(0) ?? 0)) | 0, 7);
}

/** What a family could contribute, in the order in which it is tried. */
export interface FamilyCandidates {
  readonly family: Family;
  /** How many are kept. */
  readonly wanted: number;
  readonly candidates: readonly ProcedureTask[];
}

/** Every candidate of every family. The same seed gives the same ones, byte for byte. */
export function allCandidates(seed = GENERATOR_SEED): FamilyCandidates[] {
  return FAMILIES.map((family) => {
    const wanted = KEPT_OF[family.tier];
    const candidates = Array.from({ length: wanted * MOST_CANDIDATES }, (_, variant) => {
      const draw = createDraw(seed + Math.imul(nameNumber(family.family), 1009) + variant);
      return taskFrom(
        family,
        `${family.family}-${String(variant + 1).padStart(3, "0")}`,
        family.make(draw, variant),
        variant,
      );
    });
    return { family, wanted, candidates };
  });
}

/** Categories that stand in both splits: there must be none. */
export function sharedCategories(tasks: readonly Pick<ProcedureTask, "category" | "split">[]): string[] {
  const splits = Map.groupBy(tasks, ({ category }) => category);
  return [...splits].filter(([, group]) => new Set(group.map(({ split }) => split)).size > 1).map(([name]) => name);
}

const NUMBERS = /\d+(?:\.\d+)?/g;

/** Numbers that a prompt spells out although the task asks to derive them: a report for people, not a reason to reject. */
export function leaks({ tier, prompt, assertions }: ProcedureTask): string[] {
  if (tier === "core") return [];
  const said = new Set([...prompt.matchAll(NUMBERS)].map(([text]) => Number(text)));
  return assertions.flatMap(({ value, target, prop, expr }) =>
    // Small whole numbers are counts that every prompt has.
    typeof value === "number" && said.has(Math.abs(value)) && !(Number.isInteger(value) && Math.abs(value) <= 12)
      ? [`${expr ?? `${target ?? ""}.${prop ?? ""}`} = ${value}`]
      : [],
  );
}
