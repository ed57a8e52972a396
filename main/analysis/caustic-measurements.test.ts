import { describe, expect, test } from "vitest";
import type { Measurement } from "../contract/tools.ts";
import { toWidthRecord } from "./caustic-measurements.ts";

const measurement: Measurement = {
  measurement: "m003",
  z_requested_mm: 100,
  z_actual_mm: 100.002,
  exposure_ms: 1,
  frames: 5,
  dark: "d001",
  use: "used",
  d4sigma_x_um: 200,
  d4sigma_y_um: 150,
  u_x_um: 0.4,
  u_y_um: 0.3,
  u_x_dark_um: 0.1,
  u_y_dark_um: 0.08,
  azimuth_deg: 12,
  ellipticity: 0.75,
  peak_counts: 3000,
  saturated_fraction: 0,
  iterations: 4,
  converged: true,
  background: "dark",
  grade: "good",
  reasons: [],
  flags: [],
};

describe("a measurement as the fit takes it", () => {
  test("stands where the stage stood and keeps what it shares", () => {
    expect(toWidthRecord(measurement)).toEqual({
      id: "m003",
      z_mm: 100.002,
      d4sigmaX_um: 200,
      d4sigmaY_um: 150,
      uX_um: 0.4,
      uY_um: 0.3,
      dark: "d001",
      uDarkX_um: 0.1,
      uDarkY_um: 0.08,
      azimuth_deg: 12,
      ellipticity: 0.75,
    });
  });

  test("takes no part when it was rejected, refused or excluded", () => {
    expect(toWidthRecord({ ...measurement, use: "rejected" }, "elsewhere").refused).toBe("rejected");
    const refused: Measurement = { ...measurement, grade: "refused", reasons: ["saturated", "clipped"] };
    expect(toWidthRecord(refused).refused).toBe("refused: saturated; clipped");
    expect(toWidthRecord(measurement, "excluded from this fit").refused).toBe("excluded from this fit");
  });

  test("without widths it carries none", () => {
    const bare = Object.fromEntries(Object.entries(measurement).filter(([name]) => !/^(d4sigma|u)_/.test(name)));
    expect(Object.keys(toWidthRecord(bare as Measurement)).filter((name) => name.endsWith("_um"))).toEqual([]);
  });
});
