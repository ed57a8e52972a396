import { describe, expect, test } from "vitest";
import { braking, type Motion, trapezoid } from "./trapezoid.ts";

const V = 20;
const A = 100;

/** Steps through a motion and holds it against its own derivative and the limits. */
function checkMotion(motion: Motion, from_ms: number): void {
  const step_ms = 0.5;
  let before = motion.position_mm(from_ms);
  for (let at_ms = from_ms; at_ms < motion.end_ms; at_ms += step_ms) {
    const after = motion.position_mm(at_ms + step_ms);
    const mean_mm_s = (after - before) / (step_ms / 1000);
    const middle = motion.velocity_mm_s(at_ms + step_ms / 2);
    expect(Math.abs(mean_mm_s - middle)).toBeLessThan(A * (step_ms / 1000));
    expect(Math.abs(middle)).toBeLessThanOrEqual(V + 1e-9);
    before = after;
  }
  expect(Math.abs(motion.velocity_mm_s(motion.end_ms + 1))).toBe(0);
  expect(motion.position_mm(motion.end_ms + 1)).toBeCloseTo(motion.end_mm, 9);
}

describe("trapezoid", () => {
  test("100 mm take 5 s of way and 0.2 s of ramp", () => {
    const motion = trapezoid(10, 110, 1000, V, A);
    expect(motion.end_ms).toBeCloseTo(1000 + 5200, 6);
    expect(motion.position_mm(1000)).toBe(10);
    expect(motion.position_mm(1200)).toBeCloseTo(12, 9);
    expect(motion.position_mm(3600)).toBeCloseTo(60, 9);
    expect(motion.velocity_mm_s(3600)).toBe(20);
    checkMotion(motion, 1000);
  });

  test("1 mm is a triangle that never reaches the velocity", () => {
    const motion = trapezoid(5, 4, 0, V, A);
    expect(motion.end_ms).toBeCloseTo(200, 6);
    expect(motion.velocity_mm_s(100)).toBeCloseTo(-10, 6);
    checkMotion(motion, 0);
  });

  test("no way takes no time", () => {
    const motion = trapezoid(5, 5, 7, V, A);
    expect(motion.end_ms).toBe(7);
    expect(motion.position_mm(7)).toBe(5);
  });
});

test("braking from full velocity takes 0.2 s and 2 mm, in either direction", () => {
  for (const sign of [-1, 1]) {
    const motion = braking(50, sign * V, 300, A);
    expect(motion.end_ms).toBeCloseTo(500, 9);
    expect(motion.end_mm).toBeCloseTo(50 + sign * 2, 9);
    checkMotion(motion, 300);
  }
});
