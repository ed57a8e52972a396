import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { BenchOffer } from "../bench/benches.ts";
import { createBenches } from "../bench/benches.ts";
import { type BenchClient, createBenchClient } from "../contenders/bench-client.ts";
import type { Contender } from "../contenders/contender.ts";
import type { ToolName } from "../contract/tools.ts";
import { createBenchServer, type ServedPrompt } from "../mcp/bench-server.ts";
import { createHttpEndpoint } from "../mcp/http-endpoint.ts";

export interface DriveOptions {
  readonly offer: BenchOffer;
  readonly contender: Contender;
  readonly note?: string;
  readonly tools?: readonly ToolName[];
  readonly prompts?: readonly ServedPrompt[];
}

/** Stands in a URL that is never looked up: requests are answered inside the process. */
const ADDRESS = new URL("http://bench.invalid/mcp");

/**
 * Lets a contender drive a bench over Streamable HTTP, the transport that an agent uses, with the sockets left out.
 * Resolves when the contender is done; the run is closed by then. What the contender throws is thrown here.
 */
export async function driveBench({ offer, contender, note, tools, prompts }: DriveOptions): Promise<void> {
  const benches = createBenches([offer]);
  const server = createBenchServer({
    benches,
    callerKind: "script",
    ...(tools === undefined ? {} : { offered: tools }),
    ...(prompts === undefined ? {} : { prompts }),
  });
  const endpoint = createHttpEndpoint({ factory: server.factory });
  const client = new Client({ name: contender.name, version: "1" }, { versionNegotiation: { mode: "auto" } });
  try {
    await client.connect(
      new StreamableHTTPClientTransport(ADDRESS, { fetch: (url, init) => endpoint.fetch(new Request(url, init)) }),
    );
    const bench: BenchClient = await createBenchClient(client);
    await contender.drive(bench, { bench: offer.bench, ...(note === undefined ? {} : { note }) });
  } finally {
    await client.close();
    await endpoint.close();
    await server.close();
  }
}
