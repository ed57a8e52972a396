import { printNote } from "./terminal.ts";

const ENDINGS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Calls a suite off by Ctrl+C and its like, so that what is finished is written down. `end` gives them their usual meaning again. */
export function callOffBySignals(): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const callOff = (): void => {
    printNote("Calling off; what is finished is written down.");
    controller.abort();
  };
  for (const signal of ENDINGS) process.once(signal, callOff);
  return {
    signal: controller.signal,
    end() {
      for (const signal of ENDINGS) process.off(signal, callOff);
    },
  };
}
