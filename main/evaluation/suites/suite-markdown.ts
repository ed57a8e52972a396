import { SUITE_TITLES } from "../../contract/suite-check-text.ts";
import type { SuiteResults } from "../../contract/suite-results.ts";
import type { ReportTable } from "../report/report-table.ts";
import { tableMarkdown } from "../report/table-markdown.ts";
import {
  SUITE_CELL_SIGNS,
  explanations,
  gateTable,
  groupMatrix,
  HOW_TO_READ,
  metricTable,
  rowsToExplain,
  suiteContenders,
  suiteCostTable,
  suiteGroups,
  taskMatrix,
} from "./suite-tables.ts";

/** The results of a suite for reading in a text: every table, and every failed check in words. */
export function suiteMarkdown(results: SuiteResults): string {
  const contenders = suiteContenders(results);
  const section = (title: string, table: ReportTable): string[] =>
    table.rows.length === 0 ? [] : [`## ${title}`, tableMarkdown(table)];
  const cost = suiteCostTable(results);
  const parts: string[] = [
    `# ${SUITE_TITLES[results.suite]}, ${results.stamp}`,
    ...(results.notes.length === 0 ? [] : [results.notes.map((note) => `- ${note}`).join("\n")]),
    HOW_TO_READ,
    ...section("Gates", gateTable(results)),
    ...section("Passed, by group", groupMatrix(results)),
    ...section("Metrics", metricTable(results)),
    ...(cost === undefined ? [] : section("Cost", cost)),
    "## Tasks",
  ];
  for (const group of suiteGroups(results)) {
    parts.push(
      `### ${group}`,
      tableMarkdown({
        columns: ["task", "category", ...contenders],
        rows: taskMatrix(results, group).map(({ name, category, cells }) => [
          name,
          category,
          ...cells.map((cell) => `${SUITE_CELL_SIGNS[cell.mark]} ${cell.text}`.trim()),
        ]),
      }),
    );
  }
  parts.push("## What went wrong");
  const lists = contenders.flatMap((contender) => {
    const rows = rowsToExplain(results, contender);
    if (rows.length === 0) return [];
    const items = rows.map((row) => `- **${row.task}**: ${explanations(row).join("; ").replaceAll("\n", " ")}`);
    return [`### ${contender}`, items.join("\n")];
  });
  parts.push(
    ...(lists.length === 0 ? ["Nothing did."] : lists),
    `Grader version ${results.grader_version}. SHA-256 of the tasks: ${results.suite_hash}.`,
  );
  return `${parts.join("\n\n")}\n`;
}
