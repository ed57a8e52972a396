import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type SuiteResults, suiteResultsSchema } from "../../contract/suite-results.ts";

/**
 * Writes `results.json` of a suite's run into `folder`, which is made where it is missing.
 *
 * @throws ZodError where the results do not follow their schema.
 */
export async function writeSuiteResults(folder: string, results: SuiteResults): Promise<void> {
  const checked = suiteResultsSchema.parse(results);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "results.json"), `${JSON.stringify(checked, null, 2)}\n`);
}
