import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROCEDURE_TIERS, type ProcedureTask } from "../../contract/procedure-task.ts";
import { allCandidates } from "../../evaluation/procedures/generate/build.ts";
import { type BuildOutcome, buildTasks } from "../../evaluation/procedures/generate/select-tasks.ts";
import type { GateLine } from "../../evaluation/procedures/gate.ts";
import { appendGateLine, readGateLines } from "../../evaluation/procedures/gate-cache.ts";
import { tierFile } from "../../evaluation/procedures/task-file.ts";
import { PROJECT_ROOT } from "../plan-file.ts";
import { ProgressBar, printJson, printNote, printResult } from "../terminal.ts";
import { programWorkers } from "./program-workers-here.ts";

export const TASKS_FOLDER = join(PROJECT_ROOT, "tasks", "procedures");

export interface GenerateOptions {
  readonly check?: true;
  readonly jobs: number;
  readonly out: string;
  readonly json?: true;
}

const GATE_FILE = "gate.jsonl";
const REPORT_FILE = "build-report.json";
/** Of one program of the gate. */
const LIMIT_S = 120;

/** `caustic procedures generate`. */
export async function generateTasks(options: GenerateOptions): Promise<void> {
  const { out, check } = options;
  const cache = join(out, GATE_FILE);
  if (check !== true) mkdirSync(out, { recursive: true });
  const known = readGateLines(cache);
  const workers = programWorkers(options.jobs, LIMIT_S);
  const bar = new ProgressBar("gate");
  let judged = 0;
  let outcome: BuildOutcome;
  try {
    outcome = await buildTasks(allCandidates(), {
      known,
      jobs: options.jobs,
      run: async (run) => {
        const end = await workers.do({ engine: "simulator", run });
        if (end.type === "done") return end.judged;
        throw new Error(end.type === "called_off" ? "the gate was called off" : end.message);
      },
      onJudged: (line: GateLine) => {
        judged += 1;
        bar.show(0.5, `${line.id} ${line.rejected ?? "kept"}`);
        if (check !== true) appendGateLine(cache, line);
        if (line.why !== undefined) printNote(`${line.id} is rejected, ${line.rejected ?? ""}: ${line.why}`);
      },
    });
  } finally {
    bar.end();
    await workers.close();
  }
  const differing = filesOf(outcome).filter(([name, text]) => {
    if (readText(join(out, name)) === text) return false;
    if (check !== true) writeFileSync(join(out, name), text);
    return true;
  });
  if (options.json === true) printJson(outcome.report);
  else {
    const { kept, rejected } = outcome.report;
    printResult(`${kept} tasks kept, ${rejected} candidates rejected, ${judged} judged anew`);
    for (const [name] of differing) printResult(`${check === true ? "differs" : "written"}: ${join(out, name)}`);
  }
  if (check === true && (differing.length > 0 || judged > 0)) process.exitCode = 1;
}

function filesOf({ tasks, report }: BuildOutcome): (readonly [string, string])[] {
  const lines = (own: readonly ProcedureTask[]): string => own.map((task) => `${JSON.stringify(task)}\n`).join("");
  return [
    ...PROCEDURE_TIERS.map((tier) => [tierFile(tier), lines(tasks.filter((task) => task.tier === tier))] as const),
    [REPORT_FILE, `${JSON.stringify(report, null, 2)}\n`] as const,
  ];
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
