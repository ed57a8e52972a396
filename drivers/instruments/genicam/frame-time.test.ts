import { expect, test } from "vitest";
import { FrameTime } from "./frame-time.ts";

test("the quickest way that a frame had bounds the time of every other", () => {
  const time = new FrameTime();
  // The camera's clock stands 1000 ms before the bench's; frames take 5 ms or more.
  expect(time.latest_ms({ stamp_ms: 100, arrived_ms: 1130 })).toBe(1130);
  expect(time.latest_ms({ stamp_ms: 200, arrived_ms: 1205 })).toBe(1205);
  // Held up on the way: what arrives late was not stamped late.
  expect(time.latest_ms({ stamp_ms: 210, arrived_ms: 1900 })).toBeCloseTo(1215.139, 3);
});

test("never later than the arrival, and wide enough for clocks that drift apart", () => {
  const time = new FrameTime();
  time.latest_ms({ stamp_ms: 0, arrived_ms: 10 });
  // After an hour the camera's clock has lost 100 ppm: the true stamp is 3600000 + 360.
  const hour_ms = 3_600_000;
  const latest_ms = time.latest_ms({ stamp_ms: hour_ms, arrived_ms: hour_ms + 400 });
  expect(latest_ms).toBeGreaterThanOrEqual(hour_ms + 360);
  expect(latest_ms).toBeLessThanOrEqual(hour_ms + 400);
});
