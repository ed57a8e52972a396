import type { EvaluationResults } from "../contract/evaluation-results.ts";
import { agreementTable, benchSentences, repeatabilityTable } from "../evaluation/report/bench-tables.ts";
import { counted } from "../evaluation/report/figures-text.ts";
import type { GroupSummary } from "../contract/evaluation-summary.ts";

const COLUMNS = [
  "group",
  "contender",
  "right",
  "of",
  "95 %",
  "|M² error| median, max",
  "within ±u, ±2u",
  "violations",
  "positions",
] as const;

const percent = (share: number | undefined, decimals = 0): string =>
  share === undefined ? "–" : `${(100 * share).toFixed(decimals)} %`;

function line(one: GroupSummary): string[] {
  const missing = one.planned - one.graded;
  const { correct } = one;
  return [
    one.group,
    one.contender,
    correct === undefined ? "–" : String(correct.successes),
    `${one.graded}${missing === 0 ? "" : ` (${missing} without a grade)`}`,
    correct === undefined ? "–" : `${(100 * correct.low).toFixed(0)}–${(100 * correct.high).toFixed(0)} %`,
    one.m2_error_median === undefined ? "–" : `${percent(one.m2_error_median, 2)}, ${percent(one.m2_error_max, 2)}`,
    one.within_1u === undefined ? "–" : `${percent(one.within_1u.rate)}, ${percent(one.within_2u?.rate)}`,
    String(one.violations),
    one.positions_mean === undefined ? "–" : one.positions_mean.toFixed(1),
  ];
}

/** How the runs on a bench agree, a line each. */
function benchLines({ summary: { repeatability = [], agreement = [] } }: EvaluationResults): string[] {
  const lines = [...repeatabilityTable(repeatability).rows, ...agreementTable(agreement).rows];
  return lines.length === 0 ? [] : ["", ...lines.map((cells) => cells.filter((cell) => cell !== "–").join("  "))];
}

/** The groups of an evaluation as a table for a terminal. */
export function evaluationText(results: EvaluationResults): string {
  const lines = [[...COLUMNS], ...[...results.summary.groups, ...results.summary.held_out].map(line)];
  const widths = COLUMNS.map((_, i) => Math.max(...lines.map((cells) => (cells[i] ?? "").length)));
  const table = lines.map((cells) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const stamp = results.registered
    ? `Plan ${results.plan}, registered on ${results.registration.frozen_on ?? "?"}, SHA-256 ${results.plan_hash}`
    : `EXPLORATORY: plan ${results.plan}, SHA-256 ${results.plan_hash} (${results.registration.why_not.join("; ")})`;
  const wrong = results.rows.filter(
    (row) => row.correct !== true && row.note !== undefined && row.status !== "not_run",
  );
  const remarks = [
    ...benchSentences(results),
    ...(results.registration.history === undefined ? [] : [`Mind: ${results.registration.history}.`]),
    ...(results.not_recomputed === undefined
      ? []
      : [
          `Could not be simulated again, and so not be tied to their cases: ${counted(results.not_recomputed.length, "run")}.`,
        ]),
    ...(results.started_again ?? []).map(
      (one) =>
        `${one.case} by ${one.contender}, epoch ${one.epoch}, was started ${one.starts} times (${one.finished} finished, ${one.failed} failed).`,
    ),
  ];
  const notes = `${counted(wrong.length, "row")} with a note on what went wrong`;
  return [stamp, ...remarks, "", ...table, ...benchLines(results), "", notes].join("\n");
}
