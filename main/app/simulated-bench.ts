import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { SimulatedClock } from "../../simulators/instruments/clock.ts";
import type { Scenario } from "../../simulators/world/scenario.ts";
import type { SensorSize } from "../../simulators/world/sensor.ts";
import type { BenchSessionOptions } from "../bench/bench-session.ts";
import type { BenchOffer } from "../bench/benches.ts";
import { createSimulatedInstruments, openSimulatedSession } from "../evaluation/simulated-session.ts";
import { RealClock } from "./real-clock.ts";
import { fastestReadout } from "./frame-loops.ts";
import { type KeptRun, keepRun, newRunId } from "./keep-run.ts";
import type { LiveChain } from "./live-chain/live-chain.ts";

export interface SimulatedOfferOptions {
  /** The name that clients see; says nothing of the scenario. */
  readonly bench: string;
  readonly scenario: Scenario;
  /** Decides every deviate of the bench. */
  readonly seed: number;
  /** Default 640x480. */
  readonly sensor?: SensorSize;
  /** Raw frames are kept with the run, for looking at them later. */
  readonly keepFrames?: boolean;
  /** Moves and exposures last as long as they would. Default: as fast as the processor allows. */
  readonly realTime?: boolean;
  /** Folder in which runs are kept; without one they are gone with the process. */
  readonly keepIn?: string;
  /** Where frames are made and looked at. Default: in this thread. */
  readonly chain?: LiveChain;
  readonly session?: Partial<
    Pick<
      BenchSessionOptions,
      "limits" | "keepOutZones" | "budgets" | "rules" | "operatorNote" | "findings" | "tools" | "kernel"
    >
  >;
}

/** Puts a simulated bench on offer. Every run on it begins with the same light and the same noise. */
export function offerSimulatedBench(options: SimulatedOfferOptions): BenchOffer {
  const { bench, scenario, seed, keepIn, chain } = options;
  let runs = 0;
  return {
    bench,
    description: "A simulated bench: a camera on a stage along the beam of a laser, and a shutter",
    simulated: true,
    async open() {
      const simulated = createSimulatedInstruments(
        {
          scenario,
          seed,
          ...(chain === undefined ? fastestReadout() : { openWorld: chain.openWorld }),
          ...(options.sensor === undefined ? {} : { sensor: { size: options.sensor } }),
        },
        options.realTime === true ? new RealClock() : new SimulatedClock(() => setImmediate()),
      );
      const { camera } = simulated.instruments;
      const canaryKey = randomBytes(16).toString("hex");
      runs += 1;
      const kept: KeptRun | undefined =
        keepIn === undefined
          ? undefined
          : keepRun(keepIn, {
              id: newRunId(`${bench}-${runs}`),
              bench,
              simulated: true,
              by: "mcp",
              scenario: scenario.name,
              seed,
              more: { canary_key: canaryKey },
            });
      const session = await openSimulatedSession(simulated, {
        ...options.session,
        ...(chain === undefined ? {} : { frameWork: chain.tasks }),
        bench,
        hostClock: new RealClock(),
        journal: kept?.journal ?? { append: () => undefined },
        canaryKey,
        ...(kept !== undefined && options.keepFrames === true
          ? { frameSink: kept.frameSink(camera.info.pixelPitch_um, chain?.tasks.tiff) }
          : {}),
      });
      session.subscribe(({ type }) => {
        if (type === "run_closed") void camera.close();
      });
      kept?.follow(session);
      return session;
    },
  };
}
