import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FromWorker, ToWorker, WorkerSetup, WorkerTask } from "./worker-messages.ts";

/** A worker that is there wherever this file is. */
export const USUAL_WORKER = fileURLToPath(new URL("./unit-worker.ts", import.meta.url));

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

/**
 * A worker is given nothing that looks like a key: it computes, and talks to nobody. It keeps its compiled modules for the next one, which
 * then starts in half the time.
 */
function workerEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name));
  return { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"), ...Object.fromEntries(kept) };
}

/** Workers that take tasks in the order in which they were given. One that dies is replaced; its task ends as `crashed`. */
export class WorkerPool {
  readonly #setup: WorkerSetup;
  readonly #jobs: number;
  readonly #module: string;
  readonly #waiting: Waiting[] = [];
  readonly #workers = new Map<ChildProcess, Waiting | undefined>();
  #closed = false;

  /** `module`: what a worker runs; it calls `serveUnits`. */
  constructor(setup: WorkerSetup, jobs: number, module: string) {
    this.#module = module;
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
    const worker = fork(this.#module, [], {
      execArgv: [],
      env: workerEnvironment(),
      serialization: "advanced",
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
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
