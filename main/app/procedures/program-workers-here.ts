import { fileURLToPath } from "node:url";
import { ProgramWorkers } from "../../evaluation/procedures/program-workers.ts";

const MODULE = fileURLToPath(new URL("./program-worker.ts", import.meta.url));

/** Workers that have every engine of the program. */
export function programWorkers(jobs: number, limit_s: number): ProgramWorkers {
  return new ProgramWorkers({ module: MODULE, jobs, limit_ms: limit_s * 1000 });
}
