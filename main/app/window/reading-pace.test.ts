import { expect, test } from "vitest";
import { ReadingPace } from "./reading-pace.ts";

const LIVE = { purpose: "live", exposure_ms: 4 } as const;

/** Frames that are read out of so many, one every 33 ms, when reading one takes that long. */
function readOf(frames: number, took_ms: number): number {
  const pace = new ReadingPace();
  let now_ms = 0;
  let read = 0;
  for (let frame = 0; frame < frames; frame++) {
    if (pace.isDue(now_ms, LIVE)) {
      read++;
      now_ms += took_ms;
      pace.wasRead(now_ms, took_ms, LIVE);
    }
    now_ms += 33;
  }
  return read;
}

test("the first frame is read", () => {
  expect(new ReadingPace().isDue(0, LIVE)).toBe(true);
});

test("small frames are read about ten times a second, large ones less often", () => {
  // 300 frames of 33 ms are 10 s.
  expect(readOf(300, 1)).toBeGreaterThan(70);
  expect(readOf(300, 1)).toBeLessThanOrEqual(100);
  // Reading takes no more than a third of the time: 60 ms of work in every 180 ms at least.
  const slow = readOf(300, 60);
  expect((slow * 60) / (300 * 33 + slow * 60)).toBeLessThanOrEqual(1 / 3);
  expect(slow).toBeGreaterThan(40);
});

test("another exposure or the frame of a measurement is read at once", () => {
  const pace = new ReadingPace();
  pace.wasRead(1000, 5, LIVE);
  expect(pace.isDue(1001, LIVE)).toBe(false);
  expect(pace.isDue(1001, { ...LIVE, exposure_ms: 8 })).toBe(true);
  expect(pace.isDue(1001, { ...LIVE, purpose: "measurement" })).toBe(true);
});
