import type { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import { BenchError } from "../contract/error-codes.ts";

/** What a caller is told of an instrument's failure: which one, how, and what to do. */
export function instrumentFailed(error: InstrumentError): BenchError {
  return new BenchError(
    "instrument_failed",
    `${error.message} (${error.code})`,
    error.hint ?? "Try again; if it fails again, ask the operator to look at the instrument.",
  );
}
