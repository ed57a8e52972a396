import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { AcquisitionLabel } from "../../drivers/protocol/beam-camera.ts";
import { randomScenario } from "../world/random-scenario.ts";
import type { BeamFault, Scenario } from "../world/scenario.ts";
import { SCENARIOS } from "../world/scenarios.ts";
import { ManualClock, SimulatedClock } from "./clock.ts";
import { createSimulatedBench, type SimulatedBench } from "./simulated-bench.ts";

const measurement = (acquisition: number, frame = 0): AcquisitionLabel => ({
  purpose: "measurement",
  acquisition,
  frame,
});
const dark = (acquisition: number, frame = 0): AcquisitionLabel => ({ purpose: "dark", acquisition, frame });

function bench(scenario: Scenario = SCENARIOS.clean, seed = 100, faults: readonly BeamFault[] = []): SimulatedBench {
  return createSimulatedBench({ scenario, seed, clock: new SimulatedClock(), faults });
}

const hash = (samples: Uint16Array): string => createHash("sha256").update(samples).digest("hex");

async function shot(
  { stage, camera, shutter }: SimulatedBench,
  label: AcquisitionLabel,
  z_mm: number,
  exposure_ms: number,
): Promise<string> {
  await shutter.setOpen(label.purpose !== "dark");
  await camera.setExposure(exposure_ms);
  await stage.moveTo(z_mm);
  return hash((await camera.acquire({ label })).samples);
}

const mean = (samples: Uint16Array): number => samples.reduce((sum, value) => sum + value, 0) / samples.length;

describe("frames are a function of seed, label, position and exposure", () => {
  test("the same bytes whatever was looked at, measured and moved before", async () => {
    const quiet = bench(SCENARIOS.background_drift);
    const wanted = [
      await shot(quiet, measurement(3, 1), 117.2, 2),
      await shot(quiet, dark(1), 117.2, 2),
      await shot(quiet, measurement(4, 0), 60, 8),
    ];
    const busy = bench(SCENARIOS.background_drift);
    for (let i = 0; i < 5; i++) await shot(busy, { purpose: "live", acquisition: 3, frame: i }, 17 * i, 1 + i);
    await shot(busy, measurement(2), 40, 20);
    const found = [
      await shot(busy, measurement(3, 1), 117.2, 2),
      await shot(busy, dark(1), 117.2, 2),
      await shot(busy, measurement(4, 0), 60, 8),
    ];
    expect(found).toEqual(wanted);
    expect(new Set(wanted).size).toBe(3);
  });

  test("every part of the key matters", async () => {
    const hashes = [
      await shot(bench(), measurement(0), 130, 1),
      await shot(bench(SCENARIOS.clean, 101), measurement(0), 130, 1),
      await shot(bench(), measurement(1), 130, 1),
      await shot(bench(), measurement(0, 1), 130, 1),
      await shot(bench(), { purpose: "live", acquisition: 0, frame: 0 }, 130, 1),
      await shot(bench(), measurement(0), 130.001, 1),
      await shot(bench(), measurement(0), 130, 1.01),
      await shot(bench(), dark(0), 130, 1),
      await shot(bench(), dark(1), 130, 1),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test("the bytes stay what they are: saved runs and frozen plans depend on them", async () => {
    const hashes = [
      await shot(bench(), measurement(0), 130, 1),
      await shot(bench(), dark(0), 0, 20),
      await shot(bench(randomScenario(1004), 1004), measurement(2, 4), 200, 3.5),
    ].map((value) => value.slice(0, 16));
    expect(hashes).toEqual(["794d96354183737a", "8a2728ba36eda6bf", "99c8d457035d507e"]);
  });
});

describe("the camera", () => {
  test("quantises the exposure to 0.01 ms and says what it applied", async () => {
    const { camera } = bench();
    expect(await camera.setExposure(3.14159)).toBe(3.14);
    expect(await camera.readExposure()).toBe(3.14);
    expect(await camera.setExposure(0.02)).toBe(0.02);
    expect(await camera.setExposure(1000)).toBe(1000);
  });

  test.each([0.019, 1000.01, 0, -1, Number.NaN])("refuses an exposure of %s ms and keeps the last", async (value) => {
    const { camera } = bench();
    await camera.setExposure(5);
    await expect(camera.setExposure(value)).rejects.toMatchObject({ code: "out_of_range" });
    expect(await camera.readExposure()).toBe(5);
  });

  test("a frame takes the exposure and the readout, counts up and says that it is simulated", async () => {
    const clock = new SimulatedClock();
    const { camera } = createSimulatedBench({ scenario: SCENARIOS.clean, seed: 1, clock });
    await camera.setExposure(40);
    const first = await camera.acquire({ label: measurement(0) });
    expect(clock.now_ms()).toBeCloseTo(40 + 3.072, 6);
    const second = await camera.acquire({ label: measurement(0, 1) });
    expect(first).toMatchObject({ width_px: 640, height_px: 480, bitDepth: 12, exposure_ms: 40, startedAt_ms: 0 });
    expect(first.simulated && second.simulated).toBe(true);
    expect(second.sequence).toBe(first.sequence + 1);
    expect(second.startedAt_ms).toBeGreaterThanOrEqual(43);
  });

  test("one exposure at a time, and a cancelled one gives no frame", async () => {
    const clock = new ManualClock();
    const { camera } = createSimulatedBench({ scenario: SCENARIOS.clean, seed: 1, clock });
    await camera.setExposure(500);
    const controller = new AbortController();
    const exposing = camera.acquire({ label: measurement(0), cancellation: controller.signal });
    const cancelled = expect(exposing).rejects.toMatchObject({ code: "cancelled" });
    await expect(camera.acquire({ label: measurement(1) })).rejects.toMatchObject({ code: "busy" });
    await expect(camera.setExposure(1)).rejects.toMatchObject({ code: "busy" });
    await clock.advance(100);
    controller.abort();
    await cancelled;
    const next = camera.acquire({ label: measurement(0) });
    await clock.advance(600);
    expect((await next).exposure_ms).toBe(500);
  });

  test("a frame taken in motion shows the place at the middle of the exposure", async () => {
    const clock = new ManualClock();
    const moving = createSimulatedBench({ scenario: SCENARIOS.clean, seed: 1, clock });
    await moving.camera.setExposure(20);
    const move = moving.stage.moveTo(200);
    await clock.advance(1000);
    const exposing = moving.camera.acquire({ label: measurement(7) });
    await clock.advance(30);
    // Ramp of 2 mm in 0.2 s, then 20 mm/s: 1.01 s after the start.
    const frame = await exposing;
    await clock.advance(20_000);
    await move;
    const still = bench(SCENARIOS.clean, 1);
    await still.camera.setExposure(20);
    await still.stage.moveTo(18.2);
    expect(hash(frame.samples)).toBe(hash((await still.camera.acquire({ label: measurement(7) })).samples));
  });

  test("whether a frame is dark is decided by the shutter, not by the label", async () => {
    const { camera, shutter, stage } = bench();
    await stage.moveTo(130);
    const lit = (await camera.acquire({ label: dark(0) })).samples;
    expect(lit.reduce((a, b) => Math.max(a, b))).toBeGreaterThan(2000);
    await shutter.setOpen(false);
    const blocked = (await camera.acquire({ label: measurement(0) })).samples;
    expect(blocked.reduce((a, b) => Math.max(a, b))).toBeLessThan(64 + 3 * 7);
  });
});

describe("faults reach the frames that they should", () => {
  test("hot pixels: +2500 counts in light frames at any exposure, nothing in darks", async () => {
    const faults: BeamFault[] = [{ kind: "hot_pixels", rows: [40, 41], columns: [470, 471], counts: 2500 }];
    const hot = bench(SCENARIOS.clean, 302, faults);
    const plain = bench(SCENARIOS.clean, 302);
    for (const b of [hot, plain]) await b.stage.moveTo(130);
    for (const exposure_ms of [0.02, 1]) {
      for (const b of [hot, plain]) await b.camera.setExposure(exposure_ms);
      const with_ = (await hot.camera.acquire({ label: measurement(0) })).samples;
      const without = (await plain.camera.acquire({ label: measurement(0) })).samples;
      const changed = [...with_].flatMap((value, i) => (value === without[i] ? [] : [[i, value - (without[i] ?? 0)]]));
      expect(changed).toEqual(
        [40 * 640 + 470, 40 * 640 + 471, 41 * 640 + 470, 41 * 640 + 471].map((index) => [index, 2500]),
      );
    }
    for (const b of [hot, plain]) await b.shutter.setOpen(false);
    expect((await hot.camera.acquire({ label: dark(0) })).samples).toEqual(
      (await plain.camera.acquire({ label: dark(0) })).samples,
    );
  });

  test("room light grows with the measurements taken, in darks as in light frames, so that old darks become stale", async () => {
    const { camera, shutter } = bench(SCENARIOS.background_drift);
    await shutter.setOpen(false);
    await camera.setExposure(100);
    const level = async (label: AcquisitionLabel): Promise<number> =>
      mean((await camera.acquire({ label })).samples) - 64;
    expect(await level(dark(0))).toBeCloseTo(5, 1);
    expect(await level(measurement(0))).toBeCloseTo(5, 1);
    expect(await level(measurement(9))).toBeCloseTo(5 + 27, 1);
    // Ten measurements are taken now; a live frame changes nothing.
    expect(await level(dark(1))).toBeCloseTo(5 + 30, 1);
    expect(await level({ purpose: "live", acquisition: 10, frame: 3 })).toBeCloseTo(5 + 30, 1);
    expect(await level(dark(2))).toBeCloseTo(5 + 30, 1);
  });

  test("pointing drift follows the number of the measurement", async () => {
    const drift: BeamFault = { kind: "pointing_drift", x_um_per_measurement: 25, y_um_per_measurement: 0 };
    const { camera, stage } = bench(SCENARIOS.clean, 303, [drift]);
    await stage.moveTo(130);
    const centre = async (acquisition: number): Promise<number> => {
      const { samples } = await camera.acquire({ label: measurement(acquisition) });
      let [total, sum] = [0, 0];
      samples.forEach((value, index) => {
        if (value < 164) return;
        total += value - 64;
        sum += (value - 64) * (index % 640);
      });
      return sum / total;
    };
    const start = await centre(0);
    expect(start).toBeCloseTo(320, 0);
    expect((await centre(10)) - start).toBeCloseTo((10 * 25) / 5.5, 0);
  });
});
