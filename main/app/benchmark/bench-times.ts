import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import { McpServer, type McpServerFactory } from "@modelcontextprotocol/server";
import { z } from "zod";
import { createSensor, type SensorSize } from "../../../simulators/world/sensor.ts";
import { SCENARIOS } from "../../../simulators/world/scenarios.ts";
import { World } from "../../../simulators/world/world.ts";
import { createBenches } from "../../bench/benches.ts";
import { connectClient } from "../../contenders/connect-client.ts";
import { scripted } from "../../contenders/scripted.ts";
import { driveBench } from "../../evaluation/drive.ts";
import { createSimulatedRun } from "../../evaluation/simulated-run.ts";
import { createBenchServer } from "../../mcp/bench-server.ts";
import { createHttpEndpoint } from "../../mcp/http-endpoint.ts";
import type { ReadoutLoop } from "../../../simulators/world/exposure.ts";
import { fastestFrameLoops } from "../frame-loops.ts";
import type { Entry } from "./entry.ts";
import { timeInTurn, timingOf } from "./timing.ts";

const CAUSTIC = join(fileURLToPath(new URL("../../..", import.meta.url)), "bin/caustic.mjs");

/** One exposure at a new place: the light is computed, then noise and readout, by the plain loop and by the compiled one. */
export async function frameTimes(size: SensorSize, rounds: number): Promise<Entry[]> {
  const { readOut } = fastestFrameLoops();
  const plain = exposures(size);
  const works = readOut === undefined ? [plain] : [plain, exposures(size, readOut)];
  const timings = await timeInTurn(works, rounds);
  return timings.map((timing, index) => {
    const floor = timings[0];
    const name = `simulated frame ${size}, ${index === 0 ? "plain" : "native"}`;
    return index === 0 || floor === undefined
      ? { name, timing }
      : { name, timing, ratio: { to: "plain", value: timing.least_ms / floor.least_ms } };
  });
}

function exposures(size: SensorSize, readOut?: ReadoutLoop): () => void {
  const world = new World(SCENARIOS.clean, createSensor({ size }), 1, readOut);
  let taken = 0;
  return () => {
    taken += 1;
    world.expose({
      purpose: "measurement",
      acquisition: taken,
      frame: 0,
      measurements: taken,
      position_mm: 100 + (taken % 100),
      exposure_ms: 1,
      beamBlocked: false,
    });
  };
}

/** A whole M² run by the scripted operator on a simulated bench; also the processor time that it took. */
export async function scriptedRunTimes(rounds: number): Promise<Entry[]> {
  const processor_ms: number[] = [];
  let seed = 0;
  const drive = async (): Promise<void> => {
    seed += 1;
    const before = process.cpuUsage();
    const run = createSimulatedRun({
      ...fastestFrameLoops(),
      scenario: SCENARIOS.clean,
      seed,
      journal: { append: () => undefined },
    });
    await driveBench({ offer: run.offer, contender: scripted });
    const { user, system } = process.cpuUsage(before);
    processor_ms.push((user + system) / 1000);
  };
  const [timing] = await timeInTurn([drive], rounds, 1);
  if (timing === undefined) throw new Error("no run was timed");
  return [
    { name: "scripted run on clean", timing },
    { name: "scripted run on clean, processor time", timing: timingOf(processor_ms.slice(1)) },
  ];
}

/** `bench_status` beside a tool that does nothing, both over Streamable HTTP without sockets. */
export async function toolCallTimes(rounds: number): Promise<Entry[]> {
  const run = createSimulatedRun({
    ...fastestFrameLoops(),
    scenario: SCENARIOS.clean,
    seed: 1,
    journal: { append: () => undefined },
  });
  const bench = createBenchServer({ benches: createBenches([run.offer]) });
  const empty: McpServerFactory = () => {
    const server = new McpServer({ name: "empty", version: "1" }, { capabilities: { tools: {} } });
    server.registerTool("nothing", { inputSchema: z.object({}) }, () => ({ content: [{ type: "text", text: "{}" }] }));
    return server;
  };
  const endpoints = [createHttpEndpoint({ factory: empty }), createHttpEndpoint({ factory: bench.factory })];
  const clients: Client[] = [];
  try {
    for (const endpoint of endpoints) clients.push(await connectClient("caustic bench", endpoint.fetch));
    const names = ["nothing", "bench_status"];
    const [floor, timing] = await timeInTurn(
      clients.map((client, index) => () => client.callTool({ name: names[index] ?? "", arguments: {} })),
      rounds,
      50,
    );
    if (floor === undefined || timing === undefined) throw new Error("no call was timed");
    // Calls have no fastest run that says much; their medians are compared.
    const ratio = { to: "empty tool", value: timing.median_ms / floor.median_ms };
    return [
      { name: "call of an empty tool", timing: floor },
      { name: "call of bench_status", timing, ratio },
    ];
  } finally {
    for (const client of clients) await client.close();
    for (const endpoint of endpoints) await endpoint.close();
    await bench.close();
  }
}

/** A process from its start to its end: Node alone, and `caustic --help`. */
export async function startTimes(rounds: number): Promise<Entry[]> {
  const run = (args: readonly string[]) => () =>
    new Promise<void>((resolve, reject) => {
      spawn(process.execPath, args, { stdio: "ignore" })
        .on("error", reject)
        .on("close", () => resolve());
    });
  const [floor, timing] = await timeInTurn([run(["-e", "0"]), run([CAUSTIC, "--help"])], rounds, 1);
  if (floor === undefined || timing === undefined) throw new Error("no start was timed");
  const ratio = { to: "Node alone", value: timing.least_ms / floor.least_ms };
  return [
    { name: "start of Node alone", timing: floor },
    { name: "start of caustic --help", timing, ratio },
  ];
}
