import { describe, expect, test } from "vitest";
import { SimulatedCamera } from "../../../simulators/instruments/camera.ts";
import { worldHere } from "../../../simulators/instruments/world-port.ts";
import { SimulatedClock } from "../../../simulators/instruments/clock.ts";
import { SCENARIOS } from "../../../simulators/world/scenarios.ts";
import { createSensor } from "../../../simulators/world/sensor.ts";
import { World } from "../../../simulators/world/world.ts";
import { OrientedCamera } from "./oriented-camera.ts";

describe("orientation of simulated frames", () => {
  test("a transposed camera says the size of its frames", async () => {
    const world = new World(SCENARIOS.clean, createSensor(), 1);
    const surroundings = { position_mm: () => 100, beamBlocked: () => false };
    const plain = new SimulatedCamera(worldHere(world), new SimulatedClock(), surroundings);
    const camera = new OrientedCamera(new SimulatedCamera(worldHere(world), new SimulatedClock(), surroundings), {
      transpose: true,
      flip_x: true,
    });
    expect(camera.info).toMatchObject({ width_px: 480, height_px: 640 });
    const label = { purpose: "live", acquisition: 0, frame: 0 } as const;
    const turned = await camera.acquire({ label });
    const upright = await plain.acquire({ label });
    expect(turned).toMatchObject({ width_px: 480, height_px: 640 });
    // Mirrored first, then rows and columns exchanged.
    expect(turned.samples[5 * 480 + 7]).toBe(upright.samples[7 * 640 + (639 - 5)]);
    expect(await camera.setExposure(2)).toBe(await camera.readExposure());
    await camera.close();
    await expect(camera.acquire({ label })).rejects.toMatchObject({ code: "not_connected" });
  });
});
