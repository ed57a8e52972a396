import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Question, Submission } from "../../main/contract/question.ts";
import type { SuiteResults } from "../../main/contract/suite-results.ts";
import { CAUSTIC } from "../../main/app/run-caustic.ts";
import { type QuestionAgent, SCRIPTED_AGENTS } from "../../main/evaluation/questions/question-agent.ts";
import type { ServerChoice } from "../../main/evaluation/questions/question-server.ts";
import { type QuestionSuite, readQuestions } from "../../main/evaluation/questions/read-questions.ts";
import { runQuestions, type RunQuestionsOptions } from "../../main/evaluation/questions/run-questions.ts";
import type { LoggedCall } from "../../main/evaluation/questions/tool-log.ts";

const ROOT = join(import.meta.dirname, "../..");

export const QUESTIONS = join(ROOT, "tasks/questions");

/** The suite as it lies in the project. */
export const readSuite = (): QuestionSuite => readQuestions(QUESTIONS);

const OWN_SERVER: ServerChoice = { command: [process.execPath, CAUSTIC, "mcp", "--world", "{world}"], env: {} };

/** A folder that is gone with the tests. */
export function scratch(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "questions-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export const agentsNamed = (...names: string[]): QuestionAgent[] =>
  names.map((name) => {
    const agent = SCRIPTED_AGENTS[name];
    if (agent === undefined) throw new Error(`there is no agent ${name}`);
    return agent;
  });

export function runSuite(
  suite: QuestionSuite,
  agents: readonly QuestionAgent[],
  out: string,
  more: Partial<RunQuestionsOptions> = {},
): Promise<SuiteResults> {
  return runQuestions({
    suite,
    selected: suite.questions,
    agents,
    server: OWN_SERVER,
    sharedServer: true,
    jobs: 2,
    timeLimit_s: 300,
    stamp: "test",
    out,
    signal: new AbortController().signal,
    ...more,
  });
}

/** What a transcript says of a run: enough to grade it again. */
export interface Recorded {
  readonly text: string;
  readonly log: readonly LoggedCall[];
  readonly submission: Submission | undefined;
}

export function recorded(out: string, agent: string, question: Pick<Question, "id">): Recorded {
  const text = readFileSync(join(out, "transcripts", agent, `${question.id}.jsonl`), "utf8");
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string } & Record<string, unknown>);
  const submitted = lines.find(({ type }) => type === "submitted");
  return {
    text,
    log: lines.filter(({ type }) => type === "call") as unknown as LoggedCall[],
    submission: (submitted?.["submission"] ?? undefined) as Submission | undefined,
  };
}
