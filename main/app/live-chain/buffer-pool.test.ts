import { expect, test } from "vitest";
import { BufferPool } from "./buffer-pool.ts";

test("memory serves again once the last holder has let go, and not before", () => {
  const pool = new BufferPool();
  const first = pool.take(100);
  expect(first.samples).toHaveLength(100);
  first.memory.hold();
  first.memory.release();
  expect(pool.take(100).samples.buffer).not.toBe(first.samples.buffer);
  first.memory.release();
  const again = pool.take(90);
  expect(again.samples.buffer).toBe(first.samples.buffer);
  expect(again.samples).toHaveLength(90);
});

test("memory that is kept serves nobody else", () => {
  const pool = new BufferPool();
  const kept = pool.take(100);
  kept.memory.keep();
  kept.memory.release();
  expect(pool.take(100).samples.buffer).not.toBe(kept.samples.buffer);
});

test("a piece serves what fits, and is not wasted on what is much smaller", () => {
  const pool = new BufferPool();
  const large = pool.take(1000);
  large.memory.release();
  expect(pool.take(1001).samples.buffer).not.toBe(large.samples.buffer);
  expect(pool.take(100).samples.buffer).not.toBe(large.samples.buffer);
  expect(pool.take(500).samples.buffer).toBe(large.samples.buffer);
});

test("no more than a few free pieces are kept", () => {
  const pool = new BufferPool();
  const pieces = Array.from({ length: 20 }, () => pool.take(100));
  for (const { memory } of pieces) memory.release();
  const before = new Set(pieces.map(({ samples }) => samples.buffer));
  const after = Array.from({ length: 20 }, () => pool.take(100).samples.buffer);
  expect(after.filter((buffer) => before.has(buffer))).toHaveLength(8);
});
