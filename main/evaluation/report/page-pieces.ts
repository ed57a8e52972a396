import { PAGE_STYLE } from "./page-style.ts";
import type { ReportTable } from "./report-table.ts";

/** Text as it may stand in a page and in an attribute of it. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** A table whose first column heads its rows. Its texts are escaped here. */
export function tableHtml({ columns, rows }: ReportTable): string {
  const head = columns.map((name) => `<th scope="col">${escaped(name)}</th>`).join("");
  const body = rows
    .map((cells) => {
      const [first = "", ...rest] = cells.map(escaped);
      return `<tr><th scope="row">${first}</th>${rest.map((text) => `<td>${text}</td>`).join("")}</tr>`;
    })
    .join("\n");
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}

/** A list of items that are markup already. */
export const listHtml = (items: readonly string[]): string =>
  `<ul>\n${items.map((item) => `<li>${item}</li>`).join("\n")}\n</ul>`;

/** One page with everything: no script, nothing from outside. */
export function pageHtml(title: string, sections: readonly string[]): string {
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${escaped(title)}</title><style>${PAGE_STYLE}</style></head><body>`,
    ...sections,
    "</body></html>\n",
  ].join("\n");
}
