/** GRBL's alarms and errors in words. Source: https://github.com/gnea/grbl doc/csv and doc/markdown/interface.md. */
import type { AxisFault } from "../../transport/axis.ts";

const ALARMS: Readonly<Record<number, readonly [AxisFault["code"], string]>> = {
  1: ["position_lost", "a limit switch was hit: the position is lost"],
  2: ["out_of_range", "the target lies beyond the soft limits"],
  3: ["position_lost", "the controller was reset in motion: the position is lost"],
  4: ["faulted", "the probe was not in its expected state"],
  5: ["faulted", "the probe made no contact"],
  6: ["position_lost", "homing was interrupted by a reset"],
  7: ["position_lost", "the safety door was opened during homing"],
  8: ["position_error", "homing failed: the switch did not open when the stage pulled off"],
  9: ["position_error", "homing failed: the limit switch was not found"],
  10: ["position_error", "homing failed: the second switch of a dual axis was not found"],
};

/** Alarms after which the machine coordinates still hold. */
const KEEPS_POSITION = new Set([2, 4, 5]);

export function alarmFault(number: number): AxisFault {
  const [code, words] = ALARMS[number] ?? ["faulted", "the controller raised an alarm"];
  return { code, message: `${words} (ALARM:${number})`, reply: `ALARM:${number}` };
}

/** Alarms after which the controller hears nothing but a reset. Source: grbl/protocol.c, protocol_exec_rt_system. */
const DEMANDS_RESET = new Set([1, 2]);

export function demandsReset(alarm: number): boolean {
  return DEMANDS_RESET.has(alarm);
}

export function keepsPosition(alarm: number): boolean {
  return KEEPS_POSITION.has(alarm);
}

const ERRORS: Readonly<Record<number, string>> = {
  1: "a letter was expected",
  2: "a number is malformed",
  3: "unknown command",
  4: "a negative value is not allowed",
  5: "homing is switched off in the controller's settings ($22)",
  8: "the controller is not idle",
  9: "the controller is locked",
  10: "soft limits need homing",
  11: "the line is too long",
  12: "the step rate is too high",
  13: "the safety door is open",
  14: "the line is too long for the memory",
  15: "the target lies beyond the travel ($130)",
  16: "malformed jog",
  17: "laser mode needs a PWM output",
  20: "unsupported command",
  21: "two commands of one group in a line",
  22: "no feed rate",
  23: "a whole number was expected",
  24: "two commands both use the axis words",
  25: "a word was repeated",
  26: "no axis words",
  27: "invalid line number",
  28: "a value is missing",
  29: "unsupported coordinate system",
  30: "not allowed in this mode of motion",
  31: "unused axis words",
  32: "no axis words in the plane",
  33: "invalid target",
  34: "invalid arc radius",
  35: "no offsets in the plane",
  36: "unused words",
  37: "invalid tool length axis",
  38: "tool number too high",
};

export function errorInWords(number: number): string {
  return `${ERRORS[number] ?? "unknown error"} (error:${number})`;
}
