import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkOrder, WorkReport } from "./worker-messages.ts";

/** How an order ended. `crashed`: the worker died over it. `timed_out`: it was killed with everything that it had started. */
export type OrderEnd =
  | WorkReport
  | { readonly type: "crashed"; readonly message: string }
  | { readonly type: "timed_out"; readonly message: string }
  | { readonly type: "called_off" };

interface Waiting {
  readonly order: WorkOrder;
  readonly end: (end: OrderEnd) => void;
}

interface Worker {
  readonly process: ChildProcess;
  current?: Waiting | undefined;
  timer?: NodeJS.Timeout | undefined;
}

export interface ProgramWorkersOptions {
  /** What a worker runs; it calls `servePrograms`. */
  readonly module: string;
  readonly jobs: number;
  /** Host time that an order may take, the start of its worker included. */
  readonly limit_ms: number;
}

/** A worker is given nothing that looks like a key: the programs of models run in it. */
function workerEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name));
  return { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"), ...Object.fromEntries(kept) };
}

/** Ends a process and everything that it started, at once. */
function killTree({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === "win32") {
    spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore" });
    return;
  }
  try {
    // A worker leads a group of its own, which its children inherit.
    process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}

/**
 * Processes that run programs, one at a time each, in the order in which they were given. One that takes too long is killed with its whole
 * tree, one that dies is replaced; the order that it was at ends so, and no other.
 */
export class ProgramWorkers {
  readonly #options: ProgramWorkersOptions;
  readonly #waiting: Waiting[] = [];
  readonly #workers = new Set<Worker>();
  #closed = false;

  constructor(options: ProgramWorkersOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  do(order: WorkOrder): Promise<OrderEnd> {
    return new Promise((resolve) => {
      if (this.#closed) resolve({ type: "called_off" });
      else {
        this.#waiting.push({ order, end: resolve });
        this.#next();
      }
    });
  }

  /** Kills the workers; what they were at ends as called off. Resolves when they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { end } of this.#waiting.splice(0)) end({ type: "called_off" });
    const gone = [...this.#workers].map(async (worker) => {
      const exit = once(worker.process, "exit");
      this.#end(worker, { type: "called_off" });
      killTree(worker.process);
      await exit;
    });
    await Promise.all(gone);
  }

  #next(): void {
    if (this.#closed) return;
    for (const worker of this.#workers) if (worker.current === undefined) this.#give(worker);
    while (this.#waiting.length > 0 && this.#workers.size < this.#options.jobs) this.#give(this.#start());
  }

  #give(worker: Worker): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    worker.current = waiting;
    const { limit_ms } = this.#options;
    worker.timer = setTimeout(() => {
      this.#workers.delete(worker);
      killTree(worker.process);
      this.#end(worker, {
        type: "timed_out",
        message: `the program ran longer than ${limit_ms / 1000} s and was ended with everything that it had started`,
      });
      this.#next();
    }, limit_ms);
    worker.process.send(waiting.order);
  }

  #end(worker: Worker, end: OrderEnd): void {
    clearTimeout(worker.timer);
    const { current } = worker;
    worker.current = undefined;
    current?.end(end);
  }

  #start(): Worker {
    const child = fork(this.#options.module, [], {
      detached: process.platform !== "win32",
      execArgv: [],
      env: workerEnvironment(),
      serialization: "advanced",
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const worker: Worker = { process: child };
    this.#workers.add(worker);
    child.on("message", (report: WorkReport) => {
      this.#end(worker, report);
      this.#next();
    });
    const gone = (what: string): void => {
      if (!this.#workers.delete(worker)) return;
      killTree(child);
      this.#end(worker, { type: "crashed", message: `the worker process ended ${what}` });
      this.#next();
    };
    child.on("error", (error) => gone(`with ${error.message}`));
    child.on("exit", (status, signal) => gone(signal === null ? `with status ${status ?? 0}` : `by ${signal}`));
    return worker;
  }
}
