import type { FrameLoops } from "./simulated-run.ts";
import { UnitWork } from "./unit-work.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/**
 * Makes this process one that runs units, one at a time, as its parent asks. It is a process and not a thread: a crash of native code ends
 * the unit that caused it and no other.
 */
export function serveUnits(loops: FrameLoops = {}): void {
  let work: UnitWork | undefined;
  const answer = async (message: ToWorker): Promise<void> => {
    if (message.type === "setup") {
      work = new UnitWork(message.setup, loops);
      return;
    }
    let reply: FromWorker;
    try {
      if (work === undefined) throw new Error("the worker was not set up");
      reply = { type: "done", digest: await work.do(message) };
    } catch (error) {
      reply = { type: "broken", message: error instanceof Error ? error.message : String(error) };
    }
    process.send?.(reply);
  };
  process.on("message", (message: ToWorker) => void answer(message));
  // Nobody waits for the unit any more; its unfinished folder is left behind and counts for nothing.
  process.on("disconnect", () => process.exit());
  // The parent decides what an interrupt from the terminal means, for all of its workers.
  process.on("SIGINT", () => undefined);
}
