import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { startHost } from "./host.ts";

/** How long an address stays for answers that are under way; streams that nobody ends do not hold it longer. */
const GRACE_MS = 5000;
const MCP_PATH = "/mcp";

/** An MCP endpoint on a free port of this machine that is taken down politely: the last answer still goes out. */
export async function openAddress(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const host = await startHost({ port: 0 });
  const open = new Map<ServerResponse, Promise<unknown>>();
  host.addRoute(async (request, response) => {
    if ((request.url ?? "").split("?", 1)[0] !== MCP_PATH) return false;
    open.set(
      response,
      once(response, "close").finally(() => open.delete(response)),
    );
    await answer(request, response);
    return true;
  });
  return {
    url: `${host.origin}${MCP_PATH}`,
    async close() {
      const enough = new AbortController();
      const late = setTimeout(GRACE_MS, undefined, { signal: enough.signal }).catch(() => undefined);
      await Promise.race([Promise.allSettled(open.values()), late]);
      enough.abort();
      await host.close();
    },
  };
}
