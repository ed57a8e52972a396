import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ProcedureTask, procedureTaskSchema } from "../../contract/procedure-task.ts";
import { PROCEDURE_TIERS } from "../../contract/procedure-task.ts";

/** A task file that cannot be used; the message names the file, the line and the field. */
export class TaskFileError extends Error {
  override readonly name = "TaskFileError";
}

/** The file of a tier, in the folder of the tasks. */
export const tierFile = (tier: string): string => `${tier}.jsonl`;

/** Reads one file of tasks, a line each. @throws TaskFileError */
export async function readTaskFile(path: string): Promise<ProcedureTask[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new TaskFileError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  return text.split("\n").flatMap((line, i) => (line.trim() === "" ? [] : [readTask(line, `${path}, line ${i + 1}`)]));
}

function readTask(line: string, where: string): ProcedureTask {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    throw new TaskFileError(`${where}: no JSON; expected one task`);
  }
  const task = procedureTaskSchema.safeParse(json);
  if (task.success) return task.data;
  const problems = task.error.issues.map((issue) => `${issue.path.join(".") || "task"}: ${issue.message}`);
  throw new TaskFileError(`${where}: ${problems.join("; ")}`);
}

/** All tasks of a folder in the order of the tiers. @throws TaskFileError where an id is there twice or a file is damaged. */
export async function readTasks(folder: string): Promise<ProcedureTask[]> {
  const there = await readdir(folder).catch(() => [] as string[]);
  const files = PROCEDURE_TIERS.map(tierFile).filter((name) => there.includes(name));
  if (files.length === 0)
    throw new TaskFileError(`${folder} holds no tasks; expected ${PROCEDURE_TIERS.map(tierFile).join(", ")}`);
  const tasks = (await Promise.all(files.map((name) => readTaskFile(join(folder, name))))).flat();
  const ids = new Set<string>();
  for (const { id } of tasks) {
    if (ids.has(id)) throw new TaskFileError(`${folder}: the task ${id} is there twice`);
    ids.add(id);
  }
  return tasks;
}
