import { expect, test } from "vitest";
import type { Frame } from "../../../drivers/protocol/frame.ts";
import type { BenchSession } from "../../bench/bench-session.ts";
import type { FrameTasks } from "../live-chain/frame-tasks.ts";
import { type LiveFrame, LiveFeed } from "./live-feed.ts";

test("a frame carries no numbers of a frame with another exposure, however long its own take", async () => {
  const exposures_ms = [1, 1, 1000, 1000];
  let taken = 0;
  const session = {
    handle: "run",
    description: { pixel_pitch_um: 5.5 },
    snapshot: () => ({ z_actual_mm: 0 }),
    watch: () => () => undefined,
    liveFrame: (): Promise<Frame | undefined> => {
      const exposure_ms = exposures_ms[taken];
      if (exposure_ms === undefined) return Promise.resolve(undefined);
      taken += 1;
      const samples = new Uint16Array(4);
      return Promise.resolve({ width_px: 2, height_px: 2, samples, exposure_ms, sequence: taken } as unknown as Frame);
    },
  } as unknown as BenchSession;
  // Only the first frame is ever looked at to the end.
  const tasks = {
    read: (frame: Frame) => (frame.sequence === 1 ? Promise.resolve({ analysis_ms: 7 }) : new Promise(() => undefined)),
  } as unknown as Pick<FrameTasks, "read" | "reduce">;
  const feed = new LiveFeed(session, tasks, 1);
  const shown: LiveFrame[] = [];
  feed.add({
    room: 1,
    detail: { reduction: 1 },
    show: (header) => {
      shown.push(header);
    },
  });
  try {
    await expect.poll(() => shown.length).toBe(4);
    expect(shown.map(({ exposure_ms, read_sequence }) => [exposure_ms, read_sequence])).toEqual([
      [1, 1],
      [1, 1],
      [1000, undefined],
      [1000, undefined],
    ]);
  } finally {
    feed.close();
  }
});
