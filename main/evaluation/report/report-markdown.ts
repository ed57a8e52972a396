import type { EvaluationResults } from "../../contract/evaluation-results.ts";
import type { Plan } from "../../contract/plan.ts";
import { agreementTable, BENCH_COMPARISON, benchSentences, repeatabilityTable } from "./bench-tables.ts";
import { decimal } from "./figures-text.ts";
import {
  CELL_SIGNS,
  contenderLabel,
  contendersOf,
  deviationRemark,
  pairedTable,
  registrationText,
  rightText,
  rowsNotRun,
  rowsWithNotes,
  summariesOf,
  summaryTable,
  verdictMatrix,
} from "./report-tables.ts";
import { tableMarkdown } from "./table-markdown.ts";

/** The results for reading in a text: every table, a note for every wrong verdict, limitations and deviations. */
export function reportMarkdown(results: EvaluationResults, plan: Plan): string {
  const contenders = contendersOf(results);
  const groups = plan.groups.filter((group) => results.rows.some((row) => row.group === group.group));
  const parts: string[] = [
    `# Evaluation ${results.plan}, version ${results.version}`,
    plan.question.trim(),
    registrationText(results)
      .map((sentence) => `- ${sentence}`)
      .join("\n"),
    ...(results.bench === undefined
      ? ["All benches of this evaluation are simulated."]
      : [
          benchSentences(results)
            .map((sentence) => `- ${sentence}`)
            .join("\n"),
        ]),
    "Rates carry 95 % Wilson intervals; what was not run or failed enters no rate.",
  ];
  for (const group of groups) {
    const matrix = verdictMatrix(results, group);
    parts.push(
      `## Group ${group.group}: ${group.title}`,
      group.question.trim(),
      tableMarkdown(summaryTable(summariesOf(results, group.group), plan)),
      tableMarkdown({
        columns: ["case", "expected", ...contenders.map((name) => contenderLabel(plan, name))],
        rows: matrix.map((row) => [
          `${row.name}${row.seen && group.held_out ? " (seen)" : ""}`,
          row.expected,
          ...row.cells.map((one) => `${CELL_SIGNS[one.mark]} ${one.text}`.trim()),
        ]),
      }),
    );
    const caveats = matrix.filter((row) => row.caveat !== undefined);
    if (caveats.length > 0) parts.push(caveats.map((row) => `- ${row.name}: ${row.caveat ?? ""}`).join("\n"));
  }
  if (results.summary.held_out.length > 0) {
    parts.push(
      "## Held-out cases together",
      "Groups that are held out, without cases that are marked as seen.",
      tableMarkdown(summaryTable(results.summary.held_out, plan)),
    );
  }
  const seen = results.rows.filter((row) => row.seen && groups.some((one) => one.group === row.group && one.held_out));
  if (seen.length > 0) {
    parts.push(
      "## Seen cases",
      "They belong to held-out groups and are reported apart.",
      tableMarkdown({
        columns: ["case", "contender", "expected", "verdict", "right"],
        rows: seen.map((row) => [
          row.case,
          row.contender,
          row.expected ?? "–",
          row.verdict ?? row.status,
          rightText(row),
        ]),
      }),
    );
  }
  if (results.summary.paired.length > 0) {
    parts.push(
      "## Contenders on the same cases",
      "Exact McNemar tests for verdicts; for differences their mean with a bootstrap interval and p by flipping signs; Holm's adjustment over all primary comparisons of the plan, also those without data. Everything else is exploratory.",
      tableMarkdown(pairedTable(results)),
    );
  }
  if (results.summary.pass_hat_k.length > 0) {
    parts.push(
      "## Reliability over epochs",
      tableMarkdown({
        columns: ["contender", "k", "pass^k"],
        rows: results.summary.pass_hat_k.map((one) => [one.contender, String(one.k), decimal(one.value, 3)]),
      }),
    );
  }
  const { repeatability = [], agreement = [] } = results.summary;
  if (repeatability.length > 0) {
    parts.push(
      "## Runs on the bench against each other",
      BENCH_COMPARISON,
      tableMarkdown(repeatabilityTable(repeatability)),
    );
  }
  if (agreement.length > 0) parts.push(tableMarkdown(agreementTable(agreement)));
  const notes = rowsWithNotes(results);
  parts.push(
    "## Notes on every wrong verdict",
    notes.length === 0
      ? "There are none."
      : notes.map((row) => `- **${row.case}, ${row.contender}, epoch ${row.epoch}**: ${row.note ?? ""}`).join("\n"),
  );
  const notRun = rowsNotRun(results);
  if (notRun.length > 0) {
    parts.push(
      "## Not run",
      notRun.map((row) => `- ${row.case}, ${row.contender}, epoch ${row.epoch}: ${row.note ?? ""}`).join("\n"),
    );
  }
  parts.push(
    "## Deviations",
    plan.deviations.length === 0
      ? "None."
      : plan.deviations.map((one) => `- ${one.date}: ${one.what} ${one.why} ${deviationRemark(one)}`).join("\n"),
    "## Limitations",
    plan.limitations.map((text) => `- ${text.trim()}`).join("\n"),
  );
  return `${parts.join("\n\n")}\n`;
}
