import type { SensorSize } from "../../../simulators/world/sensor.ts";
import type { Entry } from "./entry.ts";
import { startLiveRun } from "./live-run.ts";

/** What a camera of a bench is asked for. */
const INTERVAL_MS = 1000 / 30;
const WARM_UP_S = 2;
/** A window of 1920 × 1080 has room for a frame of about so many pixels across, at most. */
const ROOM_px = 1224;

/** Simulated frames at 30/s through the whole chain to a page's socket: how late they arrive there, and what gets lost on the way. */
export async function liveTimes(size: SensorSize, seconds: number): Promise<Entry[]> {
  const reduction = Math.max(1, Math.floor(Number.parseInt(size, 10) / ROOM_px));
  const run = await startLiveRun({ size, interval_ms: INTERVAL_MS, reduction });
  try {
    await run.during(WARM_UP_S);
    const figures = await run.during(seconds);
    const name = reduction === 1 ? `live ${size}` : `live ${size}, shown ${reduction} times smaller`;
    return [
      {
        name: `${name}, frame in memory → analysed at the page`,
        timing: figures.latency,
        figures: {
          frames_per_s: figures.frames_per_s,
          dropped: figures.dropped,
          passed_over: figures.passedOver,
          loop_delay_p99_ms: figures.loopDelay.p99_ms,
          loop_delay_max_ms: figures.loopDelay.max_ms,
          longest_work_ms: figures.longestWork_ms,
          host_thread_ms_per_frame: figures.hostThread_ms_per_frame,
        },
      },
      { name: `${name}, analysis alone`, timing: figures.reading },
    ];
  } finally {
    await run.close();
  }
}
