/** What can be wrong with a procedure or go wrong while it runs. */
export const PROCEDURE_ERROR_CODES = [
  /** The text is no program. */
  "syntax",
  "unknown_verb",
  /** A verb has no argument, or a record no property, of that name. */
  "unknown_property",
  /** A verb lacks an argument that it needs. */
  "missing_property",
  "unknown_name",
  "unknown_function",
  "unknown_unit",
  /** A quantity of another dimension than expected. */
  "wrong_unit",
  /** Text for a number, a list for a record, … */
  "wrong_type",
  /** Outside what the language, the verb or the bench's limits allow. */
  "out_of_range",
  "division_by_zero",
  /** A loop that would not end, or not soon enough. */
  "loop_bound",
  /** Too many steps in all. */
  "step_limit",
  /** Too much time on the bench. */
  "time_limit",
  /** Whoever started it ended it. */
  "interrupted",
  /** A property that this record could have and does not. */
  "absent_value",
  /** A `require` that does not hold. */
  "requirement_failed",
  /** The bench refused or an instrument failed; the message is the bench's own. */
  "bench_refused",
] as const;
export type ProcedureErrorCode = (typeof PROCEDURE_ERROR_CODES)[number];

/** A place in the text of a procedure. Lines and columns count from 1; `start` and `end` are offsets into the text. */
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly start: number;
  readonly end: number;
}

export interface ProcedureErrorDetails {
  /** What would have been right. */
  readonly expected?: string;
  /** The bench's own code, where the bench refused. */
  readonly benchCode?: string;
}

/** A fault of a procedure, with its place. The same program on the same bench gives the same words. */
export class ProcedureError extends Error {
  override readonly name = "ProcedureError";
  readonly code: ProcedureErrorCode;
  readonly line: number;
  readonly column: number;
  readonly expected: string | undefined;
  readonly benchCode: string | undefined;

  constructor(code: ProcedureErrorCode, place: Place, what: string, details: ProcedureErrorDetails = {}) {
    const { expected, benchCode } = details;
    super(
      `line ${place.line}, column ${place.column}: ${what}${expected === undefined ? "" : `; expected ${expected}`}`,
    );
    this.code = code;
    this.line = place.line;
    this.column = place.column;
    this.expected = expected;
    this.benchCode = benchCode;
  }
}
