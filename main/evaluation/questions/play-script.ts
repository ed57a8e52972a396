import type { QuestionDesk } from "../../contenders/question-desk.ts";
import { SUBMIT } from "../../contenders/question-desk.ts";
import type { CallScript, Submission } from "../../contract/question.ts";
import { FormulaError, reckon } from "./expression.ts";

/** Formulas of a value replaced by what they come to. Those that cannot be reckoned are left out of lists and objects. */
function resolved(value: unknown, names: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === "string" && value.startsWith("=")) {
    try {
      return reckon(value.slice(1), names);
    } catch (error) {
      if (error instanceof FormulaError) return undefined;
      throw error;
    }
  }
  if (Array.isArray(value)) return value.map((one) => resolved(one, names)).filter((one) => one !== undefined);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]: [string, unknown]) => [key, resolved(member, names)])
      .filter(([, member]) => member !== undefined),
  );
}

/** Makes the calls of a script in their order. Returns the answer that follows from what they gave. */
export async function playScript(
  desk: QuestionDesk,
  script: CallScript,
  bench: string | undefined,
): Promise<Submission> {
  const names: Record<string, unknown> = bench === undefined ? {} : { bench };
  for (const [i, { tool, as, arguments: given }] of script.calls.entries()) {
    const bound = resolved(given, names) as Record<string, unknown>;
    await desk.call({ id: `call-${i + 1}`, name: tool, arguments: { bound } });
    const made = desk.calls.at(-1);
    if (as !== undefined && made?.failed === false) names[as] = made.result;
  }
  return { ...script.answer, values: resolved(script.answer.values, names) as Submission["values"] };
}

/** Hands in an answer as anybody would. */
export async function submit(desk: QuestionDesk, answer: Submission): Promise<void> {
  await desk.call({ id: "answer", name: SUBMIT, arguments: { bound: { ...answer } } });
}
