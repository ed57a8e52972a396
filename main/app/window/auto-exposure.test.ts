import { expect, test } from "vitest";
import { betterExposure } from "./auto-exposure.ts";

const range = { min: 0.02, max: 1000 };

/** The share at which the steps end for a beam that would reach full scale in `full_ms`. */
function shareAt(full_ms: number, start_ms: number): number {
  let exposure_ms = start_ms;
  for (let step = 0; step < 20; step++) {
    const share = Math.min(1, exposure_ms / full_ms);
    if (share >= 0.37 && share <= 0.8) return share;
    exposure_ms = betterExposure(exposure_ms, share, range);
  }
  return Math.min(1, exposure_ms / full_ms);
}

test("from any start the steps end where the peak uses between 37 and 80 % of the scale", () => {
  for (let power = -3; power <= 8; power += 0.1) {
    for (const start_ms of [0.02, 1, 7, 1000]) {
      const share = shareAt(2 ** power, start_ms);
      expect(share).toBeGreaterThanOrEqual(0.37);
      expect(share).toBeLessThanOrEqual(0.8);
    }
  }
});

test("an exposure is a power of two, or an end of the range", () => {
  expect(betterExposure(7, 0.1, range)).toBe(32);
  expect(betterExposure(1, 0, range)).toBe(8);
  expect(betterExposure(500, 0.01, range)).toBe(1000);
  expect(betterExposure(0.03, 1, range)).toBe(0.02);
});
