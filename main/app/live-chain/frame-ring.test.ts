import { expect, test } from "vitest";
import { FrameRing } from "./frame-ring.ts";

test("a slot serves the next frame only when its last holder has let go", () => {
  const ring = new FrameRing(6, 2);
  const first = ring.take();
  const second = ring.take();
  expect(first?.samples).toHaveLength(6);
  expect(first?.samples.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(first?.samples.buffer).not.toBe(second?.samples.buffer);
  expect(ring.take()).toBeUndefined();
  first?.memory.hold();
  first?.memory.release();
  expect(ring.free).toBe(0);
  first?.memory.release();
  expect(ring.free).toBe(1);
  expect(ring.take()?.samples.buffer).toBe(first?.samples.buffer);
});

test("a frame that is kept takes its memory along, and the ring keeps its number of slots", () => {
  const ring = new FrameRing(6, 1);
  const kept = ring.take();
  kept?.samples.fill(7);
  kept?.memory.keep();
  kept?.memory.keep();
  kept?.memory.release();
  expect(ring.free).toBe(1);
  const next = ring.take();
  expect(next?.samples.buffer).not.toBe(kept?.samples.buffer);
  expect([...(kept?.samples ?? [])]).toEqual([7, 7, 7, 7, 7, 7]);
  expect(ring.take()).toBeUndefined();
});

test("memory beside the ring never becomes a slot", () => {
  const ring = new FrameRing(6, 1);
  ring.take();
  ring.beside().memory.release();
  expect(ring.free).toBe(0);
});

test("letting go more often than holding, and holding what was let go, is a fault", () => {
  const ring = new FrameRing(6, 1);
  const slot = ring.take();
  slot?.memory.release();
  expect(() => slot?.memory.release()).toThrow(RangeError);
  expect(() => slot?.memory.hold()).toThrow(RangeError);
  expect(() => slot?.memory.keep()).toThrow(RangeError);
  expect(ring.free).toBe(1);
});
