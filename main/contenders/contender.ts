import type { ModelTurn } from "../contract/model-usage.ts";
import type { BenchClient } from "./bench-client.ts";

/** What a contender is told before it starts. */
export interface Assignment {
  /** A name from `bench_status`. */
  readonly bench: string;
  /** The operator's note in plain language; scripts cannot read it. */
  readonly note?: string;
  /** Ends the drive early; what was under way is broken off. */
  readonly signal?: AbortSignal;
  /** Is told of every answer of a model, with what the run has used up so far, also when the drive fails later. */
  readonly onTurn?: (turn: ModelTurn) => void;
}

/** A drive that ended without an accepted `finish` through the contender's own doing or for want of means. It says nothing against the infrastructure. */
export class GaveUp extends Error {
  override readonly name: string = "GaveUp";
}

/** The means do not even allow a first request: nothing was asked and nothing spent, so there is no run. */
export class NoMeans extends GaveUp {
  override readonly name = "NoMeans";
}

/** Someone who drives the bench through its tools and nothing else, until `finish` is accepted or the means are spent. */
export interface Contender {
  readonly name: string;
  /** As what it stands in the log. Default `script`. */
  readonly kind?: "script" | "agent";
  /** Throws `GaveUp` or `ToolRefusal` where the drive ends without a verdict, anything else where the infrastructure broke. */
  drive(client: BenchClient, assignment: Assignment): Promise<void>;
}
