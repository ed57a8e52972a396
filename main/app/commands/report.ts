import { join } from "node:path";
import type { Command } from "commander";
import { REPORT_FILES } from "../../evaluation/report/write-report.ts";
import { reportFolder } from "../../evaluation/report-folder.ts";
import { resultsText } from "../../evaluation/results.ts";
import { evaluationText } from "../evaluation-text.ts";
import { asUsage } from "../plan-file.ts";
import { printNote, printResult } from "../terminal.ts";

const HELP = `
Grades every run in the evaluation's folder again with today's grader and writes ${REPORT_FILES.join(", ")}. The journals are checked
line by line first; a damaged one ends the command with its name and line.

Example:
  $ caustic report runs/evaluation/beam-quality-1f0c2a77`;

/** Adds `caustic report`. */
export function registerReport(program: Command): void {
  program
    .command("report")
    .description("makes the report of an evaluation again from its runs")
    .argument("<folder>", "the evaluation's folder")
    .option("--json", "print the results as JSON")
    .addHelpText("after", HELP)
    .action((folder: string, options: { readonly json?: true }) => {
      const results = asUsage(() => reportFolder(folder));
      if (options.json === true) process.stdout.write(resultsText(results));
      else printResult(evaluationText(results));
      printNote(`Written: ${REPORT_FILES.map((name) => join(folder, name)).join(", ")}`);
    });
}
