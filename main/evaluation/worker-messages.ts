import type { Plan } from "../contract/plan.ts";
import type { Freeze, Parts } from "./freeze.ts";
import type { RunDigest } from "./run-digest.ts";
import type { Unit } from "./unit.ts";

/** Everything that is the same for all units of an evaluation. */
export interface WorkerSetup {
  readonly plan: Plan;
  readonly plan_hash: string;
  readonly freeze?: Freeze;
  /** Registered, and not run as exploratory. */
  readonly registered: boolean;
  readonly parts: Parts;
  readonly versions: Readonly<Record<string, string>>;
  /** The evaluation's folder. */
  readonly out: string;
  /** SHA-256 of the file of the bench that runs must have been made on. */
  readonly bench_sha256?: string;
  /** File or folder of calls for the contender `recorded`. */
  readonly answers?: string;
}

/** `run`: from the beginning. `read`: grade what lies in its folder. */
export type WorkerTask =
  | { readonly type: "run"; readonly unit: Unit; readonly attempt: number }
  | { readonly type: "read"; readonly unit: Unit };

export type ToWorker = { readonly type: "setup"; readonly setup: WorkerSetup } | WorkerTask;

/** `broken`: the program could not do it; the message says why. */
export type FromWorker =
  | { readonly type: "done"; readonly digest: RunDigest }
  | { readonly type: "broken"; readonly message: string };
