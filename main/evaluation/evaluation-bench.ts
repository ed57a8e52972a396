import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { BenchSession, BenchSessionOptions } from "../bench/bench-session.ts";
import type { BenchOffer } from "../bench/benches.ts";
import type { BenchFacts } from "../contract/evaluation-results.ts";

/** What one unit asks of the bench that it runs on. */
export interface BenchUnitOptions extends Pick<BenchSessionOptions, "journal" | "budgets" | "operatorNote" | "tools"> {
  /** Key of the codes in the pictures; 32 hexadecimal digits. */
  readonly canaryKey: string;
  /** Keeps a raw frame, encoded as a 16-bit TIFF. */
  readonly writeFrame: (id: string, index: number, tiff: Uint8Array) => Promise<void>;
  /** Is told of the session as soon as a client has opened the bench. */
  readonly opened: (session: BenchSession) => void;
}

/** The bench of an evaluation that does not run in simulated worlds. One unit has it at a time. */
export interface EvaluationBench {
  readonly facts: BenchFacts;
  /** The bench file as it was read; every run keeps it. */
  readonly file: Readonly<Record<string, unknown>>;
  /** What the bench file tells whoever drives. */
  readonly operatorNote?: string;
  /**
   * Brings every instrument back and the stage to where a unit begins, as a share of the travel that the bench allows. Resolves to the
   * place.
   *
   * @throws InstrumentError where that cannot be done: the bench is gone until a person has looked after it.
   */
  makeReady(start_travel_fraction: number, cancellation?: Cancellation): Promise<{ readonly start_z_mm: number }>;
  offer(unit: BenchUnitOptions): BenchOffer;
  /** The operator's STOP for the unit under way; nothing where none runs. */
  stop(): Promise<void>;
  close(): Promise<void>;
}
