import { describe, expect, test } from "vitest";
import { AxisMotion } from "./axis-motion.ts";
import { Carriage } from "./carriage.ts";

/** Largest velocity and acceleration on the way, from differences. */
function extremes(motion: AxisMotion, end_ms: number): { velocity_mm_s: number; acceleration_mm_s2: number } {
  const step_ms = 1;
  let velocity_mm_s = 0;
  let acceleration_mm_s2 = 0;
  let last = motion.velocity_mm_s(0);
  for (let t_ms = 0; t_ms < end_ms; t_ms += step_ms) {
    const change_mm = motion.position_mm(t_ms + step_ms) - motion.position_mm(t_ms);
    velocity_mm_s = Math.max(velocity_mm_s, Math.abs(change_mm) / (step_ms / 1000));
    const v = motion.velocity_mm_s(t_ms);
    acceleration_mm_s2 = Math.max(acceleration_mm_s2, Math.abs(v - last) / (step_ms / 1000));
    last = v;
  }
  return { velocity_mm_s, acceleration_mm_s2 };
}

describe("motion as a function of the instant", () => {
  test.each([
    ["long", 0, 50, 5.5],
    ["long, downwards", 50, 0, 5.5],
    ["too short for the full velocity", 0, 1, 2 * Math.sqrt(1 / 20)],
  ])("%s: arrives when it must, within its limits", (_name, from_mm, to_mm, duration_s) => {
    const motion = new AxisMotion(from_mm);
    motion.moveTo(to_mm, 0, 10, 20);
    expect(motion.end_ms).toBeCloseTo(duration_s * 1000, 6);
    expect(motion.position_mm(0)).toBe(from_mm);
    expect(motion.position_mm((duration_s * 1000) / 2)).toBeCloseTo((from_mm + to_mm) / 2, 9);
    expect(motion.position_mm(motion.end_ms + 1)).toBe(to_mm);
    const { velocity_mm_s, acceleration_mm_s2 } = extremes(motion, motion.end_ms);
    expect(velocity_mm_s).toBeLessThanOrEqual(10.001);
    expect(acceleration_mm_s2).toBeLessThanOrEqual(20.001);
  });

  test.each([
    ["farther", 80],
    ["nearer than it can stop", 12],
    ["the other way", -20],
    ["where it is", 0],
  ])("a new target in motion (%s) goes on without a jump", (_name, second_mm) => {
    const motion = new AxisMotion(0);
    motion.moveTo(50, 0, 10, 20);
    const at_ms = 1300;
    const before = { x: motion.position_mm(at_ms), v: motion.velocity_mm_s(at_ms) };
    motion.moveTo(second_mm, at_ms, 10, 20);
    expect(motion.position_mm(at_ms)).toBeCloseTo(before.x, 9);
    expect(motion.velocity_mm_s(at_ms)).toBeCloseTo(before.v, 9);
    let last = before.x;
    for (let t_ms = at_ms; t_ms <= motion.end_ms + 10; t_ms += 1) {
      expect(Math.abs(motion.position_mm(t_ms) - last)).toBeLessThanOrEqual(0.0101);
      last = motion.position_mm(t_ms);
    }
    expect(last).toBe(second_mm);
  });

  test("slows down to a lower velocity, and brakes within v²/2a", () => {
    const motion = new AxisMotion(0);
    motion.moveTo(50, 0, 10, 20);
    motion.moveTo(50, 1000, 4, 20);
    expect(motion.velocity_mm_s(1500)).toBeCloseTo(4, 9);
    motion.stop(2000, 20);
    expect(motion.target_mm - motion.position_mm(2000)).toBeCloseTo((4 * 4) / 40, 9);
    expect(motion.isMoving(motion.end_ms - 1)).toBe(true);
    expect(motion.isMoving(motion.end_ms)).toBe(false);
  });

  test("knows when it passes a place", () => {
    const motion = new AxisMotion(0);
    motion.moveTo(50, 0, 10, 20);
    const at_ms = motion.whenAt(30, 0) ?? Number.NaN;
    expect(motion.position_mm(at_ms)).toBeCloseTo(30, 9);
    expect(motion.whenAt(51, 0)).toBeUndefined();
    expect(motion.whenAt(10, at_ms)).toBeUndefined();
  });
});

describe("the carriage", () => {
  test("stands while it is jammed, and goes on from there when it is free", () => {
    const carriage = new Carriage(0, -1, 100);
    carriage.moveTo(50, 0, 10, 20);
    carriage.jam(2000);
    const jammed_mm = carriage.actual_mm(2000);
    expect(carriage.actual_mm(9000)).toBe(jammed_mm);
    expect(carriage.commanded_mm(9000)).toBe(50);
    carriage.free(9000);
    expect(carriage.commanded_mm(9000)).toBe(jammed_mm);
    carriage.moveTo(10, 9000, 10, 20);
    expect(carriage.actual_mm(carriage.end_ms)).toBe(10);
  });

  test("does not leave its ends", () => {
    const carriage = new Carriage(0, -1, 100);
    carriage.moveTo(120, 0, 10, 20);
    expect(carriage.actual_mm(1e6)).toBe(100);
    expect(carriage.commanded_mm(1e6)).toBe(120);
  });
});
