import { Worker } from "node:worker_threads";
import type { Cancellation } from "../../../drivers/protocol/cancellation.ts";

/** What a worker answers to each request, in their order. */
export type WorkerAnswer<Answer> = { readonly value: Answer } | { readonly error: unknown };

/** The worker ended before it had answered: by a fault, or because it was told to. */
export class WorkerEnded extends Error {
  override readonly name = "WorkerEnded";
}

export interface WorkerLineOptions {
  /** In words, as in "the worker that analyses frames". */
  readonly name: string;
  readonly module: URL;
  /** Handed to every worker of the line as it starts. */
  readonly data?: unknown;
}

interface Job<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
  /** The worker has nothing to do with the request any more. */
  readonly done: () => void;
}

/**
 * One worker thread that takes requests one by one. When it ends by a fault, the request that it was at fails with `WorkerEnded`; those that
 * wait go to a new worker. The line never keeps the process alive by itself.
 */
export class WorkerLine<Request, Answer> {
  readonly #options: WorkerLineOptions;
  readonly #waiting: Job<Request, Answer>[] = [];
  #worker: Worker | undefined;
  #current: Job<Request, Answer> | undefined;
  #closed = false;
  #started = 0;

  constructor(options: WorkerLineOptions) {
    this.#options = options;
  }

  /** Workers that were started, the first included. */
  get started(): number {
    return this.#started;
  }

  /** Starts the worker before its first request comes. */
  start(): void {
    if (!this.#closed) this.#worker ??= this.#newWorker();
  }

  /**
   * Resolves to the worker's answer. Rejects with what the worker threw, with `WorkerEnded`, or with the reason of the cancellation as
   * soon as that comes; a request that has begun is then finished for nobody.
   *
   * @param done called once, when the worker will not touch what the request names any more
   */
  do(request: Request, cancellation?: Cancellation, done: () => void = () => undefined): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        reject(reasonOf(cancellation));
        const at = this.#waiting.indexOf(job);
        if (at === -1) return;
        this.#waiting.splice(at, 1);
        job.done();
      };
      const job: Job<Request, Answer> = {
        request,
        resolve,
        reject,
        done: () => {
          cancellation?.removeEventListener("abort", cancel);
          done();
        },
      };
      if (this.#closed || cancellation?.aborted === true) {
        reject(this.#closed ? this.#ended("has been closed") : reasonOf(cancellation));
        done();
        return;
      }
      cancellation?.addEventListener("abort", cancel, { once: true });
      this.#waiting.push(job);
      this.#next();
    });
  }

  /** Ends the worker; what waits fails. Resolves when the thread is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    for (const job of [this.#current, ...this.#waiting.splice(0)]) {
      job?.reject(this.#ended("has been closed"));
      job?.done();
    }
    this.#current = undefined;
  }

  #ended(how: string): WorkerEnded {
    return new WorkerEnded(`${this.#options.name} ${how}`);
  }

  #next(): void {
    if (this.#current !== undefined || this.#closed) return;
    const job = this.#waiting.shift();
    if (job === undefined) {
      this.#worker?.unref();
      return;
    }
    this.#current = job;
    this.#worker ??= this.#newWorker();
    this.#worker.ref();
    try {
      this.#worker.postMessage(job.request);
    } catch (error) {
      this.#finish((current) => current.reject(error));
    }
  }

  #finish(settle: (job: Job<Request, Answer>) => void): void {
    const job = this.#current;
    this.#current = undefined;
    if (job !== undefined) {
      settle(job);
      job.done();
    }
    this.#next();
  }

  #newWorker(): Worker {
    const { module, data } = this.#options;
    const worker = new Worker(module, { workerData: data, execArgv: [] });
    this.#started += 1;
    worker.unref();
    let fault: string | undefined;
    worker.on("message", (answer: WorkerAnswer<Answer>) => {
      this.#finish((job) => {
        if ("value" in answer) job.resolve(answer.value);
        else job.reject(answer.error);
      });
    });
    worker.on("error", (error: unknown) => {
      fault = error instanceof Error ? error.message : String(error);
    });
    worker.on("exit", (status) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#finish((job) => job.reject(this.#ended(`ended (${fault ?? `exit status ${status}`})`)));
    });
    return worker;
  }
}

/** Why a request was called off, as an error. */
function reasonOf(cancellation: Cancellation | undefined): Error {
  const reason: unknown = cancellation?.reason;
  return reason instanceof Error ? reason : new Error(`called off: ${String(reason)}`);
}
