import type { Caller } from "../contract/bench-verbs.ts";
import type { BenchDescription, ToolName, ToolOutput } from "../contract/tools.ts";
import type { Action, ActionLock } from "./action-lock.ts";
import type { BenchSessionOptions } from "./bench-session.ts";
import type { BudgetLedger } from "./budgets.ts";
import type { DarkLibrary } from "./dark-library.ts";
import type { FrameKeep } from "./frame-keep.ts";
import type { FrameWork } from "./frame-work.ts";
import type { Jobs } from "./jobs.ts";
import type { Limits } from "./limits.ts";
import type { MeasurementList } from "./measurement-list.ts";
import type { Operations } from "./operations.ts";
import type { RunLog } from "./run-log.ts";
import type { Views } from "./views.ts";

/** What a verb computes; the session adds what all results have in common. */
export type Body<Name extends ToolName> = Omit<ToolOutput<Name>, "run" | "seq" | "simulated" | "budget">;

/** One call under way. */
export interface Call<Name extends ToolName = ToolName> {
  readonly tool: Name;
  /** seq of its `tool_called` event. */
  readonly seq: number;
  readonly caller: Caller;
  readonly reason: string | undefined;
  /** How many events its caller had; absent where the caller follows none. */
  readonly heardEvents?: number;
  /** 0…1, and what is going on. Reports that do not grow are dropped. */
  readonly report: (fraction: number, message: string) => void;
}

/** Everything of a run that the verbs work on. */
export interface Workplace {
  readonly options: BenchSessionOptions;
  readonly handle: string;
  readonly simulated: boolean;
  readonly pixelPitch_um: number;
  readonly description: BenchDescription;
  readonly limits: Limits;
  readonly log: RunLog;
  readonly budgets: BudgetLedger;
  readonly operations: Operations;
  readonly darks: DarkLibrary;
  readonly measurements: MeasurementList;
  readonly views: Views;
  readonly frames: FrameKeep;
  readonly frameWork: FrameWork;
  readonly jobs: Jobs;
  readonly lock: ActionLock;
  /** The operator has blocked the beam by hand. */
  beamBlocked: boolean;
  /** A dark that failed may have left the shutter closed. */
  shutterMayBeClosed: boolean;
  /** Uses the instruments on behalf of a call, as the only one who does. `yields`: gives way to whoever wants to act. */
  act<Result>(call: Call, work: (action: Action) => Promise<Result>, yields?: boolean): Promise<Result>;
}
