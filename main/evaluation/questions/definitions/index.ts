import type { Question } from "../../../contract/question.ts";
import { alignmentQuestions } from "./alignment.ts";
import { backgroundQuestions } from "./background.ts";
import { causticQuestions } from "./caustic.ts";
import { diagnosisQuestions } from "./diagnosis.ts";
import { exposureQuestions } from "./exposure.ts";
import { planningQuestions } from "./planning.ts";
import { propagationQuestions } from "./propagation.ts";
import { widthQuestions } from "./width.ts";

/** Every question of the suite. */
export function allQuestions(): Question[] {
  return [
    ...widthQuestions(),
    ...causticQuestions(),
    ...propagationQuestions(),
    ...exposureQuestions(),
    ...backgroundQuestions(),
    ...alignmentQuestions(),
    ...planningQuestions(),
    ...diagnosisQuestions(),
  ];
}
