import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createBenches, type BenchOffer } from "../bench/benches.ts";
import { createBenchServer } from "../mcp/bench-server.ts";
import { createHttpEndpoint } from "../mcp/http-endpoint.ts";
import { planPrompt } from "../mcp/plan-prompt.ts";
import type { FrameFile } from "../mcp/run-resources.ts";
import type { Driver } from "./driver.ts";
import type { Unit } from "./unit.ts";

/** A unit whose bench waits for a client from outside. */
export interface OfferedUnit {
  readonly unit: Unit;
  /** MCP over Streamable HTTP, on the loopback interface. */
  readonly url: string;
  /** What every request must carry as its bearer token. */
  readonly token: string;
  readonly note?: string;
  readonly timeLimit_s: number;
}

export interface ExternalDriverOptions {
  /** Serves requests at an address of this machine until it is closed; `close` lets answers under way go out. */
  readonly listen: (
    answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ) => Promise<{ readonly url: string; close(): Promise<void> }>;
  /** Tells the person at the terminal. */
  readonly announce: (offered: OfferedUnit) => void;
  /** A unit that has not finished by then is graded as it stands. */
  readonly timeLimit_s: number;
  readonly frameFile?: FrameFile;
}

/** A driver for whoever connects: opens the unit's bench to one address with its own token and waits for `finish`. */
export function externalDriver({ listen, announce, timeLimit_s, frameFile }: ExternalDriverOptions): Driver {
  return async ({ offer, tools, note, unit, signal, offered }) => {
    const finished = Promise.withResolvers<"finished">();
    const bench = { opened: false };
    const watched: BenchOffer = {
      ...offer,
      async open() {
        const session = await offer.open();
        bench.opened = true;
        let accepted: number | undefined;
        session.subscribe((event) => {
          if (event.type === "finished") accepted = event.call;
          if (event.type === "tool_returned" && event.call === accepted) finished.resolve("finished");
        });
        return session;
      },
    };
    const server = createBenchServer({
      benches: createBenches([watched]),
      offered: tools,
      prompts: [planPrompt(tools)],
      callerKind: "agent",
      ...(frameFile === undefined ? {} : { frameFile }),
    });
    const token = randomBytes(32).toString("base64url");
    const endpoint = createHttpEndpoint({ factory: server.factory, token });
    const host = await listen((request, response) => endpoint.handle(request, response));
    offered(host.url);
    announce({ unit, url: host.url, token, ...(note === undefined ? {} : { note }), timeLimit_s });
    const limit = Promise.withResolvers<"late">();
    const timer = setTimeout(() => limit.resolve("late"), timeLimit_s * 1000);
    const calledOff = Promise.withResolvers<"called off">();
    const callOff = (): void => calledOff.resolve("called off");
    signal?.addEventListener("abort", callOff, { once: true });
    if (signal?.aborted === true) callOff();
    const end = await Promise.race([finished.promise, limit.promise, calledOff.promise]);
    clearTimeout(timer);
    signal?.removeEventListener("abort", callOff);
    await host.close();
    await endpoint.close();
    await server.close();
    if (end === "finished") return { status: "completed" };
    const message = end === "late" ? `not finished within ${timeLimit_s} s` : "the evaluation was called off";
    return bench.opened
      ? { status: "completed", message }
      : { status: "failed", message: `nobody opened the bench; ${message}` };
  };
}
