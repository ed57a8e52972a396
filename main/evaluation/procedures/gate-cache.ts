import { appendFileSync, readFileSync } from "node:fs";
import { type GateLine, gateLineSchema } from "./gate.ts";

/** Verdicts of the gate by their key. A line that a crash cut off is left out, and its task judged again. */
export function readGateLines(path: string): Map<string, GateLine> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return new Map();
  }
  const lines = text.split("\n").flatMap((line): [string, GateLine][] => {
    const read = gateLineSchema.safeParse(json(line));
    return read.success ? [[read.data.key, read.data]] : [];
  });
  return new Map(lines);
}

function json(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Adds a verdict; nothing that stands there is ever changed. */
export function appendGateLine(path: string, line: GateLine): void {
  appendFileSync(path, `${JSON.stringify(line)}\n`);
}
