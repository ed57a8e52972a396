import { expect, test } from "vitest";
import { uninterruptedClock } from "./simulated-run.ts";

test("everything that is settled runs on before time jumps to the next who waits", async () => {
  const clock = uninterruptedClock();
  const order: string[] = [];
  const slow = clock.wait(2).then(() => order.push(`two at ${clock.now_ms()}`));
  await clock.wait(1);
  // Far more turns of promises than a bench needs between two waits.
  for (let turn = 0; turn < 500; turn++) await Promise.resolve();
  await clock.wait(0.5);
  order.push(`one and a half at ${clock.now_ms()}`);
  await slow;
  expect(order).toEqual(["one and a half at 1.5", "two at 2"]);
});

test("the event loop has its turns while simulated time goes on and on", async () => {
  const clock = uninterruptedClock();
  let heard = false;
  setImmediate(() => {
    heard = true;
  });
  while (!heard) await clock.wait(1);
  expect(clock.now_ms()).toBeGreaterThan(0);
});

test("a cancelled wait ends where time stands", async () => {
  const clock = uninterruptedClock();
  const controller = new AbortController();
  const waiting = clock.wait(1000, controller.signal);
  await clock.wait(10);
  controller.abort();
  await waiting;
  expect(clock.now_ms()).toBe(10);
});
