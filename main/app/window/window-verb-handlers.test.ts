import { afterEach, expect, test, vi } from "vitest";
import type { Caller } from "../../contract/bench-verbs.ts";
import type { FrameTasks } from "../live-chain/frame-tasks.ts";
import type { FrameReading } from "./read-frame.ts";
import type { WindowShelves } from "./shelves.ts";
import { createVerbRunner, type StoredFrame } from "./window-verb-handlers.ts";

afterEach(() => {
  vi.useRealTimers();
});

const caller: Caller = { kind: "operator", name: "operator", id: "window:1" };
const kept = {
  frame: { width_px: 2, height_px: 1, samples: new Uint16Array(2), bitDepth: 12 },
  pixelPitch_um: 5,
};

/** Asks for the frame of a kept measurement while `read` looks at it. */
function frameWith(read: () => Promise<FrameReading>): { sent: StoredFrame[]; answered: Promise<unknown> } {
  const shelves = { records: { frame: async () => kept } } as unknown as WindowShelves;
  const run = createVerbRunner(
    shelves,
    () => {
      throw new Error("not asked for");
    },
    { tasks: { read } as unknown as FrameTasks },
  );
  const sent: StoredFrame[] = [];
  const answered = run(
    "frame",
    { source: "record:r", id: "m001" },
    {
      caller,
      cancellation: new AbortController().signal,
      sendFrame: (frame) => sent.push(frame),
    },
  );
  return { sent, answered };
}

test("a kept frame is shown with what was found in it", async () => {
  const { sent, answered } = frameWith(async () => ({ analysis_ms: 3 }));
  await answered;
  expect(sent).toMatchObject([{ reading: { analysis_ms: 3 } }]);
});

test("a kept frame whose numbers do not come is shown without them", async () => {
  vi.useFakeTimers();
  const { sent, answered } = frameWith(() => new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(60_000);
  await answered;
  expect(sent).toMatchObject([{ reading: {} }]);
});
