import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { SensorSize } from "../../../simulators/world/sensor.ts";
import type { Caller } from "../../contract/bench-verbs.ts";
import { startHost } from "../host.ts";
import { startLiveChain } from "../live-chain/live-chain.ts";
import { createWindow } from "../window/create-window.ts";
import type { Arrival, PageClientData } from "./page-client.ts";
import { type Timing, timingOf } from "./timing.ts";

/** What came through since the chain began, or since the figures were taken last. */
export interface LiveFigures {
  readonly seconds: number;
  /** Frames that the camera began to make, those whose memory was missing included. */
  readonly begun: number;
  /** Frames that arrived at the page. */
  readonly shown: number;
  /** Live frames for which no memory was free. */
  readonly dropped: number;
  /** Frames that were made and passed over, because no window was ready or the one before was still looked at. */
  readonly passedOver: number;
  readonly frames_per_s: number;
  /** From the frame in memory to its arrival at the page, looked at. */
  readonly latency: Timing;
  /** Of the reading alone. */
  readonly reading: Timing;
  /** How late the host's event loop was, for whatever reason: also because other threads and processes had the processor. */
  readonly loopDelay: { readonly p50_ms: number; readonly p99_ms: number; readonly max_ms: number };
  /** Longest time of the processor that the host's thread took between two beats of a millisecond: no work of its own kept it longer. */
  readonly longestWork_ms: number;
  /** Time of the processor in the host's own thread, per frame that was shown. */
  readonly hostThread_ms_per_frame: number;
  readonly memory: NodeJS.MemoryUsage;
}

export interface LiveRunOptions {
  readonly size: SensorSize;
  /** Shortest time between two frames. */
  readonly interval_ms: number;
  /** Sensor pixels along either side of a pixel that the page shows; 1: the page shows every pixel. */
  readonly reduction: number;
}

/**
 * A host as `caustic serve` runs it, over a folder of its own, and one page, to which live frames of a simulated bench have begun to
 * come.
 */
export interface LiveRun {
  /** Lets it run, and tells what came through meanwhile. */
  during(seconds: number): Promise<LiveFigures>;
  close(): Promise<void>;
}

const OPERATOR: Caller = { kind: "operator", name: "operator", id: "benchmark" };

export async function startLiveRun({ size, interval_ms, reduction }: LiveRunOptions): Promise<LiveRun> {
  const runsFolder = mkdtempSync(join(tmpdir(), "caustic-live-"));
  const token = "token-of-this-run";
  const chain = startLiveChain();
  const host = await startHost({ port: 0 });
  const window = createWindow("", {
    version: "benchmark",
    desktop: false,
    runsFolder,
    token,
    chain,
    liveInterval_ms: interval_ms,
  });
  const sockets = window.acceptSockets(host.server);
  const bench = window.benches.offerSimulator({ scenario: "clean", seed: 1, sensor: size });
  const { run } = await window.benches.verbs.bench_open({ bench, reason: "live frames" }, { caller: OPERATOR });
  await window.benches.verbs.move_to({ run, z_mm: 120, reason: "where the beam is small" }, { caller: OPERATOR });

  let made = new Map<number, number>();
  let arrivals: Arrival[] = [];
  let latencies_ms: number[] = [];
  let begun = 0;
  let last = -1;
  const session = window.benches.session(run);
  session.watch((signal) => {
    if (signal.type !== "frame") return;
    made.set(signal.frame.sequence, performance.timeOrigin + performance.now());
    begun += signal.frame.sequence - last;
    last = signal.frame.sequence;
  });
  const data: PageClientData = { origin: host.origin, token, run, reduction };
  const page = new Worker(new URL("./page-client.ts", import.meta.url), { workerData: data, execArgv: [] });
  const first = Promise.withResolvers<undefined>();
  let broken: Error | undefined;
  page.on("error", (error: Error) => {
    broken = error;
    first.reject(error);
  });
  page.on("message", (arrival: Arrival) => {
    first.resolve(undefined);
    arrivals.push(arrival);
    const madeAt_ms = made.get(arrival.sequence);
    if (madeAt_ms !== undefined) latencies_ms.push(arrival.at_ms - madeAt_ms);
    for (const sequence of made.keys()) if (sequence <= arrival.sequence) made.delete(sequence);
  });
  const loop = monitorEventLoopDelay({ resolution: 1 });
  const close = async (): Promise<void> => {
    await page.terminate();
    sockets.close();
    await window.close();
    await chain.close();
    await host.close();
    rmSync(runsFolder, { recursive: true, force: true });
  };
  try {
    await first.promise;
  } catch (error) {
    await close();
    throw error;
  }

  return {
    async during(seconds) {
      loop.enable();
      loop.reset();
      arrivals = [];
      latencies_ms = [];
      made = new Map();
      begun = 0;
      const droppedBefore = chain.counts().dropped;
      const work = watchWork();
      const processor = process.threadCpuUsage();
      const began_ms = performance.now();
      await setTimeout(1000 * seconds);
      if (broken !== undefined) throw broken;
      const took_s = (performance.now() - began_ms) / 1000;
      const { user, system } = process.threadCpuUsage(processor);
      const dropped = chain.counts().dropped - droppedBefore;
      const shown = arrivals.length;
      if (shown === 0) throw new Error("no frame came through");
      loop.disable();
      const longestWork_ms = work.end();
      return {
        seconds: took_s,
        begun,
        shown,
        dropped,
        passedOver: Math.max(0, begun - dropped - shown - made.size),
        frames_per_s: shown / took_s,
        latency: timingOf(latencies_ms),
        reading: timingOf(arrivals.map(({ analysis_ms = 0 }) => analysis_ms)),
        loopDelay: {
          p50_ms: loop.percentile(50) / 1e6,
          p99_ms: loop.percentile(99) / 1e6,
          max_ms: loop.max / 1e6,
        },
        longestWork_ms,
        hostThread_ms_per_frame: (user + system) / 1000 / shown,
        memory: process.memoryUsage(),
      };
    },
    close,
  };
}

/** Time of the processor that this thread takes from one beat of a millisecond to the next, the longest of them. */
function watchWork(): { end(): number } {
  const used_ms = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let longest_ms = 0;
  let before_ms = used_ms();
  const beat = setInterval(() => {
    const now_ms = used_ms();
    longest_ms = Math.max(longest_ms, now_ms - before_ms);
    before_ms = now_ms;
  }, 1);
  return {
    end() {
      clearInterval(beat);
      return longest_ms;
    },
  };
}
