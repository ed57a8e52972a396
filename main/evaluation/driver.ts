import type { BenchOffer } from "../bench/benches.ts";
import { ToolRefusal } from "../contenders/bench-client.ts";
import { type Contender, GaveUp, NoMeans } from "../contenders/contender.ts";
import type { ModelTurn, ModelUsage } from "../contract/model-usage.ts";
import type { Plan, PlanContender } from "../contract/plan.ts";
import type { ToolName } from "../contract/tools.ts";
import { planPrompt } from "../mcp/plan-prompt.ts";
import { driveBench } from "./drive.ts";
import type { Unit, UnitOutcome } from "./unit.ts";

/** All that somebody who drives a unit's bench may know. */
export interface DriverContext {
  readonly offer: BenchOffer;
  readonly tools: readonly ToolName[];
  readonly note?: string;
  readonly unit: Unit;
  readonly plan: Plan;
  readonly contender: PlanContender;
  readonly signal?: AbortSignal;
  readonly onTurn: (turn: ModelTurn) => void;
  /** Says that the bench waits at an address for a client from outside. */
  readonly offered: (address: string) => void;
}

/** Brings a unit to its end. Never throws: what goes wrong is part of the outcome. */
export type Driver = (context: DriverContext) => Promise<UnitOutcome>;

/** A driver that makes a contender for every unit and connects it. */
export function contenderDriver(create: (context: DriverContext) => Contender): Driver {
  return async (context) => {
    const { offer, tools, note, signal } = context;
    let usage: ModelUsage | undefined;
    const onTurn = (turn: ModelTurn): void => {
      usage = turn.usage;
      context.onTurn(turn);
    };
    try {
      await driveBench({
        offer,
        contender: create(context),
        tools,
        prompts: [planPrompt(tools)],
        ...(note === undefined ? {} : { note }),
        ...(signal === undefined ? {} : { signal }),
        onTurn,
      });
      return { status: "completed", ...usage };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // What the bench refuses, and where a contender gives up, is part of the contest; anything else is not its doing.
      if (error instanceof NoMeans) return { status: "not_run", message };
      const own = error instanceof ToolRefusal || error instanceof GaveUp;
      return { status: own ? "completed" : "failed", message, ...usage };
    }
  };
}
