import type { ToolOutput } from "../../contract/tools.ts";
import type { Fact } from "./fact.ts";
import type { LadderGoal } from "./ladder-case.ts";
import type { Capability, ToolInputs } from "./registry.ts";

/** One call that a driver asks for, or a reading of what it could ask for. */
export interface LadderCall {
  readonly name: string;
  readonly input: ToolInputs;
}

/** `answer` is the tool's structured result; `code` is the bench's, or `hallucination` where the call binds to nothing. */
export type DispatchAnswer =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** What a driver is given beside the request and the declared tools. */
export interface DriverContext {
  dispatch(name: string, input: ToolInputs): Promise<DispatchAnswer>;
  capabilityByName(name: string): Capability | undefined;
  /** The bench as it stands at the request, as anybody sees it who opens it. */
  readonly bench: ToolOutput<"bench_open">;
  readonly status: ToolOutput<"bench_status">;
  /** What holds at the request. */
  readonly facts: readonly Fact[];
  /** What somebody was seen to do, and the goals that it may be read as. */
  readonly trace?: readonly LadderCall[];
  readonly goals?: readonly LadderGoal[];
  readonly signal?: AbortSignal;
}

/** Why one call was made: what had to hold, by what it held, and what came true. */
export interface ProofStep {
  /** Number of the call, from 0. */
  readonly call: number;
  readonly needs: readonly { readonly fact: Fact; readonly by: "start" | number; readonly ok: boolean }[];
  readonly gives: readonly Fact[];
  /** Earlier calls whose answers decided about this one. */
  readonly uses: readonly number[];
}

/** How somebody's doings are read. */
export type Recognition =
  | { readonly kind: "goal"; readonly goal: string }
  | { readonly kind: "reject" }
  | { readonly kind: "ambiguous"; readonly goals: readonly string[] };

/** What a driver hands back. The calls are not its to tell: the harness has seen them. */
export interface LoopResult {
  readonly refused: boolean;
  /** Why it refused or gave up, or what it did, in words. */
  readonly said?: string;
  readonly proof: readonly ProofStep[];
  /** What the proof proves. */
  readonly goals: readonly Fact[];
  /** The readings of a request that can be read in several ways. */
  readonly candidates?: readonly LadderCall[];
  readonly recognition?: Recognition;
  readonly usage?: { readonly turns: number; readonly tokens?: number; readonly usd?: number };
}

/** The agent under test. What it throws is the infrastructure's failure, but for `OutOfCalls`, which the harness throws. */
export interface LadderDriver {
  /** Stands in every row; a floor says that it is one. */
  readonly name: string;
  drive(request: string, tools: readonly string[], context: DriverContext): Promise<LoopResult>;
}

/** The driver went on and on. The harness catches it: the loop did not terminate. */
export class OutOfCalls extends Error {
  override readonly name = "OutOfCalls";
}
