import { setImmediate } from "node:timers/promises";
import { breakInstruments } from "../../simulators/faults/break-instruments.ts";
import type { InstrumentFault } from "../../simulators/faults/instrument-fault.ts";
import { SimulatedClock } from "../../simulators/instruments/clock.ts";
import { createSimulatedBench } from "../../simulators/instruments/simulated-bench.ts";
import type { ReadoutLoop } from "../../simulators/world/exposure.ts";
import type { Scenario } from "../../simulators/world/scenario.ts";
import type { SensorChoice } from "../../simulators/world/sensor.ts";
import { createCanary } from "../bench/canary.ts";
import { recordedOptions, type ReplayResult, replayRun } from "../bench/replay.ts";
import { createBenchSession } from "../bench/session.ts";
import type { BenchEvent } from "../contract/events.ts";
import { newRunHandle } from "../mcp/run-handle.ts";
import { pictureKey } from "./simulated-run.ts";

/** What a simulated run was made with. */
interface SimulatedOrigin {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly instrumentFaults: readonly InstrumentFault[];
  /** Default: the usual sensor. */
  readonly sensor?: SensorChoice;
  /** Default: that of the seed. */
  readonly canaryKey?: string;
  readonly readOut?: ReadoutLoop;
}

/**
 * Makes the recorded calls of a simulated run again, on a bench made anew, and compares event by event. The first event is `run_opened`;
 * the list may end anywhere. Throws where it is empty.
 */
export async function replaySimulated(events: readonly BenchEvent[], origin: SimulatedOrigin): Promise<ReplayResult> {
  const [opened] = events;
  if (opened?.type !== "run_opened") throw new Error("the journal is empty, so there is nothing to replay");
  const { scenario, seed, instrumentFaults, canaryKey = pictureKey(seed), sensor, readOut } = origin;
  return replayRun(events, async (journal, hostClock) => {
    const clock = new SimulatedClock(() => setImmediate());
    const bench = createSimulatedBench({
      scenario,
      seed,
      clock,
      ...(sensor === undefined ? {} : { sensor }),
      ...(readOut === undefined ? {} : { readOut }),
    });
    const instruments = instrumentFaults.length === 0 ? bench : breakInstruments(bench, instrumentFaults, seed, clock);
    const session = await createBenchSession({
      ...recordedOptions(opened),
      instruments: { stage: instruments.stage, camera: instruments.camera, shutter: bench.shutter },
      clock,
      hostClock,
      journal,
      newHandle: newRunHandle,
      canary: createCanary(canaryKey),
    });
    return { session, clock };
  });
}
