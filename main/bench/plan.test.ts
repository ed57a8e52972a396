import { expect, test } from "vitest";
import { type FakeBench, createFakeBench } from "./fake-bench.ts";
import { moveDuration_s } from "./plan.ts";

/** A bench with a first rough fit. */
async function scouted(
  options: Parameters<typeof createFakeBench>[0] = {},
  at = [40, 80, 110, 135, 190],
): Promise<FakeBench> {
  const bench = await createFakeBench(options);
  await bench.call("take_darks", { exposure_ms: 1 });
  for (const z_mm of at) await bench.call("measure_at", { z_mm, exposure_ms: 1 });
  return bench;
}

test("a move takes as long as its trapezoid", () => {
  expect(moveDuration_s(125, 20, 100)).toBeCloseTo(6.45, 12);
  expect(moveDuration_s(-4, 20, 100)).toBeCloseTo(0.4, 12);
  expect(moveDuration_s(1, 20, 100)).toBeCloseTo(0.2, 12);
  expect(moveDuration_s(0, 20, 100)).toBe(0);
});

test("an estimate from the fit foretells widths, peak and zone", async () => {
  const bench = await scouted();
  const { positions } = await bench.call("estimate_scan", { positions_mm: [120, 180, 230] });
  const [waist, middle, far] = positions;
  expect(waist).toMatchObject({ zone_x: "near", zone_y: "near" });
  expect(middle).toMatchObject({ zone_x: "between" });
  expect(far).toMatchObject({ zone_x: "far" });
  // True: 240 µm at the waist with a peak of 2500 counts, 240 √(1 + 2.75²) = 702 µm at 230 mm.
  expect(waist?.d4sigma_x_um).toBeGreaterThan(235);
  expect(waist?.d4sigma_x_um).toBeLessThan(245);
  expect(far?.d4sigma_x_um).toBeGreaterThan(685);
  expect(far?.d4sigma_x_um).toBeLessThan(720);
  expect((waist?.peak_counts ?? 0) / 2500).toBeCloseTo(1, 1);
  // 0.7 × 4095 counts at the waist.
  expect(waist?.suggested_exposure_ms).toBeCloseTo((0.7 * 4095) / 2500, 1);
  expect(far?.suggested_exposure_ms).toBeGreaterThan(8);
  // What is foretold is what is found.
  await bench.call("take_darks", { exposure_ms: 8 });
  const found = await bench.call("measure_at", { z_mm: 230, exposure_ms: 8 });
  expect(Math.abs((found.d4sigma_x_um ?? 0) / (far?.d4sigma_x_um ?? 1) - 1)).toBeLessThan(0.02);
  expect(Math.abs((found.peak_counts ?? 0) / (8 * (far?.peak_counts ?? 1)) - 1)).toBeLessThan(0.1);
});

test("without a fit an estimate still tells time and travel, and a suggestion says what it needs", async () => {
  const bench = await createFakeBench();
  const plan = await bench.call("estimate_scan", { positions_mm: [100, 0] });
  expect(plan.travel_mm).toBe(200);
  expect(plan.positions[0]).toEqual({ z_mm: 100, allowed: true });
  expect(await bench.refusal("suggest_positions", { count: 5 })).toMatchObject({ code: "not_enough_data" });
});

test("following the suggestions completes the coverage", async () => {
  const bench = await scouted();
  const { positions, still_missing } = await bench.call("suggest_positions", { count: 50 });
  expect(still_missing).toEqual([]);
  expect(positions.length).toBeGreaterThan(4);
  for (const { z_mm, suggested_exposure_ms } of positions) {
    await bench.call("measure_at", {
      z_mm,
      ...(suggested_exposure_ms === undefined ? {} : { exposure_ms: suggested_exposure_ms }),
    });
  }
  const { x, y } = await bench.call("fit_caustic", {});
  expect(x).toMatchObject({ determined: true, iso_coverage: true });
  expect(y).toMatchObject({ determined: true, iso_coverage: true });
  expect((await bench.call("suggest_positions", { count: 5 })).positions).toEqual([]);
});

test("suggestions keep to count, limits, zones and the sensor", async () => {
  const bench = await scouted({
    options: { limits: { z_max_mm: 225 }, keepOutZones: [{ from_mm: 5, to_mm: 22, passing: "allowed" }] },
  });
  expect((await bench.call("suggest_positions", { count: 2 })).positions).toHaveLength(2);
  const { positions } = await bench.call("suggest_positions", { count: 50 });
  for (const { z_mm } of positions) {
    expect(z_mm).toBeLessThanOrEqual(225);
    expect(z_mm >= 5 && z_mm <= 22).toBe(false);
    // Half of 160 × 10 µm is reached at 120 ± 127 mm.
    expect(Math.abs(z_mm - 120)).toBeLessThan(130);
  }
  expect(positions.map(({ z_mm }) => z_mm)).toEqual(positions.map(({ z_mm }) => z_mm).sort((a, b) => a - b));
});

test("what no position can supply is named", async () => {
  const bench = await scouted({ options: { limits: { z_min_mm: 70, z_max_mm: 170 } } }, [75, 95, 120, 140, 165]);
  const { still_missing } = await bench.call("suggest_positions", { count: 50 });
  expect(still_missing).toHaveLength(2);
  expect(still_missing[0]).toMatch(/axis x: 5 more beyond two Rayleigh lengths/);
});
