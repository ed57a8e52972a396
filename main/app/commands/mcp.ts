import { type Command, Option } from "commander";
import type { BenchOffer } from "../../bench/benches.ts";
import { serveConnection } from "../../mcp/serve-connection.ts";
import { createStdioTransport } from "../../mcp/stdio-transport.ts";
import type { BenchChoice } from "../bench-desk.ts";
import { createDesk } from "../create-desk.ts";
import { takeEndingSignals } from "../ending-signals.ts";
import { RUNS_FOLDER } from "../keep-run.ts";
import { numberOption } from "../option-values.ts";
import { stderrLog, surviveRejections } from "../stderr-log.ts";
import { UsageError } from "../usage-error.ts";

interface McpOptions extends BenchChoice {
  readonly attach?: true;
  /** File of simulated benches. */
  readonly world?: string;
}

export function registerMcp(program: Command): void {
  program
    .command("mcp")
    .description("an MCP server on stdin and stdout, for agents that start it themselves")
    .option("--scenario <name>", "which simulated beam, or random_scenario (default: clean)")
    .option("--seed <N>", "decides all noise", numberOption({ least: 0, most: Number.MAX_SAFE_INTEGER, whole: true }))
    .option("--bench <file>", "a real bench, as the file describes it")
    // How an evaluation gives a server its benches: what stands in an argument or in the environment would lie open.
    .addOption(new Option("--world <file>", "simulated benches as a file describes them").hideHelp())
    .option("--attach", "join the bench of a running caustic serve, or of the window")
    .option("--real-time", "simulated moves and exposures last as long as real ones")
    .option("--out <folder>", "where runs are kept", RUNS_FOLDER)
    .addHelpText(
      "after",
      `
Speaks the protocols of 2025 and of 2026-07-28. Only protocol goes to stdout; faults are logged to stderr.

Example:
  $ caustic mcp --scenario clean --seed 1
  $ caustic mcp --attach`,
    )
    .action(mcp);
}

async function mcp(options: McpOptions): Promise<void> {
  const log = stderrLog();
  surviveRejections(log);
  if (options.attach === true) {
    if (options.scenario !== undefined || options.bench !== undefined) {
      throw new UsageError("--attach joins a bench that runs; expected no --scenario and no --bench beside it");
    }
    const [{ attach }, { findHost }] = await Promise.all([
      import("../../mcp/attach-bridge.ts"),
      import("../discovery.ts"),
    ]);
    const { url, token } = findHost();
    await attach({ url: new URL(url), token, local: createStdioTransport() });
    return;
  }
  const desk = createDesk(await offersOf(options), log);
  const ended = Promise.withResolvers<undefined>();
  const transport = createStdioTransport();
  const connection = serveConnection(desk, transport, log);
  process.stdin.once("close", () => ended.resolve(undefined));
  process.stdin.once("end", () => ended.resolve(undefined));
  const leaveSignals = takeEndingSignals(() => ended.resolve(undefined));
  await ended.promise;
  await connection.close();
  await desk.close();
  leaveSignals();
  process.stdin.destroy();
}

/** An evaluation starts one server for each question: the drivers of real instruments are loaded where a bench may need them only. */
async function offersOf({ world, ...choice }: McpOptions): Promise<BenchOffer[]> {
  if (world === undefined) return (await import("../bench-desk.ts")).chosenOffers(choice);
  if (choice.scenario !== undefined || choice.seed !== undefined || choice.bench !== undefined) {
    throw new UsageError("--world describes its benches in full; expected no --scenario, --seed and --bench beside it");
  }
  return (await import("../world-offers.ts")).worldOffers(world);
}
