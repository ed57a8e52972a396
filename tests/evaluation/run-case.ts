import { join } from "node:path";
import type { Contender } from "../../main/contenders/contender.ts";
import type { EvaluationRow } from "../../main/contract/evaluation-row.ts";
import type { BenchEvent } from "../../main/contract/events.ts";
import type { PlanContender } from "../../main/contract/plan.ts";
import { TOOL_NAMES } from "../../main/contract/tools.ts";
import { driveBench } from "../../main/evaluation/drive.ts";
import { expandPlan, type SimulatedCase } from "../../main/evaluation/evaluation-case.ts";
import { grade } from "../../main/evaluation/grade.ts";
import { readPlan } from "../../main/evaluation/read-plan.ts";
import { createSimulatedRun, stillClock } from "../../main/evaluation/simulated-run.ts";

export const PLAN_PATH = join(import.meta.dirname, "../../tasks/plans/beam-quality.yaml");
export const PLAN = readPlan(PLAN_PATH);
const CASES = expandPlan(PLAN).filter((one) => one.on === "simulator");

export function caseNamed(name: string): SimulatedCase {
  const subject = CASES.find((one) => one.planned.case === name);
  if (subject === undefined) throw new Error(`the plan has no case ${name}`);
  return subject;
}

/** Lets a contender drive a case of the plan in memory; gives its events. */
export async function runCase(name: string, contender: Contender): Promise<BenchEvent[]> {
  const { scenario, planned } = caseNamed(name);
  const events: BenchEvent[] = [];
  const tools = TOOL_NAMES.filter((tool) => tool !== "suggest_positions");
  const run = createSimulatedRun({
    scenario,
    seed: planned.seed,
    ...(planned.instrument_faults === undefined ? {} : { instrumentFaults: planned.instrument_faults }),
    budgets: PLAN.budgets,
    ...(planned.note === undefined ? {} : { operatorNote: planned.note }),
    tools,
    hostClock: stillClock,
    journal: { append: (event) => void events.push(event) },
  });
  await driveBench({ offer: run.offer, contender, tools });
  await run.close();
  return events;
}

type Grade = ReturnType<typeof grade>;

export function gradeCase(name: string, events: readonly BenchEvent[], contender: Partial<PlanContender> = {}): Grade {
  return grade(events, caseNamed(name), { contender: "control", what: "a control", ...contender }, PLAN.keywords);
}

/** Names of the graders that said no. */
export const failed = (row: Pick<EvaluationRow, "grades">): string[] =>
  row.grades.filter((one) => one.answer === "fail").map((one) => one.grader);
