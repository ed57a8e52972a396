import { InMemoryTransport, type Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Logger } from "pino";
import type { BenchServer } from "./bench-server.ts";

/**
 * Serves one connection over any transport with two ends, in the era that its first message speaks. Closing either end
 * stops what the connection started.
 */
export function serveConnection(
  server: Pick<BenchServer, "factory">,
  transport: Transport,
  log?: Pick<Logger, "warn">,
): { close(): Promise<void> } {
  return serveStdio(server.factory, {
    transport,
    onerror: (error) => log?.warn({ reason: error.message }, "a message was refused"),
  });
}

/** A client's end of a new connection inside this process. */
export function connectInMemory(server: Pick<BenchServer, "factory">): InMemoryTransport {
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
  serveConnection(server, serverEnd);
  return clientEnd;
}
