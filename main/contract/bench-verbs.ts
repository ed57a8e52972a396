import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { ToolInput, ToolName, ToolOutput } from "./tools.ts";

/** Who calls: decides about the control lease and stands in the log. */
export interface Caller {
  readonly kind: "operator" | "script" | "agent";
  /** Shown to people: "operator", "scripted", an MCP client's name. */
  readonly name: string;
  /** Tells two callers of the same name apart; never logged. */
  readonly id: string;
}

/** Progress of long work. */
export interface VerbProgress {
  /** 0…1. */
  readonly fraction: number;
  readonly message: string;
}

export interface CallContext {
  readonly caller: Caller;
  readonly cancellation?: Cancellation;
  /** How many of the run's events the caller had when it called; absent for callers that follow none. */
  readonly heardEvents?: number;
  readonly onProgress?: (progress: VerbProgress) => void;
}

/** One verb as the bench implements it and MCP, window and scripts call it. Refusals are thrown as `BenchError`. */
export type BenchVerb<Name extends ToolName> = (
  input: ToolInput<Name>,
  context: CallContext,
) => Promise<ToolOutput<Name>>;

export type BenchVerbs = { readonly [Name in ToolName]: BenchVerb<Name> };
