import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { compiledSchemas } from "./compiled-schemas.ts";

/** Most of what a server says on stderr that is kept for a message about its end. */
const LAST_WORDS = 2000;
/** A server that says nothing for this long does not speak MCP. */
const HANDSHAKE_TIMEOUT_MS = 60_000;

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

/**
 * Starts a server and shakes hands over its stdin and stdout. The handshake of 2025 comes first, because every server knows it and because
 * asking which protocols a server speaks would cost a process of its own.
 *
 * @throws Error with the server's last words where it does not start or speaks no MCP.
 */
export async function connectProcess(name: string, server: ServerProcess): Promise<ProcessConnection> {
  try {
    return await connectAs(name, server, {});
  } catch (error) {
    try {
      return await connectAs(name, server, { versionNegotiation: { mode: "auto" } });
    } catch {
      throw error;
    }
  }
}

async function connectAs(
  name: string,
  server: ServerProcess,
  negotiation: Pick<ClientOptions, "versionNegotiation">,
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
  try {
    await client.connect(transport, { timeout: HANDSHAKE_TIMEOUT_MS });
  } catch (error) {
    await client.close().catch(() => undefined);
    const reason = error instanceof Error ? error.message : String(error);
    const said = words.trim() === "" ? "" : `; it said: ${words.trim()}`;
    throw new Error(`the server ${server.command} cannot be reached: ${reason}${said}`, { cause: error });
  }
  return { client, gone: () => gone, lastWords: () => words.trim() };
}
