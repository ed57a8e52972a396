import { expect, test } from "vitest";
import { AGENT, OPERATOR, createFakeBench } from "./fake-bench.ts";
import { createLimits } from "./limits.ts";

const text = (pattern: RegExp): unknown => expect.stringMatching(pattern);

const ZONE = { from_mm: 140, to_mm: 160, why: "a mount is in the way" };

test("soft limits hold for everyone, and a refused command moves nothing and stands in the log", async () => {
  const bench = await createFakeBench({ options: { limits: { z_min_mm: 5, z_max_mm: 230 } } });
  for (const caller of [AGENT, OPERATOR]) {
    for (const z_mm of [4.999, 230.001, -1, 251, 1e300]) {
      const refused = await bench.refusal("measure_at", { z_mm }, caller);
      expect(refused).toMatchObject({ code: "out_of_limits", hint: "Choose z_mm from 5 to 230." });
    }
    await bench.session.releaseCaller(caller.id);
  }
  expect(bench.stage.commands).toEqual([]);
  expect(bench.of("limit_refused")).toHaveLength(10);
  expect(bench.of("limit_refused")[0]).toMatchObject({ code: "out_of_limits", name: "z_mm", value: 4.999, unit: "mm" });
  for (const z_mm of [5, 230]) await bench.call("move_to", { z_mm });
});

test("a zone may neither be stopped in nor passed, ends included", async () => {
  const bench = await createFakeBench({ options: { keepOutZones: [ZONE] } });
  for (const z_mm of [140, 150, 160]) {
    expect(await bench.refusal("move_to", { z_mm })).toMatchObject({
      code: "keep_out_zone",
      message: text(/a mount is in the way/),
    });
  }
  const passing = await bench.refusal("measure_at", { z_mm: 200 });
  expect(passing).toMatchObject({ code: "keep_out_zone", hint: "Stay on this side: below 140 mm." });
  expect(passing.message).toMatch(/from 0 to 200 mm passes through/);
  expect(bench.stage.commands).toEqual([]);
  await bench.call("move_to", { z_mm: 139.999 });
});

test("where a zone only forbids stopping, the stage passes", async () => {
  const bench = await createFakeBench({ options: { keepOutZones: [{ ...ZONE, passing: "allowed" }] } });
  expect(await bench.refusal("move_to", { z_mm: 150 })).toMatchObject({ code: "keep_out_zone" });
  await bench.call("move_to", { z_mm: 200 });
});

test("the way is judged from where the stage really stands", async () => {
  const bench = await createFakeBench({ options: { keepOutZones: [ZONE] } });
  // Somebody has turned the knob.
  bench.stage.position_mm = 200;
  expect(await bench.refusal("move_to", { z_mm: 100 })).toMatchObject({ hint: "Stay on this side: above 160 mm." });
  await bench.call("move_to", { z_mm: 170 });
  bench.stage.position_mm = 150;
  await bench.call("move_to", { z_mm: 100 });
});

test("a stage that does not know where it stands is not sent past a zone", async () => {
  const bench = await createFakeBench({ options: { keepOutZones: [ZONE] } });
  bench.stage.position_mm = undefined;
  expect(await bench.refusal("move_to", { z_mm: 100 })).toMatchObject({
    code: "keep_out_zone",
    hint: text(/home/),
  });
  const free = await createFakeBench();
  free.stage.position_mm = undefined;
  await free.call("move_to", { z_mm: 3 });
});

test("exposures are bounded by camera and operator, for measurements and darks", async () => {
  const bench = await createFakeBench({ options: { limits: { exposure_max_ms: 20 } } });
  for (const [tool, input] of [
    ["set_exposure", { exposure_ms: 20.001 }],
    ["take_darks", { exposure_ms: 500 }],
    ["measure_at", { z_mm: 0, exposure_ms: 21 }],
    ["measure_at", { z_mm: 0, exposure_ms: 0.001 }],
  ] as const) {
    expect(await bench.refusal(tool, input as never)).toMatchObject({
      code: "out_of_limits",
      hint: "Choose exposure_ms from 0.02 to 20.",
    });
  }
  expect(bench.camera.labels).toEqual([]);
  expect(bench.of("limit_refused")).toHaveLength(4);
});

test("limits that contradict themselves do not make a bench", () => {
  const stage = { travelMin_mm: 0, travelMax_mm: 250, resolution_mm: 0.001 };
  const camera = { exposureMin_ms: 0.02, exposureMax_ms: 1000 };
  expect(() => createLimits(stage, camera, { z_min_mm: 300 })).toThrow(RangeError);
  expect(() => createLimits(stage, camera, { exposure_max_ms: Number.NaN })).toThrow(RangeError);
  expect(() => createLimits(stage, camera, {}, [{ from_mm: 2, to_mm: 1 }])).toThrow(RangeError);
  // The operator cannot widen what the instrument allows.
  expect(createLimits(stage, camera, { z_min_mm: -10, z_max_mm: 999 }).position_mm).toEqual({ min: 0, max: 250 });
});

test("every budget is charged for what was done and refuses what exceeds it", async () => {
  const bench = await createFakeBench({
    options: { budgets: { positions: 2, darks: 1, exposure_s: 0.1, travel_mm: 100, views: 1 } },
  });
  await bench.call("take_darks", { exposure_ms: 1, frames: 10 });
  const first = await bench.call("measure_at", { z_mm: 40, exposure_ms: 1, frames: 5 });
  expect(first.budget).toEqual({ positions: 1, darks: 0, exposure_s: 0.085, travel_mm: 60, views: 1 });
  expect(await bench.refusal("take_darks", { exposure_ms: 1 })).toMatchObject({
    code: "budget_exhausted",
    message: text(/darks/),
  });
  expect(await bench.refusal("measure_at", { z_mm: 120 })).toMatchObject({
    code: "budget_exhausted",
    message: text(/travel_mm: 80 mm needed, 60 of 100 left/),
  });
  expect(await bench.refusal("measure_at", { z_mm: 40, exposure_ms: 20 })).toMatchObject({
    message: text(/exposure_s/),
  });
  await bench.call("view_frame", { measurement: "m001" });
  expect(await bench.refusal("view_frame", { measurement: "m001" })).toMatchObject({ code: "budget_exhausted" });
  await bench.call("measure_at", { z_mm: 60, exposure_ms: 1, frames: 5 });
  expect(await bench.refusal("measure_at", { z_mm: 61, exposure_ms: 1, frames: 1 })).toMatchObject({
    message: text(/positions/),
  });
  expect(bench.stage.position_mm).toBe(60);
  expect(bench.of("limit_refused").map((event) => event.name)).toEqual([
    "darks",
    "travel_mm",
    "exposure_s",
    "views",
    "positions",
  ]);
});

test("a refused or failed measurement costs no position, a stopped one only what was exposed", async () => {
  const bench = await createFakeBench({ options: { budgets: { positions: 1, exposure_s: 1 } } });
  expect(await bench.refusal("measure_at", { z_mm: 999 })).toMatchObject({ code: "out_of_limits" });
  bench.camera.distort = (frame) => ({ ...frame, sequence: 3 });
  expect(await bench.refusal("measure_at", { z_mm: 5, exposure_ms: 10 })).toMatchObject({ code: "instrument_failed" });
  expect(bench.session.snapshot().budget).toEqual({ positions: 1, exposure_s: 0.99 });
});

test("the budget of calls leaves room to stop, to wait and to finish", async () => {
  const bench = await createFakeBench({ options: { budgets: { calls: 2 } } });
  await bench.call("bench_open", { bench: "bench-1" });
  await bench.call("bench_status", {});
  await bench.call("move_to", { z_mm: 1 });
  expect(await bench.refusal("fit_caustic", {})).toMatchObject({
    code: "budget_exhausted",
    message: text(/calls/),
  });
  await bench.call("stop", {});
  await bench.call("finish", { verdict: "measurement_failed", explanation: "out of calls" });
});

test("planning names what is not allowed and moves nothing", async () => {
  const bench = await createFakeBench({ options: { keepOutZones: [ZONE] } });
  const plan = await bench.call("estimate_scan", { positions_mm: [100, 150, 200, 40, 1e9], frames: 10 });
  expect(plan.positions.map((position) => position.allowed)).toEqual([true, false, false, true, false]);
  expect(plan.travel_mm).toBe(160);
  // 100 mm at 20 mm/s and 100 mm/s² take 5.2 s, 60 mm take 3.2 s; 2 × 10 frames of 1 ms.
  expect(plan.time_s).toBeCloseTo(5.2 + 3.2 + 0.02, 9);
  expect(bench.stage.commands).toEqual([]);
  expect(bench.of("limit_refused")).toEqual([]);
});
