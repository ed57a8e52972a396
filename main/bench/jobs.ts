import type { Clock } from "../../drivers/protocol/clock.ts";
import { BenchError, type BenchErrorShape } from "../contract/error-codes.ts";
import type { ToolName } from "../contract/tools.ts";

export type JobOutcome =
  | { readonly output: Record<string, unknown>; readonly error?: never }
  | { readonly error: BenchErrorShape; readonly output?: never };

export interface Job {
  readonly job: string;
  readonly tool: ToolName;
  /** seq of the `tool_called` event. */
  readonly call: number;
  /** Absent while it runs. */
  readonly outcome?: JobOutcome;
  /** 0…1. */
  readonly progress: number;
}

interface StoredJob {
  readonly job: string;
  readonly tool: ToolName;
  readonly call: number;
  readonly ended: Promise<void>;
  end: () => void;
  outcome?: JobOutcome;
  progress: number;
}

/** Work that goes on after its call was answered. */
export class Jobs {
  readonly #hostClock: Clock;
  readonly #jobs = new Map<string, StoredJob>();

  constructor(hostClock: Clock) {
    this.#hostClock = hostClock;
  }

  start(tool: ToolName, call: number, progress: number): string {
    const job = `j${String(this.#jobs.size + 1).padStart(3, "0")}`;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#jobs.set(job, { job, tool, call, ended, end, progress });
    return job;
  }

  progress(call: number, fraction: number): void {
    for (const job of this.#jobs.values()) if (job.call === call) job.progress = fraction;
  }

  /** The job that a call became, if it did. */
  ofCall(call: number): string | undefined {
    for (const job of this.#jobs.values()) if (job.call === call) return job.job;
    return undefined;
  }

  end(id: string, outcome: JobOutcome): void {
    const job = this.#get(id);
    job.outcome = outcome;
    job.end();
  }

  /** Waits at most `wait_ms` of host time for the job to end. Throws `unknown_id`. */
  async status(id: string, wait_ms: number): Promise<Job> {
    const job = this.#get(id);
    if (job.outcome === undefined && wait_ms > 0) {
      const enough = new AbortController();
      await Promise.race([job.ended, this.#hostClock.wait(wait_ms, enough.signal)]);
      enough.abort();
    }
    return job;
  }

  #get(id: string): StoredJob {
    const job = this.#jobs.get(id);
    if (job === undefined) {
      throw new BenchError(
        "unknown_id",
        `There is no job ${JSON.stringify(id)}`,
        "Use the id that the long call gave.",
      );
    }
    return job;
  }
}
