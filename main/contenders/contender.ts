import type { BenchClient } from "./bench-client.ts";

/** What a contender is told before it starts. */
export interface Assignment {
  /** A name from `bench_status`. */
  readonly bench: string;
  /** The operator's note in plain language; scripts cannot read it. */
  readonly note?: string;
}

/** Someone who drives the bench through its tools and nothing else, until `finish` is accepted or the means are spent. */
export interface Contender {
  readonly name: string;
  drive(client: BenchClient, assignment: Assignment): Promise<void>;
}
