import { scenarioNamed } from "../../../simulators/world/scenarios.ts";
import { createBenches } from "../../bench/benches.ts";
import { type BenchClient, createBenchClient, ToolRefusal } from "../../contenders/bench-client.ts";
import { connectClient } from "../../contenders/connect-client.ts";
import { TOOLS, type ToolName } from "../../contract/tools.ts";
import { createBenchServer } from "../../mcp/bench-server.ts";
import { createHttpEndpoint } from "../../mcp/http-endpoint.ts";
import {
  createSimulatedRun,
  type FrameLoops,
  hostClock,
  type SimulatedRunOptions,
  stillClock,
} from "../simulated-run.ts";
import { factsOf } from "./bench-facts.ts";
import type { Fact } from "./fact.ts";
import type { LadderCase, LadderStart, LadderSuite } from "./ladder-case.ts";
import {
  type DispatchAnswer,
  type DriverContext,
  type LadderDriver,
  type LoopResult,
  OutOfCalls,
} from "./ladder-driver.ts";
import { bindingFault, capability, CAPABILITIES, type ToolInputs } from "./registry.ts";

/** More calls than any case needs; a driver that asks for more does not terminate. */
const MOST_CALLS = 60;
/** Frames of a measurement that does not say how many: one, since the ladder is about calls and not about noise. */
const FRAMES = 1;
const BENCH = "bench-1";

/** A call as the harness saw it. `run` is left out. */
export interface SeenCall {
  readonly name: string;
  readonly input: ToolInputs;
  readonly outcome: DispatchAnswer;
}

/** All that grading needs of a case that was run. */
export interface LadderRecord {
  readonly seen: readonly SeenCall[];
  readonly terminated: boolean;
  /** Absent where the driver did not terminate. */
  readonly result?: LoopResult;
  readonly startFacts: readonly Fact[];
  readonly endFacts: readonly Fact[];
  readonly bench: DriverContext["bench"];
  readonly startZ_mm?: number;
}

export interface RunLadderCaseOptions extends FrameLoops {
  readonly suite: LadderSuite;
  readonly driver: LadderDriver;
  /** Real host time, for drivers that think in it. Default: none passes. */
  readonly realTime?: boolean;
  readonly signal?: AbortSignal;
}

/** Runs one case on a bench of its own, through an MCP client. What the harness itself cannot do is thrown. */
export async function runLadderCase(subject: LadderCase, options: RunLadderCaseOptions): Promise<LadderRecord> {
  const start = options.suite.starts[subject.start];
  if (start === undefined) throw new Error(`case ${subject.id}: there is no start ${subject.start}`);
  const run = createSimulatedRun(simulated(start, options));
  const server = createBenchServer({
    benches: createBenches([run.offer]),
    offered: ["bench_open", ...CAPABILITIES.map(({ name }) => name)],
    callerKind: "agent",
  });
  const endpoint = createHttpEndpoint({ factory: server.factory });
  try {
    const client = await createBenchClient(await connectClient(options.driver.name, endpoint.fetch));
    try {
      return await drive(subject, start, client, options);
    } finally {
      await client.mcp.close();
    }
  } finally {
    await endpoint.close();
    await server.close();
    await run.close();
  }
}

function simulated(start: LadderStart, options: RunLadderCaseOptions): SimulatedRunOptions {
  const { kernel, readOut, realTime = false } = options;
  const scenario = scenarioNamed(start.scenario);
  if (scenario === undefined) throw new Error(`there is no scenario ${start.scenario}`);
  const { positions } = start.budgets ?? {};
  return {
    scenario,
    seed: start.seed,
    hostClock: realTime ? hostClock : stillClock,
    defaultFrames: FRAMES,
    journal: { append: () => undefined },
    bench: BENCH,
    ...(start.faults === undefined ? {} : { instrumentFaults: start.faults }),
    ...(start.keep_out_zones === undefined ? {} : { keepOutZones: start.keep_out_zones }),
    ...(positions === undefined ? {} : { budgets: { positions } }),
    ...(kernel === undefined ? {} : { kernel }),
    ...(readOut === undefined ? {} : { readOut }),
  };
}

async function drive(
  subject: LadderCase,
  start: LadderStart,
  client: BenchClient,
  { suite, driver, signal }: RunLadderCaseOptions,
): Promise<LadderRecord> {
  const bench = await client.call("bench_open", { bench: BENCH, reason: "a case of the ladder begins" });
  const { run } = bench;
  const made = async (name: ToolName, input: ToolInputs): Promise<unknown> => {
    const shape = TOOLS[name].input.shape;
    const given = { ...input, ...("run" in shape ? { run } : {}) };
    return client.call(name, TOOLS[name].input.parse(given));
  };
  for (const { name, input } of start.prepare) {
    await made(name as ToolName, { reason: "the starting state of the case", ...input });
  }
  const status = await client.call("bench_status", { run });
  const startFacts = factsOf(status, await client.call("fit_caustic", { run }));

  const seen: SeenCall[] = [];
  const dispatch = async (name: string, input: ToolInputs): Promise<DispatchAnswer> => {
    if (seen.length >= MOST_CALLS) throw new OutOfCalls(`more than ${MOST_CALLS} calls`);
    const outcome = await answerTo(name, input);
    const { run: _bound, ...kept } = input;
    seen.push({ name, input: kept, outcome });
    return outcome;
  };
  const answerTo = async (name: string, input: ToolInputs): Promise<DispatchAnswer> => {
    const fault = bindingFault(name, input, subject.tools);
    if (fault !== undefined) return { ok: false, code: "hallucination", message: fault };
    try {
      return { ok: true, answer: await made(name as ToolName, input) };
    } catch (error) {
      if (error instanceof ToolRefusal) return { ok: false, code: error.code, message: error.message };
      throw error;
    }
  };

  const told: DriverContext = {
    dispatch,
    capabilityByName: capability,
    bench,
    status,
    facts: startFacts,
    ...(subject.trace === undefined ? {} : { trace: subject.trace }),
    ...(subject.goals === undefined
      ? {}
      : { goals: suite.goals.filter(({ goal }) => subject.goals?.includes(goal) === true) }),
    ...(signal === undefined ? {} : { signal }),
  };
  let result: LoopResult | undefined;
  try {
    result = await driver.drive(subject.request, subject.tools, told);
  } catch (error) {
    if (!(error instanceof OutOfCalls)) throw error;
  }
  return {
    seen,
    terminated: result !== undefined,
    ...(result === undefined ? {} : { result }),
    startFacts,
    endFacts: await factsAtEnd(client, run, seen),
    bench,
    ...(status.z_requested_mm === undefined ? {} : { startZ_mm: status.z_requested_mm }),
  };
}

/** A finished run answers no more; what it ended with is what its calls gave. */
async function factsAtEnd(client: BenchClient, run: string, seen: readonly SeenCall[]): Promise<Fact[]> {
  const finished = seen.filter(({ name, outcome }) => name === "finish" && outcome.ok);
  const given = finished.flatMap(({ name, input }) => [...(capability(name)?.gives(input) ?? [])]);
  try {
    const status = await client.call("bench_status", { run });
    const fit = finished.length > 0 ? undefined : await client.call("fit_caustic", { run });
    return [...factsOf(status, fit), ...given];
  } catch (error) {
    if (error instanceof ToolRefusal) return given;
    throw error;
  }
}
