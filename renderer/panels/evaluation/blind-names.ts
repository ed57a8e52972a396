import type { EvaluationState } from "../../../main/contract/window-evaluation.ts";

/** How a contender is called in a group. */
export type NameOf = (contender: string) => string;

/**
 * Names per group. Blinded, a contender is a letter until nothing of the group is open, so that who watches cannot begin to explain
 * results by whose they are. The letters differ from group to group.
 */
export function blindNames(state: EvaluationState, blind: boolean): (group: string) => NameOf {
  return (group) => {
    const cases = new Set(state.groups.find((one) => one.group === group)?.cases.map((one) => one.case));
    const complete = !state.open.some((one) => cases.has(one.case));
    if (!blind || complete) return (contender) => contender;
    const shuffled = [...state.contenders]
      .map(({ contender }) => contender)
      .sort((a, b) => hash(`${state.plan_hash}${group}${a}`) - hash(`${state.plan_hash}${group}${b}`));
    return (contender) => `Contender ${String.fromCharCode(65 + Math.max(0, shuffled.indexOf(contender)))}`;
  };
}

/** FNV-1a, 32 bits: an order that nobody guesses and that stays. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return value;
}
