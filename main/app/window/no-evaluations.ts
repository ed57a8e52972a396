import { BenchError } from "../../contract/error-codes.ts";
import type { EvaluationShelf } from "./shelves.ts";

/** Where no folder of evaluations is known. */
export const NO_EVALUATIONS: EvaluationShelf = {
  list: () => Promise.resolve([]),
  read: (evaluation) =>
    Promise.reject(new BenchError("unknown_id", `there is no evaluation ${evaluation}`, "Run one with caustic eval.")),
  onChange: () => () => undefined,
};
