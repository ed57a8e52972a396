import { join } from "node:path";
import type { Command } from "commander";
import { Option } from "commander";
import { replaceFile } from "../../evaluation/evaluation-folder.ts";
import type { LadderCase, LadderSuite } from "../../evaluation/ladder/ladder-case.ts";
import type { LadderDriver } from "../../evaluation/ladder/ladder-driver.ts";
import { createModelDriver } from "../../evaluation/ladder/model-driver.ts";
import { plannerDriver } from "../../evaluation/ladder/planner/planner.ts";
import { LadderError, readLadder } from "../../evaluation/ladder/read-ladder.ts";
import { runLadder } from "../../evaluation/ladder/run-ladder.ts";
import { type Rung, RUNG_NAMES } from "../../evaluation/ladder/rungs.ts";
import { stubDriver } from "../../evaluation/ladder/stub-driver.ts";
import type { SuiteMoney } from "../../evaluation/suites/suite-money.ts";
import { writeSuiteResults } from "../../evaluation/suites/write-suite-results.ts";
import { callOffBySignals } from "../call-off.ts";
import { fastestFrameLoops } from "../frame-loops.ts";
import { RUNS_FOLDER } from "../keep-run.ts";
import { addModelOptions, chosenProvider, MODEL_HELP, type ModelChoice, refuseModelOptions } from "../model-options.ts";
import { numberOption } from "../option-values.ts";
import { PROJECT_ROOT } from "../plan-file.ts";
import { programVersion } from "../program-version.ts";
import { makeSuiteFolder } from "../suite-folder.ts";
import { addMoneyOptions, MONEY_HELP, type MoneyChoice, suiteMoney } from "../suite-money.ts";
import { suiteText } from "../suite-text.ts";
import { ProgressBar, printJson, printNote, printResult } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface LadderOptions extends ModelChoice, MoneyChoice {
  readonly driver: "stub" | "planner" | "model";
  readonly ladder?: true;
  readonly rung?: readonly string[];
  readonly only?: readonly string[];
  readonly stamp?: string;
  readonly out?: string;
  readonly cases?: string;
  readonly jobs: number;
  readonly maxCalls: number;
  readonly maxTokens: number;
  readonly maxUsd?: number;
  readonly json?: true;
}

const HELP = `
Replays the tool ladder, TOOL-0 to TOOL-9: a request in words, a declared set of tools, and the calls that must come of it. Every case
has a bench of its own on the simulator, and the calls go through an MCP client. A call to a tool that is not declared, or with
arguments that do not bind, fails its case whatever else is right. The gate of a rung is no such call at a completion of 50 %; with
--ladder the first rung that misses it closes those above.

"stub" is a keyword matcher, the labelled floor. "planner" is deterministic and deduces the calls from the words, the state of the
bench, and what the registry says of the tools. "model" is a language model.${MODEL_HELP}
${MONEY_HELP}

Writes product.jsonl, results.json, results.md and report.html. No clock stands in them: the same driver gives the same bytes.

Exit status 1 when a gate is not passed.

Example:
  $ caustic ladder
  $ caustic ladder --driver stub --ladder --stamp floor
  $ caustic ladder --rung TOOL-3,TOOL-4 --json
  $ caustic ladder --only t7-stall-and-measure
  $ caustic ladder --driver model --model <name> --price 3,0.3,3.75,15 --max-cost 5 --ladder`;

const MOST_JOBS = 16;
/** What a case may cost. */
const USUAL_CAP_usd = 0.25;
/** A stamp names a folder. */
const STAMP = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const names = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** Adds `caustic ladder`. */
export function registerLadder(program: Command): void {
  addMoneyOptions(addModelOptions(program.command("ladder"), "which model drives with --driver model"))
    .description("the tool ladder: a request in words, and the calls that must come of it")
    .addOption(new Option("--driver <name>", "who drives").choices(["stub", "planner", "model"]).default("planner"))
    .option("--ladder", "a rung that misses its gate closes those above it")
    .option("--rung <names>", `only these rungs, separated by commas (${RUNG_NAMES.join(", ")})`, names)
    .option("--only <ids>", "only these cases, separated by commas", names)
    .option("--stamp <label>", "the run's name, a file name's letters (default: version and driver)")
    .option("--out <folder>", `where the results go (default: ${RUNS_FOLDER}/ladder/, by stamp)`)
    .option("--cases <folder>", "another set of cases (default: the one that comes with Caustic)")
    .option("--jobs <N>", "cases at a time", numberOption({ least: 1, most: MOST_JOBS, whole: true }), 1)
    .option("--max-calls <N>", "answers that a model may give to a case", numberOption({ least: 1, whole: true }), 25)
    .option(
      "--max-tokens <N>",
      "tokens that a model may use on a case",
      numberOption({ least: 1, whole: true }),
      300_000,
    )
    .option(
      "--max-usd <amount>",
      `what a model may cost on a case; needs --price (default: ${USUAL_CAP_usd})`,
      numberOption({ above: 0 }),
    )
    .option("--json", "print the results as JSON")
    .addHelpText("after", HELP)
    .action(ladder);
}

async function ladder(options: LadderOptions): Promise<void> {
  const stamp = options.stamp ?? `${programVersion()}-${options.driver}`;
  if (!STAMP.test(stamp)) {
    throw new UsageError(`--stamp ${stamp}: expected letters, digits, ".", "_" and "-", at most 64 of them`);
  }
  const suite = suiteFrom(options.cases ?? join(PROJECT_ROOT, "tasks", "ladder"));
  const cases = selected(suite, options);
  const { driver, money } = driverFor(options);
  const out = options.out ?? join(RUNS_FOLDER, "ladder", stamp);
  makeSuiteFolder(out);
  const bar = new ProgressBar("climbing");
  let done = 0;
  const interruption = callOffBySignals();
  const { results, product, reached } = await runLadder({
    suite,
    cases,
    driver,
    ...(money === undefined ? {} : { money }),
    stamp,
    signal: interruption.signal,
    ladder: options.ladder === true,
    jobs: options.jobs,
    floor: options.driver === "stub",
    realTime: options.driver === "model",
    ...fastestFrameLoops(),
    onCase: (row) => {
      done += 1;
      bar.show(done / cases.length, row.task);
    },
  }).finally(() => {
    bar.end();
    interruption.end();
  });
  replaceFile(join(out, "product.jsonl"), product);
  await writeSuiteResults(out, results);
  if (options.json === true) printJson(results);
  else printResult(suiteText(results));
  printNote(
    `${reached === undefined ? "No rung is reached" : `Reached ${reached}`}; the report is ${join(out, "report.html")}`,
  );
  if (results.gates.some((gate) => !gate.passed)) process.exitCode = 1;
}

function suiteFrom(folder: string): LadderSuite {
  try {
    return readLadder(folder);
  } catch (error) {
    throw error instanceof LadderError ? new UsageError(error.message) : error;
  }
}

function selected(suite: LadderSuite, { rung, only }: LadderOptions): LadderCase[] {
  const alien = rung?.find((name) => !(RUNG_NAMES as readonly string[]).includes(name));
  if (alien !== undefined) throw new UsageError(`--rung ${alien}: expected ${RUNG_NAMES.join(", ")}`);
  const missing = only?.find((id) => !suite.cases.some((one) => one.id === id));
  if (missing !== undefined)
    throw new UsageError(
      `--only ${missing}: there is no such case; expected one such as ${suite.cases[0]?.id ?? "none"}`,
    );
  const cases = suite.cases.filter(
    (one) =>
      (rung === undefined || rung.includes(one.rung satisfies Rung)) && (only === undefined || only.includes(one.id)),
  );
  if (cases.length === 0) throw new UsageError("--rung and --only leave no case; expected at least one");
  return cases;
}

function driverFor(options: LadderOptions): { driver: LadderDriver; money?: SuiteMoney } {
  if (options.driver !== "model") refuseModelOptions(options, "--driver model");
  switch (options.driver) {
    case "stub":
      printNote("STUB FLOOR: a keyword matcher, to be read as what no skill at all achieves.");
      return { driver: stubDriver };
    case "planner":
      return { driver: plannerDriver };
    case "model": {
      const provider = chosenProvider(options);
      const { maxCalls, maxTokens, maxUsd, price } = options;
      const cap = { option: "--max-usd", asked_usd: maxUsd, usual_usd: USUAL_CAP_usd };
      const { usd_per_task, ...money } = suiteMoney(options, cap);
      const limits = { model_calls: maxCalls, tokens: maxTokens, usd_per_run: usd_per_task };
      return { driver: createModelDriver({ provider, limits, ...(price === undefined ? {} : { price }) }), ...money };
    }
  }
}
