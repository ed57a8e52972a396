import type { BenchOffer } from "../bench/benches.ts";
import { createBenches } from "../bench/benches.ts";
import { createBenchClient } from "../contenders/bench-client.ts";
import { connectClient } from "../contenders/connect-client.ts";
import type { Assignment, Contender } from "../contenders/contender.ts";
import type { ToolName } from "../contract/tools.ts";
import { createBenchServer } from "../mcp/bench-server.ts";
import type { ServedPrompt } from "../mcp/served-prompt.ts";
import { createHttpEndpoint } from "../mcp/http-endpoint.ts";

export interface DriveOptions extends Pick<Assignment, "note" | "signal" | "onTurn"> {
  readonly offer: BenchOffer;
  readonly contender: Contender;
  readonly tools?: readonly ToolName[];
  readonly prompts?: readonly ServedPrompt[];
}

/**
 * Lets a contender drive a bench over Streamable HTTP, the transport that an agent uses, with the sockets left out.
 * Resolves when the contender is done; the run is closed by then. What the contender throws is thrown here.
 */
export async function driveBench({ offer, contender, tools, prompts, ...told }: DriveOptions): Promise<void> {
  const benches = createBenches([offer]);
  const server = createBenchServer({
    benches,
    callerKind: contender.kind ?? "script",
    ...(tools === undefined ? {} : { offered: tools }),
    ...(prompts === undefined ? {} : { prompts }),
  });
  const endpoint = createHttpEndpoint({ factory: server.factory });
  try {
    const client = await connectClient(contender.name, endpoint.fetch);
    try {
      await contender.drive(await createBenchClient(client), { ...told, bench: offer.bench });
    } finally {
      await client.close();
    }
  } finally {
    await endpoint.close();
    await server.close();
  }
}
