import { offerSimulatedBench, type SimulatedOfferOptions } from "../../main/app/simulated-bench.ts";
import { frameFile } from "../../main/app/create-desk.ts";
import { createBenches } from "../../main/bench/benches.ts";
import { type BenchServer, type BenchServerOptions, createBenchServer } from "../../main/mcp/bench-server.ts";
import { SCENARIOS } from "../../simulators/world/scenarios.ts";

/** The server of one simulated bench, as `caustic mcp` builds it, without a run folder. */
export function simulatedDesk(
  offer: Partial<SimulatedOfferOptions> = {},
  server: Partial<BenchServerOptions> = {},
): BenchServer {
  const benches = createBenches([
    offerSimulatedBench({ bench: "bench-1", scenario: SCENARIOS.clean, seed: 1, ...offer }),
  ]);
  return createBenchServer({ benches, frameFile, ...server });
}
