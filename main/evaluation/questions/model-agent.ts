import { converse, type ModelMeans } from "../../contenders/model-conversation.ts";
import type { AnswerField, Question } from "../../contract/question.ts";
import type { QuestionAgent } from "./question-agent.ts";

const SYSTEM = `You answer a user's question by working with the tools of a server. Find out what you need with the tools, and base every number
on what they give. The user will not answer follow-up questions.

When you are done, call submit_answer once: the values that were asked for, in the units that are stated for them; whether you decline,
because the request cannot be answered as asked; your concerns; and a summary in words. The task ends only with submit_answer.`;

const WORDS = {
  idle: "You called no tool. The task ends only with submit_answer; call it when you are done.",
  circles:
    "You go in circles: the same calls with the same arguments, again and again. Do something else, or call submit_answer. The task is ended if this goes on.",
};

function fieldLine({ key, unit, choices, means }: AnswerField): string {
  const form =
    choices === undefined ? (unit === "1" ? "a number" : `in ${unit ?? ""}`) : `one of ${choices.join(", ")}`;
  return `- ${key} (${form}): ${means}`;
}

/** The question as it reaches whoever answers it. Nothing hidden is in it. */
export function openingOf({ prompt, answer }: Pick<Question, "prompt" | "answer">, bench: string | undefined): string {
  return [
    prompt.trim(),
    ...(bench === undefined ? [] : [`The bench is "${bench}".`]),
    ...(answer.length === 0 ? [] : [`Values to hand in:\n${answer.map(fieldLine).join("\n")}`]),
  ].join("\n\n");
}

/** A language model that is given the question, the server's own words, and the tools. */
export function createModelAgent(name: string, means: ModelMeans): QuestionAgent {
  return {
    name,
    async answer({ question, bench, desk, signal, onTurn }) {
      const { instructions } = desk;
      const system = instructions === undefined ? SYSTEM : `${SYSTEM}\n\nThe server says of itself:\n${instructions}`;
      const tools = await desk.tools();
      await converse({
        ...means,
        system,
        opening: openingOf(question, bench),
        tools,
        desk,
        words: WORDS,
        signal,
        onTurn,
      });
    },
  };
}
