import { describe, expect, test } from "vitest";
import type { MoveProgress } from "../../drivers/protocol/stage.ts";
import { ManualClock, SimulatedClock } from "./clock.ts";
import { SimulatedStage } from "./stage.ts";

describe("SimulatedStage", () => {
  test("moves in the time of the trapezoid and reports on the way at least every 50 ms", async () => {
    const clock = new SimulatedClock();
    const stage = new SimulatedStage(clock);
    const reports: MoveProgress[] = [];
    const state = await stage.moveTo(100, { onProgress: (progress) => reports.push(progress) });
    expect(state).toEqual({ setpoint_mm: 100, position_mm: 100, moving: false, homed: true, warnings: [] });
    expect(clock.now_ms()).toBeCloseTo(5200, 6);
    const times = [0, ...reports.map(({ elapsed_ms }) => elapsed_ms)];
    for (let i = 1; i < times.length; i++) {
      expect((times[i] as number) - (times[i - 1] as number)).toBeLessThanOrEqual(50 + 1e-9);
    }
    const way = reports.map(({ current_mm }) => current_mm);
    expect(way).toEqual([...way].sort((a, b) => a - b));
    expect(reports.at(-1)).toMatchObject({ initial_mm: 0, current_mm: 100, target_mm: 100 });
  });

  test("setpoint is what was asked for, readback is in steps of 1 µm", async () => {
    const stage = new SimulatedStage(new SimulatedClock());
    const state = await stage.moveTo(12.34567);
    expect(state.setpoint_mm).toBe(12.34567);
    expect(state.position_mm).toBe(12.346);
    const before = await new SimulatedStage(new SimulatedClock()).readState();
    expect(before).not.toHaveProperty("setpoint_mm");
  });

  test.each([-0.001, 250.001, Number.NaN, Number.POSITIVE_INFINITY])("refuses %s mm and stays", async (target_mm) => {
    const stage = new SimulatedStage(new SimulatedClock());
    await expect(stage.moveTo(target_mm)).rejects.toMatchObject({ code: "out_of_range", detail: { unit: "mm" } });
    expect((await stage.readState()).position_mm).toBe(0);
  });

  test("the ends of the travel can be reached", async () => {
    const stage = new SimulatedStage(new SimulatedClock());
    expect((await stage.moveTo(250)).position_mm).toBe(250);
    expect((await stage.moveTo(0)).position_mm).toBe(0);
    await stage.moveTo(30);
    expect((await stage.home()).position_mm).toBe(0);
  });

  test("stop brakes: 2 mm further, 0.2 s later, and the move fails as cancelled", async () => {
    const clock = new ManualClock();
    const stage = new SimulatedStage(clock);
    const moving = stage.moveTo(100);
    const refused = expect(moving).rejects.toMatchObject({ code: "cancelled" });
    // After 1.2 s: ramp 2 mm, cruise 20 mm.
    await clock.advance(1200);
    expect(await stage.readState()).toMatchObject({ position_mm: 22, moving: true });
    const stopping = stage.stop();
    await clock.advance(199);
    expect((await stage.readState()).moving).toBe(true);
    await clock.advance(1);
    expect(await stopping).toMatchObject({ position_mm: 24, setpoint_mm: 100, moving: false });
    await clock.advance(50);
    await refused;
    const again = stage.moveTo(25);
    await clock.advance(5000);
    expect((await again).position_mm).toBe(25);
  });

  test("cancelling stops it in the same way; a cancelled request does not start", async () => {
    const clock = new ManualClock();
    const stage = new SimulatedStage(clock);
    const controller = new AbortController();
    let reports = 0;
    const moving = stage.moveTo(100, { cancellation: controller.signal, onProgress: () => reports++ });
    const refused = expect(moving).rejects.toMatchObject({ code: "cancelled" });
    await clock.advance(1210);
    controller.abort();
    await clock.advance(300);
    await refused;
    // 25 on the way and 5 while it brakes: braking takes time, it is not polled without end.
    expect(reports).toBeLessThan(35);
    expect((await stage.readState()).position_mm).toBeCloseTo(24.2, 3);
    await expect(stage.moveTo(50, { cancellation: controller.signal })).rejects.toMatchObject({ code: "cancelled" });
    expect((await stage.readState()).position_mm).toBeCloseTo(24.2, 3);
  });

  test("one move at a time; stop at rest does nothing", async () => {
    const clock = new ManualClock();
    const stage = new SimulatedStage(clock);
    const moving = stage.moveTo(10);
    await expect(stage.moveTo(20)).rejects.toMatchObject({ code: "busy" });
    await clock.advance(5000);
    expect((await moving).position_mm).toBe(10);
    const stopping = stage.stop();
    await clock.advance(0);
    expect(await stopping).toMatchObject({ position_mm: 10, moving: false });
  });

  test("a closed stage says so", async () => {
    const stage = new SimulatedStage(new SimulatedClock());
    await stage.close();
    await expect(stage.readState()).rejects.toMatchObject({ code: "not_connected" });
    await expect(stage.moveTo(1)).rejects.toMatchObject({ code: "not_connected" });
  });
});
