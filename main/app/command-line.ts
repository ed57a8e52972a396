import { Command, CommanderError } from "commander";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import { BenchError } from "../contract/error-codes.ts";
import { FileError } from "../files/file-error.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./command-table.ts";
import { processKeys } from "./process-keys.ts";
import { programVersion } from "./program-version.ts";
import { printNote } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** Exit statuses, the same for every command. A command that ran and whose answer is "no" sets 1 itself. */
const STATUS = { fault: 1, badInput: 2, instrument: 3 } as const;

/**
 * Runs one `caustic` command and sets the exit status of the process. Whatever goes wrong ends as one sentence on
 * stderr, never as a stack trace. `args` are the words after the program's name.
 */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  endQuietlyWhenNobodyReads();
  // Before anything is started that would inherit them.
  processKeys();
  const command = calledCommand(args);
  const who = command === undefined ? "caustic" : `caustic ${command}`;
  // Node hands rejections that nobody awaited to the same listener.
  process.on("uncaughtException", (error) => {
    report(who, error);
    process.exit();
  });
  try {
    const words =
      args.length > 0 ? args : [COMMANDS.some(({ name }) => name === DEFAULT_COMMAND) ? DEFAULT_COMMAND : "--help"];
    const program = await programFor(words);
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    report(who, error);
  }
}

/** The program with the called command in full and the others by their summary alone. */
async function programFor(words: readonly string[]): Promise<Command> {
  const called = calledCommand(words);
  const program = new Command("caustic")
    .description(
      "Measures laser beams: widths, caustics and M² by ISO 11146, on image files, a simulator or a real bench.",
    )
    .version(programVersion(), "-V, --version", "print the version")
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .showSuggestionAfterError()
    .helpCommand("help [command]", "help for a command")
    .addHelpText("after", "\ncaustic <command> --help shows an example of each.");
  for (const { name, summary, load } of COMMANDS) {
    if (name === called) (await load())(program);
    else program.command(name).description(summary);
  }
  return program;
}

function calledCommand(words: readonly string[]): string | undefined {
  const name = words.find((word) => !word.startsWith("-") && word !== "help");
  return COMMANDS.find((command) => command.name === name)?.name;
}

/** Says in one sentence what went wrong and sets the exit status that goes with it. */
function report(who: string, error: unknown): void {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return;
    if (error.code === "commander.help") {
      process.exitCode = STATUS.badInput;
      return;
    }
    printNote(`${who}: ${oneSentence(error.message.replace(/^error:\s*/, ""))}`);
    process.exitCode = STATUS.badInput;
    return;
  }
  process.exitCode = statusOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof BenchError || error instanceof InstrumentError ? error.hint : undefined;
  printNote(
    `${who}: ${oneSentence(message === "" ? "an unknown fault" : message)}${hint ? ` (${oneSentence(hint)})` : ""}`,
  );
}

function statusOf(error: unknown): number {
  if (error instanceof FileError || error instanceof UsageError) return STATUS.badInput;
  if (error instanceof InstrumentError) return STATUS.instrument;
  if (error instanceof BenchError) {
    if (error.code === "instrument_failed") return STATUS.instrument;
    if (error.code === "bad_argument" || error.code === "unknown_bench") return STATUS.badInput;
  }
  return STATUS.fault;
}

function oneSentence(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, " ");
}

/** `caustic … | head` closes the pipe early; that is no fault of anything. */
function endQuietlyWhenNobodyReads(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit();
      throw error;
    });
  }
}
