import { setImmediate } from "node:timers/promises";
import { SimulatedClock } from "../../simulators/instruments/clock.ts";
import { recordedOptions, type ReplayResult, replayRun } from "../bench/replay.ts";
import type { BenchEvent } from "../contract/events.ts";
import { pictureKey } from "./simulated-run.ts";
import { createSimulatedInstruments, openSimulatedSession, type SimulatedLight } from "./simulated-session.ts";

/** What a simulated run was made with. */
interface SimulatedOrigin extends SimulatedLight {
  /** Default: that of the seed. */
  readonly canaryKey?: string;
}

/**
 * Makes the recorded calls of a simulated run again, on a bench made anew, and compares event by event. The first event is `run_opened`;
 * the list may end anywhere. Throws where it is empty.
 */
export async function replaySimulated(
  events: readonly BenchEvent[],
  { canaryKey, ...light }: SimulatedOrigin,
): Promise<ReplayResult> {
  const [opened] = events;
  if (opened?.type !== "run_opened") throw new Error("the journal is empty, so there is nothing to replay");
  return replayRun(events, async (journal, hostClock) => {
    const simulated = createSimulatedInstruments(light, new SimulatedClock(() => setImmediate()));
    const session = await openSimulatedSession(simulated, {
      ...recordedOptions(opened),
      hostClock,
      journal,
      canaryKey: canaryKey ?? pictureKey(light.seed),
    });
    return { session, clock: simulated.clock };
  });
}
