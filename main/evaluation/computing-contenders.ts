import { SCRIPTS } from "../contenders/index.ts";

/** From the one that takes longest for a case to the one that measures nothing. */
const LONGEST_FIRST = ["recorded", "scripted", "naive", "constant"];

/**
 * Contenders that only compute: they run in processes of their own, as many at a time as there are jobs, and do the same each time.
 */
export const COMPUTING: ReadonlySet<string> = new Set([...Object.keys(SCRIPTS), "recorded"]);

/**
 * Units in the order in which workers take them: long ones first, so that all workers end at about the same time. Unknown contenders count
 * as long; within one contender the order stays.
 */
export function longestFirst<Planned extends { readonly unit: { readonly contender: string } }>(
  units: readonly Planned[],
): Planned[] {
  return [...units].sort((a, b) => LONGEST_FIRST.indexOf(a.unit.contender) - LONGEST_FIRST.indexOf(b.unit.contender));
}
