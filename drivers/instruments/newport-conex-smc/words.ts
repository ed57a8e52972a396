/** Error letters, error bits and states in words. Sources: see `stage.ts`. */

const ERRORS: Readonly<Record<string, string>> = {
  A: "unknown command",
  B: "wrong controller address",
  C: "a parameter is missing or out of range",
  D: "the command is not allowed",
  E: "homing is under way already",
  F: "the stage's name is unknown to the controller",
  G: "the target is out of limits",
  H: "not allowed before homing",
  I: "not allowed while the controller is being configured",
  J: "not allowed while the motor is switched off",
  K: "not allowed when ready",
  L: "not allowed while homing",
  M: "not allowed while moving",
  N: "the position is outside the software limits",
  P: "not allowed while tracking",
  S: "communication time-out inside the controller",
  U: "the controller's memory could not be read or written",
  V: "the command failed",
  W: "not for this kind of controller (PP)",
  X: "not for this kind of controller (CC)",
};

export function errorInWords(letter: string): string {
  return `${ERRORS[letter] ?? "unknown error"} (${letter})`;
}

const POSITIONER_ERRORS: readonly (readonly [number, string])[] = [
  [0x0200, "80 W output power exceeded"],
  [0x0100, "supply voltage too low"],
  [0x0080, "wrong stage"],
  [0x0040, "the reference was not found in time"],
  [0x0020, "following error: the stage could not follow"],
  [0x0010, "short circuit"],
  [0x0008, "motor current limit (RMS)"],
  [0x0004, "motor current limit (peak)"],
  [0x0002, "positive end of run reached (limit switch)"],
  [0x0001, "negative end of run reached (limit switch)"],
];

export function positionerErrorsInWords(bits: number): string[] {
  const words = POSITIONER_ERRORS.filter(([bit]) => (bits & bit) !== 0).map(([, text]) => text);
  const known = POSITIONER_ERRORS.reduce((all, [bit]) => all | bit, 0);
  return (bits & ~known) === 0 ? words : [...words, `unknown error bits 0x${(bits & ~known).toString(16)}`];
}

export type NewportCondition = "not-referenced" | "configuration" | "homing" | "moving" | "ready" | "disabled";

/** What a state number means, or undefined for one that the manuals do not know. */
export function conditionOf(state: number): NewportCondition | undefined {
  if (state >= 0x0a && state <= 0x11) {
    return "not-referenced";
  }
  if (state === 0x14) {
    return "configuration";
  }
  if (state === 0x1e || state === 0x1f) {
    return "homing";
  }
  // 46 and 47 are jogging, or tracking on the CONEX-CC; 48 is simulation.
  if (state === 0x28 || state === 0x46 || state === 0x47) {
    return "moving";
  }
  // 36 to 38 are the CONEX-CC's ready for tracking: an absolute move is obeyed as in the other ready states.
  if ((state >= 0x32 && state <= 0x38) || state === 0x48) {
    return "ready";
  }
  return state >= 0x3c && state <= 0x3f ? "disabled" : undefined;
}
