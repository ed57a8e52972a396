import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  McpServer,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Logger } from "pino";
import type { BenchSession } from "../bench/bench-session.ts";
import type { Benches } from "../bench/benches.ts";
import type { Caller } from "../contract/bench-verbs.ts";
import { BenchError, type BenchErrorShape } from "../contract/error-codes.ts";
import { TOOL_NAMES, TOOLS, type ToolName, type ToolOutput } from "../contract/tools.ts";
import { bindArguments } from "./bind-arguments.ts";
import { MEASURE_M2_GUIDE } from "./measure-m2-guide.ts";
import { planPrompt } from "./plan-prompt.ts";
import { ProgressReporter } from "./progress-reporter.ts";
import { markedHandle, newCallerMark, readHandle, withHandle } from "./run-handle.ts";
import type { ServedPrompt } from "./served-prompt.ts";
import { changedResources, type FrameFile, readRunResource, resourceTemplates } from "./run-resources.ts";
import { internalFault, pictureContent, refusal, success } from "./tool-results.ts";
import { listedTool } from "./tool-schemas.ts";

export interface BenchServerOptions {
  readonly benches: Benches;
  /** The tools on offer; they never change while the server lives. Default: all. */
  readonly offered?: readonly ToolName[];
  /** Default: the operator's guide `measure-m2` and the plan's prompt `measure-m2-plan`. */
  readonly prompts?: readonly ServedPrompt[];
  /** As what the callers stand in the log. Default `agent`. */
  readonly callerKind?: "script" | "agent";
  /** Absent: frames cannot be read as resources. */
  readonly frameFile?: FrameFile;
  readonly version?: string;
  /** Takes what a client may not see: faults of the program. */
  readonly log?: Pick<Logger, "warn" | "error">;
}

/** The bench's verbs as MCP tools, for any number of connections of either protocol era. */
export interface BenchServer {
  /** Makes the server of one connection, or of one request where the protocol has no connections. */
  readonly factory: McpServerFactory;
  /** Calls back with the URI of every resource that changed; returns what ends it. */
  onResourceUpdated(listener: (uri: string) => void): () => void;
  /** Ends every open run; what moves is stopped first. */
  close(): Promise<void>;
}

const INSTRUCTIONS =
  "A laser bench: a camera on a stage along a beam. bench_status lists the benches, bench_open returns the run handle that every other tool takes. Units are in the names of the fields.";

/** One hour: the lists never change while the server lives. */
const LISTS = { ttlMs: 3_600_000, cacheScope: "private" } as const;

/** Longest client name that is logged. */
const NAME_LENGTH = 60;

export function createBenchServer(options: BenchServerOptions): BenchServer {
  const { benches, offered = TOOL_NAMES, log } = options;
  const prompts = options.prompts ?? [MEASURE_M2_GUIDE, planPrompt(offered)];
  const offers = new Set<string>(offered);
  const tools = offered.map(listedTool);
  const pictures = offers.has("view_frame");
  const templates = resourceTemplates(pictures && options.frameFile !== undefined);
  const frameFile = pictures ? options.frameFile : undefined;
  const listeners = new Set<(uri: string) => void>();
  const followed = new Map<BenchSession, { readonly handles: Set<string>; readonly end: () => void }>();

  /** From here on the holder of the handle hears what changes in the run. */
  const follow = (session: BenchSession, handle: string): void => {
    for (const [known, { end }] of followed) {
      if (known !== session && known.state === "closed") {
        end();
        followed.delete(known);
      }
    }
    const known = followed.get(session);
    if (known !== undefined) {
      known.handles.add(handle);
      return;
    }
    const handles = new Set([handle]);
    const end = session.subscribe((event) => {
      for (const held of handles) {
        for (const uri of changedResources(event, held)) {
          for (const listener of listeners) listener(uri);
        }
      }
    });
    followed.set(session, { handles, end });
  };

  const sessionOf = (run: unknown): BenchSession | undefined => {
    if (typeof run !== "string") return undefined;
    try {
      return benches.session(readHandle(run).run);
    } catch {
      return undefined;
    }
  };

  const factory: McpServerFactory = ({ era, requestInfo }) => {
    const connected = era === "legacy" || requestInfo === undefined;
    /** Whoever opens a bench over this connection is one caller, however often they do. */
    const connection = connected ? newCallerMark() : undefined;
    const used = new Set<BenchSession>();
    const mcp = new McpServer(
      { name: "caustic", title: "Caustic laser bench", version: options.version ?? "0.0.0" },
      {
        instructions: INSTRUCTIONS,
        capabilities: {
          tools: { listChanged: false },
          resources: { subscribe: true, listChanged: false },
          prompts: { listChanged: false },
        },
        cacheHints: {
          "tools/list": LISTS,
          "prompts/list": LISTS,
          "resources/list": LISTS,
          "resources/templates/list": LISTS,
          "server/discover": LISTS,
        },
      },
    );
    const { server } = mcp;

    const callerFor = (context: ServerContext, mark: string | undefined): Caller => {
      const declared = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
      const info = declared?.[CLIENT_INFO_META_KEY];
      const name =
        typeof info === "object" && info !== null && "name" in info
          ? String(info.name)
          : // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only source on 2025-era connections
            server.getClientVersion()?.name;
      const printable = (name ?? "")
        .replace(/[^\p{L}\p{N}\p{P}\p{Zs}]/gu, "")
        .slice(0, NAME_LENGTH)
        .trim();
      return {
        kind: options.callerKind ?? "agent",
        name: printable === "" ? "unnamed client" : printable,
        id: mark ?? connection ?? `unmarked ${printable}`,
      };
    };

    /** A call that reached no verb stands in the log of the run it was meant for. */
    const reject = (tool: string, context: ServerContext, given: unknown, error: string | BenchErrorShape): void => {
      const run = typeof given === "object" && given !== null && "run" in given ? given.run : undefined;
      const [only, ...others] = used.size > 0 ? used : followed.keys();
      const session = sessionOf(run) ?? (others.length === 0 ? only : undefined);
      const { mark } = readHandle(typeof run === "string" ? run : "");
      session?.callRejected(tool.slice(0, NAME_LENGTH), callerFor(context, mark), error);
    };

    const call = async (name: ToolName, given: unknown, context: ServerContext): Promise<CallToolResult> => {
      let input: { readonly run?: string };
      try {
        input = bindArguments(name, given) as typeof input;
      } catch (error) {
        if (!(error instanceof BenchError)) throw error;
        reject(name, context, given, error.toWire());
        return refusal(error);
      }
      const progress = new ProgressReporter(context);
      try {
        const opener = name === "bench_open" ? (connection ?? newCallerMark()) : undefined;
        const { run, mark = opener } = readHandle(input.run ?? "");
        const verb = benches.verbs[name] as (input: unknown, context: unknown) => Promise<object>;
        const answer = await verb(input.run === undefined ? input : { ...input, run }, {
          caller: callerFor(context, mark),
          cancellation: cancellationOf(context),
          onProgress: progress.report,
        });
        const output = TOOLS[name].output.parse(answer);
        const own = output.run;
        if (own === undefined) return success(output);
        const session = sessionOf(own);
        const held = mark === undefined ? own : markedHandle(own, mark);
        if (session !== undefined) {
          if (mark === undefined || mark === connection) used.add(session);
          follow(session, held);
        }
        const told = withHandle(output, own, held);
        if (name !== "view_frame" || session === undefined) return success(told);
        const view = told as ToolOutput<"view_frame">;
        return success(view, pictureContent(view, session.picture(view.view)));
      } catch (error) {
        if (error instanceof BenchError) return refusal(error);
        log?.error({ err: error, tool: name }, "a tool failed");
        return refusal(internalFault(name));
      } finally {
        progress.end();
      }
    };

    server.setRequestHandler("tools/list", () => ({ tools }));
    server.setRequestHandler("tools/call", async (request, context) => {
      const { name, arguments: given } = request.params;
      if (!offers.has(name)) {
        reject(name, context, given, `there is no tool ${name.slice(0, NAME_LENGTH)}`);
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `Unknown tool "${name.slice(0, NAME_LENGTH)}"; expected one of ${offered.join(", ")}`,
        );
      }
      return call(name as ToolName, given, context);
    });

    server.setRequestHandler("resources/list", () => ({ resources: [] }));
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: templates }));
    server.setRequestHandler("resources/read", (request) => {
      try {
        return readRunResource(request.params.uri, benches, frameFile);
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        if (error instanceof BenchError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
        log?.error({ err: error }, "a resource could not be read");
        throw new ProtocolError(ProtocolErrorCode.InternalError, internalFault("resources/read").message);
      }
    });

    server.setRequestHandler("prompts/list", () => ({
      prompts: prompts.map(({ name, title, description }) => ({ name, title, description })),
    }));
    server.setRequestHandler("prompts/get", (request) => {
      const prompt = prompts.find(({ name }) => name === request.params.name);
      if (prompt === undefined) {
        const names = prompts.map(({ name }) => name).join(", ");
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt; expected one of ${names}`);
      }
      return {
        description: prompt.description,
        messages: [{ role: "user" as const, content: { type: "text" as const, text: prompt.text } }],
      };
    });

    if (connected) {
      const subscribed = new Set<string>();
      server.setRequestHandler("resources/subscribe", (request) => {
        subscribed.add(request.params.uri);
        return {};
      });
      server.setRequestHandler("resources/unsubscribe", (request) => {
        subscribed.delete(request.params.uri);
        return {};
      });
      const tell = (uri: string): void => {
        // On a 2026-era connection the transport filters by what the client listens to.
        if (era === "legacy" && !subscribed.has(uri)) return;
        server.sendResourceUpdated({ uri }).catch(() => undefined);
      };
      listeners.add(tell);
      server.onclose = () => {
        listeners.delete(tell);
        for (const session of used) {
          session
            .releaseCaller(connection ?? "")
            .catch((error: unknown) => log?.error({ err: error }, "release failed"));
        }
      };
    }
    return mcp;
  };

  return {
    factory,
    onResourceUpdated(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      for (const { end } of followed.values()) end();
      followed.clear();
      await benches.close("abandoned");
    },
  };
}

/** A call ends early when its caller cancels it, and also when the stream that waits for its answer is closed. */
function cancellationOf(context: ServerContext): AbortSignal {
  const stream = context.http?.req?.signal;
  return stream === undefined ? context.mcpReq.signal : AbortSignal.any([context.mcpReq.signal, stream]);
}
