import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { compiledSchemas } from "./compiled-schemas.ts";

/** Most of what a server says on stderr that is kept for a message about its end. */
const LAST_WORDS = 2000;
/** A server that says nothing for this long does not speak MCP. */
const HANDSHAKE_LIMIT_s = 60;
/** From being asked to end until being killed. */
const KILL_GRACE_MS = 1000;

export interface ServerProcess {
  readonly command: string;
  readonly args: readonly string[];
  /** All that the process inherits. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** A client of a server that was started for it. Closing the client ends the process. */
export interface ProcessConnection {
  readonly client: Client;
  /** The process or its connection has ended. */
  readonly gone: () => boolean;
  /** What the server said last on stderr. */
  readonly lastWords: () => string;
}

/** How long the handshake may take. */
export interface HandshakeLimits {
  /** Default and most: 60 s. */
  readonly limit_s?: number;
  /** Calls it off at once. */
  readonly signal?: AbortSignal;
}

/**
 * Starts a server and shakes hands over its stdin and stdout. The handshake of 2025 comes first, because every server knows it and because
 * asking which protocols a server speaks would cost a process of its own. A server that cannot be reached is ended, by force where it does
 * not end when asked.
 *
 * @throws Error with the server's last words where it does not start, speaks no MCP or does not answer in time; the signal's reason where
 * it was called off.
 */
export async function connectProcess(
  name: string,
  server: ServerProcess,
  limits: HandshakeLimits = {},
): Promise<ProcessConnection> {
  const limit_s = Math.min(limits.limit_s ?? HANDSHAKE_LIMIT_s, HANDSHAKE_LIMIT_s);
  const time = AbortSignal.timeout(limit_s * 1000);
  const ended = limits.signal === undefined ? time : AbortSignal.any([limits.signal, time]);
  try {
    return await connectAs(name, server, {}, ended);
  } catch (error) {
    if (!ended.aborted) {
      try {
        return await connectAs(name, server, { versionNegotiation: { mode: "auto" } }, ended);
      } catch {
        limits.signal?.throwIfAborted();
        throw error;
      }
    }
    limits.signal?.throwIfAborted();
    const reason = error instanceof SilentServer ? error.lastWords : "";
    throw new Error(`the server did not answer initialize within ${limit_s} s${reason}`, { cause: error });
  }
}

/** The handshake was ended before the server answered. */
class SilentServer extends Error {
  readonly lastWords: string;

  constructor(lastWords: string) {
    super("the server did not answer initialize");
    this.lastWords = lastWords;
  }
}

async function connectAs(
  name: string,
  server: ServerProcess,
  negotiation: Pick<ClientOptions, "versionNegotiation">,
  ended: AbortSignal,
): Promise<ProcessConnection> {
  const transport = new StdioClientTransport({
    command: server.command,
    args: [...server.args],
    env: { ...server.env },
    cwd: server.cwd,
    stderr: "pipe",
  });
  let words = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    words = (words + chunk.toString("utf8")).slice(-LAST_WORDS);
  });
  const client = new Client({ name, version: "1" }, { ...negotiation, jsonSchemaValidator: compiledSchemas });
  let gone = false;
  client.onclose = () => {
    gone = true;
  };
  const silent = Promise.withResolvers<never>();
  const giveUp = (): void => silent.reject(new Error("no answer"));
  ended.addEventListener("abort", giveUp, { once: true });
  try {
    ended.throwIfAborted();
    // The client's own end of a handshake leaves the process to itself; here it is still known, and can be ended by force.
    const handshake = client.connect(transport, { timeout: 2 * HANDSHAKE_LIMIT_s * 1000 });
    await Promise.race([handshake, silent.promise]);
  } catch (error) {
    await end(client, transport.pid);
    const said = words.trim() === "" ? "" : `; it said: ${words.trim()}`;
    if (ended.aborted) throw new SilentServer(said);
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the server ${server.command} cannot be reached: ${reason}${said}`, { cause: error });
  } finally {
    ended.removeEventListener("abort", giveUp);
  }
  return { client, gone: () => gone, lastWords: () => words.trim() };
}

/** Closes a client and ends its process, by force after the grace. */
async function end(client: Client, pid: number | null): Promise<void> {
  const kill = (signal: NodeJS.Signals): void => {
    try {
      if (pid !== null) process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
  };
  kill("SIGTERM");
  const force = setTimeout(() => kill("SIGKILL"), KILL_GRACE_MS);
  await client.close().catch(() => undefined);
  clearTimeout(force);
}
