import type { Question } from "../../../contract/question.ts";
import { widthQuestions } from "./width.ts";

/** Every question of the suite. */
export function allQuestions(): Question[] {
  return [...widthQuestions()];
}
