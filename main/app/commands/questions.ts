import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, InvalidArgumentError, Option } from "commander";
import { QUESTION_CATEGORIES, type Question } from "../../contract/question.ts";
import type { SuiteResults, SuiteRow } from "../../contract/suite-results.ts";
import { differences, generateQuestions } from "../../evaluation/questions/generate-questions.ts";
import { createModelAgent } from "../../evaluation/questions/model-agent.ts";
import { type QuestionAgent, SCRIPTED_AGENTS } from "../../evaluation/questions/question-agent.ts";
import type { ServerChoice } from "../../evaluation/questions/question-server.ts";
import { TranscriptError } from "../../evaluation/questions/question-transcript.ts";
import { QuestionError, type QuestionSuite, readQuestions } from "../../evaluation/questions/read-questions.ts";
import type { SuiteMoney } from "../../evaluation/suites/suite-money.ts";
import { runQuestions } from "../../evaluation/questions/run-questions.ts";
import { RUNS_FOLDER } from "../keep-run.ts";
import { addModelOptions, chosenProvider, MODEL_HELP, type ModelChoice, refuseModelOptions } from "../model-options.ts";
import { numberOption } from "../option-values.ts";
import { CAUSTIC } from "../run-caustic.ts";
import { makeSuiteFolder } from "../suite-folder.ts";
import { addMoneyOptions, MONEY_HELP, type MoneyChoice, suiteMoney } from "../suite-money.ts";
import { printJson, printNote, printResult, ProgressBar } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

const TASKS = fileURLToPath(new URL("../../../tasks/questions", import.meta.url));
const MODEL = "model";
/** What a question may cost. */
const USUAL_CAP_usd = 0.5;
/** Beside the transcripts: what was set aside and spent. */
const MONEY_JOURNAL = "money.jsonl";
const AGENTS = [...Object.keys(SCRIPTED_AGENTS), MODEL];

interface RunOptions extends ModelChoice, MoneyChoice {
  readonly tasks: string;
  readonly agent: readonly string[];
  readonly only?: readonly string[];
  readonly category?: readonly string[];
  readonly kind?: readonly string[];
  readonly maxTurns: number;
  readonly maxTokens: number;
  readonly maxCostPerTask?: number;
  readonly taskTimeout: number;
  readonly serverCmd?: string;
  readonly serverEnv: Readonly<Record<string, string>>;
  readonly sharedServer: boolean;
  readonly strict?: true;
  readonly stamp: string;
  readonly out: string;
  readonly jobs: number;
  readonly json?: true;
}

const HELP = `
Each question is put to an agent that has every tool of an MCP server, tools to read the server's resources, and submit_answer. The grade
rests on what was handed in and on the calls that were made. By default each question gets a new caustic server with a bench of its own,
a folder of its own, and an environment without keys and accounts.

Agents: oracle plays the reference calls and must pass everything; naive, silent, refusing, hedging and guessing are controls that
must not; model is the one of --model.${MODEL_HELP}
${MONEY_HELP} What earlier commands spent for the same --out counts.

With --server-cmd and --tasks the questions are put to any other MCP server on stdio. In the command {data} stands for a folder of the
task's own, and {world} for a file that describes the benches of the questions; it is gone when the server has started.

What lies in --out is not run again but graded again; a transcript that was changed is refused by name. Exit status 1 when a task could not be
run, and with --strict when one was not passed.

Example:
  $ caustic questions run --agent oracle,naive
  $ caustic questions run --agent model --model <name> --price 3,0.3,3.75,15 --max-cost-per-task 0.5 --max-cost 10 --category trap
  $ caustic questions run --server-cmd "npx some-mcp-server" --tasks my-questions.yaml --agent oracle
  $ caustic questions generate --check`;

const names = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** Adds `caustic questions`. */
export function registerQuestions(program: Command): void {
  const questions = program
    .command("questions")
    .description("puts questions about beams to an agent and grades the answers")
    .addHelpText(
      "after",
      "\nExample:\n  $ caustic questions run --agent oracle,naive --shared-server\n  $ caustic questions generate --check",
    );
  addMoneyOptions(addModelOptions(questions.command("run"), "which model answers where --agent names model"))
    .description("runs the questions, resumes what is there")
    .option("--tasks <path>", "folder or file of questions", TASKS)
    .option("--agent <names>", `who answers, separated by commas: ${AGENTS.join(", ")}`, agentNames, ["oracle"])
    .option("--only <prefixes>", "only questions whose id begins so, separated by commas", names)
    .option("--category <names>", `only these: ${QUESTION_CATEGORIES.join(", ")}`, names)
    .option("--kind <names>", "only these kinds", names)
    .option(
      "--max-turns <N>",
      "answers of the model for one question",
      numberOption({ least: 1, most: 1000, whole: true }),
      40,
    )
    .option(
      "--max-tokens <N>",
      "tokens of the model for one question",
      numberOption({ least: 1000, most: 1e9, whole: true }),
      1_500_000,
    )
    .option(
      "--max-cost-per-task <USD>",
      `money for one question; needs --price (default: ${USUAL_CAP_usd})`,
      numberOption({ above: 0 }),
    )
    .option("--task-timeout <seconds>", "time for one question", numberOption({ above: 0, most: 86_400 }), 600)
    .option("--server-cmd <command>", "another MCP server on stdio (default: caustic itself)")
    .option("--server-env <K=V>", "a variable of the server's environment; may be repeated", variable, {})
    .option("--shared-server", "one server for all questions of an agent", false)
    .addOption(
      new Option("--server-per-task", "a new server for each question (default)").implies({ sharedServer: false }),
    )
    .option("--strict", "exit status 1 unless every task is passed")
    .option("--stamp <name>", "the name of the run in its results", "questions")
    .option("--out <folder>", "where results and transcripts are written", join(RUNS_FOLDER, "questions"))
    .option(
      "--jobs <N>",
      "questions at a time",
      numberOption({ least: 1, most: 64, whole: true }),
      Math.min(8, availableParallelism()),
    )
    .option("--json", "print the results as JSON")
    .addHelpText("after", HELP)
    .action(run);
  questions
    .command("generate")
    .description("writes the question files from their definitions and the simulator's truth")
    .option("--tasks <folder>", "folder of the questions", TASKS)
    .option("--check", "write nothing; exit status 1 where a file is not as it would be made")
    .addHelpText("after", "\nExample:\n  $ caustic questions generate --check")
    .action(generate);
}

function agentNames(text: string): string[] {
  const asked = names(text);
  const stranger = asked.find((name) => !AGENTS.includes(name));
  if (stranger !== undefined || asked.length === 0) {
    throw new InvalidArgumentError(`Expected some of ${AGENTS.join(", ")}`);
  }
  return [...new Set(asked)];
}

function variable(text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Expected NAME=VALUE");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Words of a command line; quotes hold a word with blanks together. */
function wordsOf(command: string): string[] {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
  if (words.length === 0) throw new UsageError("--server-cmd is empty; expected a command");
  return words;
}

function serverOf({ serverCmd, serverEnv }: RunOptions): ServerChoice {
  // Servers live for a second or two: the threads on which V8 tidies up beside the program cost more than they save.
  const own = [process.execPath, "--single-threaded", CAUSTIC, "mcp", "--world", "{world}", "--out", "{data}/runs"];
  return { command: serverCmd === undefined ? own : wordsOf(serverCmd), env: serverEnv };
}

function modelAgent(options: RunOptions): { agent: QuestionAgent; model: string; money?: SuiteMoney } {
  const provider = chosenProvider(options);
  const { maxTurns, maxTokens, maxCostPerTask, price, out } = options;
  const { usd_per_task, ...money } = suiteMoney(options, {
    option: "--max-cost-per-task",
    asked_usd: maxCostPerTask,
    usual_usd: USUAL_CAP_usd,
    journal: join(out, MONEY_JOURNAL),
  });
  const limits = { model_calls: maxTurns, tokens: maxTokens, usd_per_run: usd_per_task };
  const agent = createModelAgent(MODEL, { provider, limits, ...(price === undefined ? {} : { price }) });
  return { agent, model: [provider.model, options.effort].filter(Boolean).join(" "), ...money };
}

function selectedQuestions({ questions }: QuestionSuite, { only, category, kind, tasks }: RunOptions): Question[] {
  const known = (option: string, asked: readonly string[] | undefined, there: readonly string[]): void => {
    const stranger = asked?.find((name) => !there.includes(name));
    if (stranger !== undefined)
      throw new UsageError(`${option} ${stranger}: expected some of ${[...new Set(there)].join(", ")}`);
  };
  known("--category", category, QUESTION_CATEGORIES);
  known(
    "--kind",
    kind,
    questions.map((question) => question.kind),
  );
  const selected = questions.filter(
    (question) =>
      (only === undefined || only.some((prefix) => question.id.startsWith(prefix))) &&
      (category === undefined || category.includes(question.category)) &&
      (kind === undefined || kind.includes(question.kind)),
  );
  if (selected.length === 0)
    throw new UsageError(`${tasks} holds no question that fits; expected other --only, --category or --kind`);
  return selected;
}

async function run(options: RunOptions): Promise<void> {
  let suite: QuestionSuite;
  try {
    suite = readQuestions(options.tasks);
  } catch (error) {
    if (error instanceof QuestionError) throw new UsageError(error.message);
    throw error;
  }
  const selected = selectedQuestions(suite, options);
  if (!options.agent.includes(MODEL)) refuseModelOptions(options, "--agent model");
  const model = options.agent.includes(MODEL) ? modelAgent(options) : undefined;
  makeSuiteFolder(options.out);
  const agents = options.agent.flatMap((name) => SCRIPTED_AGENTS[name] ?? model?.agent ?? []);
  const calledOff = new AbortController();
  const callOff = (): void => {
    printNote("Calling off; what is finished stays. The same command goes on from there.");
    calledOff.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, callOff);
  const bar = new ProgressBar("questions");
  const results = await runQuestions({
    suite,
    selected,
    agents,
    ...(model === undefined ? {} : { models: { [MODEL]: model.model } }),
    ...(model?.money === undefined ? {} : { money: model.money }),
    server: serverOf(options),
    sharedServer: options.sharedServer,
    jobs: options.jobs,
    timeLimit_s: options.taskTimeout,
    stamp: options.stamp,
    out: options.out,
    signal: calledOff.signal,
    onRow: (row, done, total) => bar.show(done / total, row.task),
  })
    .catch((error: unknown) => {
      throw error instanceof TranscriptError ? new UsageError(error.message) : error;
    })
    .finally(() => bar.end());
  if (options.json === true) printJson(results);
  else printResult(resultsText(results, options.out));
  const broken = results.rows.some(({ status }) => status !== "graded");
  const missed = results.rows.some(({ passed }) => !passed);
  if (broken || (options.strict === true && missed)) process.exitCode = 1;
}

function rowText({ task, contender, status, checks, note }: SuiteRow): string {
  const failed = checks
    .filter((check) => !check.passed && check.required)
    .map(({ code, got }) => `${code} (${got ?? ""})`);
  return `${contender}  ${task}: ${[...(status === "graded" ? [] : [status]), ...failed, ...(note === undefined ? [] : [note])].join("; ")}`;
}

function resultsText({ metrics, rows }: SuiteResults, out: string): string {
  const shares = metrics.map(
    ({ contender, group, successes, trials, low, high }) =>
      `${contender.padEnd(9)} ${group.padEnd(20)} ${String(successes).padStart(3)} of ${String(trials).padEnd(3)} ${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)} %`,
  );
  const missed = rows.filter(({ passed }) => !passed).map(rowText);
  return [
    ...shares,
    ...(missed.length === 0 ? [] : ["", "Not passed:", ...missed]),
    "",
    `Results: ${join(out, "results.json")}`,
  ].join("\n");
}

function generate({ tasks, check }: { readonly tasks: string; readonly check?: true }): void {
  if (check !== true) {
    const changed = generateQuestions(tasks);
    printResult(changed.length === 0 ? "Every file is as it would be made." : `Written: ${changed.join(", ")}`);
    return;
  }
  const different = differences(tasks);
  if (different.length === 0) {
    printResult("Every file is as it would be made.");
    return;
  }
  printResult(`Not as they would be made: ${different.join(", ")}`);
  process.exitCode = 1;
}
