import { z } from "zod";

/** Mistakes and refusals that a caller of the bench can act on. */
export const BENCH_ERROR_CODES = [
  /** The run handle names no open run (finished, expired, mistyped). */
  "unknown_run",
  /** No bench of that name is on offer. */
  "unknown_bench",
  /** No measurement, dark, job or frame of that id. */
  "unknown_id",
  /** The arguments do not fit the schema. */
  "bad_argument",
  /** Outside travel, exposure bounds or a soft limit. */
  "out_of_limits",
  /** The target or the path lies in a keep-out zone. */
  "keep_out_zone",
  /** A budget of the run is used up. */
  "budget_exhausted",
  /** Somebody else holds the control lease. */
  "control_held",
  /** The operator took control away. */
  "control_lost",
  /** Another long action runs; wait for it or stop it. */
  "busy",
  /** STOP was pressed, or the call was cancelled, while the action ran. */
  "stopped",
  /** The operator paused acting calls. */
  "paused",
  /** A stage or camera failed; the message says which and how. */
  "instrument_failed",
  /** The beam must be blocked for a dark and nothing on the bench can do it. */
  "beam_not_blocked",
  /** A fit, plan or estimate needs more than has been measured. */
  "not_enough_data",
  /** `finish` lacks something; the message says what. */
  "finish_refused",
  /** The run has ended. */
  "run_finished",
  /** Not offered on this bench or in this plan. */
  "not_offered",
  /** A frame that was not kept, made again, is not the recorded one; the message says which versions of the program made both. */
  "not_reproduced",
  /** A fault of the program, recorded in the log. */
  "internal",
] as const;
export const benchErrorCodeSchema = z.enum(BENCH_ERROR_CODES);
export type BenchErrorCode = z.infer<typeof benchErrorCodeSchema>;

/** The shape of every refusal on the wire. */
export const benchErrorSchema = z.object({
  code: benchErrorCodeSchema,
  message: z.string().describe("What was wrong and what was expected, with name, value, unit and limit"),
  hint: z.string().describe("What to do next"),
});
export type BenchErrorShape = z.infer<typeof benchErrorSchema>;

/** A refusal inside the program. Never crosses a process line as such: `toWire` does. */
export class BenchError extends Error {
  override readonly name = "BenchError";
  readonly code: BenchErrorCode;
  readonly hint: string;

  constructor(code: BenchErrorCode, message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }

  toWire(): BenchErrorShape {
    return { code: this.code, message: this.message, hint: this.hint };
  }
}
