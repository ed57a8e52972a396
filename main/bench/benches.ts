import type { BenchVerbs } from "../contract/bench-verbs.ts";
import type { BenchSession } from "./bench-session.ts";

/** A bench on offer: how to open a run on it. */
export interface BenchOffer {
  readonly bench: string;
  readonly description: string;
  readonly simulated: boolean;
  open(): Promise<BenchSession>;
}

/** Several benches behind one set of verbs: `bench_open` opens or joins a run, every other verb goes to the run of its handle. */
export interface Benches {
  readonly verbs: BenchVerbs;
  /** The open run of that handle. Throws `unknown_run`. */
  session(run: string): BenchSession;
  /** The open run on that bench, if there is one. */
  sessionOn(bench: string): BenchSession | undefined;
  close(why: "finished" | "abandoned" | "expired"): Promise<void>;
}

export function createBenches(offers: readonly BenchOffer[]): Benches {
  throw new Error(`${offers.length} benches: not there yet`);
}
