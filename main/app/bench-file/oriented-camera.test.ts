import { describe, expect, test } from "vitest";
import { SimulatedCamera } from "../../../simulators/instruments/camera.ts";
import { SimulatedClock } from "../../../simulators/instruments/clock.ts";
import { SCENARIOS } from "../../../simulators/world/scenarios.ts";
import { createSensor } from "../../../simulators/world/sensor.ts";
import { World } from "../../../simulators/world/world.ts";
import { OrientedCamera, orientFrame } from "./oriented-camera.ts";

const frame = {
  width_px: 3,
  height_px: 2,
  samples: Uint16Array.of(1, 2, 3, 4, 5, 6),
  bitDepth: 8,
  exposure_ms: 1,
  startedAt_ms: 0,
  sequence: 0,
  simulated: true,
};

describe("orientation of frames", () => {
  test.each([
    [{}, 3, [1, 2, 3, 4, 5, 6]],
    [{ flip_x: true }, 3, [3, 2, 1, 6, 5, 4]],
    [{ flip_y: true }, 3, [4, 5, 6, 1, 2, 3]],
    [{ flip_x: true, flip_y: true }, 3, [6, 5, 4, 3, 2, 1]],
    [{ transpose: true }, 2, [1, 4, 2, 5, 3, 6]],
    // A quarter turn clockwise.
    [{ transpose: true, flip_x: true }, 2, [4, 1, 5, 2, 6, 3]],
    [{ transpose: true, flip_y: true }, 2, [3, 6, 2, 5, 1, 4]],
  ])("%j", (orientation, width_px, samples) => {
    const turned = orientFrame(frame, orientation);
    expect(turned).toMatchObject({ width_px, height_px: 6 / width_px });
    expect([...turned.samples]).toEqual(samples);
    expect([...frame.samples]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("a transposed camera says the size of its frames", async () => {
    const world = new World(SCENARIOS.clean, createSensor(), 1);
    const surroundings = { position_mm: () => 100, beamBlocked: () => false };
    const plain = new SimulatedCamera(world, new SimulatedClock(), surroundings);
    const camera = new OrientedCamera(new SimulatedCamera(world, new SimulatedClock(), surroundings), {
      transpose: true,
    });
    expect(camera.info).toMatchObject({ width_px: 480, height_px: 640 });
    const label = { purpose: "live", acquisition: 0, frame: 0 } as const;
    const turned = await camera.acquire({ label });
    const upright = await plain.acquire({ label });
    expect(turned).toMatchObject({ width_px: 480, height_px: 640 });
    expect(turned.samples[5 * 480 + 7]).toBe(upright.samples[7 * 640 + 5]);
    expect(await camera.setExposure(2)).toBe(await camera.readExposure());
    await camera.close();
    await expect(camera.acquire({ label })).rejects.toMatchObject({ code: "not_connected" });
  });
});
