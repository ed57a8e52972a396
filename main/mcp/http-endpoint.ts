import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  type ServerNotifier,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Logger } from "pino";
import { carriesToken, fromThisMachine, refuseWithoutToken } from "./http-guards.ts";

export interface HttpEndpointOptions {
  readonly factory: McpServerFactory;
  /** What every request must carry as its bearer token. Absent only where a test has no way to send one. */
  readonly token?: string;
  /** Default 1 MiB: the largest call of a bench is a list of positions. */
  readonly maxRequest_bytes?: number;
  /** 2025-era sessions that are kept; the one unused for longest goes first. Default 256. */
  readonly maxSessions?: number;
  /** Silence after which a 2025-era client that has closed its listening stream counts as gone. Default 10 000. */
  readonly goneAfter_ms?: number;
  readonly log?: Pick<Logger, "warn">;
}

/** Streamable HTTP for both protocol eras: 2026-07-28 request by request, the 2025 protocols in sessions. */
export interface HttpEndpoint {
  /** Answers a request that came over the network, behind all guards. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Answers a request made in this process; no guards. */
  fetch(request: Request): Promise<Response>;
  /** Tells 2026-era subscribers; 2025-era sessions hear it from their own server. */
  readonly notify: ServerNotifier;
  close(): Promise<void>;
}

const MIB = 1024 * 1024;

interface LegacySession {
  /** Requests so far. */
  uses: number;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly close: () => Promise<void>;
}

export function createHttpEndpoint(options: HttpEndpointOptions): HttpEndpoint {
  const {
    factory,
    token,
    maxRequest_bytes: maxRequestBodySize = MIB,
    maxSessions = 256,
    goneAfter_ms = 10_000,
    log,
  } = options;
  const onerror = (error: Error): void => log?.warn({ reason: error.message }, "a request was refused");
  const modern = createMcpHandler(factory, { legacy: "reject", maxRequestBodySize, onerror });
  /** In the order of their last use. */
  const sessions = new Map<string, LegacySession>();

  const openSession = async (request: Request): Promise<Response> => {
    const server = await factory({ era: "legacy" });
    const close = (): Promise<void> => server.close();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize,
      onsessioninitialized: (id) => void sessions.set(id, { uses: 0, transport, close }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    transport.onerror = onerror;
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await close();
    for (const [id, oldest] of sessions) {
      if (sessions.size <= maxSessions) break;
      sessions.delete(id);
      await oldest.close();
    }
    return response;
  };

  /**
   * A client that lets its listening stream go and neither opens it again nor asks for anything has gone without a word: its session
   * ends, so that others may drive.
   */
  const endWithStream = (id: string, session: LegacySession, stream: AbortSignal): void => {
    const closed = (): void => {
      const { uses } = session;
      const gone = (): void => {
        if (session.uses !== uses || sessions.get(id) !== session) return;
        sessions.delete(id);
        session.close().catch(onerror);
      };
      setTimeout(gone, goneAfter_ms).unref();
    };
    stream.addEventListener("abort", closed, { once: true });
  };

  const serveLegacy = async (request: Request): Promise<Response> => {
    const id = request.headers.get("mcp-session-id");
    if (id === null) {
      return request.method === "POST"
        ? openSession(request)
        : rpcError(400, -32_000, "The header Mcp-Session-Id is missing");
    }
    const session = sessions.get(id);
    if (session === undefined) return rpcError(404, -32_001, "Session not found; initialize again");
    sessions.delete(id);
    sessions.set(id, session);
    session.uses += 1;
    if (request.method === "GET") endWithStream(id, session, request.signal);
    return session.transport.handleRequest(request);
  };

  const fetch = async (request: Request): Promise<Response> =>
    (await isLegacyRequest(request, undefined, { maxRequestBodySize })) ? serveLegacy(request) : modern.fetch(request);

  const answer = toNodeHandler({ fetch }, { maxRequestBodySize, onerror });

  return {
    fetch,
    async handle(request, response) {
      if (!fromThisMachine(request, response)) return;
      if (token !== undefined && !carriesToken(request, token)) {
        refuseWithoutToken(response);
        return;
      }
      await answer(request as NodeIncomingMessageLike, response);
    },
    notify: modern.notify,
    async close() {
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.all([modern.close(), ...open.map((session) => session.close())]);
    },
  };
}

function rpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}
