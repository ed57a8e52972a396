import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { allQuestions } from "./definitions/index.ts";
import { SUITE_HEAD } from "./definitions/suite-head.ts";
import { SUITE_FILE } from "./read-questions.ts";

const HEADING = "# Made by `caustic questions generate`; change main/evaluation/questions/definitions instead.\n";

const text = (value: object): string => HEADING + stringify(value, { lineWidth: 140, aliasDuplicateObjects: false });

/** The files of the suite by name, as the definitions and the simulator's truth make them today. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map([[SUITE_FILE, text(SUITE_HEAD)]]);
  for (const question of allQuestions()) files.set(`${question.id}.yaml`, text(question));
  return files;
}

const present = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".yaml")) : [];

/** Writes the suite into a folder and removes questions that are defined no more. Returns the names that changed. */
export function generateQuestions(folder: string): string[] {
  const changed = differences(folder);
  const files = generatedFiles();
  mkdirSync(folder, { recursive: true });
  for (const name of changed) {
    const written = files.get(name);
    if (written === undefined) rmSync(join(folder, name));
    else writeFileSync(join(folder, name), written);
  }
  return changed;
}

/** Files that are missing, superfluous or not as they would be made today. */
export function differences(folder: string): string[] {
  const files = generatedFiles();
  const names = new Set([...files.keys(), ...present(folder)]);
  return [...names]
    .filter((name) => {
      const path = join(folder, name);
      return !existsSync(path) || readFileSync(path, "utf8") !== files.get(name);
    })
    .sort();
}
