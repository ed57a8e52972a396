/** What makes a report stand alone: on the screen of whoever opens the file it looks as it does on paper. */
const STANDALONE = `
html, body { background: #fff; height: auto; overflow: visible; }
body > .report { display: grid; max-width: 182mm; margin: 12mm auto; }
@media print { body > .report { margin: 0; max-width: none; } }
`;

/** The report of the run that is on the screen, as one HTML file that needs nothing beside it. */
export function reportDocument(title: string): string {
  const report = document.querySelector(".report");
  if (report === null) throw new Error("There is no report yet: open a bench or a run first.");
  const copy = report.cloneNode(true) as HTMLElement;
  // Hidden from readers beside the window that says the same; in a file of its own it is all there is.
  copy.removeAttribute("aria-hidden");
  return [
    `<html lang="en" data-theme="light"><head><title>${escaped(title)}</title>`,
    `<style>${styles()}${STANDALONE}</style></head>`,
    `<body>${copy.outerHTML}</body></html>`,
  ].join("\n");
}

/** The page's own rules without those that fetch something. */
function styles(): string {
  const rules: string[] = [];
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) if (!(rule instanceof CSSFontFaceRule)) rules.push(rule.cssText);
  }
  return rules.join("\n").replaceAll("</", "<\\/");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
