import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Frame } from "../../drivers/protocol/frame.ts";
import { type ConnectedBench, connectBench } from "../../main/app/bench-file/connect-bench.ts";
import { readBenchFile } from "../../main/app/bench-file/read-bench-file.ts";
import { makeJourney } from "../support/journey.ts";

/* The contracts on the instruments of a real bench: `CAUSTIC_HARDWARE=bench.yaml npm run test:hardware`. */

const path = process.env["CAUSTIC_HARDWARE"];
/** Nothing moves unless a person who sees the bench has said so. */
const mayMove = process.env["CAUSTIC_HARDWARE_MOVES"] === "yes";
const title =
  path === undefined
    ? "the instruments of this bench (skipped: CAUSTIC_HARDWARE names no bench file)"
    : "the instruments of this bench";

const mean = ({ samples }: Frame): number => samples.reduce((sum, counts) => sum + counts, 0) / samples.length;

describe.skipIf(path === undefined)(title, () => {
  let bench: ConnectedBench;
  beforeAll(async () => {
    bench = await connectBench(readBenchFile(path ?? ""));
  });
  afterAll(() => bench.close());

  let acquisitions = 0;
  const expose = (frame = 0): Promise<Frame> =>
    bench.camera.acquire({ label: { purpose: "measurement", acquisition: acquisitions++, frame } });

  test("the stage says what it is, without moving", async () => {
    const { info } = bench.stage;
    expect(info.travelMax_mm).toBeGreaterThan(info.travelMin_mm);
    expect(info.velocity_mm_s).toBeGreaterThan(0);
    const before = await bench.stage.readState();
    expect(before.moving).toBe(false);
    expect(await bench.stage.readState()).toEqual(before);
  });

  test("the camera says what it is and applies the exposures that it reports", async () => {
    const { info } = bench.camera;
    expect(info.width_px * info.height_px).toBeGreaterThan(0);
    expect(info.bitDepth).toBeGreaterThanOrEqual(8);
    const within = [1, 5, 2].filter((asked_ms) => asked_ms >= info.exposureMin_ms && asked_ms <= info.exposureMax_ms);
    expect(within, `${info.exposureMin_ms} to ${info.exposureMax_ms} ms`).not.toHaveLength(0);
    for (const asked_ms of within) {
      const applied_ms = await bench.camera.setExposure(asked_ms);
      expect(Math.abs(applied_ms / asked_ms - 1)).toBeLessThan(0.05);
      expect(await bench.camera.readExposure()).toBe(applied_ms);
      expect((await expose()).exposure_ms).toBe(applied_ms);
    }
  });

  test("frames are whole, new, and begun after they were asked for", async () => {
    const { info } = bench.camera;
    let last = -1;
    for (let count = 0; count < 5; count++) {
      const asked_ms = bench.clock.now_ms();
      const frame = await expose(count);
      expect(frame).toMatchObject({ width_px: info.width_px, height_px: info.height_px, bitDepth: info.bitDepth });
      expect(frame.samples).toHaveLength(info.width_px * info.height_px);
      expect(frame.startedAt_ms).toBeGreaterThanOrEqual(asked_ms);
      expect(frame.sequence).toBeGreaterThan(last);
      last = frame.sequence;
    }
  });

  test.runIf(mayMove)("the shutter takes light away and gives it back", async ({ skip }) => {
    const { shutter } = bench;
    if (shutter === undefined) return skip("the bench has no shutter that can be told");
    await shutter.setOpen(false);
    const dark = mean(await expose());
    await shutter.setOpen(true);
    expect(mean(await expose())).toBeGreaterThanOrEqual(dark);
  });

  test.runIf(mayMove)(
    "the stage makes the journey",
    async () => {
      const { refusals, states } = await makeJourney(bench.stage, bench.clock);
      expect(refusals.slice(-2)).toEqual(["out_of_range", "cancelled"]);
      expect(states.at(-1)).toMatchObject({ moving: false, homed: true });
    },
    600_000,
  );
});
