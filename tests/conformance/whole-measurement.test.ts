import { afterEach, describe, expect, it } from "vitest";
import type { Client } from "@modelcontextprotocol/client";
import { createBenchClient } from "../../main/contenders/bench-client.ts";
import { scripted } from "../../main/contenders/scripted.ts";
import { createHttpEndpoint } from "../../main/mcp/http-endpoint.ts";
import type { BenchServer } from "../../main/mcp/bench-server.ts";
import { type AnyClient, connect, connectHttp, ERAS, type Era } from "./clients.ts";
import { listen } from "./http-server.ts";
import { simulatedDesk } from "./simulated-desk.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function clientOver(way: "memory" | "http", era: Era, server: BenchServer): Promise<AnyClient> {
  if (way === "memory") return connect(server, era);
  const http = await listen(createHttpEndpoint({ factory: server.factory }));
  ends.push(() => http.close());
  return connectHttp(http.url, era);
}

describe.each(ERAS.flatMap((era) => [[era, "memory"] as const, [era, "http"] as const]))(
  "a client of %s over %s",
  (era, way) => {
    it("runs a whole measurement through the tools alone", async () => {
      const server = simulatedDesk();
      ends.push(() => server.close());
      const client = await clientOver(way, era, server);
      ends.push(() => client.close());
      let run = "";
      const watched: AnyClient = Object.assign(Object.create(client) as AnyClient, {
        listTools: () => client.listTools(),
        callTool: async (...call: Parameters<AnyClient["callTool"]>) => {
          const answer = await client.callTool(...call);
          const told = answer.structuredContent?.["run"];
          if (typeof told === "string") run = told;
          return answer;
        },
      });
      await scripted.drive(await createBenchClient(watched as unknown as Client), { bench: "bench-1" });
      const log = (await client.readResource({ uri: `bench://run/${run}/log` })).contents[0]?.text ?? "";
      const events = log
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const finished = events.find(({ type }) => type === "finished");
      expect(finished).toMatchObject({ verdict: "iso_compliant", x: { determined: true }, y: { determined: true } });
      expect(events.filter(({ type }) => type === "call_rejected")).toEqual([]);
    });
  },
);
