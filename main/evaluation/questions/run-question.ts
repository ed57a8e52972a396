import { performance } from "node:perf_hooks";
import { GaveUp } from "../../contenders/contender.ts";
import { QuestionDesk, ServerGone } from "../../contenders/question-desk.ts";
import type { ModelTurn } from "../../contract/model-usage.ts";
import type { Question, QuestionSuiteHead } from "../../contract/question.ts";
import type { SuiteRow } from "../../contract/suite-results.ts";
import { openingOf } from "./model-agent.ts";
import type { QuestionAgent } from "./question-agent.ts";
import { questionRow, rowHead } from "./question-row.ts";
import type { QuestionServer } from "./question-server.ts";
import { type QuestionTranscript, type TranscriptKey } from "./question-transcript.ts";

export interface RunQuestionOptions {
  readonly question: Question;
  readonly suite: QuestionSuiteHead;
  readonly agent: QuestionAgent;
  readonly transcript: QuestionTranscript;
  /** File of the transcript, relative to the results. */
  readonly transcriptName: string;
  readonly key: TranscriptKey;
  /** Brings the server, and what ends it if it is the question's own. */
  readonly server: () => Promise<{ readonly server: QuestionServer; readonly release: () => Promise<void> }>;
  readonly timeLimit_s: number;
  readonly signal: AbortSignal;
}

/** Lets one agent answer one question and grades it. What broke outside the agent ends as a row that says so; never rejects but when called off. */
export async function runQuestion(options: RunQuestionOptions): Promise<SuiteRow> {
  const { question, agent, transcript, key, signal } = options;
  const began = performance.now();
  const base = rowHead({ question, contender: agent.name });
  const spent: { turn?: ModelTurn } = {};
  let desk: QuestionDesk | undefined;
  let ended: Pick<SuiteRow, "status" | "note"> = { status: "graded" };
  try {
    const { server, release } = await options.server();
    try {
      const limit = AbortSignal.timeout(options.timeLimit_s * 1000);
      const bench = server.benchOf(question);
      transcript.add("asked", { ...base, opening: openingOf(question, bench), key });
      let since = performance.now();
      desk = new QuestionDesk({
        client: server.connection.client,
        fields: question.answer,
        signal: AbortSignal.any([signal, limit]),
        gone: server.connection.gone,
        lastWords: server.connection.lastWords,
        onCall: (call) => {
          const now = performance.now();
          transcript.add("call", { ...call, took_ms: Math.round(now - since) });
          since = now;
        },
      });
      const onTurn = (turn: ModelTurn): void => {
        spent.turn = turn;
        since = performance.now();
        transcript.add("turn", turn);
      };
      ended = await answered(agent, { ...options, bench, desk, onTurn }, limit);
    } finally {
      await release();
    }
  } catch (error) {
    signal.throwIfAborted();
    ended = { status: "failed", note: error instanceof Error ? error.message : String(error) };
  }
  signal.throwIfAborted();
  const submission = desk?.submission;
  transcript.add("submitted", {
    submission: submission ?? null,
    wall_ms: Math.round(performance.now() - began),
    ...ended,
  });
  const usage = spent.turn?.usage;
  const row = questionRow(
    { question, suite: options.suite, contender: agent.name, transcript: options.transcriptName },
    { submission, log: desk?.calls ?? [], ended, ...(usage === undefined ? {} : { usage }) },
  );
  transcript.end(key, row);
  return row;
}

/** An answer, or its absence by the agent's own doing, is graded; whatever else goes wrong is thrown. */
async function answered(
  agent: QuestionAgent,
  given: Omit<Parameters<QuestionAgent["answer"]>[0], "signal"> & {
    readonly signal: AbortSignal;
    readonly timeLimit_s: number;
  },
  limit: AbortSignal,
): Promise<Pick<SuiteRow, "status" | "note">> {
  const { question, suite, bench, desk, onTurn, signal } = given;
  try {
    await agent.answer({ question, suite, bench, desk, onTurn, signal: AbortSignal.any([signal, limit]) });
    return { status: "graded", ...(desk.submission === undefined ? { note: "nothing was handed in" } : {}) };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted && !(error instanceof ServerGone)) {
      return { status: "graded", note: `nothing was handed in within ${given.timeLimit_s} s` };
    }
    if (error instanceof GaveUp) return { status: "graded", note: error.message };
    throw error;
  }
}
