import { type ChildProcess, fork } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Worker processes of one module, which calls `serveUnits`. Some may be begun before anybody knows what they will be asked: loading takes
 * a worker as long as checking a plan takes its parent.
 */
export class WorkerProcesses {
  readonly #module: string;
  readonly #begun: ChildProcess[] = [];

  constructor(module: string) {
    this.#module = module;
  }

  begin(count: number): void {
    for (let one = 0; one < count; one++) this.#begun.push(this.#fork());
  }

  /** One that nobody has taken yet, begun or new. */
  take(): ChildProcess {
    for (let worker = this.#begun.shift(); worker !== undefined; worker = this.#begun.shift()) {
      if (worker.connected) return worker;
    }
    return this.#fork();
  }

  /** Ends those that nobody took: they have done nothing yet, and one that still loads would be waited for. */
  close(): void {
    for (const worker of this.#begun.splice(0)) worker.kill("SIGKILL");
  }

  #fork(): ChildProcess {
    const worker = fork(this.#module, [], {
      execArgv: [],
      env: workerEnvironment(),
      serialization: "advanced",
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    // One that cannot be begun is found to be gone when it is taken.
    worker.on("error", () => undefined);
    return worker;
  }
}

/**
 * A worker is given nothing that looks like a key: it computes, and talks to nobody. It keeps its compiled modules for the next one, which
 * then starts in half the time.
 */
function workerEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name));
  return { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"), ...Object.fromEntries(kept) };
}
