import { describe, expect, test } from "vitest";
import { ThorlabsAptController } from "../../../simulators/controllers/thorlabs-apt/thorlabs-apt-controller.ts";
import { ZaberAsciiController } from "../../../simulators/controllers/zaber-ascii/zaber-ascii-controller.ts";
import { EMULATED_CONTROLLERS, hostOnTcp } from "../emulation.ts";
import { RealClock } from "../real-clock.ts";
import { controlledStageSchema } from "../../contract/bench-file.ts";
import { openConfiguredStage } from "./open-stage.ts";

describe("the stage of a bench file", () => {
  test.each([
    ["zaber-ascii", { driver: "zaber-ascii", microstep_um: 0.047625 }],
    ["thorlabs-lts300", { driver: "thorlabs-apt", stage: "LTS300" }],
    ["thorlabs-kdc101", { driver: "thorlabs-apt", stage: "KDC101 with MTS50-Z8", expect: { home_direction: 2 } }],
    ["newport-conex-cc", { driver: "newport-conex-smc", controller: "CONEX-CC" }],
    ["pi-gcs2", { driver: "pi-gcs2" }],
    ["grbl", { driver: "grbl", axis: "X" }],
  ])("%s is opened as it says", async (name, fields) => {
    const clock = new RealClock();
    const make = EMULATED_CONTROLLERS[name];
    expect(make).toBeDefined();
    if (make === undefined) return;
    const hosted = await hostOnTcp(make(clock));
    const configuration = controlledStageSchema.parse({
      ...fields,
      address: hosted.address,
      model: "Bench stage",
      calibration: { direction: -1, zero_mm: 400 },
    });
    const lines: string[] = [];
    const stage = await openConfiguredStage(configuration, clock, {
      limits: { z_max_mm: 599 },
      record: (line) => lines.push(line),
    });
    expect(stage.info.model).toBe("Bench stage");
    expect(stage.info.travelMax_mm).toBeLessThanOrEqual(599);
    expect(stage.info.simulated).toBe(false);
    expect(lines[0]).toContain('"open":true');
    expect(lines.length).toBeGreaterThan(4);
    await stage.close();
    await hosted.close();
  });

  test.each([
    [{ driver: "zaber-ascii", address: "COM3" }, "microstep_um"],
    [{ driver: "zaber-ascii", address: "COM3", microstep_um: 0 }, "microstep_um"],
    [{ driver: "pi-gcs2", address: "COM3", soft_min: 3 }, "soft_min"],
    [{ driver: "grbl", address: "COM3", calibration: { direction: 2 } }, "direction"],
    [{ driver: "stepper", address: "COM3" }, "driver"],
  ])("%j is refused and names the field", (configuration, field) => {
    const result = controlledStageSchema.safeParse(configuration);
    expect(result.success).toBe(false);
    expect(JSON.stringify(result.error?.issues)).toContain(field);
  });

  test("parameters that are not those of the bench file stop every motion before it begins", async () => {
    const clock = new RealClock();
    const controller = new ThorlabsAptController(clock);
    const hosted = await hostOnTcp(controller);
    const stage = await openConfiguredStage(
      controlledStageSchema.parse({
        driver: "thorlabs-apt",
        stage: "LTS150",
        address: hosted.address,
        expect: { home_direction: 1, backlash_mm: 0 },
      }),
      clock,
    );
    await expect(stage.home()).rejects.toMatchObject({ code: "faulted", detail: { name: "home direction", value: 2 } });
    expect(controller.position_mm()).toBe(30);
    await stage.close();
    await hosted.close();
  });

  test("velocity and acceleration of the bench file are set in the controller", async () => {
    const clock = new RealClock();
    const hosted = await hostOnTcp(new ZaberAsciiController(clock));
    const stage = await openConfiguredStage(
      controlledStageSchema.parse({
        driver: "zaber-ascii",
        microstep_um: 0.047625,
        address: hosted.address,
        velocity_mm_s: 5,
        acceleration_mm_s2: 50,
      }),
      clock,
    );
    expect(stage.info.velocity_mm_s).toBeCloseTo(5, 4);
    expect(stage.info.acceleration_mm_s2).toBeCloseTo(50, 1);
    await stage.close();
    await hosted.close();
  });
});
