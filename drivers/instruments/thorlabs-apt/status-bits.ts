import type { AxisFault } from "../../transport/axis.ts";

/**
 * Bits of the status word. Public drivers disagree on which of 0x1/0x2 and 0x10/0x20 is forward: nothing here depends on it.
 */
const MOVING = 0x10 | 0x20 | 0x40 | 0x80 | 0x200;
const HOMED = 0x400;
const HARDWARE_SWITCHES = 0x1 | 0x2;
const SOFTWARE_LIMITS = 0x4 | 0x8;
const MOTION_ERROR = 0x4000;
const INTERLOCK = 0x1_0000;
const TOO_HOT = 0x2_0000;
const CURRENT_LIMIT = 0x100_0000;
const ENCODER_FAULT = 0x200_0000;
const ERROR = 0x4000_0000;
const ENABLED = 0x8000_0000;

export function isMoving(bits: number): boolean {
  return (bits & MOVING) !== 0;
}

export function isHomed(bits: number): boolean {
  return (bits & HOMED) !== 0;
}

export function isEnabled(bits: number): boolean {
  return (bits & ENABLED) !== 0;
}

export function faultIn(bits: number): AxisFault | undefined {
  const reply = `0x${(bits >>> 0).toString(16).padStart(8, "0")}`;
  const faults: readonly [number, AxisFault["code"], string][] = [
    [MOTION_ERROR, "position_error", "the motor could not follow its target (motion error)"],
    [CURRENT_LIMIT, "position_error", "the motor reached its current limit: something blocks the stage"],
    [ENCODER_FAULT, "faulted", "encoder fault"],
    [INTERLOCK, "faulted", "the interlock is open"],
    [TOO_HOT, "faulted", "the controller is too hot"],
    [ERROR, "faulted", "the controller reports an error"],
  ];
  const found = faults.find(([bit]) => (bits & bit) !== 0);
  return found === undefined ? undefined : { code: found[1], message: found[2], reply };
}

export function warningsIn(bits: number): string[] {
  const warnings: string[] = [];
  if ((bits & HARDWARE_SWITCHES) !== 0) {
    warnings.push("the stage stands on a limit switch");
  }
  if ((bits & SOFTWARE_LIMITS) !== 0) {
    warnings.push("the stage stands at a software limit of its controller");
  }
  if (!isEnabled(bits)) {
    warnings.push("the motor is not enabled");
  }
  return warnings;
}
