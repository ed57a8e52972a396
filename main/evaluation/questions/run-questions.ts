import type { Question } from "../../contract/question.ts";
import type { SuiteResults, SuiteRow } from "../../contract/suite-results.ts";
import { takeFolder } from "../evaluation-folder.ts";
import { suiteHash } from "../suites/suite-hash.ts";
import type { SuiteMoney } from "../suites/suite-money.ts";
import { writeSuiteResults } from "../suites/write-suite-results.ts";
import { QUESTION_GRADER_VERSION } from "./grade-question.ts";
import type { QuestionAgent } from "./question-agent.ts";
import { type QuestionServer, type ServerChoice, startQuestionServer } from "./question-server.ts";
import { keptRow, QuestionTranscript, type TranscriptKey, transcriptName } from "./question-transcript.ts";
import type { QuestionSuite } from "./read-questions.ts";
import { runQuestion } from "./run-question.ts";
import { questionResults } from "./question-results.ts";
import { questionRow } from "./question-row.ts";

export interface RunQuestionsOptions {
  readonly suite: QuestionSuite;
  /** Those to be run, in their order. */
  readonly selected: readonly Question[];
  readonly agents: readonly QuestionAgent[];
  /** By the agent's name, the model behind it. */
  readonly models?: Readonly<Record<string, string>>;
  /** What the agents with a model behind them may spend on all questions. Without it nothing limits the whole. */
  readonly money?: SuiteMoney;
  readonly server: ServerChoice;
  /** One server for all questions of an agent, each with its own bench on it. Default: a new one for each question. */
  readonly sharedServer: boolean;
  readonly jobs: number;
  readonly timeLimit_s: number;
  readonly stamp: string;
  readonly out: string;
  readonly signal: AbortSignal;
  readonly onRow?: (row: SuiteRow, done: number, total: number) => void;
}

/**
 * Lets every agent answer every selected question and writes the results. What lies in `out` and was graded under the same question
 * is not run again; its grade is given again from the recorded answer and calls.
 *
 * @throws TranscriptError where a transcript in `out` is not as it was written. Nothing is run then.
 * @throws Error where another process works in `out`.
 */
export async function runQuestions(options: RunQuestionsOptions): Promise<SuiteResults> {
  const giveBack = takeFolder(options.out);
  try {
    return await runIntoFolder(options);
  } finally {
    giveBack();
  }
}

async function runIntoFolder(options: RunQuestionsOptions): Promise<SuiteResults> {
  const { suite, selected, agents, out, signal } = options;
  const units = agents.flatMap((agent) => selected.map((question) => ({ agent, question })));
  const rows = new Map<string, SuiteRow>();
  const keyOf = (agent: QuestionAgent, question: Question): TranscriptKey => {
    const model = options.models?.[agent.name];
    return {
      question_sha256: suiteHash({ question, suite: suite.head }),
      grader_version: QUESTION_GRADER_VERSION,
      contender: agent.name,
      ...(model === undefined ? {} : { model }),
    };
  };
  const moneyOf = (agent: QuestionAgent): SuiteMoney | undefined =>
    options.models?.[agent.name] === undefined ? undefined : options.money;
  const place = (agent: QuestionAgent, question: Question): string => transcriptName(agent.name, question.id);
  const enter = (row: SuiteRow): void => {
    rows.set(`${row.contender}/${row.task}`, row);
    options.onRow?.(row, rows.size, units.length);
  };
  const waiting = units.filter(({ agent, question }) => {
    const transcript = place(agent, question);
    const asked = { question, suite: suite.head, contender: agent.name, transcript };
    const kept = keptRow(out, transcript, keyOf(agent, question), (recorded) => questionRow(asked, recorded));
    if (kept !== undefined) {
      enter(kept);
      moneyOf(agent)?.keep(transcript, kept.usd);
    }
    return kept === undefined;
  });
  const shared = new Map<string, Promise<QuestionServer>>();
  const limits = { limit_s: options.timeLimit_s, signal };
  const serverFor = async (agent: QuestionAgent, question: Question) => {
    if (!options.sharedServer) {
      const server = await startQuestionServer(options.server, [question], agent.name, limits);
      return { server, release: () => server.close() };
    }
    const own = waiting.filter((unit) => unit.agent === agent).map((unit) => unit.question);
    const started = shared.get(agent.name) ?? startQuestionServer(options.server, own, agent.name, limits);
    shared.set(agent.name, started);
    return { server: await started, release: () => Promise.resolve() };
  };
  const next = waiting[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const { agent, question } of next) {
      if (signal.aborted) return;
      const name = place(agent, question);
      const answer = (): Promise<SuiteRow> =>
        runQuestion({
          question,
          agent,
          suite: suite.head,
          transcript: new QuestionTranscript(out, name),
          transcriptName: name,
          key: keyOf(agent, question),
          server: () => serverFor(agent, question),
          timeLimit_s: options.timeLimit_s,
          signal,
        });
      const money = moneyOf(agent);
      const row = await (money === undefined ? answer() : money.run(name, answer, ({ usd }) => usd));
      enter(typeof row === "string" ? notRun(agent.name, question, row) : row);
    }
  };
  try {
    await Promise.all(Array.from({ length: options.jobs }, work));
  } catch (error) {
    // Called off: what is finished is reported, the rest was not run.
    if (!signal.aborted) throw error;
  } finally {
    const servers = await Promise.allSettled(shared.values());
    for (const one of servers) if (one.status === "fulfilled") await one.value.close();
  }
  const ordered = units.map(
    ({ agent, question }) => rows.get(`${agent.name}/${question.id}`) ?? notRun(agent.name, question, CALLED_OFF),
  );
  const results = questionResults({
    stamp: options.stamp,
    suite_hash: suiteHash(suite.questions),
    contenders: agents.map(({ name }) => name),
    rows: ordered,
    selected: selected.length,
    all: suite.questions.length,
  });
  await writeSuiteResults(out, results);
  return results;
}

const CALLED_OFF = "called off before its turn";

function notRun(contender: string, { id, category, kind }: Question, note: string): SuiteRow {
  return {
    task: id,
    category,
    group: kind,
    contender,
    status: "not_run",
    passed: false,
    score: 0,
    checks: [],
    calls: 0,
    bad_calls: 0,
    note,
  };
}
