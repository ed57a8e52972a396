import { z } from "zod";
import { InstrumentError } from "../../../drivers/protocol/instrument-error.ts";
import { BenchError, type BenchErrorShape } from "../../contract/error-codes.ts";

/** Any failure as the page is told of it. A fault of the program shows its message and never its stack. */
export function toRefusal(error: unknown): BenchErrorShape {
  if (error instanceof BenchError) return forThePage(error.toWire());
  if (error instanceof InstrumentError) {
    return { code: "instrument_failed", message: error.message, hint: error.hint ?? "Look at the instrument." };
  }
  if (error instanceof z.ZodError) {
    return { code: "bad_argument", message: argumentWords(error), hint: "Correct it and try again." };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message, hint: "The log file has the details." };
}

/** What the bench advises to whoever drives by its tools, in the words of a person at the window. */
function forThePage(refusal: BenchErrorShape): BenchErrorShape {
  if (refusal.code !== "busy") return refusal;
  const [tool = ""] = refusal.message.split(" ", 1);
  const work = WORK_WORDS[tool];
  return {
    ...refusal,
    message: work === undefined ? refusal.message : `${work} is under way`,
    hint: "Wait until it is done, or press STOP.",
  };
}

/** Long work of the bench, by the tool that does it. */
const WORK_WORDS: Readonly<Record<string, string>> = {
  move_to: "a move",
  measure_at: "a measurement",
  take_darks: "the taking of a dark",
  set_exposure: "a change of the exposure",
  home: "the search for the stage's reference",
};

/** The first argument that does not fit, by the name of its field, and what was expected. */
function argumentWords(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "the arguments do not fit";
  return `${issue.path.length === 0 ? "the arguments" : issue.path.join(".")}: ${expectation(issue)}`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "yes or no",
  array: "a list",
};

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${TYPE_WORDS[issue.expected] ?? issue.expected}`;
    case "too_small":
      return `expected ${issue.inclusive === true ? "at least" : "more than"} ${issue.minimum}${sizeWords(issue.origin)}`;
    case "too_big":
      return `expected ${issue.inclusive === true ? "at most" : "less than"} ${issue.maximum}${sizeWords(issue.origin)}`;
    case "unrecognized_keys":
      return `there is no ${issue.keys.join(", ")}`;
    case "invalid_value":
      return `expected one of ${issue.values.map(String).join(", ")}`;
    default:
      return issue.message;
  }
}

function sizeWords(origin: string): string {
  return origin === "string" ? " characters" : origin === "array" ? " entries" : "";
}
