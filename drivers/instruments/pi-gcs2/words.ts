import type { InstrumentErrorCode } from "../../protocol/instrument-error.ts";

interface GcsError {
  readonly code: InstrumentErrorCode;
  readonly words: string;
}

/** The controller was told to stop: HLT, STP and #24 set this every time. */
export const STOPPED_BY_COMMAND = 10;

const ERRORS: Readonly<Record<number, GcsError>> = {
  1: { code: "refused", words: "parameter syntax error" },
  2: { code: "unsupported", words: "unknown command" },
  4: { code: "refused", words: "not allowed while a scan runs" },
  5: { code: "refused", words: "no move without reference or with the servo off" },
  7: { code: "out_of_range", words: "position out of limits" },
  8: { code: "out_of_range", words: "velocity out of limits" },
  10: { code: "cancelled", words: "stopped by command" },
  23: { code: "refused", words: "illegal axis" },
  1024: { code: "position_error", words: "motion error: the stage could not follow, the servo was switched off" },
};

export function gcsError(number: number): GcsError {
  const { code, words } = ERRORS[number] ?? { code: "faulted", words: "the controller reports an error" };
  return { code, words: `${words} (error ${number})` };
}
