import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import type { ProgressEvent } from "../../contract/evaluation-progress.ts";
import type { BenchFile } from "../../contract/bench-file.ts";
import type { EvaluationResults } from "../../contract/evaluation-results.ts";
import type { EvaluationBench } from "../../evaluation/evaluation-bench.ts";
import { externalDriver, type OfferedUnit } from "../../evaluation/external-driver.ts";
import { resultsText } from "../../evaluation/results.ts";
import { runPlan } from "../../evaluation/run-plan.ts";
import { WorkerProcesses } from "../../evaluation/worker-processes.ts";
import { agentContenders } from "../agent-contenders.ts";
import { frameFile } from "../create-desk.ts";
import { askAtTerminal } from "../ask-at-terminal.ts";
import { openEvaluationBench } from "../bench-file/evaluation-bench.ts";
import { readBenchFile } from "../bench-file/read-bench-file.ts";
import { fastestFrameLoops } from "../frame-loops.ts";
import { httpConfiguration } from "../client-configuration.ts";
import { takeEndingSignals } from "../ending-signals.ts";
import { evaluationText } from "../evaluation-text.ts";
import { RUNS_FOLDER } from "../keep-run.ts";
import { startLiveChain } from "../live-chain/live-chain.ts";
import { openAddress } from "../one-address.ts";
import { addModelOptions, MODEL_HELP, type ModelChoice } from "../model-options.ts";
import { numberOption } from "../option-values.ts";
import { asUsageError, openPlan } from "../plan-file.ts";
import { programVersion } from "../program-version.ts";
import { printNote, printResult, ProgressBar } from "../terminal.ts";

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

With --bench the cases under bench_cases run on the instruments of the file, emulated or real, one unit at a time whatever --jobs
says. Before each unit the stage goes back to the case's start. The line "stop" on standard input is the operator's STOP: that unit
fails by name, and the next one follows. A bench that cannot be made ready leaves the rest not run; the same command goes on from there.

Exit status 3 when the bench does not answer at the start; 1 when a unit was not run or failed.

Example:
  $ caustic eval tasks/plans/beam-quality.yaml --by scripted,naive,constant --jobs 2
  $ caustic eval tasks/plans/beam-quality.yaml --case A1,C2 --by scripted --json
  $ caustic eval tasks/plans/bench-repeatability.yaml --bench tasks/benches/emulated-bench.yaml --epochs 3 --exploratory
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
      "runs at a time of contenders that compute, and as many of those that wait for somebody",
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
    .option("--bench <file>", "run the plan's bench_cases on the bench that the file describes, one unit at a time")
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
  const workers = new WorkerProcesses(WORKER);
  if (options.bench === undefined) workers.begin(options.jobs);
  try {
    await evaluateWith(workers, path, options);
  } finally {
    workers.close();
  }
}

async function evaluateWith(workers: WorkerProcesses, path: string, options: EvalOptions): Promise<void> {
  const { plan, parts, registration } = openPlan(path);
  const file = options.bench === undefined ? undefined : readBenchFile(options.bench);
  const hash = registration.plan_hash.slice(0, 8);
  const name = file === undefined ? `${plan.plan}-${hash}` : `${plan.plan}-${hash}-${file.bench}`;
  const out = options.out ?? join(RUNS_FOLDER, "evaluation", name);
  const calledOff = new AbortController();
  let bench: EvaluationBench | undefined;
  const stopStage = (): void => void bench?.stop().catch(() => undefined);
  const callOff = (): void => {
    printNote("Calling off; what is finished stays. The same command goes on from there.");
    calledOff.abort(new Error("the evaluation was called off"));
    stopStage();
  };
  const leaveSignals = takeEndingSignals(callOff, stopStage);
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
      ...(file === undefined
        ? {}
        : {
            openBench: async () => {
              bench = await openBench(file, calledOff.signal);
              return bench;
            },
          }),
      workers,
      loops: fastestFrameLoops(),
      onProgress: (event) => view.show(event),
      signal: calledOff.signal,
    });
  } catch (error) {
    throw asUsageError(error);
  } finally {
    view.end();
    leaveSignals();
  }
  print(run.results, out, options.json === true);
  if (!run.complete) process.exitCode = 1;
}

/** Connects the bench, and listens for the operator's STOP at this terminal as long as it is open. */
async function openBench(file: BenchFile, calledOff: AbortSignal): Promise<EvaluationBench> {
  const chain = startLiveChain();
  const lines = createInterface({ input: process.stdin });
  const bench = await openEvaluationBench(file, {
    ask: (request) => askAtTerminal(request, calledOff),
    chain,
    async onClose() {
      lines.close();
      await chain.close();
    },
  });
  lines.on("line", (line) => {
    if (line.trim().toLowerCase() !== "stop") return;
    printNote("STOP: the stage is stopped, and the unit under way fails by that name.");
    bench
      .stop()
      .catch((error: unknown) => printNote(`STOP: ${error instanceof Error ? error.message : String(error)}`));
  });
  if (process.stdin.isTTY) printNote('Type "stop" and press Enter to stop the stage and the unit under way.');
  return bench;
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
      const mark =
        row.status === "not_run"
          ? "○"
          : row.status === "failed"
            ? "!"
            : row.correct === undefined
              ? "·"
              : row.correct
                ? "✓"
                : "✗";
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
