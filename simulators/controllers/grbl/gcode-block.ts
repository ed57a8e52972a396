/**
 * One line of G-code as GRBL 1.1 reads it: word by word, then the checks of what stands together.
 *
 * Source: https://github.com/gnea/grbl, grbl/gcode.c (order of the checks), doc/csv/error_codes_en_US.csv (their numbers).
 */
export type MotionMode = "G0" | "G1" | "G2" | "G3" | "G38.2" | "G38.3" | "G38.4" | "G38.5" | "G80";
export type NonModal = "G4" | "G10" | "G28" | "G28.1" | "G30" | "G30.1" | "G53" | "G92" | "G92.1";

/** What holds until it is changed. */
export interface Modal {
  readonly motion: MotionMode;
  readonly plane: "G17" | "G18" | "G19";
  readonly inches: boolean;
  readonly absolute: boolean;
  readonly inverseTime: boolean;
  /** Index of the work coordinate system: 0 for G54. */
  readonly coordinates: number;
  readonly spindle: "M3" | "M4" | "M5";
  readonly coolant: "M8" | "M9";
}

export const FIRST_MODAL: Modal = {
  motion: "G0",
  plane: "G17",
  inches: false,
  absolute: true,
  inverseTime: false,
  coordinates: 0,
  spindle: "M5",
  coolant: "M9",
};

export interface Block {
  readonly modal: Modal;
  readonly nonModal: NonModal | undefined;
  readonly toolLength: "set" | "cancel" | undefined;
  readonly programFlow: "pause" | "end" | undefined;
  /** Whether the axis words are the target of a motion. */
  readonly moves: boolean;
  /** Axis words in mm; R, I, J, K in the units of the line; F in mm/min. */
  readonly values: ReadonlyMap<string, number>;
}

const MM_PER_INCH = 25.4;
const COORDINATE_SYSTEMS = 6;
const LINE_NUMBER_MAX = 10_000_000;
const TOOL_MAX = 255;
const AXES = ["X", "Y", "Z"] as const;
const VALUE_LETTERS = "FIJKLNPRSTXYZ";
const NEVER_NEGATIVE = "FNPTS";
const PROBES = new Set(["G38.2", "G38.3", "G38.4", "G38.5"]);
const PLANE_AXES = { G17: ["X", "Y"], G18: ["Z", "X"], G19: ["Y", "Z"] } as const;
const PLANE_OFFSETS = { G17: ["I", "J"], G18: ["K", "I"], G19: ["J", "K"] } as const;

type AxisCommand = "none" | "non-modal" | "motion" | "tool length";

interface Draft {
  modal: Modal;
  nonModal: NonModal | undefined;
  toolLength: "set" | "cancel" | undefined;
  programFlow: "pause" | "end" | undefined;
  axisCommand: AxisCommand;
  readonly groups: Set<string>;
  readonly values: Map<string, number>;
}

/** @returns the block, or the number of the error in the line. */
export function readBlock(line: string, before: Modal, feed_mm_min: number, isJog: boolean): Block | number {
  const draft: Draft = {
    modal: isJog ? { ...before, motion: "G1", inverseTime: false } : before,
    nonModal: undefined,
    toolLength: undefined,
    programFlow: undefined,
    axisCommand: "none",
    groups: new Set(),
    values: new Map(),
  };
  const error = readWords(line, draft) ?? check(draft, before, feed_mm_min, isJog);
  if (error !== undefined) {
    return error;
  }
  const { modal, nonModal, toolLength, programFlow, values } = draft;
  const moves = draft.axisCommand === "motion" && AXES.some((axis) => values.has(axis));
  return { modal, nonModal, toolLength, programFlow, moves, values };
}

function readWords(line: string, draft: Draft): number | undefined {
  let rest = line;
  while (rest !== "") {
    const letter = rest.charAt(0);
    if (!/[A-Z]/.test(letter)) {
      return 1;
    }
    const text = /^[+-]?(?:\d+\.?\d*|\.\d+)/.exec(rest.slice(1))?.[0];
    if (text === undefined) {
      return 2;
    }
    rest = rest.slice(1 + text.length);
    const value = Number(text);
    let error: number | undefined;
    if (letter === "G") {
      error = readG(value, draft);
    } else if (letter === "M") {
      error = readM(value, draft);
    } else {
      error = readValue(letter, value, draft);
    }
    if (error !== undefined) {
      return error;
    }
  }
  return undefined;
}

function readValue(letter: string, value: number, draft: Draft): number | undefined {
  if (!VALUE_LETTERS.includes(letter)) {
    return 20;
  }
  if (letter === "T" && value > TOOL_MAX) {
    return 38;
  }
  if (draft.values.has(letter)) {
    return 25;
  }
  if (NEVER_NEGATIVE.includes(letter) && value < 0) {
    return 4;
  }
  draft.values.set(letter, value);
  return undefined;
}

/** Notes a command of a modal group; no group may stand twice in a line. */
function note(group: string, draft: Draft): number | undefined {
  if (draft.groups.has(group)) {
    return 21;
  }
  draft.groups.add(group);
  return undefined;
}

function claimAxes(command: AxisCommand, draft: Draft): number | undefined {
  if (draft.axisCommand !== "none") {
    return 24;
  }
  draft.axisCommand = command;
  return undefined;
}

function readG(value: number, draft: Draft): number | undefined {
  const whole = Math.trunc(value);
  const fraction = Math.round(100 * (value - whole));
  const name = fraction === 0 ? `G${whole}` : `G${whole}.${fraction % 10 === 0 ? fraction / 10 : fraction}`;
  switch (name) {
    case "G10":
    case "G28":
    case "G30":
    case "G92": {
      const error = claimAxes("non-modal", draft);
      draft.nonModal = name;
      return error ?? note("G0", draft);
    }
    case "G4":
    case "G53":
    case "G28.1":
    case "G30.1":
    case "G92.1":
      draft.nonModal = name;
      return note("G0", draft);
    case "G0":
    case "G1":
    case "G2":
    case "G3":
    case "G38.2":
    case "G38.3":
    case "G38.4":
    case "G38.5": {
      const error = claimAxes("motion", draft);
      draft.modal = { ...draft.modal, motion: name };
      return error ?? note("G1", draft);
    }
    case "G80":
      draft.modal = { ...draft.modal, motion: "G80" };
      return note("G1", draft);
    case "G17":
    case "G18":
    case "G19":
      draft.modal = { ...draft.modal, plane: name };
      return note("G2", draft);
    case "G90":
    case "G91":
      draft.modal = { ...draft.modal, absolute: name === "G90" };
      return note("G3", draft);
    case "G91.1":
      return note("G4", draft);
    case "G93":
    case "G94":
      draft.modal = { ...draft.modal, inverseTime: name === "G93" };
      return note("G5", draft);
    case "G20":
    case "G21":
      draft.modal = { ...draft.modal, inches: name === "G20" };
      return note("G6", draft);
    case "G40":
      return note("G7", draft);
    case "G43.1":
    case "G49": {
      const error = claimAxes("tool length", draft);
      draft.toolLength = name === "G49" ? "cancel" : "set";
      return error ?? note("G8", draft);
    }
    case "G54":
    case "G55":
    case "G56":
    case "G57":
    case "G58":
    case "G59":
      draft.modal = { ...draft.modal, coordinates: whole - 54 };
      return note("G12", draft);
    case "G61":
      return note("G13", draft);
    default:
      return isWholeCommand(whole) ? 23 : 20;
  }
}

/** Commands that exist, but not with a fraction. */
function isWholeCommand(whole: number): boolean {
  return [0, 1, 2, 3, 4, 10, 17, 18, 19, 20, 21, 40, 49, 53, 54, 55, 56, 57, 58, 59, 80, 93, 94].includes(whole);
}

function readM(value: number, draft: Draft): number | undefined {
  if (!Number.isInteger(value)) {
    return 23;
  }
  switch (value) {
    case 0:
    case 1:
    case 2:
    case 30:
      if (value !== 1) {
        draft.programFlow = value === 0 ? "pause" : "end";
      }
      return note("M4", draft);
    case 3:
    case 4:
    case 5:
      draft.modal = { ...draft.modal, spindle: `M${value}` };
      return note("M7", draft);
    case 8:
    case 9:
      draft.modal = { ...draft.modal, coolant: `M${value}` };
      return note("M8", draft);
    default:
      return 20;
  }
}

function check(draft: Draft, before: Modal, feed_mm_min: number, isJog: boolean): number | undefined {
  const { values } = draft;
  const hasAxes = AXES.some((axis) => values.has(axis));
  if (hasAxes && draft.axisCommand === "none") {
    draft.axisCommand = "motion";
  }
  if ((values.get("N") ?? 0) > LINE_NUMBER_MAX) {
    return 27;
  }
  const used = new Set(["N", "F", ...(isJog ? [] : ["S", "T"])]);
  const error =
    checkFeed(draft, before, feed_mm_min, isJog) ??
    checkNonModal(draft, hasAxes, used) ??
    checkMotion(draft, hasAxes, used);
  if (error !== undefined) {
    return error;
  }
  if (isJog && !hasAxes) {
    return 26;
  }
  if (draft.axisCommand !== "none") {
    for (const axis of AXES) {
      used.add(axis);
    }
  }
  if ([...values.keys()].some((letter) => !used.has(letter))) {
    return 36;
  }
  const forbidden = [...draft.groups].some((group) => group !== "G0" && group !== "G3" && group !== "G6");
  if (isJog && (forbidden || (draft.nonModal !== undefined && draft.nonModal !== "G53"))) {
    return 16;
  }
  return undefined;
}

/** Leaves F in mm/min, and the axis words in mm. */
function checkFeed(draft: Draft, before: Modal, feed_mm_min: number, isJog: boolean): number | undefined {
  const { values, modal } = draft;
  const unit = modal.inches ? MM_PER_INCH : 1;
  for (const axis of AXES) {
    const value = values.get(axis);
    if (value !== undefined) {
      values.set(axis, value * unit);
    }
  }
  const feed = values.get("F");
  if (isJog && feed === undefined) {
    return 22;
  }
  if (modal.inverseTime) {
    const needs = draft.axisCommand === "motion" && modal.motion !== "G80" && modal.motion !== "G0";
    return needs && feed === undefined ? 22 : undefined;
  }
  if (feed !== undefined) {
    values.set("F", feed * unit);
  } else if (!before.inverseTime) {
    values.set("F", feed_mm_min);
  }
  return undefined;
}

function checkNonModal(draft: Draft, hasAxes: boolean, used: Set<string>): number | undefined {
  const { values, nonModal } = draft;
  if (nonModal === "G4") {
    used.add("P");
    return values.has("P") ? undefined : 28;
  }
  if (draft.toolLength === "set" && (!values.has("Z") || values.has("X") || values.has("Y"))) {
    return 37;
  }
  if ((nonModal === "G10" || nonModal === "G92") && !hasAxes) {
    return 26;
  }
  if (nonModal === "G10") {
    if (!values.has("P") && !values.has("L")) {
      return 28;
    }
    if (Math.trunc(values.get("P") ?? 0) > COORDINATE_SYSTEMS) {
      return 29;
    }
    const kind = values.get("L");
    if ((kind !== 2 && kind !== 20) || (kind === 2 && values.has("R"))) {
      return 20;
    }
    used.add("L").add("P");
  }
  if (nonModal === "G53" && draft.modal.motion !== "G0" && draft.modal.motion !== "G1") {
    return 30;
  }
  if ((nonModal === "G28" || nonModal === "G30") && !hasAxes) {
    draft.axisCommand = "none";
  }
  return undefined;
}

function checkMotion(draft: Draft, hasAxes: boolean, used: Set<string>): number | undefined {
  const { values, modal } = draft;
  if (modal.motion === "G80") {
    return hasAxes ? 31 : undefined;
  }
  if (draft.axisCommand !== "motion" || modal.motion === "G0") {
    return undefined;
  }
  if ((values.get("F") ?? 0) === 0) {
    return 22;
  }
  if (modal.motion === "G1") {
    return undefined;
  }
  if (!hasAxes) {
    return 26;
  }
  if (PROBES.has(modal.motion)) {
    // No probe is emulated.
    return 20;
  }
  if (!PLANE_AXES[modal.plane].some((axis) => values.has(axis))) {
    return 32;
  }
  if (!values.has("R") && !PLANE_OFFSETS[modal.plane].some((offset) => values.has(offset))) {
    return 35;
  }
  used.add("R").add("I").add("J").add("K");
  // One axis draws no arc.
  return 20;
}
