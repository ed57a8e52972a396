import { extname } from "node:path";
import { parentPort, type Transferable } from "node:worker_threads";
import type { WorkerAnswer } from "./worker-line.ts";

/** The module of a worker, which lies beside this one, as source or built. */
export function workerModule(name: "frame-worker" | "world-worker"): URL {
  return new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);
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
  port.on("message", (request: Request) => {
    try {
      const value = answer(request);
      port.postMessage({ value } satisfies WorkerAnswer<Answer>, moved(value, request));
    } catch (error) {
      port.postMessage({ error } satisfies WorkerAnswer<Answer>);
    }
  });
}
