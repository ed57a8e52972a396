import { describe, expect, test } from "vitest";
import { ManualClock, SimulatedClock } from "./clock.ts";

describe("SimulatedClock", () => {
  test("jumps by what is waited for, in order of the due times, whoever waits", async () => {
    const clock = new SimulatedClock();
    const log: string[] = [];
    const walker = async (name: string, step_ms: number, steps: number): Promise<void> => {
      for (let step = 0; step < steps; step++) {
        await clock.wait(step_ms);
        log.push(`${name} ${clock.now_ms()}`);
      }
    };
    await Promise.all([walker("slow", 50, 2), walker("fast", 20, 4)]);
    expect(log).toEqual(["fast 20", "fast 40", "slow 50", "fast 60", "fast 80", "slow 100"]);
    expect(clock.now_ms()).toBe(100);
  });

  test("waits of equal end wake in the order in which they began", async () => {
    const clock = new SimulatedClock();
    const log: number[] = [];
    await Promise.all([1, 2, 3].map((name) => clock.wait(10).then(() => log.push(name))));
    expect(log).toEqual([1, 2, 3]);
  });

  test("a cancelled wait ends at once, without an error, and its time does not pass", async () => {
    const clock = new SimulatedClock();
    const controller = new AbortController();
    const waiting = clock.wait(1000, controller.signal);
    controller.abort();
    await waiting;
    expect(clock.now_ms()).toBe(0);
    await clock.wait(1000, controller.signal);
    expect(clock.now_ms()).toBe(0);
    await clock.wait(5);
    expect(clock.now_ms()).toBe(5);
  });

  test("lets the host in before every jump", async () => {
    let turns = 0;
    const clock = new SimulatedClock(async () => {
      turns++;
      await new Promise((resolve) => setImmediate(resolve));
    });
    let seen = false;
    setImmediate(() => (seen = true));
    await clock.wait(1);
    expect(seen).toBe(true);
    for (let i = 0; i < 9; i++) await clock.wait(1);
    expect(turns).toBe(10);
  });
});

describe("ManualClock", () => {
  test("stands still until it is advanced, and wakes each at its own instant", async () => {
    const clock = new ManualClock();
    const log: number[] = [];
    const chain = (async () => {
      await clock.wait(30);
      log.push(clock.now_ms());
      await clock.wait(30);
      log.push(clock.now_ms());
    })();
    await clock.advance(29);
    expect(log).toEqual([]);
    await clock.advance(100);
    await chain;
    expect(log).toEqual([30, 60]);
    expect(clock.now_ms()).toBe(129);
  });
});
