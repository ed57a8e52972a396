import { createInterface } from "node:readline/promises";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";

/**
 * Asks the person at the bench for something that only hands can do, and resolves when they press Enter.
 *
 * @param signal calls the question off
 * @throws InstrumentError where standard input has ended, as nobody is there, and `cancelled` where the question was called off.
 */
export async function askAtTerminal(request: string, signal?: AbortSignal): Promise<void> {
  // An input that has ended closes no interface that is made on it later.
  if (process.stdin.readableEnded || process.stdin.destroyed) throw nobody(request);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new AbortController();
  terminal.once("close", () => gone.abort());
  // A terminal that is read line by line hands over Ctrl-C as a key.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const signals = signal === undefined ? [gone.signal] : [gone.signal, signal];
  try {
    await terminal.question(`${request}, then press Enter. `, { signal: AbortSignal.any(signals) });
  } catch (cause) {
    const error = signal?.aborted === true ? calledOff(request) : nobody(request);
    error.cause = cause;
    throw error;
  } finally {
    terminal.close();
  }
}

function calledOff(request: string): InstrumentError {
  return new InstrumentError("cancelled", "Operator", `"${request}" was called off`);
}

function nobody(request: string): InstrumentError {
  return new InstrumentError(
    "not_connected",
    "Operator",
    `nobody answered to "${request}": standard input has ended`,
    {},
    "run the command where somebody can press Enter, or give the bench a shutter",
  );
}
