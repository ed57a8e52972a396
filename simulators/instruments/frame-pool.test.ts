import { expect, test } from "vitest";
import { SCENARIOS } from "../world/scenarios.ts";
import { SimulatedClock } from "./clock.ts";
import { FramePool } from "./frame-pool.ts";
import { createSimulatedBench } from "./simulated-bench.ts";

test("memory serves again when the last holder has let go, and not before", () => {
  const pool = new FramePool(1000);
  const first = pool.take(10);
  first.memory.hold();
  first.memory.release();
  expect(pool.take(10).samples).not.toBe(first.samples);
  first.memory.release();
  expect(pool.take(10).samples).toBe(first.samples);
  expect(() => first.memory.release()).toThrow("last holder");
});

test("memory that a frame took along for good never serves again", () => {
  const pool = new FramePool(1000);
  const first = pool.take(10);
  first.memory.keep();
  first.memory.release();
  expect(pool.take(10).samples).not.toBe(first.samples);
});

test("memory serves frames of its own size alone, and what is free beyond the bound is dropped", () => {
  const pool = new FramePool(25);
  const [small, large, further] = [pool.take(4), pool.take(6), pool.take(6)];
  for (const { memory } of [small, large, further]) memory.release();
  expect(pool.take(6).samples).not.toBe(further.samples);
  expect(pool.take(4).samples).toBe(small.samples);
});

test("what later frames show never appears in a frame that somebody still holds", async () => {
  const { camera } = createSimulatedBench({ scenario: SCENARIOS.clean, seed: 1, clock: new SimulatedClock() });
  const take = (frame: number) => camera.acquire({ label: { purpose: "measurement", acquisition: 0, frame } });
  const held = await take(0);
  const before = held.samples.slice();
  const kept = await take(1);
  const keptBefore = kept.samples.slice();
  kept.memory?.keep();
  kept.memory?.release();
  let reused = false;
  const seen = new Set<Uint16Array>();
  for (let frame = 2; frame < 6; frame++) {
    const next = await take(frame);
    reused ||= seen.has(next.samples);
    seen.add(next.samples);
    next.memory?.release();
  }
  expect(reused).toBe(true);
  expect(held.samples).toEqual(before);
  expect(kept.samples).toEqual(keptBefore);
});
