/** Lines of GRBL 1.1. Source: https://github.com/gnea/grbl doc/markdown/interface.md. */

export interface GrblReport {
  readonly kind: "report";
  /** "Idle", "Jog", "Hold:0"… */
  readonly state: string;
  /** Machine or work position, as `positionIs` says; in the controller's unit. */
  readonly position: readonly number[];
  readonly positionIs: "machine" | "work";
  readonly workOffset?: readonly number[];
  readonly text: string;
}

export type GrblMessage =
  | GrblReport
  | { readonly kind: "ok"; readonly text: string }
  | { readonly kind: "error"; readonly number: number; readonly text: string }
  | { readonly kind: "alarm"; readonly number: number; readonly text: string }
  | { readonly kind: "banner"; readonly version: string; readonly text: string }
  | { readonly kind: "setting"; readonly number: number; readonly value: number; readonly text: string }
  | { readonly kind: "note"; readonly tag: string; readonly value: string; readonly text: string }
  | { readonly kind: "noise"; readonly text: string };

function numbersOf(text: string): number[] | undefined {
  const numbers = text.split(",").map((part) => (/^-?\d+(\.\d+)?$/.test(part) ? Number(part) : Number.NaN));
  return numbers.some(Number.isNaN) ? undefined : numbers;
}

function parseReport(text: string): GrblReport | undefined {
  const [state, ...fields] = text.slice(1, -1).split("|");
  let position: number[] | undefined;
  let positionIs: "machine" | "work" = "machine";
  let workOffset: number[] | undefined;
  for (const field of fields) {
    const [name, value = ""] = field.split(":");
    if (name === "MPos" || name === "WPos") {
      position = numbersOf(value);
      positionIs = name === "MPos" ? "machine" : "work";
    } else if (name === "WCO") {
      workOffset = numbersOf(value);
    }
  }
  if (state === undefined || !/^[A-Z][a-z]+(:\d)?$/.test(state) || position === undefined) {
    return undefined;
  }
  return { kind: "report", state, position, positionIs, ...(workOffset === undefined ? {} : { workOffset }), text };
}

export function parseGrblLine(line: string): GrblMessage {
  const text = line.trim();
  if (text === "ok") {
    return { kind: "ok", text };
  }
  const numbered = /^(error|ALARM):(\d+)$/.exec(text);
  if (numbered !== null) {
    return { kind: numbered[1] === "ALARM" ? "alarm" : "error", number: Number(numbered[2]), text };
  }
  const banner = /^Grbl (\S+) \[/.exec(text);
  if (banner?.[1] !== undefined) {
    return { kind: "banner", version: banner[1], text };
  }
  const setting = /^\$(\d+)=(-?\d+(?:\.\d+)?)$/.exec(text);
  if (setting !== null) {
    return { kind: "setting", number: Number(setting[1]), value: Number(setting[2]), text };
  }
  const note = /^\[([A-Z0-9]+):(.*)\]$/.exec(text);
  if (note?.[1] !== undefined) {
    return { kind: "note", tag: note[1], value: note[2] ?? "", text };
  }
  const report = text.startsWith("<") && text.endsWith(">") ? parseReport(text) : undefined;
  return report ?? { kind: "noise", text };
}
