import { suiteCheckText } from "../../contract/suite-check-text.ts";
import type { SuiteResults, SuiteRow } from "../../contract/suite-results.ts";
import { decimal, percent, usdText } from "../report/figures-text.ts";
import type { ReportTable } from "../report/report-table.ts";

/** How a task stands with one contender. */
export interface SuiteCell {
  readonly mark: "passed" | "missed" | "failed" | "not run" | "no such row";
  readonly text: string;
  /** Anchor of the row's failed checks, where it has any. */
  readonly anchor?: string;
}

/** What stands before the text of a cell, in every form of the report. */
export const SUITE_CELL_SIGNS: Readonly<Record<SuiteCell["mark"], string>> = {
  passed: "✓",
  missed: "✗",
  failed: "!",
  "not run": "○",
  "no such row": "",
};

export interface SuiteMatrixRow {
  readonly name: string;
  readonly category: string;
  readonly cells: readonly SuiteCell[];
}

const unique = (values: readonly string[]): string[] => [...new Set(values)];

/** Groups in the order of the rows. */
export const suiteGroups = (results: SuiteResults): string[] => unique(results.rows.map((row) => row.group));

/** Contenders of the results and of their rows, in that order. */
export const suiteContenders = (results: SuiteResults): string[] =>
  unique([...results.contenders, ...results.rows.map((row) => row.contender)]);

/** A place in the page that a row's failed checks have to themselves. */
export const rowAnchor = (row: Pick<SuiteRow, "task" | "contender">): string =>
  `${row.task}--${row.contender}`.replaceAll(/[^A-Za-z0-9._-]/g, "_");

const hasMore = (row: SuiteRow): boolean => (row.status === "graded" && !row.passed) || row.note !== undefined;

function cellOf(rows: readonly SuiteRow[]): SuiteCell {
  const [row] = rows;
  if (row === undefined) return { mark: "no such row", text: "" };
  const anchor = rows.find(hasMore);
  const more = anchor === undefined ? {} : { anchor: rowAnchor(anchor) };
  if (rows.length > 1) {
    const graded = rows.filter((one) => one.status === "graded");
    const passed = graded.filter((one) => one.passed).length;
    const missing = rows.length - graded.length;
    return {
      mark: graded.length === 0 ? "not run" : passed === graded.length ? "passed" : "missed",
      text: `${passed} of ${graded.length}${missing === 0 ? "" : `, ${missing} without a grade`}`,
      ...more,
    };
  }
  if (row.status === "not_run") return { mark: "not run", text: "not run", ...more };
  if (row.status === "failed") return { mark: "failed", text: "failed", ...more };
  const share = row.score === 1 || row.score === 0 ? "" : ` (${percent(row.score, 0)})`;
  return { mark: row.passed ? "passed" : "missed", text: `${row.passed ? "passed" : "missed"}${share}`, ...more };
}

/** One line a task, one cell a contender. */
export function taskMatrix(results: SuiteResults, group: string): SuiteMatrixRow[] {
  const contenders = suiteContenders(results);
  const rows = results.rows.filter((row) => row.group === group);
  return unique(rows.map((row) => row.task)).map((task) => {
    const own = rows.filter((row) => row.task === task);
    return {
      name: task,
      category: unique(own.map((row) => row.category)).join(", "),
      cells: contenders.map((contender) => cellOf(own.filter((row) => row.contender === contender))),
    };
  });
}

/** One line a group, one cell a contender: how many of the graded tasks passed. */
export function groupMatrix(results: SuiteResults): ReportTable {
  const contenders = suiteContenders(results);
  return {
    columns: ["group", "tasks", ...contenders],
    rows: suiteGroups(results).map((group) => {
      const rows = results.rows.filter((row) => row.group === group);
      return [
        group,
        String(unique(rows.map((row) => row.task)).length),
        ...contenders.map((contender) => {
          const own = rows.filter((row) => row.contender === contender);
          const graded = own.filter((row) => row.status === "graded");
          if (own.length === 0) return "";
          if (graded.length === 0) return own.some((row) => row.status === "failed") ? "failed" : "not run";
          const missing = own.length - graded.length;
          const passed = graded.filter((row) => row.passed).length;
          return `${passed} of ${graded.length}${missing === 0 ? "" : `, ${missing} without a grade`}`;
        }),
      ];
    }),
  };
}

/** Every metric with its 95 % Wilson interval. */
export function metricTable(results: SuiteResults): ReportTable {
  return {
    columns: ["metric", "group", "contender", "of", "share", "95 %"],
    rows: results.metrics.map(({ name, group, contender, successes, trials, low, high }) => [
      name,
      group,
      contender,
      `${successes} of ${trials}`,
      trials === 0 ? "–" : percent(successes / trials, 0),
      trials === 0 ? "–" : `${decimal(100 * low, 0)} to ${decimal(100 * high, 0)}`,
    ]),
  };
}

/** Every bar and whether it was cleared. */
export function gateTable(results: SuiteResults): ReportTable {
  return {
    columns: ["gate", "contender", "cleared", "how"],
    rows: results.gates.map(({ group, contender, passed, text }) => [group, contender, passed ? "yes" : "no", text]),
  };
}

/** What the contenders used up; undefined where none of them costs anything that is known of. */
export function suiteCostTable(results: SuiteResults): ReportTable | undefined {
  const costly = suiteContenders(results).filter((contender) =>
    results.rows.some((row) => row.contender === contender && (row.tokens !== undefined || row.usd !== undefined)),
  );
  if (costly.length === 0) return undefined;
  return {
    columns: ["contender", "tasks", "turns", "calls", "tokens", "USD"],
    rows: costly.map((contender) => {
      const rows = results.rows.filter((row) => row.contender === contender && row.status !== "not_run");
      const sum = (values: readonly (number | undefined)[]): number | undefined =>
        values.some((value) => value === undefined) ? undefined : values.reduce<number>((a, b) => a + (b ?? 0), 0);
      return [
        contender,
        String(rows.length),
        String(sum(rows.map((row) => row.turns)) ?? "unknown"),
        String(sum(rows.map((row) => row.calls)) ?? 0),
        String(sum(rows.map((row) => row.tokens)) ?? "unknown"),
        usdText(sum(rows.map((row) => row.usd))),
      ];
    }),
  };
}

/** Rows of which there is something to say: a failed check, or why there is no grade. */
export const rowsToExplain = (results: SuiteResults, contender: string): SuiteRow[] =>
  results.rows.filter((row) => row.contender === contender && hasMore(row));

/** What went wrong with a row, one sentence each. */
export const explanations = (row: SuiteRow): string[] => [
  ...(row.status === "failed" ? ["failed by the infrastructure, and says nothing of the contender"] : []),
  ...(row.status === "not_run" ? ["not run"] : []),
  ...(row.note === undefined ? [] : [row.note]),
  ...row.checks.filter((check) => !check.passed).map(suiteCheckText),
];

/** How many of the checks that failed were looked at, and calls that could not be made. */
export function rowSummary(row: SuiteRow): string {
  const failed = row.checks.filter((check) => !check.passed).length;
  const bad = row.bad_calls === 0 ? "" : `, ${row.bad_calls} of ${row.calls} calls could not be made`;
  return row.status === "graded"
    ? `${failed} of ${row.checks.length} checks failed${bad}`
    : row.status.replace("_", " ");
}

/** What the figures mean, the same for every suite. */
export const HOW_TO_READ =
  "A task passes when every required check passes. Shares carry 95 % Wilson intervals; what was not run or failed by the infrastructure enters no share unless its metric says so.";
