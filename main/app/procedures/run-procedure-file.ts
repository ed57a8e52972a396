import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { BenchSession } from "../../bench/bench-session.ts";
import type { BenchOffer } from "../../bench/benches.ts";
import { BenchError } from "../../contract/error-codes.ts";
import { sessionBench } from "../../evaluation/procedures/session-bench.ts";
import { FileError } from "../../files/file-error.ts";
import { checkProcedure } from "../../procedures/check.ts";
import { parseProcedure } from "../../procedures/parse.ts";
import { ProcedureError } from "../../procedures/procedure-error.ts";
import { type ProcedureOutcome, runProcedure } from "../../procedures/run.ts";
import type { Procedure } from "../../procedures/syntax.ts";
import type { ResultValue } from "../../procedures/values.ts";
import { type BenchChoice, chosenOffers } from "../bench-desk.ts";
import { takeEndingSignals } from "../ending-signals.ts";
import { printJson, printNote, printResult } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

export interface RunProcedureFileOptions extends BenchChoice {
  readonly check?: true;
  readonly maxSteps: number;
  readonly maxTimeS: number;
  readonly json?: true;
}

const OPERATOR = { kind: "operator", name: "operator", id: "operator" } as const;

/** `caustic procedures run`. Throws UsageError with the first mistake of a text that is no program. */
export async function runProcedureFile(path: string, options: RunProcedureFileOptions): Promise<void> {
  const procedure = readProcedure(path);
  const [mistake, ...more] = checkProcedure(procedure);
  if (mistake !== undefined) {
    for (const other of more) printNote(`${path}, ${other.message}`);
    throw new UsageError(`${path}, ${mistake.message}`);
  }
  if (options.check === true) {
    if (options.json === true) printJson({ ok: true });
    else printResult(`${path} has no mistake that can be seen before it runs`);
    return;
  }
  const outcome = await runOnBench(procedure, basename(path), options);
  const { values: _, ...told } = outcome;
  if (options.json === true) printJson(told);
  else printOutcome(path, outcome);
  if (outcome.ok) return;
  const { error } = outcome;
  if (error?.bench_code === "instrument_failed")
    throw new BenchError("instrument_failed", `${path}, ${error.message}`, "");
  process.exitCode = 1;
}

function readProcedure(path: string): Procedure {
  let source: string;
  try {
    source = readFileSync(path, "utf8");
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    throw new FileError(path, `cannot be read (${why})`);
  }
  try {
    return parseProcedure(source);
  } catch (error) {
    if (error instanceof ProcedureError) throw new UsageError(`${path}, ${error.message}`);
    throw error;
  }
}

async function runOnBench(
  procedure: Procedure,
  title: string,
  options: RunProcedureFileOptions,
): Promise<ProcedureOutcome> {
  const [offer] = chosenOffers(options);
  if (offer === undefined) throw new UsageError("no bench is on offer");
  let interrupted = false;
  const running: { session?: BenchSession } = {};
  const interrupt = (): void => {
    interrupted = true;
    if (running.session !== undefined) void stopBench(running.session);
    // Before the run is open the stage may search for its reference.
    else void offer.stop?.().catch(() => undefined);
  };
  const leaveSignals = takeEndingSignals(interrupt, interrupt);
  const session = await offer.open().catch(async (error: unknown) => {
    await release(offer);
    leaveSignals();
    throw error;
  });
  running.session = session;
  try {
    const begun_ms = benchTime_ms(session);
    return await runProcedure(procedure, sessionBench(session, OPERATOR), {
      bench: session.bench,
      title,
      steps: options.maxSteps,
      time_s: options.maxTimeS,
      now_ms: () => benchTime_ms(session) - begun_ms,
      interrupted: () => interrupted,
      onVerb: (line, text) => printNote(`line ${line}: ${text}`),
    });
  } finally {
    await session.close("finished");
    await release(offer);
    leaveSignals();
  }
}

/** Lets go of instruments that stay connected between runs. */
async function release(offer: BenchOffer & { close?(): Promise<void> }): Promise<void> {
  await offer.close?.();
}

/** The bench's own clock, as its newest event has it. */
function benchTime_ms(session: BenchSession): number {
  return session.events(session.snapshot().seq).at(-1)?.t_ms ?? 0;
}

/** An interrupt from the terminal is STOP: the procedure then ends with the bench's refusal. */
async function stopBench(session: BenchSession): Promise<void> {
  await session.verbs
    .stop({ run: session.handle, reason: "interrupted at the terminal" }, { caller: OPERATOR })
    .catch((error: unknown) => printNote(error instanceof Error ? error.message : String(error)));
}

function resultText(value: ResultValue): string {
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  if ("value" in value) return `${Number(value.value.toPrecision(6))}${value.unit === "1" ? "" : ` ${value.unit}`}`;
  return `[${value.map(resultText).join(", ")}]`;
}

function printOutcome(path: string, { ok, error, results, verbs, steps }: ProcedureOutcome): void {
  for (const [name, value] of Object.entries(results)) printResult(`${name} = ${resultText(value)}`);
  printResult(ok ? `done: ${verbs} calls, ${steps} steps` : `ended early: ${path}, ${error?.message ?? ""}`);
}
