import { join } from "node:path";
import type { EvaluationResults } from "../../contract/evaluation-results.ts";
import { type EvaluationRecord, replaceFile } from "../evaluation-folder.ts";
import { type AssembledRun, resultsText } from "../results.ts";
import { reportMarkdown } from "./report-markdown.ts";
import { reportPage } from "./report-page.ts";

/** The report of an evaluation's folder. */
export const REPORT_FILES = ["results.json", "results.md", "report.html"] as const;

/** Writes the three files of a report; the same runs give the same bytes. */
export function writeReport(
  out: string,
  { plan }: EvaluationRecord,
  results: EvaluationResults,
  runs: readonly AssembledRun[],
): void {
  replaceFile(join(out, "results.json"), resultsText(results));
  replaceFile(join(out, "results.md"), reportMarkdown(results, plan));
  replaceFile(join(out, "report.html"), reportPage(results, plan, runs));
}
