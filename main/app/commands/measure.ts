import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { type Contender, GaveUp } from "../../contenders/contender.ts";
import { SCRIPTS } from "../../contenders/index.ts";
import { createModelContender } from "../../contenders/model-contender.ts";
import type { BenchEvent, BenchEventOf } from "../../contract/events.ts";
import type { ModelTurn, ModelUsage } from "../../contract/model-usage.ts";
import { TOOL_NAMES } from "../../contract/tools.ts";
import { driveBench } from "../../evaluation/drive.ts";
import { counted } from "../../evaluation/report/figures-text.ts";
import { createSimulatedRun } from "../../evaluation/simulated-run.ts";
import { oracleVerdict } from "../../../simulators/world/oracle.ts";
import { createSensor } from "../../../simulators/world/sensor.ts";
import { axisText } from "../axis-text.ts";
import { fastestFrameLoops } from "../frame-loops.ts";
import { keepRun, RUNS_FOLDER } from "../keep-run.ts";
import { addModelOptions, chosenProvider, MODEL_HELP, type ModelChoice } from "../model-options.ts";
import { numberOption } from "../option-values.ts";
import { simulatedScenario } from "../simulated-scenario.ts";
import { ProgressBar, printJson, printNote, printResult } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface MeasureOptions extends ModelChoice {
  readonly scenario: string;
  readonly seed: number;
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
events.jsonl; "caustic replay" reads it. A simulated run knows its truth and prints it beside the result.
${MODEL_HELP}

Exit status 1 when the run ends without M² on both axes.

Example:
  $ caustic measure --scenario clean --seed 7
  $ caustic measure --scenario random_scenario --seed 12 --by naive --json
  $ caustic measure --scenario clean --seed 7 --by agent --model <name> --price 3,0.3,3.75,15`;

/** A run never has this many measurements; the bar only has to move at an honest pace. */
const USUAL_MEASUREMENTS = 20;

export function registerMeasure(program: Command): void {
  addModelOptions(program.command("measure"))
    .description("one whole M² run")
    .requiredOption("--scenario <name>", "which beam, or random_scenario")
    .requiredOption(
      "--seed <N>",
      "decides all noise",
      numberOption({ least: 0, most: Number.MAX_SAFE_INTEGER, whole: true }),
    )
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
  const { scenario: name, seed, by, note, out } = options;
  const scenario = simulatedScenario(name, seed);
  const contender = contenderFor(options);
  const id = `${name}-${seed}-${by}-${randomBytes(3).toString("hex")}`;
  const kept = keepRun(out, {
    id,
    bench: "bench-1",
    simulated: true,
    by,
    scenario: name,
    seed,
    ...(note === undefined ? {} : { note }),
  });
  const events: BenchEvent[] = [];
  const bar = new ProgressBar("measuring");
  const run = createSimulatedRun({
    scenario,
    seed,
    ...fastestFrameLoops(),
    ...(note === undefined ? {} : { operatorNote: note }),
    journal: {
      append(event) {
        kept.journal.append(event);
        events.push(event);
        if (event.type === "measurement_taken") {
          const { measurement, z_actual_mm, d4sigma_x_um } = event.measurement;
          const width = d4sigma_x_um === undefined ? "no width" : `d4σ ${d4sigma_x_um.toFixed(1)} µm`;
          const count = ofType(events, "measurement_taken").length;
          bar.show(
            count / (count + USUAL_MEASUREMENTS / 2),
            `${measurement} at ${z_actual_mm.toFixed(1)} mm, ${width}`,
          );
        }
      },
    },
    opened: (session) => kept.follow(session),
  });
  let failure: Error | undefined;
  let usage: ModelUsage | undefined;
  const onTurn = (turn: ModelTurn): void => {
    usage = turn.usage;
    appendFileSync(join(kept.directory, "turns.jsonl"), `${JSON.stringify(turn)}\n`);
  };
  const tools = TOOL_NAMES.filter((tool) => !(by === "agent-noview" && tool === "view_frame"));
  try {
    await driveBench({ offer: run.offer, contender, tools, onTurn, ...(note === undefined ? {} : { note }) });
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  } finally {
    bar.end();
  }
  const finished = ofType(events, "finished").at(-1);
  const caustic = finished ?? ofType(events, "caustic_fitted").at(-1);
  const result = {
    verdict: finished?.verdict ?? "none",
    ...(caustic === undefined ? {} : { x: caustic.x, y: caustic.y }),
    truth: run.truth,
    expected_verdict: oracleVerdict(run.truth, { travelMin_mm: 0, travelMax_mm: 250 }, createSensor()),
    positions_used: ofType(events, "measurement_taken").length,
    darks: ofType(events, "dark_taken").length,
    calls: ofType(events, "tool_called").length,
    ...(usage === undefined ? {} : { model: usage }),
    ...(failure instanceof GaveUp ? { gave_up: failure.message } : {}),
    run_dir: kept.directory,
  };
  if (options.json) printJson(result);
  else printSummary(result, finished);
  if (failure !== undefined && !(failure instanceof GaveUp)) throw failure;
  if (finished === undefined || !finished.x.determined || !finished.y.determined) process.exitCode = 1;
}

interface Result {
  readonly verdict: string;
  readonly truth: { readonly x: { readonly m2: number }; readonly y: { readonly m2: number } };
  readonly expected_verdict: string;
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
      printResult(`   true M² ${truth[axis].m2} (simulated)\n`);
    }
  }
  printResult(
    `${counted(result.positions_used, "measurement")}, ${counted(result.darks, "dark")}, ${counted(result.calls, "call")}; the oracle expects ${result.expected_verdict}`,
  );
  if (result.model !== undefined) printResult(usageText(result.model));
  printNote(`The run is in ${result.run_dir}`);
}

function usageText({ provider, model, model_calls, tokens, usd }: ModelUsage): string {
  const used =
    tokens === undefined
      ? "its tokens were not told"
      : `${tokens.input + tokens.cached_input + tokens.cache_write} tokens read (${tokens.cached_input} from the cache), ${tokens.output} written`;
  const cost = usd === undefined ? "cost unknown" : `$${usd.toFixed(4)}`;
  return `${model} (${provider}): ${counted(model_calls, "answer")}, ${used}, ${cost}`;
}
