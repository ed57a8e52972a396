import { createInterface } from "node:readline/promises";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";

/**
 * Asks the person at the bench for something that only hands can do, and resolves when they press Enter.
 *
 * @throws InstrumentError where standard input has ended: nobody is there.
 */
export async function askAtTerminal(request: string): Promise<void> {
  // An input that has ended closes no interface that is made on it later.
  if (process.stdin.readableEnded || process.stdin.destroyed) throw nobody(request);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new AbortController();
  terminal.once("close", () => gone.abort());
  try {
    await terminal.question(`${request}, then press Enter. `, { signal: gone.signal });
  } catch (cause) {
    const error = nobody(request);
    error.cause = cause;
    throw error;
  } finally {
    terminal.close();
  }
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
