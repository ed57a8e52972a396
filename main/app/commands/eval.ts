import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import type { ProgressEvent } from "../../contract/evaluation-progress.ts";
import type { Plan } from "../../contract/plan.ts";
import type { EvaluationResults } from "../../contract/evaluation-results.ts";
import { externalDriver, type OfferedUnit } from "../../evaluation/external-driver.ts";
import { resultsText } from "../../evaluation/results.ts";
import { runPlan } from "../../evaluation/run-plan.ts";
import { agentContenders } from "../agent-contenders.ts";
import { frameFile } from "../create-desk.ts";
import { readBenchFile } from "../bench-file/read-bench-file.ts";
import { fastestFrameLoops } from "../frame-loops.ts";
import { httpConfiguration } from "../client-configuration.ts";
import { evaluationText } from "../evaluation-text.ts";
import { RUNS_FOLDER } from "../keep-run.ts";
import { openAddress } from "../one-address.ts";
import { addModelOptions, MODEL_HELP, type ModelChoice } from "../model-options.ts";
import { numberOption } from "../option-values.ts";
import { asUsageError, openPlan } from "../plan-file.ts";
import { programVersion } from "../program-version.ts";
import { printNote, printResult, ProgressBar } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface EvalOptions extends ModelChoice {
  readonly group?: readonly string[];
  readonly case?: readonly string[];
  readonly by?: readonly string[];
  readonly jobs: number;
  readonly epochs: number;
  readonly out?: string;
  readonly exploratory?: true;
  readonly bench?: string;
  readonly answers?: string;
  readonly timeLimit: number;
  readonly json?: true;
}

const HELP = `
Runs every case of a plan by every contender that the plan names for it, and writes results.json, results.md and report.html into the
evaluation's folder. What lies there is not run again: a killed evaluation goes on where it was when the same command is given again.

A plan runs only when it is frozen, unchanged and committed, or with --exploratory, which stamps every row.

"external" opens each case on an address of this machine, prints it with its token, and waits for any MCP client to finish the run.
"recorded" makes calls again that stand in a file: lines of {"tool", "input", "reason"}, or the events.jsonl of a run.

"agent" and "agent-noview" are a model, the one of the plan or of --model.${MODEL_HELP}

Exit status 1 when a unit was not run or failed.

Example:
  $ caustic eval tasks/plans/beam-quality.yaml --by scripted,naive,constant --jobs 2
  $ caustic eval tasks/plans/beam-quality.yaml --case A1,C2 --by scripted --json
  $ caustic eval tasks/plans/beam-quality.yaml --case C2 --by external --time-limit 3600
  $ caustic eval tasks/plans/beam-quality.yaml --by agent,agent-noview --model <name> --price 3,0.3,3.75,15`;

const MOST_JOBS = 64;
const USUAL_TIME_LIMIT_S = 3600;

/** Runs units with the fastest loops of this machine. */
const WORKER = fileURLToPath(new URL("../evaluation-worker.ts", import.meta.url));

const names = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** Adds `caustic eval`. */
export function registerEval(program: Command): void {
  addModelOptions(program.command("eval"))
    .description("runs an evaluation plan, resumes what is there")
    .argument("<plan>", "the plan, a YAML file")
    .option("--group <names>", "only these groups, separated by commas", names)
    .option("--case <names>", "only these cases, separated by commas", names)
    .option("--by <names>", "only these contenders, separated by commas (default: all of the plan)", names)
    .option(
      "--jobs <N>",
      "runs at a time",
      numberOption({ least: 1, most: MOST_JOBS, whole: true }),
      Math.min(8, availableParallelism()),
    )
    .option(
      "--epochs <N>",
      "runs of each contender on each case",
      numberOption({ least: 1, most: 1000, whole: true }),
      1,
    )
    .option("--out <folder>", `the evaluation's folder (default: ${RUNS_FOLDER}/evaluation/, by plan and hash)`)
    .option("--bench <file>", "refused: the cases of a plan name simulated beams, and a real one has no known truth")
    .option("--exploratory", "run a plan that is not registered, and stamp every row")
    .option(
      "--answers <path>",
      "calls for the contender recorded: a file, a run's folder, or a folder with one for each case",
    )
    .option(
      "--time-limit <seconds>",
      "how long a case waits for the contender external",
      numberOption({ above: 0, most: 30 * 86_400 }),
      USUAL_TIME_LIMIT_S,
    )
    .option("--json", "print the results as JSON")
    .addHelpText("after", HELP)
    .action(evaluate);
}

async function evaluate(path: string, options: EvalOptions): Promise<void> {
  const { plan, parts, registration } = openPlan(path);
  if (options.bench !== undefined) refuseBench(options.bench, path, plan);
  const out = options.out ?? join(RUNS_FOLDER, "evaluation", `${plan.plan}-${registration.plan_hash.slice(0, 8)}`);
  const calledOff = new AbortController();
  const callOff = (): void => {
    printNote("Calling off; what is finished stays. The same command goes on from there.");
    calledOff.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, callOff);
  const view = new EvaluationView();
  let run: Awaited<ReturnType<typeof runPlan>>;
  try {
    run = await runPlan({
      plan,
      planPath: path,
      registration,
      parts,
      selection: {
        ...(options.group === undefined ? {} : { groups: [...options.group] }),
        ...(options.case === undefined ? {} : { cases: [...options.case] }),
        ...(options.by === undefined ? {} : { by: [...options.by] }),
        epochs: options.epochs,
      },
      out,
      jobs: options.jobs,
      exploratory: options.exploratory === true,
      versions: { caustic: programVersion(), node: process.version },
      ...(options.answers === undefined ? {} : { answers: options.answers }),
      waiting: {
        ...agentContenders(plan, options, out, options.by),
        external: {
          parallel: 1,
          driver: externalDriver({ listen: openAddress, announce, timeLimit_s: options.timeLimit, frameFile }),
        },
      },
      workerModule: WORKER,
      loops: fastestFrameLoops(),
      onProgress: (event) => view.show(event),
      signal: calledOff.signal,
    });
  } catch (error) {
    throw asUsageError(error);
  } finally {
    view.end();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, callOff);
  }
  print(run.results, out, options.json === true);
  if (!run.complete) process.exitCode = 1;
}

/** A grade compares with the truth of the case's beam. Nobody knows that of a bench. */
function refuseBench(file: string, path: string, plan: Plan): never {
  readBenchFile(file);
  const groups = plan.groups.map(({ group }) => group).join(", ");
  throw new UsageError(
    `--bench ${file}: the cases of every group of ${path} (${groups}) name a simulated scenario whose truth decides their grade, and the beam of a bench has no known truth; expected no --bench, or caustic measure --bench ${file} --by scripted or agent`,
  );
}

function print(results: EvaluationResults, out: string, json: boolean): void {
  if (json) {
    process.stdout.write(resultsText(results));
    return;
  }
  printResult(evaluationText(results));
  printNote(`The report is ${join(out, "report.html")}; the runs are in ${join(out, "runs")}`);
}

function announce({ unit, url, token, note, timeLimit_s }: OfferedUnit): void {
  printNote(
    [
      `\nCase ${unit.case} waits for a client at ${url} for ${timeLimit_s} s.`,
      ...(note === undefined ? [] : [`The operator's note: ${note}`]),
      "Client configuration (valid for this case alone; keep it to yourself):",
      JSON.stringify(httpConfiguration(url, token), null, 2),
      "The bench's name comes from bench_status; the run ends with finish.",
    ].join("\n"),
  );
}

/** On a terminal, a line for every unit that ended and a bar; nothing elsewhere. */
class EvaluationView {
  readonly #bar = new ProgressBar("evaluating");
  #total = 0;
  #done = 0;

  show(event: ProgressEvent): void {
    if (!process.stderr.isTTY) return;
    if (event.type === "evaluation_started") {
      this.#total = event.units;
      this.#done = event.kept;
      if (event.kept > 0) printNote(`${event.kept} of ${event.units} units are there already`);
    }
    if (event.type === "unit_ended") {
      const { row } = event;
      this.#done += 1;
      this.#bar.end();
      const mark = row.correct ? "✓" : row.status === "not_run" ? "○" : row.status === "failed" ? "!" : "✗";
      const epoch = row.epoch === 1 ? "" : ` epoch ${row.epoch}`;
      const errors = [row.m2_error_x, row.m2_error_y]
        .filter((error) => error !== undefined)
        .map((error) => `${error < 0 ? "−" : "+"}${Math.abs(100 * error).toFixed(2)} %`);
      printNote(
        `${mark} ${row.case.padEnd(6)} ${row.contender.padEnd(10)}${epoch} ${row.verdict ?? row.status}${errors.length === 0 ? "" : `, M² off by ${errors.join(", ")}`}`,
      );
    }
    if (this.#total > 0) this.#bar.show(this.#done / this.#total, `${this.#done} of ${this.#total}`);
  }

  end(): void {
    this.#bar.end();
  }
}
