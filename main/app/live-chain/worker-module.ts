import { getPriority, setPriority } from "node:os";
import { extname } from "node:path";
import { parentPort, type Transferable } from "node:worker_threads";
import type { WorkerAnswer } from "./worker-line.ts";

/** The module of a worker, which lies beside this one, as source or built. */
export function workerModule(name: "frame-worker" | "world-worker"): URL {
  return new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);
}

/** How much less this thread weighs than the host's own, in steps of the scheduler. */
const STEPS_BELOW_HOST = 3;

/**
 * Lets the host's thread go first where threads have priorities of their own: with fewer processors than threads a call or a STOP would wait
 * until a frame is done.
 */
function yieldToHost(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(Math.min(19, getPriority() + STEPS_BELOW_HOST));
  } catch {
    // Where that is not allowed, all threads weigh the same.
  }
}

/**
 * Answers every request of the thread that started this worker.
 *
 * @param moved what of an answer, with its request, is moved to that thread rather than copied
 */
export function answerRequests<Request, Answer>(
  answer: (request: Request) => Answer,
  moved: (value: Answer, request: Request) => readonly Transferable[] = () => [],
): void {
  const port = parentPort;
  if (port === null) throw new Error("this module runs in a worker thread alone");
  yieldToHost();
  port.on("message", (request: Request) => {
    try {
      const value = answer(request);
      port.postMessage({ value } satisfies WorkerAnswer<Answer>, moved(value, request));
    } catch (error) {
      port.postMessage({ error } satisfies WorkerAnswer<Answer>);
    }
  });
}
