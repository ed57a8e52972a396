import { createInterface } from "node:readline/promises";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";

/**
 * Asks the person at the bench for something that only hands can do, and resolves when they press Enter.
 *
 * @throws InstrumentError where standard input has ended: nobody is there.
 */
export async function askAtTerminal(request: string): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new AbortController();
  terminal.once("close", () => gone.abort());
  try {
    await terminal.question(`${request}, then press Enter. `, { signal: gone.signal });
  } catch (cause) {
    const error = new InstrumentError(
      "not_connected",
      "Operator",
      `nobody answered to "${request}": standard input has ended`,
      {},
      "run the command where somebody can press Enter, or give the bench a shutter",
    );
    error.cause = cause;
    throw error;
  } finally {
    terminal.close();
  }
}
