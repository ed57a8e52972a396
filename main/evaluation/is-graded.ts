import type { EvaluationRow } from "../contract/evaluation-row.ts";

/** Whether a run came to its own end, with a verdict or without: it counts. What was not run or failed is no answer of its contender. */
export const isGraded = ({ status }: Pick<EvaluationRow, "status">): boolean =>
  status === "finished" || status === "no_verdict";
