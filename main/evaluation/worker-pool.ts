import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { FromWorker, ToWorker, WorkerSetup, WorkerTask } from "./worker-messages.ts";
import type { WorkerProcesses } from "./worker-processes.ts";

/** `crashed`: the worker died over the task. `called_off`: the pool was closed first. */
export type TaskEnd =
  | FromWorker
  | { readonly type: "crashed"; readonly message: string; readonly pid: number }
  | { readonly type: "called_off" };

interface Waiting {
  readonly task: WorkerTask;
  readonly begin: () => void;
  readonly end: (end: TaskEnd) => void;
}

/** Workers that take tasks in the order in which they were given. One that dies is replaced; its task ends as `crashed`. */
export class WorkerPool {
  readonly #setup: WorkerSetup;
  readonly #jobs: number;
  readonly #processes: WorkerProcesses;
  readonly #waiting: Waiting[] = [];
  readonly #workers = new Map<ChildProcess, Waiting | undefined>();
  #closed = false;

  constructor(setup: WorkerSetup, jobs: number, processes: WorkerProcesses) {
    this.#processes = processes;
    this.#setup = setup;
    this.#jobs = jobs;
  }

  /** `begin` is called when a worker takes the task up. Never rejects. */
  do(task: WorkerTask, begin: () => void = () => undefined): Promise<TaskEnd> {
    return new Promise((resolve) => {
      this.#waiting.push({ task, begin, end: resolve });
      this.#next();
    });
  }

  /** Ends the workers; what they were at ends at once, as called off. Resolves when they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#processes.close();
    for (const { end } of this.#waiting.splice(0)) end({ type: "called_off" });
    const gone = [...this.#workers].map(async ([worker, current]) => {
      current?.end({ type: "called_off" });
      worker.removeAllListeners();
      if (worker.exitCode !== null || worker.signalCode !== null) return;
      const exit = once(worker, "exit");
      if (current === undefined) worker.disconnect();
      else worker.kill("SIGKILL");
      await exit;
    });
    this.#workers.clear();
    await Promise.all(gone);
  }

  #next(): void {
    if (this.#closed) return;
    for (const [worker, current] of this.#workers) {
      if (current === undefined) this.#give(worker);
    }
    while (this.#waiting.length > 0 && this.#workers.size < this.#jobs) this.#give(this.#start());
  }

  #give(worker: ChildProcess): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    this.#workers.set(worker, waiting);
    waiting.begin();
    worker.send(waiting.task satisfies ToWorker);
  }

  #start(): ChildProcess {
    const worker = this.#processes.take();
    this.#workers.set(worker, undefined);
    worker.send({ type: "setup", setup: this.#setup } satisfies ToWorker);
    worker.on("message", (reply: FromWorker) => {
      const current = this.#workers.get(worker);
      this.#workers.set(worker, undefined);
      current?.end(reply);
      this.#next();
    });
    const gone = (what: string): void => {
      const current = this.#workers.get(worker);
      if (!this.#workers.delete(worker)) return;
      current?.end({ type: "crashed", message: `the worker process ended ${what}`, pid: worker.pid ?? 0 });
      this.#next();
    };
    worker.on("error", (error) => gone(`with ${error.message}`));
    worker.on("exit", (status, signal) => gone(signal === null ? `with status ${status ?? 0}` : `by ${signal}`));
    return worker;
  }
}
