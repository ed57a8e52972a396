import { describe, expect, it } from "vitest";
import type { Measurement } from "../contract/tools.ts";
import { brightness, correctedExposure, exposureFor, ladderStep } from "./exposure-ladder.ts";

const RANGE = { min: 0.02, max: 1000 };
const measured = (fields: Partial<Measurement>): Measurement =>
  ({
    exposure_ms: 1,
    peak_counts: 2000,
    saturated_fraction: 0,
    flags: [],
    d4sigma_x_um: 200,
    d4sigma_y_um: 300,
    ...fields,
  }) as Measurement;
const flag = (code: "saturated" | "low_signal") => [{ code, value: 1, limit: 0 }];

describe("the exposure ladder", () => {
  it.each([
    [1, 1],
    [3.9, 2],
    [0.3, 0.25],
    [0.001, 0.02],
    [5000, 1000],
  ])("puts %d ms on step %d ms", (wanted, step) => expect(ladderStep(wanted, RANGE)).toBe(step));

  it("predicts a peak between 37 % and 75 % of full scale", () => {
    const light = brightness(measured({}));
    expect(light).toBe(2000 * 200 * 300);
    for (const [dx, dy] of [
      [130, 140],
      [600, 610],
      [975, 995],
    ] as const) {
      const exposure_ms = exposureFor(light ?? 0, dx, dy, 4095, RANGE);
      const peak = ((light ?? 0) * exposure_ms) / (dx * dy);
      expect(peak).toBeLessThanOrEqual(0.75 * 4095);
      expect(peak).toBeGreaterThan(0.37 * 4095);
    }
  });

  it("goes down from a saturated frame and up from a faint one", () => {
    expect(correctedExposure(measured({ flags: flag("saturated") }), 4095, RANGE)).toBe(0.125);
    expect(correctedExposure(measured({ peak_counts: 100, flags: flag("low_signal") }), 4095, RANGE)).toBe(16);
    expect(correctedExposure(measured({ peak_counts: 5, flags: flag("low_signal") }), 4095, RANGE)).toBe(8);
  });

  it("leaves a good exposure and the end of the range alone", () => {
    expect(correctedExposure(measured({}), 4095, RANGE)).toBeUndefined();
    expect(
      correctedExposure(measured({ exposure_ms: 1000, peak_counts: 9, flags: flag("low_signal") }), 4095, RANGE),
    ).toBeUndefined();
  });

  it("takes no brightness from saturated light", () => {
    expect(brightness(measured({ saturated_fraction: 0.01 }))).toBeUndefined();
  });
});
