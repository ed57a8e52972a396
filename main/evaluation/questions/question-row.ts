import type { ModelUsage } from "../../contract/model-usage.ts";
import type { Question, QuestionSuiteHead, Submission } from "../../contract/question.ts";
import type { SuiteRow } from "../../contract/suite-results.ts";
import { gradeQuestion } from "./grade-question.ts";
import type { LoggedCall } from "./tool-log.ts";

/** What a run left behind that a grade rests on. */
export interface RecordedAnswer {
  /** Undefined where nothing was handed in. */
  readonly submission: Submission | undefined;
  readonly log: readonly LoggedCall[];
  readonly ended: Pick<SuiteRow, "status" | "note">;
  /** Of the whole run; absent where no model answered. */
  readonly usage?: ModelUsage;
}

interface Asked {
  readonly question: Question;
  readonly suite: QuestionSuiteHead;
  readonly contender: string;
  /** File of the transcript, relative to the results. */
  readonly transcript: string;
}

/** What a row says of whose it is. */
export const rowHead = ({ question, contender }: Pick<Asked, "question" | "contender">) => ({
  task: question.id,
  category: question.category,
  group: question.kind,
  contender,
});

/** The row of a question that was put to somebody. Pure, so that a transcript can be graded again. */
export function questionRow(asked: Asked, { submission, log, ended, usage }: RecordedAnswer): SuiteRow {
  const grade = gradeQuestion({ question: asked.question, suite: asked.suite, submission, log });
  const graded = ended.status === "graded";
  return {
    ...rowHead(asked),
    ...ended,
    passed: graded && grade.passed,
    score: graded ? grade.score : 0,
    checks: graded ? [...grade.checks] : [],
    calls: log.length,
    bad_calls: log.filter(({ bad }) => bad).length,
    ...(usage === undefined ? {} : { turns: usage.model_calls }),
    ...(usage?.tokens === undefined
      ? {}
      : { tokens: usage.tokens.input + usage.tokens.cached_input + usage.tokens.cache_write + usage.tokens.output }),
    ...(usage?.usd === undefined ? {} : { usd: usage.usd }),
    transcript: asked.transcript,
  };
}
