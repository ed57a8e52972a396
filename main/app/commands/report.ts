import { join } from "node:path";
import type { Command } from "commander";
import { REPORT_FILES } from "../../evaluation/report/write-report.ts";
import { currentParts } from "../../evaluation/freeze.ts";
import { reportFolder } from "../../evaluation/report-folder.ts";
import { resultsText } from "../../evaluation/results.ts";
import { evaluationText } from "../evaluation-text.ts";
import { asUsageLater, PROJECT_ROOT } from "../plan-file.ts";
import { printNote, printResult } from "../terminal.ts";

const HELP = `
Grades every run in the evaluation's folder again with today's grader and writes ${REPORT_FILES.join(", ")}. The journals are checked
line by line first; a damaged one ends the command with its name and line. Plan and freeze are hashed again, every run is held against its
case, and its first measurement is simulated again: what is not what it says it is ends the command by name.

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
    .action(async (folder: string, options: { readonly json?: true }) => {
      const results = await asUsageLater(reportFolder(folder, currentParts(PROJECT_ROOT)));
      if (options.json === true) process.stdout.write(resultsText(results));
      else printResult(evaluationText(results));
      printNote(`Written: ${REPORT_FILES.map((name) => join(folder, name)).join(", ")}`);
    });
}
