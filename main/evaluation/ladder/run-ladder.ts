import type { SuiteGate, SuiteMetric, SuiteResults, SuiteRow } from "../../contract/suite-results.ts";
import { percent } from "../report/figures-text.ts";
import { suiteHash } from "../suites/suite-hash.ts";
import type { SuiteMoney } from "../suites/suite-money.ts";
import { suiteMetric } from "../suites/suite-metric.ts";
import { gradeLadderCase, LADDER_GRADER_VERSION, type LadderGrade } from "./grade-ladder-case.ts";
import type { LadderCase, LadderSuite } from "./ladder-case.ts";
import type { LadderDriver } from "./ladder-driver.ts";
import { type LadderRecord, runLadderCase, type RunLadderCaseOptions } from "./run-ladder-case.ts";
import { FLOOR_RUNGS, type Rung, RUNG_NAMES, RUNGS } from "./rungs.ts";

/** Least completion of a rung. Without it a driver that refuses everything would be perfect. */
export const COMPLETION_FLOOR = 0.5;

export interface RunLadderOptions extends Omit<RunLadderCaseOptions, "suite"> {
  readonly suite: LadderSuite;
  readonly cases: readonly LadderCase[];
  readonly stamp: string;
  /** The first rung whose gate is not passed closes those above it. */
  readonly ladder: boolean;
  /** Cases at a time. */
  readonly jobs: number;
  /** The driver is the labelled floor: its rows are held against what the cases say of it. */
  readonly floor?: boolean;
  /** What the driver may spend on all cases. Without it nothing limits the whole. */
  readonly money?: SuiteMoney;
  readonly onCase?: (row: SuiteRow) => void;
}

export interface LadderRun {
  readonly results: SuiteResults;
  /** One line a case, with what was asked and answered. The same cases and driver give the same bytes. */
  readonly product: string;
  /** The highest rung up to which every gate was passed; undefined where the first was not. */
  readonly reached: Rung | undefined;
}

interface Done {
  readonly subject: LadderCase;
  readonly row: SuiteRow;
  readonly grade?: LadderGrade;
  readonly record?: LadderRecord;
}

/** Runs cases rung by rung and adds them up. */
export async function runLadder(options: RunLadderOptions): Promise<LadderRun> {
  const { suite, cases, driver, stamp, ladder } = options;
  const rungs = RUNG_NAMES.filter((rung) => cases.some((one) => one.rung === rung));
  const done: Done[] = [];
  const metrics: SuiteMetric[] = [];
  const gates: SuiteGate[] = [];
  const notes: string[] = options.floor === true ? [FLOOR_NOTE] : [];
  let closedBy: string | undefined;
  let reached: Rung | undefined;
  for (const rung of rungs) {
    const own = cases.filter((one) => one.rung === rung);
    if (closedBy !== undefined) {
      const receipt = `rung ${rung} skipped: gated by ${closedBy}`;
      notes.push(receipt);
      gates.push({ group: rung, contender: driver.name, passed: false, text: receipt });
      done.push(...own.map((subject) => notRun(subject, driver, receipt)));
      continue;
    }
    const run = await runAll(own, options);
    done.push(...run);
    const { figures, gate } = rollUp(rung, driver.name, run);
    metrics.push(...figures);
    gates.push(gate);
    const cleared = gates.every((one) => one.passed);
    if (cleared) reached = rung;
    if (!gate.passed && ladder) closedBy = gate.text;
  }
  if (options.floor === true) notes.push(...floorNotes(done));
  return {
    results: {
      suite: "ladder",
      stamp,
      suite_hash: suiteHash(suite),
      grader_version: LADDER_GRADER_VERSION,
      contenders: [driver.name],
      rows: done.map(({ row }) => row),
      metrics,
      gates,
      notes,
    },
    product: done.map((one) => `${JSON.stringify(productLine(one, driver.name, stamp))}\n`).join(""),
    reached,
  };
}

const FLOOR_NOTE = `The driver is a keyword stub, a floor: what no skill at all achieves. It is labelled for ${FLOOR_RUNGS.join(", ")} and is not a baseline to be beaten.`;

async function runAll(cases: readonly LadderCase[], options: RunLadderOptions): Promise<Done[]> {
  const done: Done[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let place = next++; place < cases.length; place = next++) {
      const subject = cases[place];
      if (subject === undefined) return;
      const { money, driver } = options;
      const run = (): Promise<Done> => runOne(subject, options);
      const ran = await (money === undefined ? run() : money.run(subject.id, run, ({ row }) => row.usd));
      const one = typeof ran === "string" ? notRun(subject, driver, ran) : ran;
      done[place] = one;
      options.onCase?.(one.row);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.jobs) }, worker));
  return done;
}

const heading = (subject: LadderCase, driver: LadderDriver) => ({
  task: subject.id,
  category: RUNGS[subject.rung],
  group: subject.rung,
  contender: driver.name,
});

const notRun = (subject: LadderCase, driver: LadderDriver, note: string): Done => ({
  subject,
  row: {
    ...heading(subject, driver),
    status: "not_run",
    passed: false,
    score: 0,
    checks: [],
    calls: 0,
    bad_calls: 0,
    note,
  },
});

async function runOne(subject: LadderCase, options: RunLadderOptions): Promise<Done> {
  const { driver } = options;
  const calledOff = (): boolean => options.signal?.aborted === true;
  if (calledOff()) return notRun(subject, driver, "called off");
  let record: LadderRecord;
  try {
    record = await runLadderCase(subject, options);
  } catch (error) {
    if (calledOff()) return notRun(subject, driver, "called off");
    const note = error instanceof Error ? error.message : String(error);
    const { row } = notRun(subject, driver, note);
    return { subject, row: { ...row, status: "failed" } };
  }
  const grade = gradeLadderCase(subject, record);
  const { checks } = grade;
  const said = record.result?.said;
  const usage = record.result?.usage;
  return {
    subject,
    record,
    grade,
    row: {
      ...heading(subject, driver),
      status: "graded",
      passed: grade.passed,
      score: checks.filter((check) => check.passed).length / checks.length,
      checks: [...checks],
      calls: record.seen.length,
      bad_calls: grade.hallucinated,
      ...usage,
      ...(said === undefined || grade.passed ? {} : { note: said }),
    },
  };
}

/** The metric pair of a rung, its two halves, and the gate. What was not graded enters none of it. */
function rollUp(rung: Rung, contender: string, done: readonly Done[]): { figures: SuiteMetric[]; gate: SuiteGate } {
  const grades = done.flatMap(({ grade }) => (grade === undefined ? [] : [grade]));
  const share = (name: string, counts: (grade: LadderGrade) => boolean): SuiteMetric =>
    suiteMetric({ name, group: rung, contender, successes: grades.filter(counts).length, trials: grades.length });
  const completion = share("completion", ({ passed }) => passed);
  const hallucination = share("hallucination", ({ hallucinated }) => hallucinated > 0);
  const completed = completion.trials === 0 ? 0 : completion.successes / completion.trials;
  const faults = [
    ...(grades.length < done.length ? [`${done.length - grades.length} of ${done.length} cases have no grade`] : []),
    ...(hallucination.successes > 0
      ? [`hallucination ${percent(hallucination.successes / hallucination.trials, 0)} > 0\u00a0%`]
      : []),
    ...(completed < COMPLETION_FLOOR ? [`completion ${percent(completed, 0)} < ${percent(COMPLETION_FLOOR, 0)}`] : []),
  ];
  return {
    figures: [
      completion,
      hallucination,
      share("plan completion", ({ plan }) => plan),
      share("result completion", ({ result }) => result),
    ],
    gate: {
      group: rung,
      contender,
      passed: faults.length === 0,
      text:
        faults.length === 0
          ? `${rung} hallucination 0\u00a0% at completion ${percent(completed, 0)}`
          : `${rung} ${faults.join(", ")}`,
    },
  };
}

/** Where the floor does not lie where the cases say it does. */
function floorNotes(done: readonly Done[]): string[] {
  const labelled = done.filter(({ subject, grade }) => subject.expect.floorExpect !== undefined && grade !== undefined);
  const wrong = labelled.filter(({ subject, grade }) => (subject.expect.floorExpect === "pass") !== grade?.passed);
  return [
    wrong.length === 0
      ? `The floor lies where all ${labelled.length} labelled cases say it does.`
      : `The floor lies elsewhere than labelled in ${wrong.map(({ subject }) => subject.id).join(", ")}.`,
  ];
}

function productLine({ subject, row, record }: Done, driver: string, stamp: string): object {
  const { result } = record ?? {};
  return {
    stamp,
    driver,
    id: subject.id,
    rung: subject.rung,
    request: subject.request,
    tools: subject.tools,
    status: row.status,
    passed: row.passed,
    checks: row.checks,
    calls: (record?.seen ?? []).map(({ name, input, outcome }) => ({
      name,
      input,
      answered: outcome.ok ? "ok" : outcome.code,
    })),
    refused: result?.refused ?? false,
    terminated: record?.terminated ?? false,
    ...(result === undefined ? {} : { proof: result.proof, goals: result.goals }),
    ...(result?.candidates === undefined ? {} : { candidates: result.candidates }),
    ...(result?.recognition === undefined ? {} : { recognition: result.recognition }),
    ...(result?.said === undefined ? {} : { said: result.said }),
    ...(row.note === undefined ? {} : { note: row.note }),
  };
}
