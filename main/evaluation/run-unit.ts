import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolRefusal } from "../contenders/bench-client.ts";
import { type Contender, GaveUp } from "../contenders/contender.ts";
import type { BenchEvent } from "../contract/events.ts";
import type { ModelTurn, ModelUsage } from "../contract/model-usage.ts";
import type { Plan, PlanContender } from "../contract/plan.ts";
import { TOOL_NAMES } from "../contract/tools.ts";
import { planPrompt } from "../mcp/plan-prompt.ts";
import { createRunFolder } from "../store/run-folder.ts";
import { driveBench } from "./drive.ts";
import type { EvaluationCase } from "./evaluation-case.ts";
import { createSimulatedRun } from "./simulated-run.ts";
import { type Unit, type UnitOutcome, unitId, unitOutcomeSchema } from "./unit.ts";

const RUNS = "runs";
const UNFINISHED = "unfinished";
const OUTCOME = "outcome.json";
/** What a model answered, one line an answer. */
const TURNS = "turns.jsonl";

export interface RunUnitOptions {
  readonly plan: Plan;
  readonly plan_hash: string;
  readonly registered: boolean;
  readonly subject: EvaluationCase;
  readonly contender: Contender;
  readonly planned: PlanContender;
  readonly unit: Unit;
  /** The evaluation's folder. */
  readonly out: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly onEvent?: (event: BenchEvent) => void;
}

/** Where the finished run of a unit lies. */
export function unitFolder(out: string, unit: Unit): string {
  return join(out, RUNS, unitId(unit));
}

/** The outcome of a unit that was run to its end; undefined where it was not. */
export function readOutcome(out: string, unit: Unit): UnitOutcome | undefined {
  const path = join(unitFolder(out, unit), OUTCOME);
  return existsSync(path) ? unitOutcomeSchema.parse(JSON.parse(readFileSync(path, "utf8"))) : undefined;
}

/** The tools that a contender has in this plan. Suggestions are off: planning is what is measured. */
function toolsFor(planned: PlanContender) {
  const without = new Set(["suggest_positions", ...(planned.without ?? [])]);
  return TOOL_NAMES.filter((name) => !without.has(name));
}

/**
 * Runs one unit. Its folder appears under `runs/` in one step, when everything in it is written: whatever is there is whole, and a unit
 * that was killed is run again from its beginning. The state of a bench in mid-run cannot be resumed.
 */
export async function runUnit(options: RunUnitOptions): Promise<UnitOutcome> {
  const { plan, subject, planned, unit, out } = options;
  const id = unitId(unit);
  const unfinished = join(out, UNFINISHED);
  rmSync(join(unfinished, id), { recursive: true, force: true });
  const folder = createRunFolder(unfinished, {
    id,
    bench: "bench-1",
    simulated: true,
    by: unit.contender,
    scenario: subject.planned.scenario,
    seed: subject.planned.seed,
    instruments: {
      faults: subject.planned.faults ?? [],
      instrument_faults: subject.planned.instrument_faults ?? [],
    },
    plan: { name: plan.plan, sha256: options.plan_hash, registered: options.registered },
    case: unit.case,
    epoch: unit.epoch,
    ...(subject.planned.note === undefined ? {} : { note: subject.planned.note }),
    versions: { ...options.versions },
  });
  const { calls, positions } = plan.budgets;
  const tools = toolsFor(planned);
  const run = createSimulatedRun({
    scenario: subject.scenario,
    seed: subject.planned.seed,
    ...(subject.planned.instrument_faults === undefined ? {} : { instrumentFaults: subject.planned.instrument_faults }),
    budgets: { calls, positions, views: planned.limits?.views ?? plan.budgets.views },
    ...(subject.planned.note === undefined ? {} : { operatorNote: subject.planned.note }),
    tools,
    journal: {
      append(event) {
        folder.journal.append(event);
        options.onEvent?.(event);
      },
    },
    opened: (session) => {
      session.subscribe((event) => {
        if (event.type === "view_made") folder.writePicture(event.view, session.picture(event.view));
      });
    },
  });
  const outcome = await drive(options, run.offer, tools, (turn) => {
    appendFileSync(join(folder.directory, TURNS), `${JSON.stringify(turn)}\n`);
  });
  await run.close();
  folder.close();
  writeFileSync(join(folder.directory, OUTCOME), `${JSON.stringify(outcome, undefined, 2)}\n`, { flush: true });
  mkdirSync(join(out, RUNS), { recursive: true });
  renameSync(folder.directory, unitFolder(out, unit));
  return outcome;
}

async function drive(
  { contender, subject }: RunUnitOptions,
  offer: Parameters<typeof driveBench>[0]["offer"],
  tools: ReturnType<typeof toolsFor>,
  keepTurn: (turn: ModelTurn) => void,
): Promise<UnitOutcome> {
  const { note } = subject.planned;
  let usage: ModelUsage | undefined;
  const onTurn = (turn: ModelTurn): void => {
    usage = turn.usage;
    keepTurn(turn);
  };
  try {
    await driveBench({
      offer,
      contender,
      tools,
      prompts: [planPrompt(tools)],
      ...(note === undefined ? {} : { note }),
      onTurn,
    });
    return { status: "completed", ...usage };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // What the bench refuses, and where a contender gives up, is part of the contest; anything else is not its doing.
    const own = error instanceof ToolRefusal || error instanceof GaveUp;
    return { status: own ? "completed" : "failed", message, ...usage };
  }
}
