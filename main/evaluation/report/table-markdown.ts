import type { ReportTable } from "./report-table.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** A table as GitHub's markdown writes it. */
export function tableMarkdown({ columns, rows }: ReportTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}
