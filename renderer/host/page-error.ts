import type { BenchErrorShape } from "../../main/contract/error-codes.ts";

/** A refusal of the host, or that it could not be asked. `hint` says what to do next. */
export class PageError extends Error {
  override readonly name = "PageError";
  readonly code: BenchErrorShape["code"] | "connection_lost";
  readonly hint: string;

  constructor(code: BenchErrorShape["code"] | "connection_lost", message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
