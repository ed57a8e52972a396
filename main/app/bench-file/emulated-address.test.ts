import { expect, test } from "vitest";
import { RealClock } from "../real-clock.ts";
import { UsageError } from "../usage-error.ts";
import { startEmulatedStage } from "./emulated-address.ts";
import { startEmulatedCamera } from "./open-camera.ts";

test.each([
  ["emulated://nothing", /can be emulated; expected one of zaber-ascii/],
  ["emulated://pi-gcs2?speed=3", /there is no speed; expected line, travel_mm/],
  ["emulated://pi-gcs2?travel_mm=-1", /travel_mm is -1; expected a number above 0/],
  ["emulated://pi-gcs2?travel_mm=1e300", /travel_mm is 1e300; expected a number above 0, up to 10000/],
  ["emulated://pi-gcs2?travel_mm=50&position_mm=60", /position_mm is 60; expected a place within travel_mm = 50/],
  ["emulated://pi-gcs2?line=usb", /line is usb; expected tcp or pty/],
])("%s is refused", async (address, message) => {
  const started = startEmulatedStage({ address }, new RealClock());
  await expect(started).rejects.toThrow(UsageError);
  await expect(started).rejects.toThrow(message);
});

test.each(["emulated://camera", "emulated://camera?scenario=clean", "emulated://camera?scenario=clean&seed=x"])(
  "%s is refused",
  async (address) => {
    const surroundings = { position_mm: () => 0, beamBlocked: () => false };
    await expect(startEmulatedCamera(address, new RealClock(), surroundings)).rejects.toThrow(/expected emulated:/);
  },
);

test("the carriage stands on the bench as the calibration says", async () => {
  const calibration = { zero_mm: 200, direction: -1, scale: 2 } as const;
  const line = await startEmulatedStage({ address: "emulated://pi-gcs2?position_mm=30", calibration }, new RealClock());
  expect(line.address).toMatch(/^tcp:/);
  expect(line.position_mm()).toBe(140);
  await line.close();
});
