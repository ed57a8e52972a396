import { describe, expect, test } from "vitest";
import { SCENARIOS } from "../world/scenarios.ts";
import { ManualClock, SimulatedClock } from "./clock.ts";
import { type SensorLook, SensorView, type SensorViewOptions } from "./sensor-view.ts";

const LOOK: SensorLook = {
  exposure_ms: 1,
  x_px: 0,
  y_px: 0,
  width_px: 640,
  height_px: 480,
  bitDepth: 12,
  gain_dB: 0,
  blackLevel_counts: 64,
};

function view(options: Partial<SensorViewOptions> = {}): SensorView {
  return new SensorView({
    scenario: SCENARIOS.clean,
    seed: 7,
    clock: new SimulatedClock(),
    position_mm: () => 130,
    ...options,
  });
}

const brightest = (samples: Uint16Array): number => samples.reduce((most, sample) => Math.max(most, sample), 0);
const mean = (samples: Uint16Array): number => samples.reduce((sum, sample) => sum + sample, 0) / samples.length;

describe("a look at the sensor", () => {
  test("shows the beam in the counts of the format", async () => {
    for (const [bitDepth, fullScale] of [
      [8, 255],
      [10, 1023],
      [12, 4095],
      [16, 65535],
    ] as const) {
      const peak = brightest(await view().look({ ...LOOK, bitDepth })) / fullScale;
      expect(peak).toBeGreaterThan(0.68);
      expect(peak).toBeLessThan(0.75);
    }
    await expect(view().look({ ...LOOK, bitDepth: 14 })).rejects.toThrow("has no 14 bits");
  });

  test("shows its region of the frame that the whole sensor would have shown", async () => {
    const whole = await view().look(LOOK);
    const part = await view().look({ ...LOOK, x_px: 300, y_px: 200, width_px: 5, height_px: 3 });
    const expected = [200, 201, 202].flatMap((row) => [...whole.subarray(row * 640 + 300, row * 640 + 305)]);
    expect([...part]).toEqual(expected);
  });

  test("has its own noise each time, and the same in the same order", async () => {
    const [first, second] = [view(), view()];
    const [a, b] = [await first.look(LOOK), await first.look(LOOK)];
    expect(a).not.toEqual(b);
    expect([await second.look(LOOK), await second.look(LOOK)]).toEqual([a, b]);
  });

  test("gain acts on the light, black level on everything, and full scale is the end", async () => {
    const plain = await view().look({ ...LOOK, exposure_ms: 0.2 });
    const loud = await view().look({ ...LOOK, exposure_ms: 0.2, gain_dB: 6, blackLevel_counts: 100 });
    expect((mean(loud) - 100) / (mean(plain) - 64)).toBeCloseTo(10 ** (6 / 20), 1);
    expect(brightest(await view().look({ ...LOOK, gain_dB: 24 }))).toBe(4095);
  });

  test("is dark behind a shutter", async () => {
    const samples = await view({ beamBlocked: () => true }).look(LOOK);
    expect(mean(samples)).toBeCloseTo(64, 0);
    expect(brightest(samples)).toBeLessThan(64 + 8 * 3);
  });

  test("takes as long as its exposure and shows the place in the middle of it", async () => {
    const clock = new ManualClock();
    let z_mm = 0;
    const looking = view({ clock, position_mm: () => z_mm }).look({ ...LOOK, exposure_ms: 10 });
    let done = false;
    void looking.then(() => {
      done = true;
    });
    await clock.advance(4);
    z_mm = 30;
    await clock.advance(2);
    z_mm = 130;
    await clock.advance(3);
    expect(done).toBe(false);
    await clock.advance(1);
    const there = await view({ position_mm: () => 30 }).look({ ...LOOK, exposure_ms: 10 });
    expect(await looking).toEqual(there);
  });
});
