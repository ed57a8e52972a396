import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcedureTask } from "../../contract/procedure-task.ts";
import type { SuiteResults, SuiteRow } from "../../contract/suite-results.ts";
import { CONTROLS, type Programmer } from "../../evaluation/procedures/contenders.ts";
import { runProcedureSuite } from "../../evaluation/procedures/run-suite.ts";
import { readTasks, TaskFileError } from "../../evaluation/procedures/task-file.ts";
import type { SuiteMoney } from "../../evaluation/suites/suite-money.ts";
import { writeSuiteResults } from "../../evaluation/suites/write-suite-results.ts";
import { modelProgrammer } from "../../evaluation/procedures/model-programmer.ts";
import { RUNS_FOLDER } from "../keep-run.ts";
import { callOffBySignals } from "../call-off.ts";
import { chosenProvider, type ModelChoice, refuseModelOptions } from "../model-options.ts";
import { makeSuiteFolder } from "../suite-folder.ts";
import { type MoneyChoice, suiteMoney } from "../suite-money.ts";
import { ProgressBar, printJson, printNote, printResult } from "../terminal.ts";
import { programVersion } from "../program-version.ts";
import { UsageError } from "../usage-error.ts";
import { programWorkers } from "./program-workers-here.ts";

export interface TestProceduresOptions extends ModelChoice, MoneyChoice {
  readonly by: string;
  readonly engine: string;
  readonly split?: string;
  readonly tier?: string;
  readonly category?: string;
  readonly only?: string;
  readonly attempts: number;
  readonly maxUsd?: number;
  readonly jobs: number;
  readonly taskTimeout: number;
  readonly stamp?: string;
  readonly out?: string;
  readonly tasks: string;
  readonly json?: true;
}

/** What a task may cost. */
export const USUAL_CAP_usd = 0.1;

export const ENGINES = ["simulator", "controllers"] as const;

/** `caustic procedures test`. */
export async function testProcedures(options: TestProceduresOptions): Promise<void> {
  if (!(ENGINES as readonly string[]).includes(options.engine)) {
    throw new UsageError(`--engine ${options.engine}: no such engine; expected ${ENGINES.join(" or ")}`);
  }
  const tasks = chosenTasks(await allTasks(options.tasks), options);
  const names = options.by.split(",").map((name) => name.trim());
  if (!names.includes(AGENT)) refuseModelOptions(options, "--by agent");
  const model = names.includes(AGENT) ? modelNamed(options) : undefined;
  const programmers = names.map((name) => programmerNamed(name, model?.programmer));
  const stamp = options.stamp ?? `${programVersion()}-${options.by.replaceAll(/[^A-Za-z0-9]+/g, "-")}`;
  if (!STAMP.test(stamp)) {
    throw new UsageError(`--stamp ${stamp}: expected letters, digits, ".", "_" and "-", at most 64 of them`);
  }
  const out = options.out ?? join(RUNS_FOLDER, "procedures", stamp);
  makeSuiteFolder(out);
  const workers = programWorkers(options.jobs, options.taskTimeout);
  const bar = new ProgressBar("procedures");
  let ready = 0;
  const interruption = callOffBySignals();
  interruption.signal.addEventListener("abort", () => void workers.close(), { once: true });
  try {
    const results = await runProcedureSuite({
      tasks,
      programmers,
      engine: options.engine,
      workers,
      stamp,
      signal: interruption.signal,
      ...(model?.money === undefined ? {} : { money: model.money }),
      onRow: (row) => {
        ready += 1;
        bar.show(ready / (tasks.length * programmers.length), `${row.task} ${row.contender}`);
      },
      keepTranscript: (task, contender, text) => keepTranscript(out, task, contender, text),
    });
    bar.end();
    await writeSuiteResults(out, results);
    if (options.json === true) printJson(results);
    else printResults(results, out);
    const unjudged = results.rows.some(({ status }) => status !== "graded");
    if (unjudged || results.gates.some(({ passed }) => !passed)) process.exitCode = 1;
  } finally {
    bar.end();
    interruption.end();
    await workers.close();
  }
}

async function allTasks(folder: string): Promise<ProcedureTask[]> {
  try {
    return await readTasks(folder);
  } catch (error) {
    if (error instanceof TaskFileError) throw new UsageError(error.message);
    throw error;
  }
}

const listed = (text: string | undefined): readonly string[] | undefined => text?.split(",").map((word) => word.trim());

/** Throws UsageError for a name that no task has. */
function chosenTasks(tasks: readonly ProcedureTask[], options: TestProceduresOptions): ProcedureTask[] {
  let chosen = [...tasks];
  for (const [option, key, names] of [
    ["--split", "split", listed(options.split)],
    ["--tier", "tier", listed(options.tier)],
    ["--category", "category", listed(options.category)],
    ["--only", "id", listed(options.only)],
  ] as const) {
    if (names === undefined) continue;
    const known = new Set<string>(tasks.map((task) => task[key]));
    const stranger = names.find((name) => !known.has(name));
    if (stranger !== undefined) {
      const expected = key === "id" ? "the id of a task" : [...known].join(", ");
      throw new UsageError(`${option} ${stranger}: no task has it; expected ${expected}`);
    }
    chosen = chosen.filter((task) => names.includes(task[key]));
  }
  if (chosen.length === 0) throw new UsageError("the options leave no task; expected at least one");
  return chosen;
}

const AGENT = "agent";
/** A stamp names a folder. */
const STAMP = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Tokens of one task, the guide included; a program needs a fraction of it. */
const TASK_TOKENS = 200_000;

function programmerNamed(name: string, model: Programmer | undefined): Programmer {
  const known = [...CONTROLS, ...(model === undefined ? [] : [model])];
  const programmer = known.find((one) => one.name === name);
  if (programmer !== undefined) return programmer;
  const names = [...CONTROLS.map((one) => one.name), AGENT];
  throw new UsageError(`--by ${name}: nobody of that name; expected ${names.join(", ")}`);
}

function modelNamed(options: TestProceduresOptions): { programmer: Programmer; money?: SuiteMoney } {
  const { attempts, maxUsd, price } = options;
  const provider = chosenProvider(options);
  const cap = { option: "--max-usd", asked_usd: maxUsd, usual_usd: USUAL_CAP_usd };
  const { usd_per_task, ...money } = suiteMoney(options, cap);
  const limits = { model_calls: attempts, tokens: TASK_TOKENS, usd_per_run: usd_per_task };
  const programmer = modelProgrammer({
    name: AGENT,
    provider,
    attempts,
    limits,
    ...(price === undefined ? {} : { price }),
  });
  return { programmer, ...money };
}

function keepTranscript(out: string, task: string, contender: string, text: string): string {
  const folder = join("transcripts", contender);
  mkdirSync(join(out, folder), { recursive: true });
  const file = join(folder, `${task}.md`);
  writeFileSync(join(out, file), text);
  return file;
}

function printResults({ metrics, gates, rows }: SuiteResults, out: string): void {
  for (const { contender, group, successes, trials, low, high } of metrics) {
    const share = `${successes}/${trials}`;
    printResult(
      `${contender.padEnd(9)} ${group.padEnd(18)} ${share.padStart(9)}   95 % ${low.toFixed(3)}…${high.toFixed(3)}`,
    );
  }
  for (const { contender, passed, text } of gates) printResult(`${passed ? "ok  " : "FAIL"} ${contender}: ${text}`);
  const surprising = rows.filter(
    ({ contender, passed, status }) => status === "failed" || (contender === "gold" && !passed),
  );
  const left = rows.filter(({ status }) => status === "not_run");
  if (left.length > 0) printNote(`${left.length} tasks were not run: ${left[0]?.note ?? "unknown reason"}`);
  for (const row of surprising) printNote(`${row.task} ${row.contender}: ${why(row)}`);
  printNote(`The results are in ${out}`);
}

function why({ note, checks }: SuiteRow): string {
  const failed = checks.find(({ passed }) => !passed);
  return (
    note ??
    (failed === undefined ? "unknown reason" : `${failed.code} is ${failed.got ?? "?"}, wanted ${failed.wanted ?? "?"}`)
  );
}
