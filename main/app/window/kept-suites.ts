import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { BenchError } from "../../contract/error-codes.ts";
import { type SuiteResults, suiteResultsSchema } from "../../contract/suite-results.ts";
import type { SuiteListing } from "../../contract/window-suites.ts";
import { EVALUATIONS } from "./evaluation-records.ts";
import type { SuiteShelf } from "./shelves.ts";

const RESULTS = "results.json";
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Results of questions, ladder and procedures in the folder of the runs, in folders of their own or one deeper (`ladder/0.1.0`). */
export class KeptSuites implements SuiteShelf {
  readonly #root: string;
  /** Read once for each state of a file. */
  readonly #read = new Map<string, { readonly changed_ms: number; readonly results: SuiteResults | undefined }>();

  /** `root` is the folder of the runs. */
  constructor(root: string) {
    this.#root = root;
  }

  list(): readonly SuiteListing[] {
    return this.#folders()
      .map((suiteRun) => ({ suiteRun, changed_ms: statSync(join(this.#root, suiteRun, RESULTS)).mtimeMs }))
      .sort((a, b) => b.changed_ms - a.changed_ms)
      .flatMap(({ suiteRun }): SuiteListing[] => {
        // Other results lie in folders like these; they are no suite's and are passed over.
        const results = this.#resultsIn(suiteRun);
        if (results === undefined) return [];
        const graded = results.rows.filter((row) => row.status === "graded");
        return [
          {
            suite_run: suiteRun,
            suite: results.suite,
            stamp: results.stamp,
            contenders: results.contenders,
            graded: graded.length,
            passed: graded.filter((row) => row.passed).length,
          },
        ];
      });
  }

  read(suiteRun: string): SuiteResults {
    const known = this.#folders().includes(suiteRun);
    const results = known ? this.#resultsIn(suiteRun) : undefined;
    if (results !== undefined) return results;
    throw new BenchError(
      "unknown_id",
      `there are no results of a suite in ${suiteRun}`,
      "Run one with caustic ladder.",
    );
  }

  #folders(): string[] {
    const below = (folder: string): string[] => {
      const path = join(this.#root, folder);
      if (!existsSync(path)) return [];
      return readdirSync(path, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && NAME.test(entry.name))
        .map((entry) => (folder === "" ? entry.name : `${folder}/${entry.name}`));
    };
    return below("")
      .filter((name) => name !== EVALUATIONS)
      .flatMap((name) => [name, ...below(name)])
      .filter((name) => existsSync(join(this.#root, name, RESULTS)));
  }

  #resultsIn(suiteRun: string): SuiteResults | undefined {
    const path = join(this.#root, suiteRun, RESULTS);
    const changed_ms = statSync(path).mtimeMs;
    const before = this.#read.get(suiteRun);
    if (before?.changed_ms === changed_ms) return before.results;
    const results = parsed(readFileSync(path, "utf8"));
    this.#read.set(suiteRun, { changed_ms, results });
    return results;
  }
}

function parsed(text: string): SuiteResults | undefined {
  try {
    const checked = suiteResultsSchema.safeParse(JSON.parse(text));
    return checked.success ? checked.data : undefined;
  } catch {
    return undefined;
  }
}
