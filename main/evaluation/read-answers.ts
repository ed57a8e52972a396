import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type RecordedCall, readRecordedCalls } from "../contenders/recorded.ts";
import type { Unit } from "./unit.ts";

/** Where the calls for a unit may lie below a folder of answers, first match first. */
const places = ({ case: name, epoch }: Unit): string[] => [
  `${name}-e${epoch}.jsonl`,
  `${name}.jsonl`,
  join(`${name}-e${epoch}`, "events.jsonl"),
  join(name, "events.jsonl"),
  "events.jsonl",
];

/**
 * The calls that `recorded` makes in a unit: from a file for every unit, or from a folder with one file or run folder for each case, or
 * from one run's folder. Throws naming what was looked for.
 */
export function readAnswers(answers: string | undefined, unit: Unit): RecordedCall[] {
  if (answers === undefined) throw new Error("recorded has no answers; expected a file or a folder of them");
  if (!existsSync(answers)) throw new Error(`${answers}: there is no such file or folder of answers`);
  const path = statSync(answers).isDirectory()
    ? places(unit)
        .map((place) => join(answers, place))
        .find((place) => existsSync(place))
    : answers;
  if (path === undefined) throw new Error(`${answers}: no answers for case ${unit.case}; expected ${unit.case}.jsonl`);
  return readRecordedCalls(readFileSync(path, "utf8"), path);
}
