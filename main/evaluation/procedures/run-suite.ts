import type { ProcedureTask } from "../../contract/procedure-task.ts";
import type { SuiteCheck, SuiteGate, SuiteMetric, SuiteResults, SuiteRow } from "../../contract/suite-results.ts";
import { suiteHash } from "../suites/suite-hash.ts";
import type { SuiteMoney } from "../suites/suite-money.ts";
import { suiteMetric } from "../suites/suite-metric.ts";
import { assertedExpression } from "./assertions.ts";
import type { Programmer, WrittenProgram } from "./contenders.ts";
import type { OrderEnd, ProgramWorkers } from "./program-workers.ts";
import type { JudgedProgram } from "./run-program.ts";

/** Changes whenever the same program could be judged otherwise. */
export const PROCEDURE_GRADER_VERSION = "1";

export interface ProcedureSuiteOptions {
  readonly tasks: readonly ProcedureTask[];
  readonly programmers: readonly Programmer[];
  readonly engine: string;
  readonly workers: Pick<ProgramWorkers, "do">;
  readonly stamp: string;
  /** What the programmers that cost something may spend on all tasks. Without it nothing limits the whole. */
  readonly money?: SuiteMoney;
  /** Calls the suite off: what is finished stays, the rest is not run. */
  readonly signal?: AbortSignal;
  /** Is told of every row as it is ready. */
  readonly onRow?: (row: SuiteRow) => void;
  /** Keeps a transcript and returns its file, relative to the results. */
  readonly keepTranscript?: (task: string, contender: string, text: string) => string;
}

const UNKNOWN_THINGS: ReadonlySet<string> = new Set([
  "unknown_verb",
  "unknown_property",
  "unknown_name",
  "unknown_function",
  "unknown_unit",
]);

/** Lets every programmer write every task's program, runs and judges them. Rows stand in the order of the tasks. */
export async function runProcedureSuite(options: ProcedureSuiteOptions): Promise<SuiteResults> {
  const { tasks, programmers, engine, stamp } = options;
  const perProgrammer = await Promise.all(programmers.map((programmer) => rowsOf(programmer, options)));
  const rows = tasks.flatMap((_, i) => perProgrammer.flatMap((those) => those.slice(i, i + 1)));
  return {
    suite: "procedures",
    stamp,
    suite_hash: suiteHash(tasks),
    grader_version: PROCEDURE_GRADER_VERSION,
    contenders: programmers.map(({ name }) => name),
    rows,
    metrics: metricsOf(rows, tasks, programmers),
    gates: gatesOf(rows, programmers),
    notes: [
      `Programs ran on the engine ${engine}.`,
      "gold is each task's own program, null the empty one, mutated the task's program with all its numbers changed: they test the suite.",
    ],
  };
}

async function rowsOf(programmer: Programmer, options: ProcedureSuiteOptions): Promise<SuiteRow[]> {
  const { tasks } = options;
  const rows: SuiteRow[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let i = next++; i < tasks.length; i = next++) {
      const task = tasks[i];
      if (task === undefined) return;
      const row = await paidRow(task, programmer, options);
      rows[i] = row;
      options.onRow?.(row);
    }
  };
  await Promise.all(Array.from({ length: Math.min(tasks.length, programmer.parallel ?? tasks.length) }, lane));
  return rows;
}

async function paidRow(task: ProcedureTask, programmer: Programmer, options: ProcedureSuiteOptions): Promise<SuiteRow> {
  const calledOff = (): boolean => options.signal?.aborted === true;
  const left: SuiteRow = { ...headOf(task, programmer), status: "not_run", ...NOTHING_DONE, note: CALLED_OFF };
  if (calledOff()) return left;
  const write = async (): Promise<SuiteRow> => {
    const row = await rowOf(task, programmer, options);
    // Whoever was interrupted did not fail.
    return row.status === "failed" && calledOff() ? left : row;
  };
  if (options.money === undefined || programmer.costs !== true) return write();
  const row = await options.money.run(`${programmer.name} ${task.id}`, write, ({ usd }) => usd);
  if (typeof row !== "string") return row;
  return { ...left, note: row };
}

const CALLED_OFF = "the suite was ended before it";

const headOf = ({ id, category, tier, split }: ProcedureTask, { name }: Programmer) => ({
  task: id,
  category,
  group: `${tier} ${split}`,
  contender: name,
});

const NOTHING_DONE = { passed: false, score: 0, checks: [], calls: 0, bad_calls: 0 };

async function rowOf(task: ProcedureTask, programmer: Programmer, options: ProcedureSuiteOptions): Promise<SuiteRow> {
  const { workers, engine, keepTranscript } = options;
  const { id, bench: world, assertions } = task;
  const head = headOf(task, programmer);
  const tryOut = async (program: string): Promise<string | undefined> => {
    const end = await workers.do({ engine, run: { world, program, assertions: [] } });
    return end.type === "done" ? end.judged.error?.message : errorOf(end);
  };
  let written: WrittenProgram;
  try {
    written = await programmer.write(task, tryOut, options.signal);
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error);
    return { ...head, status: "failed", ...NOTHING_DONE, note };
  }
  const end = await workers.do({ engine, run: { world, program: written.program, assertions } });
  const { turns, tokens, usd, transcript, note } = written;
  const used = {
    ...(turns === undefined ? {} : { turns }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(usd === undefined ? {} : { usd }),
    ...(transcript === undefined || keepTranscript === undefined
      ? {}
      : { transcript: keepTranscript(id, programmer.name, transcript) }),
  };
  if (end.type === "done")
    return { ...head, ...judgedRow(task, end.judged), ...used, ...(note === undefined ? {} : { note }) };
  // A program that does not end is the contender's own; a broken engine is not.
  const status =
    end.type === "timed_out" || end.type === "crashed" ? "graded" : end.type === "broken" ? "failed" : "not_run";
  const checks = [runs(false, errorOf(end))];
  return { ...head, status, ...NOTHING_DONE, checks, ...used, note: errorOf(end) };
}

function errorOf(end: Exclude<OrderEnd, { type: "done" }>): string {
  return end.type === "called_off" ? CALLED_OFF : end.message;
}

function runs(passed: boolean, got: string): SuiteCheck {
  return { code: "runs", passed, required: true, wanted: "the program runs to its end", got };
}

function judgedRow(
  { assertions }: ProcedureTask,
  { ok, error, verdicts, calls }: JudgedProgram,
): Pick<SuiteRow, "status" | "passed" | "score" | "checks" | "calls" | "bad_calls"> {
  const checks = [
    runs(ok, error?.message ?? "it does"),
    ...verdicts.map((verdict, i): SuiteCheck => {
      const assertion = assertions[i];
      const { passed, wanted, got } = verdict;
      return {
        code: assertion === undefined ? "" : assertedExpression(assertion),
        passed,
        required: true,
        wanted,
        got,
      };
    }),
  ];
  const passing = checks.filter(({ passed }) => passed).length;
  return {
    status: "graded",
    passed: passing === checks.length,
    score: passing / checks.length,
    checks,
    calls,
    bad_calls: error !== undefined && UNKNOWN_THINGS.has(error.code) ? 1 : 0,
  };
}

function metricsOf(
  rows: readonly SuiteRow[],
  tasks: readonly ProcedureTask[],
  programmers: readonly Programmer[],
): SuiteMetric[] {
  const groups = [...new Set(tasks.map(({ tier, split }) => `${tier} ${split}`))];
  return programmers.flatMap(({ name: contender }) =>
    ["all", ...groups].map((group) => {
      const own = rows.filter(
        (row) => row.contender === contender && row.status === "graded" && (group === "all" || row.group === group),
      );
      const successes = own.filter(({ passed }) => passed).length;
      return suiteMetric({ name: "passed", group, contender, successes, trials: own.length });
    }),
  );
}

/** What the controls have to do: gold passes everything, null and mutated nothing. */
function gatesOf(rows: readonly SuiteRow[], programmers: readonly Programmer[]): SuiteGate[] {
  return programmers.flatMap(({ name: contender }): SuiteGate[] => {
    const own = rows.filter((row) => row.contender === contender);
    const passing = own.filter(({ passed }) => passed).length;
    const graded = own.every(({ status }) => status === "graded");
    const text = `${passing} of ${own.length} tasks passed`;
    if (contender === "gold") {
      return [{ group: "all", contender, passed: passing === own.length, text: `${text}; all must` }];
    }
    if (contender === "null" || contender === "mutated") {
      return [{ group: "all", contender, passed: passing === 0 && graded, text: `${text}; none may` }];
    }
    return [];
  });
}
