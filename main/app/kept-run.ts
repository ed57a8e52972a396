import { existsSync } from "node:fs";
import { join } from "node:path";
import { readRun, type StoredRun } from "../store/run-folder.ts";
import { RUNS_FOLDER } from "./keep-run.ts";
import { UsageError } from "./usage-error.ts";

/**
 * The run that a command names: the path of its folder, or its id below `root`.
 *
 * @throws UsageError where there is no such run; Error naming the line where its journal is damaged.
 */
export function keptRun(name: string, root = RUNS_FOLDER): StoredRun {
  for (const folder of [name, join(root, name)]) if (existsSync(join(folder, "run.json"))) return readRun(folder);
  throw new UsageError(`${name}: no run there; expected a folder with run.json, or the id of a run in ${root}`);
}
