import type { Command } from "commander";
import { RUNS_FOLDER } from "../keep-run.ts";
import { keptRun } from "../kept-run.ts";
import { replayKeptRun } from "../replay-kept-run.ts";
import { runTranscript } from "../run-transcript.ts";
import { printJson, printNote, printResult } from "../terminal.ts";

const HELP = `
Without --check the run is read: every line of its journal is verified against the chain of hashes, and told in words. With
--check every recorded command is run again on the same simulated bench and each event compared with the recorded one.

Exit status 1 when the replay differs or the journal is damaged.

Example:
  $ caustic replay runs/clean-7-scripted-e9d8c1
  $ caustic replay runs/clean-7-scripted-e9d8c1 --check`;

interface ReplayOptions {
  readonly root: string;
  readonly check?: true;
  readonly json?: true;
}

/** Adds `caustic replay`. */
export function registerReplay(program: Command): void {
  program
    .command("replay")
    .description("a kept run step by step, or run again and compared")
    .argument("<run>", "folder or id of a run")
    .option("--root <folder>", "where runs are kept", RUNS_FOLDER)
    .option("--check", "run every recorded command again and compare")
    .option("--json", "print the outcome as JSON")
    .addHelpText("after", HELP)
    .action(replay);
}

async function replay(name: string, options: ReplayOptions): Promise<void> {
  const run = keptRun(name, options.root);
  if (run.torn_bytes > 0)
    printNote(`${name}: the last line was torn when its writer died; ${run.torn_bytes} bytes are left out`);
  if (options.check !== true) {
    if (options.json === true) printJson({ run: run.record.id, state: run.state, events: run.events });
    else for (const line of runTranscript(run.events)) printResult(line);
    return;
  }
  const { agreeing, difference } = await replayKeptRun(run);
  const same = difference === undefined;
  if (options.json === true)
    printJson({
      run: run.record.id,
      identical: same,
      events: run.events.length,
      agreeing,
      ...(same ? {} : { difference }),
    });
  else if (same) printResult(`${run.record.id}: all ${agreeing} events are the same, to the byte`);
  else {
    printResult(
      `${run.record.id}: ${agreeing} of ${run.events.length} events are the same; event ${difference.seq} differs`,
    );
    printResult(`recorded ${JSON.stringify(difference.recorded)}`);
    printResult(`replayed ${difference.replayed === undefined ? "nothing" : JSON.stringify(difference.replayed)}`);
  }
  if (!same) process.exitCode = 1;
}
