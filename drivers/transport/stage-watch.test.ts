import { describe, expect, test } from "vitest";
import { BenchCoordinates, requestedMotion } from "./bench-coordinates.ts";
import { type MovePlan, MoveWatch } from "./move-watch.ts";
import { refuseTarget } from "./travel-limits.ts";

const PLAN: MovePlan = {
  initial_mm: 20,
  target_mm: 60,
  velocity_mm_s: 10,
  acceleration_mm_s2: 20,
  resolution_mm: 0.001,
  travelMin_mm: 0,
  travelMax_mm: 100,
  excursion_mm: 0.5,
  stall_ms: 3000,
};

describe("the watch over a move", () => {
  test("the deadline follows from distance, velocity and acceleration", () => {
    // 40 mm at 10 mm/s with ramps of 0.5 s: 4.5 s; twice that and 5 s.
    expect(new MoveWatch(PLAN, 0).deadline_ms).toBeCloseTo(14_000, 6);
    // 1 mm without reaching the velocity: 2·√(1/20) s.
    expect(new MoveWatch({ ...PLAN, target_mm: 21 }, 0).deadline_ms).toBeCloseTo(5000 + 4000 * Math.sqrt(1 / 20), 6);
    expect(new MoveWatch(PLAN, 0).judge(59, 14_001)).toMatchObject({ code: "timed_out" });
  });

  test.each([
    ["on its way", 40, undefined],
    ["a little past the target", 60.4, undefined],
    ["past the target", 60.6, "ran past"],
    ["back a little", 19.6, undefined],
    ["away from the target", 19.4, "moves away"],
    ["beyond the limits", 100.6, "outside its limits"],
  ])("%s", (_name, current_mm, words) => {
    const verdict = new MoveWatch(PLAN, 0).judge(current_mm, 100);
    if (words === undefined) {
      expect(verdict).toBeUndefined();
    } else {
      expect(verdict).toMatchObject({ code: "position_error", message: expect.stringContaining(words) as string });
    }
  });

  test("the same downwards", () => {
    const watch = new MoveWatch({ ...PLAN, initial_mm: 60, target_mm: 20 }, 0);
    expect(watch.judge(40, 100)).toBeUndefined();
    expect(watch.judge(60.6, 100)?.message).toContain("moves away");
    expect(watch.judge(19.4, 100)?.message).toContain("ran past");
  });

  test("a readback that stands still is a stall, unless it stands at the target", () => {
    const watch = new MoveWatch(PLAN, 0);
    expect(watch.judge(30, 1000)).toBeUndefined();
    expect(watch.judge(30.0005, 3900)).toBeUndefined();
    expect(watch.judge(30.0005, 4100)?.message).toContain("stalled");
    const settled = new MoveWatch(PLAN, 0);
    expect(settled.judge(60, 1000)).toBeUndefined();
    expect(settled.judge(60, 5000)).toBeUndefined();
  });

  test("a stage that begins outside its limits may come in", () => {
    const watch = new MoveWatch({ ...PLAN, initial_mm: -5 }, 0);
    expect(watch.judge(-4, 100)).toBeUndefined();
    expect(watch.judge(-5.6, 100)?.message).toContain("outside its limits");
  });
});

describe("targets", () => {
  const zones = [{ from_mm: 44, to_mm: 40, reason: "lens" }];
  test.each([
    [20, 39, undefined],
    [20, 40, undefined],
    [20, 42, "keep-out zone of 40 to 44 mm (lens)"],
    [20, 60, "keep-out zone"],
    [60, 20, "keep-out zone"],
    [60, 44, undefined],
    [42, 60, undefined],
    [42, 20, undefined],
    [42, 43, "keep-out zone"],
    [20, -0.0004, undefined],
    [20, -0.0006, "outside the travel"],
    [20, 100.1, "outside the travel"],
    [20, Number.NaN, "not a position"],
    [20, Number.POSITIVE_INFINITY, "not a position"],
  ])("from %d to %d", (initial_mm, target_mm, words) => {
    const refusal = refuseTarget(initial_mm, target_mm, PLAN, zones);
    if (words === undefined) {
      expect(refusal).toBeUndefined();
    } else {
      expect(refusal?.message).toContain(words);
    }
  });
});

describe("coordinates", () => {
  test("there and back, with scale, direction and zero", () => {
    const coordinates = new BenchCoordinates({ scale: 1.002, direction: -1, zero_mm: 300 });
    expect(coordinates.toBench(100)).toBeCloseTo(199.8, 10);
    expect(coordinates.toDevice(199.8)).toBeCloseTo(100, 10);
    expect(requestedMotion({ calibration: { scale: 2, direction: -1 }, velocity_mm_s: 10 })).toEqual({
      velocity_mm_s: 5,
      acceleration_mm_s2: undefined,
    });
  });

  test.each([0, -1, Number.NaN])("a scale of %d is refused", (scale) => {
    expect(() => new BenchCoordinates({ scale })).toThrow(/scale above zero/);
  });
});
