import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientOf2025 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpOf2025 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { BenchServer } from "../../main/mcp/bench-server.ts";
import { connectInMemory } from "../../main/mcp/serve-connection.ts";

/** The two kinds of client there are, each in the way it would connect. */
export type Era = "2025" | "2026";

/** What the tests use of either client. */
export interface AnyClient {
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    options?: {
      signal?: AbortSignal;
      timeout?: number;
      resetTimeoutOnProgress?: boolean;
      onprogress?: (progress: { progress: number; total?: number | undefined; message?: string | undefined }) => void;
    },
  ): Promise<ToolAnswer>;
  listTools(): Promise<{ tools: { name: string; [key: string]: unknown }[] }>;
  readResource(params: {
    uri: string;
  }): Promise<{ contents: { uri: string; mimeType?: string; text?: string; blob?: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(params: { name: string }): Promise<unknown>;
  close(): Promise<void>;
}

export interface ToolAnswer {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly content: readonly { readonly type: string; readonly text?: string; readonly [key: string]: unknown }[];
}

export const ERAS: readonly Era[] = ["2025", "2026"];

const newClient = (name: string) =>
  new Client({ name, version: "1.0.0" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });

/** The v1 client takes a result schema between the two arguments of a call. */
async function connect2025(name: string, transport: Transport): Promise<AnyClient> {
  const client = new ClientOf2025({ name, version: "1.0.0" });
  await client.connect(transport);
  const call = client.callTool.bind(client);
  Object.assign(client, {
    callTool: (params: Parameters<typeof call>[0], options?: Parameters<typeof call>[2]) =>
      call(params, undefined, options),
  });
  return client as unknown as AnyClient;
}

/** Connected inside this process, without a socket. */
export async function connect(server: Pick<BenchServer, "factory">, era: Era, name = "tester"): Promise<AnyClient> {
  if (era === "2026") {
    const client = newClient(name);
    await client.connect(connectInMemory(server));
    return client as unknown as AnyClient;
  }
  return connect2025(name, connectInMemory(server));
}

/** Connected over Streamable HTTP. */
export async function connectHttp(url: string, era: Era, token = "", name = "tester"): Promise<AnyClient> {
  const requestInit = token === "" ? {} : { headers: { authorization: `Bearer ${token}` } };
  if (era === "2026") {
    const client = newClient(name);
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return client as unknown as AnyClient;
  }
  return connect2025(name, new HttpOf2025(new URL(url), { requestInit }));
}

/** The refusal inside an error result. */
export function refusalIn(answer: ToolAnswer): { code: string; message: string; hint: string } {
  return JSON.parse(answer.content[0]?.text ?? "{}") as { code: string; message: string; hint: string };
}
