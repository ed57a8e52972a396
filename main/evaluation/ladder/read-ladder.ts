import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { z } from "zod";
import { type LadderSuite, ladderCaseSchema, ladderGoalSchema, ladderStartSchema } from "./ladder-case.ts";
import { lintLadder } from "./lint-ladder.ts";
import { RUNG_NAMES } from "./rungs.ts";

/** A suite that cannot be read or contradicts itself. `message` names the file and the place, and what was expected. */
export class LadderError extends Error {
  override readonly name = "LadderError";
}

const STARTS = "starts.yaml";
const GOALS = "goals.yaml";

function readYaml<Schema extends z.ZodType>(path: string, schema: Schema): z.infer<Schema> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new LadderError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined) throw new LadderError(`${path}: ${fault.message.split("\n", 1)[0] ?? "not YAML"}`);
  const value: unknown = document.toJS();
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const where = issue?.path ?? [];
  throw new LadderError(
    `${path}: ${where.map(String).join(".") || "the file"}${named(value, where)}: ${issue?.message ?? "does not fit"}`,
  );
}

/** The id of the entry that a fault lies in, since its number says little to a reader. */
function named(value: unknown, [place]: readonly PropertyKey[]): string {
  const entry: unknown = Array.isArray(value) && typeof place === "number" ? value[place] : undefined;
  const { id, goal } = (entry ?? {}) as { readonly id?: unknown; readonly goal?: unknown };
  const name = id ?? goal;
  return typeof name === "string" ? ` (${name})` : "";
}

/**
 * Reads `starts.yaml`, `goals.yaml` and one file a rung (`TOOL-3.yaml`) of a folder, and checks what they refer to.
 *
 * @throws LadderError naming the file, the case and the field, and what was expected.
 */
export function readLadder(folder: string): LadderSuite {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw new LadderError(`${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const expected = new Set([STARTS, GOALS, ...RUNG_NAMES.map((rung) => `${rung}.yaml`)]);
  const alien = names.find((name) => name.endsWith(".yaml") && !expected.has(name));
  if (alien !== undefined) throw new LadderError(`${join(folder, alien)}: expected ${[...expected].join(", ")}`);
  const suite: LadderSuite = {
    starts: readYaml(join(folder, STARTS), z.record(z.string(), ladderStartSchema)),
    goals: readYaml(join(folder, GOALS), z.array(ladderGoalSchema)),
    cases: RUNG_NAMES.filter((rung) => names.includes(`${rung}.yaml`)).flatMap((rung) => {
      const path = join(folder, `${rung}.yaml`);
      const cases = readYaml(path, z.array(ladderCaseSchema));
      const stray = cases.find((one) => one.rung !== rung);
      if (stray !== undefined)
        throw new LadderError(`${path}: case ${stray.id} is of rung ${stray.rung}, expected ${rung}`);
      return cases;
    }),
  };
  const [fault, ...more] = lintLadder(suite);
  if (fault === undefined) return suite;
  throw new LadderError(`${folder}: ${fault}${more.length === 0 ? "" : ` (and ${more.length} more)`}`);
}
