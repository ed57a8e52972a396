import { createHash } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Clock } from "../../drivers/protocol/clock.ts";
import { SimulatedClock } from "../../simulators/instruments/clock.ts";
import type { BeamTruth } from "../../simulators/world/truth.ts";
import type { BenchSession, BenchSessionOptions } from "../bench/bench-session.ts";
import type { BenchOffer } from "../bench/benches.ts";
import { createSimulatedInstruments, openSimulatedSession, type SimulatedLight } from "./simulated-session.ts";

/** Everything that makes one simulated run what it is; plain data but for the journal. */
export interface SimulatedRunOptions
  extends Pick<
      BenchSessionOptions,
      | "journal"
      | "budgets"
      | "operatorNote"
      | "tools"
      | "findings"
      | "frameSink"
      | "kernel"
      | "keepOutZones"
      | "defaultFrames"
      | "frameWork"
    >,
    Pick<SimulatedLight, "scenario" | "seed" | "instrumentFaults" | "readOut" | "openWorld"> {
  /** The name under which the bench is offered; says nothing of what is behind it. */
  readonly bench?: string;
  /** Default: simulated time at full speed. */
  readonly clock?: Clock;
  /** Default: the machine's. */
  readonly hostClock?: Clock;
  /** Is told of the session as soon as a client has opened the bench. */
  readonly opened?: (session: BenchSession) => void;
}

/** The loops over pixels: how fast a run is, and nothing of what comes out. */
export type FrameLoops = Pick<SimulatedRunOptions, "kernel" | "readOut">;

export interface SimulatedRun {
  readonly offer: BenchOffer;
  /** For graders alone. */
  readonly truth: BeamTruth;
  /** The session, once a client has opened the bench. */
  session(): BenchSession | undefined;
  close(): Promise<void>;
}

/** Stage repeatability of the simulated rail, as its maker would state it. */
const U_Z_MM = 0.002;

/** Host time: decides only what becomes a job and when a handle expires, and stands in no log. */
export const hostClock: Clock = {
  now_ms: () => performance.now(),
  wait: (duration_ms, cancellation) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        cancellation?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, duration_ms);
      if (cancellation?.aborted === true) end();
      else cancellation?.addEventListener("abort", end, { once: true });
    }),
};

/** A host on which no time passes: nothing becomes a job or expires, however slow the machine is. For contenders that only compute. */
export const stillClock: Clock = {
  now_ms: () => 0,
  wait: (_duration_ms, cancellation) =>
    new Promise((resolve) => {
      if (cancellation?.aborted === true) resolve();
      else cancellation?.addEventListener("abort", () => resolve(), { once: true });
    }),
};

/** Lets pending input in between two jumps of simulated time, so that a STOP is heard. */
const yieldToHost = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Host time after which an uninterrupted clock gives the event loop a turn. */
const LONGEST_WITHOUT_TURN_ms = 5;

/**
 * Simulated time for a run that nobody interrupts. Between two jumps everything that is settled runs on, but the event loop has a turn only
 * from time to time: a move across the rail is hundreds of jumps, and a turn of the loop takes longer than one of them.
 */
export function uninterruptedClock(): Clock {
  let turned_ms = performance.now();
  return new SimulatedClock(
    () =>
      new Promise((resolve) => {
        if (performance.now() - turned_ms < LONGEST_WITHOUT_TURN_ms) {
          // The queue of ticks has its turn when that of promises is empty.
          process.nextTick(resolve);
          return;
        }
        setImmediate(() => {
          turned_ms = performance.now();
          resolve();
        });
      }),
  );
}

/** Key of the codes in the pictures of a simulated run: the same for the same seed, so that its journal is too. */
export function pictureKey(seed: number): string {
  return createHash("sha256").update(`pictures of seed ${seed}`).digest("hex");
}

/** One bench over one simulated world, on offer under an opaque name. The same options give the same journal, byte for byte. */
export function createSimulatedRun(options: SimulatedRunOptions): SimulatedRun {
  const {
    scenario,
    seed,
    instrumentFaults = [],
    readOut,
    openWorld,
    bench = "bench-1",
    clock = new SimulatedClock(yieldToHost),
    hostClock: ofHost = hostClock,
    opened,
    ...told
  } = options;
  const simulated = createSimulatedInstruments(
    {
      scenario,
      seed,
      instrumentFaults,
      ...(readOut === undefined ? {} : { readOut }),
      ...(openWorld === undefined ? {} : { openWorld }),
    },
    clock,
  );
  let session: BenchSession | undefined;
  return {
    truth: simulated.truth,
    session: () => session,
    offer: {
      bench,
      description: "A camera on a linear stage along a laser beam",
      simulated: true,
      async open() {
        session = await openSimulatedSession(simulated, {
          ...told,
          bench,
          hostClock: ofHost,
          uZ_mm: U_Z_MM,
          canaryKey: pictureKey(seed),
        });
        opened?.(session);
        return session;
      },
    },
    async close() {
      await session?.close("finished");
    },
  };
}
