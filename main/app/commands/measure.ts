import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { type Contender, GaveUp } from "../../contenders/contender.ts";
import { SCRIPTS } from "../../contenders/index.ts";
import { createModelContender } from "../../contenders/model-contender.ts";
import type { BenchOffer } from "../../bench/benches.ts";
import type { AxisResult } from "../../contract/axis-result.ts";
import { BenchError } from "../../contract/error-codes.ts";
import type { BenchEvent, BenchEventOf } from "../../contract/events.ts";
import type { ModelTurn, ModelUsage } from "../../contract/model-usage.ts";
import { TOOL_NAMES } from "../../contract/tools.ts";
import { driveBench } from "../../evaluation/drive.ts";
import { counted } from "../../evaluation/report/figures-text.ts";
import { createSimulatedRun } from "../../evaluation/simulated-run.ts";
import { oracleVerdict } from "../../../simulators/world/oracle.ts";
import { createSensor } from "../../../simulators/world/sensor.ts";
import type { BeamTruth } from "../../../simulators/world/truth.ts";
import { askAtTerminal } from "../ask-at-terminal.ts";
import { axisText } from "../axis-text.ts";
import {
  type ConfiguredOfferOptions,
  offerConfiguredBench,
  requireReference,
} from "../bench-file/offer-configured-bench.ts";
import { readBenchFile } from "../bench-file/read-bench-file.ts";
import { chooseKernel } from "../choose-kernel.ts";
import { takeEndingSignals } from "../ending-signals.ts";
import { fastestFrameLoops } from "../frame-loops.ts";
import { type KeptRun, keepRun, newRunId, RUNS_FOLDER } from "../keep-run.ts";
import { addModelOptions, chosenProvider, MODEL_HELP, type ModelChoice } from "../model-options.ts";
import { numberOption } from "../option-values.ts";
import { simulatedScenario } from "../simulated-scenario.ts";
import { ProgressBar, printJson, printNote, printResult } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface MeasureOptions extends ModelChoice {
  readonly scenario?: string;
  readonly seed?: number;
  readonly bench?: string;
  readonly by: string;
  readonly note?: string;
  readonly out: string;
  readonly maxCalls: number;
  readonly maxTokens: number;
  readonly maxUsd: number;
  readonly json?: true;
}

/** A model, with and without the tool that shows frames. */
const AGENTS = ["agent", "agent-noview"];
const OPERATORS = [...Object.keys(SCRIPTS), ...AGENTS];

const EXAMPLE = `
The operator drives the bench through the same tools that an agent has. The run is kept as a folder with run.json and
events.jsonl; "caustic replay" reads it. A simulated run knows its truth and prints it beside the result. On the bench of a
file the run keeps every raw frame, and nobody knows the truth.
${MODEL_HELP}

Ctrl-C (and SIGTERM, SIGHUP) stops the stage, closes the run and ends; a second one sends the stop again.

Exit status 1 when the run ends without M² on both axes, was called off or could not be kept whole, 3 when an instrument
failed.

Example:
  $ caustic measure --scenario clean --seed 7
  $ caustic measure --scenario random_scenario --seed 12 --by naive --json
  $ caustic measure --bench my-bench.yaml
  $ caustic measure --scenario clean --seed 7 --by agent --model <name> --price 3,0.3,3.75,15`;

/** A run never has this many measurements; the bar only has to move at an honest pace. */
const USUAL_MEASUREMENTS = 20;

export function registerMeasure(program: Command): void {
  addModelOptions(program.command("measure"))
    .description("one whole M² run")
    .option("--scenario <name>", "which simulated beam, or random_scenario; needs --seed")
    .option("--seed <N>", "decides all noise", numberOption({ least: 0, most: Number.MAX_SAFE_INTEGER, whole: true }))
    .option("--bench <file>", "in place of a scenario: the bench that the file describes")
    .option("--by <operator>", `who drives: ${OPERATORS.join(", ")}`, "scripted")
    .option("--max-calls <N>", "answers that a model may give", numberOption({ least: 1, whole: true }), 40)
    .option(
      "--max-tokens <N>",
      "tokens that a model may use, cached ones included",
      numberOption({ least: 1, whole: true }),
      1_500_000,
    )
    .option("--max-usd <amount>", "what a model may cost; needs --price", numberOption({ above: 0 }), 0.5)
    .option("--note <text>", "a note to the operator; scripts cannot read it")
    .option("--out <folder>", "where the run's folder is made", RUNS_FOLDER)
    .option("--json", "print the result as JSON")
    .addHelpText("after", EXAMPLE)
    .action(measure);
}

const ofType = <Type extends BenchEvent["type"]>(events: readonly BenchEvent[], type: Type): BenchEventOf<Type>[] =>
  events.filter((event): event is BenchEventOf<Type> => event.type === type);

/** Who drives. A model gets the limits of the evaluation's plan unless others are given. */
function contenderFor(options: MeasureOptions): Contender {
  const { by, maxCalls, maxTokens, maxUsd, price } = options;
  const script = SCRIPTS[by];
  if (script !== undefined) return script;
  if (!AGENTS.includes(by)) throw new UsageError(`--by ${by}: nobody of that name; expected ${OPERATORS.join(", ")}`);
  return createModelContender({
    name: by,
    provider: chosenProvider(options),
    limits: { model_calls: maxCalls, tokens: maxTokens, usd_per_run: maxUsd },
    ...(price === undefined ? {} : { price }),
  });
}

async function measure(options: MeasureOptions): Promise<void> {
  const contender = contenderFor(options);
  const watch = new RunWatch();
  const calledOff = new AbortController();
  let subject: Subject | undefined;
  const leaveSignals = takeEndingSignals(
    () => calledOff.abort(new Error("the measurement was called off")),
    () => void subject?.stop?.().catch(() => undefined),
  );
  try {
    subject = await subjectOf(options, watch, calledOff.signal);
    await drive(subject, contender, options, watch, calledOff.signal);
  } finally {
    leaveSignals();
  }
}

async function drive(
  subject: Subject,
  contender: Contender,
  options: MeasureOptions,
  watch: RunWatch,
  signal: AbortSignal,
): Promise<void> {
  const { by, note } = options;
  let failure: Error | undefined;
  let usage: ModelUsage | undefined;
  let turns = "";
  const onTurn = (turn: ModelTurn): void => {
    usage = turn.usage;
    turns += `${JSON.stringify(turn)}\n`;
    // On the bench of a file the run begins when the model opens it.
    if (subject.directory === "") return;
    appendFileSync(join(subject.directory, "turns.jsonl"), turns);
    turns = "";
  };
  const tools = TOOL_NAMES.filter((tool) => !(by === "agent-noview" && tool === "view_frame"));
  let unopened: Error | undefined;
  const offer: BenchOffer = {
    ...subject.offer,
    open: () =>
      subject.offer.open().catch((error: unknown) => {
        unopened = error instanceof Error ? error : new Error(String(error));
        throw error;
      }),
  };
  try {
    await driveBench({
      offer,
      contender,
      tools,
      onTurn,
      signal,
      ...(note === undefined ? {} : { note }),
    });
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  } finally {
    watch.end();
    await subject.offer.close?.();
  }
  // There is no run to tell of; the tool's answer to the contender says less than the error itself.
  const without = unopened ?? failure;
  if (without !== undefined && subject.directory === "") throw without;
  const { events } = watch;
  const finished = ofType(events, "finished").at(-1);
  const caustic = finished ?? ofType(events, "caustic_fitted").at(-1);
  const result: Result = {
    verdict: finished?.verdict ?? "none",
    ...(caustic === undefined ? {} : { x: caustic.x, y: caustic.y }),
    ...subject.known,
    positions_used: ofType(events, "measurement_taken").length,
    darks: ofType(events, "dark_taken").length,
    calls: ofType(events, "tool_called").length,
    ...(usage === undefined ? {} : { model: usage }),
    ...(failure instanceof GaveUp ? { gave_up: failure.message } : {}),
    run_dir: subject.directory,
  };
  if (options.json) printJson(result);
  else printSummary(result, finished);
  const determined = finished?.x.determined === true && finished.y.determined;
  const broken = ofType(events, "instrument_failed").at(-1);
  // An instrument that failed and came back did not prevent the result.
  if (!determined && broken !== undefined) {
    throw new BenchError("instrument_failed", broken.message, `the run so far is in ${subject.directory}`);
  }
  if (failure !== undefined && !(failure instanceof GaveUp)) throw failure;
  const problem = subject.problem();
  if (problem !== undefined) printNote(`The run in ${subject.directory} is not whole: ${problem}`);
  if (!determined || problem !== undefined) process.exitCode = 1;
}

/** What is measured, and where the run is kept. */
interface Subject {
  readonly offer: BenchOffer;
  readonly directory: string;
  /** What of the run could not be kept; undefined where all of it was. */
  problem(): string | undefined;
  /** Sends the stop to the stage once more. */
  stop?(): Promise<void>;
  /** Told beside the result where somebody knows it. */
  readonly known: Pick<Result, "truth" | "expected_verdict">;
}

function subjectOf(options: MeasureOptions, watch: RunWatch, signal: AbortSignal): Subject | Promise<Subject> {
  const { scenario, seed, bench } = options;
  if (bench !== undefined) {
    if (scenario === undefined && seed === undefined) return benchSubject(bench, options, watch, signal);
    throw new UsageError("--bench stands in place of --scenario and --seed; expected one or the other");
  }
  if (scenario === undefined || seed === undefined) {
    throw new UsageError("expected --scenario and --seed, or --bench with the file of a bench");
  }
  return simulatedSubject(scenario, seed, options, watch);
}

function simulatedSubject(name: string, seed: number, { by, note, out }: MeasureOptions, watch: RunWatch): Subject {
  const scenario = simulatedScenario(name, seed);
  const kept = keepRun(out, {
    id: `${name}-${seed}-${by}-${randomBytes(3).toString("hex")}`,
    bench: "bench-1",
    simulated: true,
    by,
    scenario: name,
    seed,
    ...(note === undefined ? {} : { note }),
  });
  const run = createSimulatedRun({
    scenario,
    seed,
    ...fastestFrameLoops(),
    ...(note === undefined ? {} : { operatorNote: note }),
    journal: {
      append(event) {
        kept.journal.append(event);
        watch.see(event);
      },
    },
    opened: (session) => kept.follow(session),
  });
  const expected_verdict = oracleVerdict(run.truth, { travelMin_mm: 0, travelMax_mm: 250 }, createSensor());
  return {
    offer: run.offer,
    directory: kept.directory,
    problem: kept.problem,
    known: { truth: run.truth, expected_verdict },
  };
}

async function benchSubject(
  path: string,
  { by, note, out }: MeasureOptions,
  watch: RunWatch,
  signal: AbortSignal,
): Promise<Subject> {
  const file = readBenchFile(path);
  let kept: KeptRun | undefined;
  const keep: ConfiguredOfferOptions["keep"] = ({ canaryKey, simulated }) => {
    kept ??= keepRun(out, {
      id: newRunId(`${file.bench}-${by}`),
      bench: file.bench,
      simulated,
      by,
      ...(note === undefined ? {} : { note }),
      benchFile: file,
      more: { canary_key: canaryKey },
    });
    return kept;
  };
  const offer = offerConfiguredBench(file, {
    ask: (request) => askAtTerminal(request, signal),
    keep,
    onEvent: (event) => watch.see(event),
    session: { kernel: chooseKernel().kernel, ...(note === undefined ? {} : { operatorNote: note }) },
  });
  try {
    await requireReference(file, await offer.connect());
  } catch (error) {
    await offer.close();
    throw error;
  }
  return {
    offer,
    known: {},
    problem: () => kept?.problem(),
    stop: () => offer.stop(),
    get directory() {
      return kept?.directory ?? "";
    },
  };
}

/** The events of the run, shown as they come. */
class RunWatch {
  readonly events: BenchEvent[] = [];
  readonly #bar = new ProgressBar("measuring");

  see(event: BenchEvent): void {
    this.events.push(event);
    if (event.type !== "measurement_taken") return;
    const { measurement, z_actual_mm, d4sigma_x_um } = event.measurement;
    const width = d4sigma_x_um === undefined ? "no width" : `d4σ ${d4sigma_x_um.toFixed(1)} µm`;
    const count = ofType(this.events, "measurement_taken").length;
    this.#bar.show(
      count / (count + USUAL_MEASUREMENTS / 2),
      `${measurement} at ${z_actual_mm.toFixed(1)} mm, ${width}`,
    );
  }

  end(): void {
    this.#bar.end();
  }
}

interface Result {
  readonly verdict: string;
  readonly x?: AxisResult;
  readonly y?: AxisResult;
  readonly truth?: BeamTruth;
  readonly expected_verdict?: string;
  readonly positions_used: number;
  readonly darks: number;
  readonly calls: number;
  readonly model?: ModelUsage;
  readonly gave_up?: string;
  readonly run_dir: string;
}

function printSummary(result: Result, finished: BenchEventOf<"finished"> | undefined): void {
  const { truth } = result;
  if (finished === undefined)
    printResult(`The run ended without a verdict${result.gave_up === undefined ? "" : `: ${result.gave_up}`}.`);
  else {
    printResult(`${finished.verdict}: ${finished.explanation}\n`);
    for (const axis of ["x", "y"] as const) {
      printResult(axisText(axis, finished[axis]));
      if (truth !== undefined) printResult(`   true M² ${truth[axis].m2} (simulated)`);
      printResult("");
    }
  }
  const expected = result.expected_verdict === undefined ? "" : `; the oracle expects ${result.expected_verdict}`;
  printResult(
    `${counted(result.positions_used, "measurement")}, ${counted(result.darks, "dark")}, ${counted(result.calls, "call")}${expected}`,
  );
  if (result.model !== undefined) printResult(usageText(result.model));
  printNote(`The run is in ${result.run_dir}`);
}

function usageText({ provider, model, model_calls, tokens, usd }: ModelUsage): string {
  const used =
    tokens === undefined
      ? "tokens not told"
      : `${tokens.input + tokens.cached_input + tokens.cache_write} tokens read (${tokens.cached_input} from the cache), ${tokens.output} written`;
  const cost = usd === undefined ? "cost unknown" : `$${usd.toFixed(4)}`;
  return `${model} (${provider}): ${counted(model_calls, "answer")}, ${used}, ${cost}`;
}
