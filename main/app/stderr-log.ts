import { type Logger, pino } from "pino";

/** The log of a long-running command: on stderr, since stdout belongs to results or to a protocol. No token ever gets into it. */
export function stderrLog(): Logger {
  return pino(
    {
      level: process.env["CAUSTIC_LOG"] ?? "warn",
      base: { pid: process.pid },
      redact: ["token", "*.token", "headers.authorization", "*.headers.authorization"],
    },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** A fault in one call must not end a command that moves a stage for others. */
export function surviveRejections(log: Pick<Logger, "error">): void {
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason) => log.error({ err: reason }, "a promise was rejected unseen"));
}
