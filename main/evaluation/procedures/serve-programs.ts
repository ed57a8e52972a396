import type { ProcedureEngine } from "./engine.ts";
import { runAndJudge } from "./run-program.ts";
import type { WorkOrder, WorkReport } from "./worker-messages.ts";

async function carryOut(engines: readonly ProcedureEngine[], { engine: name, run }: WorkOrder): Promise<WorkReport> {
  try {
    const engine = engines.find((one) => one.name === name);
    if (engine === undefined) throw new RangeError(`the worker has no engine "${name}"`);
    return { type: "done", judged: await runAndJudge(engine, run) };
  } catch (error) {
    return { type: "broken", message: error instanceof Error ? error.message : String(error) };
  }
}

/** Makes this process one that runs programs, one at a time, as its parent asks. */
export function servePrograms(engines: readonly ProcedureEngine[]): void {
  process.on("message", (order: WorkOrder) => {
    void carryOut(engines, order).then((report) => process.send?.(report));
  });
  process.on("disconnect", () => process.exit());
  // The parent decides what an interrupt from the terminal means.
  process.on("SIGINT", () => undefined);
}
