import type { QuestionDesk } from "../../contenders/question-desk.ts";
import type { ModelTurn } from "../../contract/model-usage.ts";
import type { Question, QuestionSuiteHead } from "../../contract/question.ts";
import { playScript, submit } from "./play-script.ts";

/** What an agent is given. Only `prompt` is meant for an agent that is graded; the question itself holds the solution. */
export interface QuestionAssignment {
  readonly question: Question;
  readonly suite: QuestionSuiteHead;
  readonly bench: string | undefined;
  readonly desk: QuestionDesk;
  readonly signal: AbortSignal;
  readonly onTurn: (turn: ModelTurn) => void;
}

/** Someone who answers questions. Throws `GaveUp` where it ends without an answer by its own doing. */
export interface QuestionAgent {
  readonly name: string;
  answer(assignment: QuestionAssignment): Promise<void>;
}

/** Plays the reference calls over the same connection that a model would use. Must pass everything. */
const oracle: QuestionAgent = {
  name: "oracle",
  async answer({ question, desk, bench }) {
    await submit(desk, await playScript(desk, question.reference.script, bench));
  },
};

/** Plays the setup that comes to mind first. Must fail everywhere. */
const naive: QuestionAgent = {
  name: "naive",
  async answer({ question, desk, bench }) {
    if (question.naive === undefined) return;
    await submit(desk, await playScript(desk, question.naive.script, bench));
  },
};

/** Hands nothing in. */
const silent: QuestionAgent = { name: "silent", answer: () => Promise.resolve() };

/** Declines whatever it is asked. */
const refusing: QuestionAgent = {
  name: "refusing",
  async answer({ desk }) {
    const summary = "This request cannot be answered as asked.";
    await submit(desk, { values: {}, declined: true, concerns: [summary], summary });
  },
};

/** Plays the naive setup and names every worry that there is. */
const hedging: QuestionAgent = {
  name: "hedging",
  async answer({ question, suite, desk, bench }) {
    const script = question.naive?.script ?? question.reference.script;
    const answer = await playScript(desk, script, bench);
    const concerns = Object.values(suite.topics ?? {}).map((words) => words.join(", "));
    await submit(desk, { ...answer, concerns });
  },
};

/** Knows the numbers and measures nothing. */
const guessing: QuestionAgent = {
  name: "guessing",
  async answer({ question, desk }) {
    const { values, script } = question.reference;
    await submit(desk, { ...script.answer, values: { ...values } });
  },
};

/** The agents that need no model, by name. All but the oracle are controls that must not pass. */
export const SCRIPTED_AGENTS: Readonly<Record<string, QuestionAgent>> = {
  oracle,
  naive,
  silent,
  refusing,
  hedging,
  guessing,
};
