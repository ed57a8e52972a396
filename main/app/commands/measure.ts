import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import { SCRIPTS } from "../../contenders/index.ts";
import type { BenchEvent, BenchEventOf } from "../../contract/events.ts";
import { driveBench } from "../../evaluation/drive.ts";
import { createSimulatedRun } from "../../evaluation/simulated-run.ts";
import { oracleVerdict } from "../../../simulators/world/oracle.ts";
import { createSensor } from "../../../simulators/world/sensor.ts";
import { axisText } from "../axis-text.ts";
import { keepRun, RUNS_FOLDER } from "../keep-run.ts";
import { numberOption } from "../option-values.ts";
import { simulatedScenario } from "../simulated-scenario.ts";
import { ProgressBar, printJson, printNote, printResult } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface MeasureOptions {
  readonly scenario: string;
  readonly seed: number;
  readonly by: string;
  readonly note?: string;
  readonly out: string;
  readonly json?: true;
}

const EXAMPLE = `
The operator drives the bench through the same tools that an agent has. The run is kept as a folder with run.json and
events.jsonl; "caustic replay" reads it. A simulated run knows its truth and prints it beside the result.

Exit status 1 when the run ends without M² on both axes.

Example:
  $ caustic measure --scenario clean --seed 7
  $ caustic measure --scenario random_scenario --seed 12 --by naive --json`;

/** A run never has this many measurements; the bar only has to move at an honest pace. */
const USUAL_MEASUREMENTS = 20;

export function registerMeasure(program: Command): void {
  program
    .command("measure")
    .description("one whole M² run")
    .requiredOption("--scenario <name>", "which beam, or random_scenario")
    .requiredOption(
      "--seed <N>",
      "decides all noise",
      numberOption({ least: 0, most: Number.MAX_SAFE_INTEGER, whole: true }),
    )
    .option("--by <operator>", `who drives: ${Object.keys(SCRIPTS).join(", ")}`, "scripted")
    .option("--note <text>", "a note to the operator; scripts cannot read it")
    .option("--out <folder>", "where the run's folder is made", RUNS_FOLDER)
    .option("--json", "print the result as JSON")
    .addHelpText("after", EXAMPLE)
    .action(measure);
}

const ofType = <Type extends BenchEvent["type"]>(events: readonly BenchEvent[], type: Type): BenchEventOf<Type>[] =>
  events.filter((event): event is BenchEventOf<Type> => event.type === type);

async function measure(options: MeasureOptions): Promise<void> {
  const { scenario: name, seed, by, note, out } = options;
  const scenario = simulatedScenario(name, seed);
  const contender = SCRIPTS[by];
  if (contender === undefined) {
    throw new UsageError(`--by ${by}: nobody of that name; expected ${Object.keys(SCRIPTS).join(", ")}`);
  }
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
  let failure: unknown;
  try {
    await driveBench({ offer: run.offer, contender, ...(note === undefined ? {} : { note }) });
  } catch (error) {
    failure = error;
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
    run_dir: kept.directory,
  };
  if (options.json) printJson(result);
  else printSummary(result, finished);
  if (failure !== undefined) throw failure;
  if (finished === undefined || !finished.x.determined || !finished.y.determined) process.exitCode = 1;
}

interface Result {
  readonly verdict: string;
  readonly truth: { readonly x: { readonly m2: number }; readonly y: { readonly m2: number } };
  readonly expected_verdict: string;
  readonly positions_used: number;
  readonly darks: number;
  readonly calls: number;
  readonly run_dir: string;
}

function printSummary(result: Result, finished: BenchEventOf<"finished"> | undefined): void {
  const { truth } = result;
  if (finished === undefined) printResult("The run ended without a verdict.");
  else {
    printResult(`${finished.verdict}: ${finished.explanation}\n`);
    for (const axis of ["x", "y"] as const) {
      printResult(axisText(axis, finished[axis]));
      printResult(`   true M² ${truth[axis].m2} (simulated)\n`);
    }
  }
  printResult(
    `${result.positions_used} measurements, ${result.darks} darks, ${result.calls} calls; the oracle expects ${result.expected_verdict}`,
  );
  printNote(`The run is in ${result.run_dir}`);
}
