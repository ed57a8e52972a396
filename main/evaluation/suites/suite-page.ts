import { SUITE_TITLES } from "../../contract/suite-check-text.ts";
import type { SuiteResults, SuiteRow } from "../../contract/suite-results.ts";
import { escaped, listHtml, pageHtml, tableHtml } from "../report/page-pieces.ts";
import type { ReportTable } from "../report/report-table.ts";
import {
  SUITE_CELL_SIGNS,
  explanations,
  gateTable,
  groupMatrix,
  HOW_TO_READ,
  metricTable,
  rowAnchor,
  rowsToExplain,
  rowSummary,
  type SuiteCell,
  suiteContenders,
  suiteCostTable,
  suiteGroups,
  taskMatrix,
} from "./suite-tables.ts";

const CLASSES: Readonly<Record<SuiteCell["mark"], string>> = {
  passed: "right",
  missed: "wrong",
  failed: "failed",
  "not run": "idle",
  "no such row": "none",
};

function matrixHtml(results: SuiteResults, group: string): string {
  const head = ["task", "category", ...suiteContenders(results)]
    .map((name) => `<th scope="col">${escaped(name)}</th>`)
    .join("");
  const body = taskMatrix(results, group)
    .map(({ name, category, cells }) => {
      const columns = cells.map((cell) => {
        const text = `${SUITE_CELL_SIGNS[cell.mark]} ${escaped(cell.text)}`.trim();
        const linked = cell.anchor === undefined ? text : `<a href="#${cell.anchor}">${text}</a>`;
        return `<td class="${CLASSES[cell.mark]}">${linked}</td>`;
      });
      return `<tr><th scope="row">${escaped(name)}</th><td>${escaped(category)}</td>${columns.join("")}</tr>`;
    })
    .join("\n");
  return `<div class="wide"><table class="matrix"><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}

function card(row: SuiteRow): string {
  const look = row.status !== "graded" ? "idle" : row.passed ? "right" : "wrong";
  const transcript = row.transcript === undefined ? "" : `<p class="note">Transcript: ${escaped(row.transcript)}</p>`;
  return [
    `<article id="${rowAnchor(row)}" class="${look}"><h4>${escaped(row.task)} · ${escaped(row.contender)}</h4>`,
    `<p>${escaped(rowSummary(row))}</p>`,
    listHtml(explanations(row).map(escaped)),
    transcript,
    "</article>",
  ].join("");
}

/** The results of a suite as one page: no script, nothing from outside. */
export function suitePage(results: SuiteResults): string {
  const title = `${SUITE_TITLES[results.suite]}, ${results.stamp}`;
  const section = (name: string, table: ReportTable): string[] =>
    table.rows.length === 0 ? [] : [`<section><h2>${name}</h2>`, tableHtml(table), "</section>"];
  const notes =
    results.notes.length === 0
      ? ""
      : `<div class="stamp">${listHtml(results.notes.map((note) => escaped(note)))}</div>`;
  const cost = suiteCostTable(results);
  const sections: string[] = [
    `<header><h1>${escaped(title)}</h1>${notes}<p>${HOW_TO_READ}</p></header>`,
    ...section("Gates", gateTable(results)),
    ...section("Passed, by group", groupMatrix(results)),
    ...section("Metrics", metricTable(results)),
    ...(cost === undefined ? [] : section("Cost", cost)),
    "<section><h2>Tasks</h2>",
  ];
  for (const group of suiteGroups(results)) sections.push(`<h3>${escaped(group)}</h3>`, matrixHtml(results, group));
  sections.push("</section><section><h2>What went wrong</h2>");
  const before = sections.length;
  for (const contender of suiteContenders(results)) {
    const rows = rowsToExplain(results, contender);
    if (rows.length === 0) continue;
    sections.push(
      `<h3>${escaped(contender)}: ${rows.length} ${rows.length === 1 ? "task" : "tasks"}</h3><div class="cards">`,
      rows.map(card).join("\n"),
      "</div>",
    );
  }
  if (sections.length === before) sections.push("<p>Nothing did.</p>");
  sections.push(
    `<p class="fine">Grader version ${escaped(results.grader_version)}. SHA-256 of the tasks: ${escaped(results.suite_hash)}.</p></section>`,
  );
  return pageHtml(title, sections);
}
