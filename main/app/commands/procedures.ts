import type { Command } from "commander";
import { PROCEDURE_SPLITS, PROCEDURE_TIERS } from "../../contract/procedure-task.ts";
import { RUNS_FOLDER } from "../keep-run.ts";
import { addModelOptions, MODEL_HELP } from "../model-options.ts";
import { numberOption } from "../option-values.ts";
import { generateTasks, TASKS_FOLDER } from "../procedures/generate-tasks.ts";
import { runProcedureFile } from "../procedures/run-procedure-file.ts";
import { ENGINES, testProcedures, USUAL_CAP_usd } from "../procedures/test-procedures.ts";
import { addMoneyOptions, MONEY_HELP } from "../suite-money.ts";

const HELP = `
Example:
  $ caustic procedures run tasks/procedures/examples/quick-m2.procedure --scenario clean --seed 7
  $ caustic procedures test --by gold,null,mutated --jobs 2
  $ caustic procedures generate --check`;

const RUN_HELP = `
The procedure is checked in full before anything moves. The run is kept as a folder that "caustic replay" reads.

Exit status 1 when the procedure ends with an error of its own, 2 when it is no program, 3 when an instrument failed.

Example:
  $ caustic procedures run tasks/procedures/examples/quick-m2.procedure --scenario clean --seed 7 --json`;

const TEST_HELP = `
Contenders: gold (each task's own program), null (no program), mutated (all numbers changed), and agent: a model that is given the
task and the guide of the language and writes the program.
${MODEL_HELP}
${MONEY_HELP}

Exit status 1 when gold misses a task, null or mutated passes one, or a task could not be run.

Example:
  $ caustic procedures test --by gold,null,mutated --jobs 2
  $ caustic procedures test --by gold --engine controllers --only single_move-001
  $ caustic procedures test --by agent --split test --model <name> --price 3,0.3,3.75,15 --max-cost 5`;

const GENERATE_HELP = `
Every candidate has to pass the gate: its own program passes twice alike, no assertion holds with another value, the empty program
fails, every assertion fails without the line or argument that makes it true. Verdicts are kept in gate.jsonl by the hash of the task.

Exit status 1 with --check when the files differ from what would be made.

Example:
  $ caustic procedures generate --check`;

const wholeFrom = (least: number): ((text: string) => number) => numberOption({ least, whole: true });

/** Adds `caustic procedures run`, `test` and `generate`. */
export function registerProcedures(program: Command): void {
  const procedures = program
    .command("procedures")
    .description("programs for the bench: run one, test a programmer on the tasks, make the tasks")
    .addHelpText("after", HELP);
  procedures
    .command("run")
    .description("runs one procedure on a bench")
    .argument("<file>", "the procedure, a text file")
    .option("--scenario <name>", "which simulated beam, or random_scenario (default: clean)")
    .option("--seed <N>", "decides all noise", numberOption({ least: 0, most: Number.MAX_SAFE_INTEGER, whole: true }))
    .option("--bench <file>", "in place of a scenario: the bench that the file describes")
    .option("--check", "only look for mistakes; nothing is opened")
    .option("--max-steps <N>", "statements, rounds and calls of functions", wholeFrom(1), 20_000)
    .option("--max-time-s <seconds>", "bench time after which no verb is begun", numberOption({ above: 0 }), 7200)
    .option("--out <folder>", "where the run is kept", RUNS_FOLDER)
    .option("--json", "print the outcome as JSON")
    .addHelpText("after", RUN_HELP)
    .action(runProcedureFile);
  addMoneyOptions(
    addModelOptions(procedures.command("test", { isDefault: true }), "which model writes where --by names agent"),
  )
    .description("lets contenders write the programs of the tasks, runs and judges them")
    .option("--by <contenders>", "who writes, separated by commas: gold, null, mutated, agent", "gold,null,mutated")
    .option("--engine <name>", `what the programs run on: ${ENGINES.join(", ")}`, "simulator")
    .option("--split <name>", `only ${PROCEDURE_SPLITS.join(" or ")}`)
    .option("--tier <names>", `only these of ${PROCEDURE_TIERS.join(", ")}`)
    .option("--category <names>", "only these categories")
    .option("--only <ids>", "only these tasks")
    .option("--attempts <N>", "programs that agent may try out before the last one counts", wholeFrom(1), 1)
    .option(
      "--max-usd <amount>",
      `what a task may cost; needs --price (default: ${USUAL_CAP_usd})`,
      numberOption({ above: 0 }),
    )
    .option("--jobs <N>", "programs that run at a time", wholeFrom(1), 2)
    .option("--task-timeout <seconds>", "time of one program", numberOption({ above: 0 }), 60)
    .option("--stamp <label>", "the run's name, a file name's letters (default: version and contenders)")
    .option("--out <folder>", `where the results go (default: ${RUNS_FOLDER}/procedures/, by stamp)`)
    .option("--tasks <folder>", "where the tasks are", TASKS_FOLDER)
    .option("--json", "print the results as JSON")
    .addHelpText("after", TEST_HELP)
    .action(testProcedures);
  procedures
    .command("generate")
    .description("makes the task files, the gate's verdicts and the build report")
    .option("--check", "change nothing; compare with what is there")
    .option("--jobs <N>", "programs that run at a time", wholeFrom(1), 2)
    .option("--out <folder>", "where the files are", TASKS_FOLDER)
    .option("--json", "print the build report as JSON")
    .addHelpText("after", GENERATE_HELP)
    .action(generateTasks);
}
