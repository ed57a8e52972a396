import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type SuiteResults, suiteResultsSchema } from "../../contract/suite-results.ts";
import { replaceFile } from "../evaluation-folder.ts";
import { suiteMarkdown } from "./suite-markdown.ts";
import { suitePage } from "./suite-page.ts";

/**
 * Writes `results.json`, `results.md` and `report.html` of a suite's run into `folder`, which is made where it is missing. The same
 * results give the same bytes, and each file takes the place of an older one as a whole.
 *
 * @throws ZodError where the results do not follow their schema.
 */
export async function writeSuiteResults(folder: string, results: SuiteResults): Promise<void> {
  const checked = suiteResultsSchema.parse(results);
  await mkdir(folder, { recursive: true });
  replaceFile(join(folder, "results.json"), `${JSON.stringify(checked, null, 2)}\n`);
  replaceFile(join(folder, "results.md"), suiteMarkdown(checked));
  replaceFile(join(folder, "report.html"), suitePage(checked));
}
