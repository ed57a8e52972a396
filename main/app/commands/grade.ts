import type { Command } from "commander";
import type { EvaluationRow } from "../../contract/evaluation-row.ts";
import { currentParts } from "../../evaluation/freeze.ts";
import { gradeAgain, gradeChanges } from "../../evaluation/grade-again.ts";
import { asUsageLater, PROJECT_ROOT } from "../plan-file.ts";
import { printJson, printNote, printResult } from "../terminal.ts";

const HELP = `
The journal is checked line by line and graded by today's grader; the grade of the day on which the run was made is shown beside it.

Example:
  $ caustic grade runs/evaluation/beam-quality-1f0c2a77/runs/C2-scripted-e1`;

/** Adds `caustic grade`. */
export function registerGrade(program: Command): void {
  program
    .command("grade")
    .description("grades a run again and shows both grades")
    .argument("<run>", "the folder of a run")
    .option("--json", "print both grades as JSON")
    .addHelpText("after", HELP)
    .action(async (folder: string, options: { readonly json?: true }) => {
      const graded = await asUsageLater(gradeAgain(folder, currentParts(PROJECT_ROOT)));
      if (options.json === true) {
        printJson({ run: folder, ...graded, changed: gradeChanges(graded).map(({ name }) => name) });
        return;
      }
      const { then, now, notRecomputed, damaged } = graded;
      if (damaged !== undefined) printNote(`${damaged}; the grade of its day is lost.`);
      if (notRecomputed !== undefined) printNote(`Not shown to be a run of its case by recomputing: ${notRecomputed}.`);
      printResult(
        `${now.case} by ${now.contender}, epoch ${now.epoch}; ${now.expected ?? "nothing says which verdict is right"}${now.expected === undefined ? "" : " is expected"}`,
      );
      if (then === undefined) printResult("This run carries no grade of its day.");
      else printResult(`then, grader ${then.grader_version}: ${verdictText(then)}`);
      printResult(`now,  grader ${now.grader_version}: ${verdictText(now)}`);
      for (const { grader, answer, why } of now.grades) printResult(`  ${answer.padEnd(14)} ${grader}: ${why}`);
      if (now.note !== undefined) printResult(now.note);
      if (then === undefined) return;
      const changed = gradeChanges(graded);
      printResult(changed.length === 0 ? "Both grades agree." : "They differ:");
      for (const { name, before, after } of changed) printResult(`  ${name}: ${before} → ${after}`);
    });
}

const verdictText = (row: EvaluationRow): string =>
  `${row.verdict ?? row.status}, ${row.correct === undefined ? "not judged" : row.correct ? "right" : "not right"}`;
