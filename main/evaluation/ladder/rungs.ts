/** The rungs of tool use, ascending, and what each asks for. */
export const RUNGS = {
  "TOOL-0": "direct dispatch",
  "TOOL-1": "tool selection",
  "TOOL-2": "scope refusal",
  "TOOL-3": "sequential composition",
  "TOOL-4": "conditional dispatch",
  "TOOL-5": "goal planning",
  "TOOL-6": "goal deduction",
  "TOOL-7": "recovery and replanning",
  "TOOL-8": "composition under ambiguity",
  "TOOL-9": "goal recognition",
} as const;

export type Rung = keyof typeof RUNGS;
export const RUNG_NAMES = Object.keys(RUNGS) as readonly Rung[];

/** The keyword stub is labelled for these alone. */
export const FLOOR_RUNGS: readonly Rung[] = ["TOOL-0", "TOOL-1", "TOOL-2"];
