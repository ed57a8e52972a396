/** Zaber's warning flags and rejections in words. Source: the two protocol manuals named in `message.ts`. */
import type { AxisFault } from "../../transport/axis.ts";

interface FlagMeaning {
  readonly words: string;
  /** Present for the flags that mean that motion has stopped or is not possible. */
  readonly fault?: AxisFault["code"];
}

const FLAGS: Readonly<Record<string, FlagMeaning>> = {
  FF: { words: "critical system error", fault: "faulted" },
  FN: { words: "the peripheral is not supported", fault: "faulted" },
  FZ: { words: "the peripheral is inactive", fault: "faulted" },
  FH: { words: "the hardware emergency stop is pressed", fault: "faulted" },
  FV: { words: "supply voltage out of range", fault: "faulted" },
  FO: { words: "the motor driver is switched off", fault: "faulted" },
  FC: { words: "inrush current too high", fault: "faulted" },
  FM: { words: "the motor is too hot", fault: "faulted" },
  FD: { words: "the motor driver was disabled (temperature or current)", fault: "faulted" },
  FQ: { words: "encoder error", fault: "faulted" },
  FI: { words: "index mark error", fault: "faulted" },
  FA: { words: "analog encoder out of step", fault: "faulted" },
  FR: { words: "overdrive limit exceeded", fault: "faulted" },
  FS: { words: "the stage stalled and was stopped", fault: "position_error" },
  FB: { words: "the stream left its bounds", fault: "position_error" },
  FP: { words: "the path deviates from the interpolated one", fault: "position_error" },
  FE: { words: "a limit sensor stopped the stage", fault: "position_error" },
  FT: { words: "excessive twist of the two motors", fault: "position_error" },
  WL: { words: "a limit sensor was triggered unexpectedly: the position may be wrong" },
  WV: { words: "supply voltage out of range" },
  WT: { words: "the controller is hot" },
  WS: { words: "the stage stalled and recovered" },
  WM: { words: "the stage was displaced while it stood still" },
  WP: { words: "the calibration does not fit the device" },
  WR: { words: "no reference position: home the stage" },
  WH: { words: "the stage has not been homed since it was switched on" },
  NC: { words: "the stage is moved by hand" },
  NI: { words: "the last movement was interrupted" },
  ND: { words: "gap in the stream of movements" },
  NR: { words: "a value was rounded" },
  NT: { words: "a value was cut to its limit" },
  NU: { words: "a changed setting is waiting to take effect" },
  NJ: { words: "the joystick is being calibrated" },
  NB: { words: "firmware update under way" },
};

/** Flags that are a matter of course after a stop or for a stage that is not homed; they warn nobody. */
const EXPECTED = new Set(["NI", "WR"]);

/** Flags that rank below WR (no reference): where one of them shows, the reference is there. */
const BELOW_REFERENCE = new Set(["--", "WR", "WH", "NC", "NI", "ND", "NR", "NT", "NU", "NJ", "NB"]);

/** Whether a reply with this flag leaves open if the reference is there. */
export function hidesReference(flag: string): boolean {
  return !BELOW_REFERENCE.has(flag);
}

export function faultOf(flag: string, reply: string): AxisFault | undefined {
  const meaning = FLAGS[flag];
  return meaning?.fault === undefined
    ? undefined
    : { code: meaning.fault, message: `${meaning.words} (${flag})`, reply };
}

export function warningOf(flag: string): string | undefined {
  if (flag === "--" || EXPECTED.has(flag)) {
    return undefined;
  }
  const meaning = FLAGS[flag];
  return meaning === undefined ? `unknown warning flag ${flag}` : `${meaning.words} (${flag})`;
}

const REJECTIONS: Readonly<Record<string, string>> = {
  AGAIN: "the command cannot be carried out at this moment",
  BADAXIS: "the device has no such axis: check axis in the bench file",
  BADCOMMAND: "the device does not know the command",
  BADDATA: "a value is malformed or out of range",
  BADMESSAGEID: "the message number is not valid",
  DEVICEONLY: "the command is for the device, not for an axis",
  DRIVERDISABLED: "the motor driver is disabled",
  FULL: "there is no room for more",
  LOCKSTEP: "the axis belongs to a lockstep group",
  NOACCESS: "the access level does not allow it",
  PARKED: "the stage is parked",
  STATUSBUSY: "the device is busy",
};

export function rejectionInWords(reason: string): string {
  return `${REJECTIONS[reason] ?? "the device rejected the command"} (${reason})`;
}
