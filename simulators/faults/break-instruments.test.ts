import { describe, expect, test } from "vitest";
import type { MoveProgress } from "../../drivers/protocol/stage.ts";
import { ManualClock, SimulatedClock } from "../instruments/clock.ts";
import { createSimulatedBench } from "../instruments/simulated-bench.ts";
import { SCENARIOS } from "../world/scenarios.ts";
import { breakInstruments } from "./break-instruments.ts";
import { type InstrumentFault, occurs } from "./instrument-fault.ts";

function broken(faults: readonly InstrumentFault[], seed = 1) {
  const clock = new SimulatedClock();
  return {
    clock,
    ...breakInstruments(createSimulatedBench({ scenario: SCENARIOS.clean, seed, clock }), faults, seed, clock),
  };
}

const label = (frame: number) => ({ label: { purpose: "measurement" as const, acquisition: 0, frame } });

describe("occurs", () => {
  test("by number or by chance that depends on seed, fault and call alone", () => {
    expect([0, 1, 2, 3].map((call) => occurs({ calls: [1, 3] }, 5, 0, call))).toEqual([false, true, false, true]);
    const draw = (seed: number, fault: number): boolean[] =>
      Array.from({ length: 2000 }, (_, call) => occurs({ probability: 0.2 }, seed, fault, call));
    expect(draw(5, 0)).toEqual(draw(5, 0));
    expect(draw(5, 0)).not.toEqual(draw(6, 0));
    expect(draw(5, 0)).not.toEqual(draw(5, 1));
    expect(Math.abs(draw(5, 0).filter(Boolean).length / 2000 - 0.2)).toBeLessThan(0.04);
    expect(draw(5, 0).some(Boolean) && occurs({ probability: 0 }, 5, 0, 1)).toBe(false);
    expect(occurs({ probability: 1 }, 5, 0, 1)).toBe(true);
  });
});

describe("stage", () => {
  test("stalls on the way, is noticed after a while, and goes on at the next move", async () => {
    const { stage, clock } = broken([
      { kind: "stage_stall", on: { calls: [1] }, fraction: 0.25, noticed_after_ms: 3000 },
    ]);
    await stage.moveTo(20);
    const before_ms = clock.now_ms();
    const reports: MoveProgress[] = [];
    await expect(stage.moveTo(60, { onProgress: (progress) => reports.push(progress) })).rejects.toMatchObject({
      code: "position_error",
      detail: { value: 30, unit: "mm" },
    });
    expect(clock.now_ms() - before_ms).toBeGreaterThan(3000);
    expect(reports.every(({ target_mm }) => target_mm === 60)).toBe(true);
    expect(await stage.readState()).toMatchObject({ setpoint_mm: 60, position_mm: 30, moving: false });
    expect((await stage.moveTo(60)).position_mm).toBe(60);
  });

  test("overshoots along its way: an error beyond the tolerance, a readback below it, and never past the travel", async () => {
    const { stage } = broken([{ kind: "stage_overshoot", on: { calls: [0, 1, 3] }, by_mm: 0.2 }]);
    await expect(stage.moveTo(100)).rejects.toMatchObject({ code: "position_error", detail: { value: 100.2 } });
    await expect(stage.moveTo(50)).rejects.toMatchObject({ code: "position_error", detail: { value: 49.8 } });
    await stage.moveTo(50);
    expect((await stage.moveTo(250)).position_mm).toBe(250);
    const little = broken([{ kind: "stage_overshoot", on: { probability: 1 }, by_mm: 0.004 }]);
    expect(await little.stage.moveTo(100)).toMatchObject({ setpoint_mm: 100, position_mm: 100.004 });
  });

  test("settles late", async () => {
    const { stage, clock } = broken([{ kind: "stage_slow_settle", on: { calls: [0] }, extra_ms: 700 }]);
    await stage.moveTo(100);
    expect(clock.now_ms()).toBeCloseTo(5900, 6);
    await stage.moveTo(0);
    expect(clock.now_ms()).toBeCloseTo(11_100, 6);
  });

  test("refuses, stops and cancels as the stage beneath", async () => {
    const clock = new ManualClock();
    const { stage } = breakInstruments(
      createSimulatedBench({ scenario: SCENARIOS.clean, seed: 1, clock }),
      [{ kind: "stage_stall", on: { probability: 1 }, fraction: 0.5, noticed_after_ms: 10 }],
      1,
      clock,
    );
    await expect(stage.moveTo(300)).rejects.toMatchObject({ code: "out_of_range" });
    const moving = expect(stage.moveTo(100)).rejects.toMatchObject({ code: "cancelled" });
    await clock.advance(1200);
    const stopping = stage.stop();
    await clock.advance(300);
    expect(await stopping).toMatchObject({ position_mm: 24, moving: false, setpoint_mm: 100 });
    await moving;
  });
});

describe("camera", () => {
  test("loses a frame with an error and a gap, and measures the same when asked again", async () => {
    const { camera } = broken([{ kind: "camera_drop", on: { calls: [1] } }]);
    const sound = broken([]).camera;
    const first = await camera.acquire(label(0));
    await expect(camera.acquire(label(1))).rejects.toMatchObject({ code: "frame_lost" });
    const again = await camera.acquire(label(1));
    expect(again.sequence).toBe(first.sequence + 2);
    expect(again.samples).toEqual((await sound.acquire(label(1))).samples);
  });

  test("delivers late", async () => {
    const { camera, clock } = broken([{ kind: "camera_late", on: { calls: [0] }, extra_ms: 250 }]);
    await camera.acquire(label(0));
    expect(clock.now_ms()).toBeCloseTo(1 + 3.072 + 250, 6);
  });

  test("live frames neither break nor count", async () => {
    const { camera } = broken([{ kind: "camera_drop", on: { calls: [0] } }]);
    await camera.acquire({ label: { purpose: "live", acquisition: 0, frame: 0 } });
    await expect(camera.acquire(label(0))).rejects.toMatchObject({ code: "frame_lost" });
  });
});

test("a bench without faults is passed on as it is, and faults are plain data", () => {
  const clock = new SimulatedClock();
  const bench = createSimulatedBench({ scenario: SCENARIOS.clean, seed: 1, clock });
  const same = breakInstruments(bench, [], 1, clock);
  expect(same.stage).toBe(bench.stage);
  expect(same.camera).toBe(bench.camera);
  const fault: InstrumentFault = { kind: "camera_drop", on: { probability: 0.1 } };
  expect(JSON.parse(JSON.stringify(fault))).toEqual(fault);
});
