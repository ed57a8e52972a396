import type { SuiteResults } from "../contract/suite-results.ts";
import {
  explanations,
  gateTable,
  groupMatrix,
  metricTable,
  suiteContenders,
  rowsToExplain,
} from "../evaluation/suites/suite-tables.ts";

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function aligned({ columns, rows }: Table): string[] {
  const lines = [columns, ...rows];
  const widths = columns.map((_, place) => Math.max(...lines.map((cells) => (cells[place] ?? "").length)));
  return lines.map((cells) =>
    cells
      .map((cell, place) => cell.padEnd(widths[place] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** The results of a suite for a terminal: notes, groups, gates or metrics, and what went wrong in words. */
export function suiteText(results: SuiteResults): string {
  const wrong = suiteContenders(results).flatMap((contender) =>
    rowsToExplain(results, contender)
      .filter((row) => row.status !== "not_run")
      .map((row) => `${row.task} (${contender}): ${explanations(row).join("; ")}`),
  );
  const figures = results.gates.length > 0 ? gateTable(results) : metricTable(results);
  return [
    ...results.notes,
    ...aligned(groupMatrix(results)),
    "",
    ...(figures.rows.length === 0 ? [] : [...aligned(figures), ""]),
    ...(wrong.length === 0 ? ["Nothing went wrong."] : wrong),
  ].join("\n");
}
