import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TokensByKind } from "../../../main/contract/model-usage.ts";
import type { Brain, Heard, Said } from "./brain.ts";

export interface StandInRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

/** A provider's HTTP interface on this machine, with a brain in place of the model. */
export interface StandIn {
  readonly url: string;
  /** Every request in the order of arrival. */
  readonly requests: readonly StandInRequest[];
  /** What each answer cost, as the provider reckons it. */
  readonly metered: readonly TokensByKind[];
  close(): Promise<void>;
}

/** How one provider's interface reads and writes. */
export interface Dialect {
  readonly path: string;
  /** Throws a sentence where the real interface would answer 400. */
  read(body: Readonly<Record<string, unknown>>, request: number): Heard;
  write(said: Said, tokens: TokensByKind): unknown;
  error(status: number, message: string): unknown;
}

export interface StandInOptions {
  readonly dialect: Dialect;
  readonly brain: Brain;
  /** What `Authorization: Bearer` must carry. */
  readonly key: string;
  /** Is told of a request that will not be answered. */
  readonly onHang?: () => void;
}

const textOf = (value: unknown): string => JSON.stringify([value]);
/** Pictures are reckoned apart from their bytes. */
const withoutBytes = (text: string): string => text.replaceAll(/[A-Za-z0-9+/=]{400,}/g, "x".repeat(2400));
/** Where a cache ends is said by marks that are no part of what is cached. */
const withoutMarks = (text: string): string => text.replaceAll(/,"cache_control":\{[^}]*\}/g, "");

const CACHED_PROMPTS = 8;

function commonLength(a: string, b: string): number {
  let common = 0;
  while (common < Math.min(a.length, b.length) && a[common] === b[common]) common += 1;
  return common;
}

export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const { dialect, brain, key } = options;
  const requests: StandInRequest[] = [];
  const metered: TokensByKind[] = [];
  const hanging = new Set<ServerResponse>();
  /** What was read lately; several conversations may go on at a time. */
  const cached: string[] = [];

  const meter = (body: Readonly<Record<string, unknown>>, said: Said): TokensByKind => {
    const { messages, ...rest } = body;
    const prompt = withoutBytes(withoutMarks(textOf([rest["system"], rest["tools"], messages])));
    const common = Math.max(0, ...cached.map((earlier) => commonLength(earlier, prompt)));
    cached.push(prompt);
    if (cached.length > CACHED_PROMPTS) cached.shift();
    const most = Number(body["max_tokens"] ?? body["max_completion_tokens"]);
    const output = Math.min(most, Math.ceil(textOf([said.text, said.calls]).length / 4) + 20);
    const cached_input = Math.floor(common / 4);
    const cache_write = Math.ceil(prompt.length / 4) - cached_input;
    return { input: 3, cached_input, cache_write, output, reasoning: 16 };
  };

  const answer = (
    request: StandInRequest,
  ): { status: number; headers?: Said["headers"]; body: unknown } | undefined => {
    if (request.headers.authorization !== `Bearer ${key}`) {
      // Some servers repeat the key that they refuse.
      return { status: 401, body: dialect.error(401, `wrong key: ${request.headers.authorization ?? "none"}`) };
    }
    if (request.path !== dialect.path) return { status: 404, body: dialect.error(404, `no ${request.path}`) };
    let said: Said;
    try {
      said = brain(dialect.read(request.body, requests.length));
    } catch (error) {
      // Also where the brain itself fails: a test must not wait for an answer that never comes.
      return { status: 400, body: dialect.error(400, error instanceof Error ? error.message : String(error)) };
    }
    if (said.hang === true) return undefined;
    const status = said.status ?? 200;
    if (status !== 200) {
      return {
        status,
        ...(said.headers ? { headers: said.headers } : {}),
        body: said.body ?? dialect.error(status, "stand-in"),
      };
    }
    if (said.body !== undefined) return { status, body: said.body };
    const tokens = meter(request.body, said);
    metered.push(tokens);
    return { status, body: dialect.write(said, tokens) };
  };

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const request: StandInRequest = {
        path: incoming.url ?? "",
        headers: incoming.headers,
        body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as StandInRequest["body"],
      };
      requests.push(request);
      const given = answer(request);
      if (given === undefined) {
        hanging.add(response);
        options.onHang?.();
        return;
      }
      const isText = typeof given.body === "string";
      response.writeHead(given.status, {
        "content-type": isText ? "text/html" : "application/json",
        ...given.headers,
      });
      response.end(isText ? given.body : JSON.stringify(given.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    metered,
    close: async () => {
      for (const response of hanging) response.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
