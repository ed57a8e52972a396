import { z } from "zod";
import { InstrumentError } from "../../../drivers/protocol/instrument-error.ts";
import { BenchError, type BenchErrorShape } from "../../contract/error-codes.ts";

/** Any failure as the page is told of it. A fault of the program shows its message and never its stack. */
export function toRefusal(error: unknown): BenchErrorShape {
  if (error instanceof BenchError) return error.toWire();
  if (error instanceof InstrumentError) {
    return { code: "instrument_failed", message: error.message, hint: error.hint ?? "Look at the instrument." };
  }
  if (error instanceof z.ZodError) {
    const issue = error.issues[0];
    const path = issue === undefined || issue.path.length === 0 ? "the arguments" : issue.path.join(".");
    return {
      code: "bad_argument",
      message: `${path}: ${issue?.message ?? "do not fit"}`,
      hint: "Correct it and try again.",
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message, hint: "The log file has the details." };
}
