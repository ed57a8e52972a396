import type { Cancellation } from "./cancellation.ts";

/**
 * Time as an argument. Simulated clocks jump as fast as the processor allows, real ones wait; code that takes a Clock
 * cannot tell the difference.
 */
export interface Clock {
  /** Milliseconds since the clock's own zero; never decreases. */
  now_ms(): number;
  /** Resolves once `duration_ms` (≥ 0) has passed. Resolves early, without an error, when cancelled. */
  wait(duration_ms: number, cancellation?: Cancellation): Promise<void>;
}
