import type { BenchSession } from "../../bench/bench-session.ts";

/** The world that a task is set in. */
export interface ProcedureWorld {
  readonly scenario: string;
  readonly seed: number;
}

/** A bench with a fresh run on it, for one program. */
export interface EngineBench {
  readonly session: BenchSession;
  readonly now_ms: () => number;
  /** Ends the run and lets the instruments go. */
  close(): Promise<void>;
}

/** Something that programs run on. Every program gets a bench in its first state: nothing of the one before is left. */
export interface ProcedureEngine {
  readonly name: string;
  /** Throws a sentence where there is no such world. */
  open(world: ProcedureWorld): Promise<EngineBench>;
}
