import type { JudgedProgram, ProgramRun } from "./run-program.ts";

/** A program for one of the worker's engines. */
export interface WorkOrder {
  readonly engine: string;
  readonly run: ProgramRun;
}

/** `broken`: the engine could not do it, in its own words. */
export type WorkReport =
  | { readonly type: "done"; readonly judged: JudgedProgram }
  | { readonly type: "broken"; readonly message: string };
