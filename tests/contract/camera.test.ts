import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GenicamCamera } from "../../drivers/instruments/genicam/camera.ts";
import type { AcquisitionLabel, BeamCamera } from "../../drivers/protocol/beam-camera.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import { InstrumentError, type InstrumentErrorCode } from "../../drivers/protocol/instrument-error.ts";
import { RealClock } from "../../main/app/real-clock.ts";
import { createSimulatedBench } from "../../simulators/instruments/simulated-bench.ts";
import { SCENARIOS } from "../../simulators/world/scenarios.ts";
import { simulatedClock } from "../support/emulated-stages.ts";
import {
  cameraTitle,
  emulatedCamera,
  nativeGenicam,
  TURN_DEADLINE_ms,
  takeLoopbackTurn,
  WHY_NO_CAMERAS,
} from "../support/loopback-cameras.ts";

/* What every camera promises, whoever made it. */

interface Subject {
  readonly camera: BeamCamera;
  readonly clock: Clock;
  readonly tidy: () => Promise<void>;
}

interface SubjectMaker {
  readonly name: string;
  readonly skip: boolean;
  readonly make: () => Promise<Subject>;
}

const folder = mkdtempSync(join(tmpdir(), "caustic-camera-"));
const DESCRIPTION = new URL("../../drivers/instruments/genicam/emulated-camera.xml", import.meta.url);

/** The emulated camera without a software trigger. */
function freeRunningDescription(): string {
  const path = join(folder, "free-running.xml");
  const whole = readFileSync(DESCRIPTION, "utf8");
  const without = whole
    .replace("    <pFeature>TriggerSoftware</pFeature>\n", "")
    .replace(/ {2}<Command Name="TriggerSoftware"[^]*?<\/Command>\n/, "");
  expect(without.length).toBeLessThan(whole.length - 100);
  writeFileSync(path, without);
  return path;
}

async function overEmulator(description?: string): Promise<Subject> {
  const server = await emulatedCamera(description === undefined ? {} : { description });
  const clock = new RealClock();
  const camera = await GenicamCamera.open(nativeGenicam(), {
    address: "127.0.0.1",
    pixelPitch_um: 5.5,
    patience_ms: 15_000,
    clock,
  });
  return {
    camera,
    clock,
    tidy: async () => {
      await camera.close();
      await server.close();
      expect(server.failure).toBeUndefined();
    },
  };
}

const makers: readonly SubjectMaker[] = [
  {
    name: "SimulatedCamera",
    skip: false,
    make: async () => {
      const clock = simulatedClock();
      const { camera, stage } = createSimulatedBench({ scenario: SCENARIOS.clean, seed: 7, clock });
      await stage.moveTo(130);
      return { camera, clock, tidy: () => camera.close() };
    },
  },
  {
    name: cameraTitle("GenicamCamera, triggered, over the emulated camera"),
    skip: WHY_NO_CAMERAS !== undefined,
    make: () => overEmulator(),
  },
  {
    name: cameraTitle("GenicamCamera, free running, over the emulated camera"),
    skip: WHY_NO_CAMERAS !== undefined,
    make: () => overEmulator(freeRunningDescription()),
  },
  {
    name: cameraTitle("GenicamCamera over libaravis' camera in memory"),
    skip: WHY_NO_CAMERAS !== undefined,
    make: async () => {
      const native = nativeGenicam();
      native.enableFakeInterface(true);
      const clock = new RealClock();
      const camera = await GenicamCamera.open(native, {
        address: "Fake_1",
        pixelPitch_um: 5.5,
        pixelFormat: "Mono8",
        region: { x: 0, y: 0, width: 256, height: 128 },
        frameRate_Hz: 50,
        patience_ms: 15_000,
        clock,
      });
      return {
        camera,
        clock,
        tidy: async () => {
          await camera.close();
          native.enableFakeInterface(false);
        },
      };
    },
  },
];

let endTurn: () => Promise<void> = async () => undefined;
beforeAll(async () => {
  if (WHY_NO_CAMERAS === undefined) endTurn = await takeLoopbackTurn();
}, TURN_DEADLINE_ms);
afterAll(async () => {
  await endTurn();
  rmSync(folder, { recursive: true });
});

function label(frame: number): AcquisitionLabel {
  return { purpose: "live", acquisition: 0, frame };
}

async function expectCode(action: Promise<unknown>, code: InstrumentErrorCode): Promise<void> {
  const error = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InstrumentError);
  expect((error as InstrumentError).code, String(error)).toBe(code);
}

function mean(samples: Uint16Array): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
}

describe.each(makers.filter(({ skip }) => !skip))("$name", ({ make }) => {
  test("says what it is, and its frames are that", async () => {
    const { camera, tidy } = await make();
    const { info } = camera;
    expect(info.model).not.toBe("");
    expect(info.serialNumber).not.toBe("");
    expect(info.simulated).toBe(true);
    expect(info.pixelPitch_um).toBe(5.5);
    expect(info.exposureMax_ms).toBeGreaterThan(info.exposureMin_ms);
    const frame = await camera.acquire({ label: label(0) });
    expect(frame).toMatchObject({
      width_px: info.width_px,
      height_px: info.height_px,
      bitDepth: info.bitDepth,
      simulated: true,
    });
    expect(frame.samples).toHaveLength(info.width_px * info.height_px);
    expect(frame.samples.every((sample) => sample < 2 ** info.bitDepth)).toBe(true);
    await tidy();
  });

  test("applies the exposure that it reads back, and refuses one that it cannot have", async () => {
    const { camera, tidy } = await make();
    for (const wanted_ms of [2.003, 7.5]) {
      const applied_ms = await camera.setExposure(wanted_ms);
      expect(Math.abs(applied_ms - wanted_ms)).toBeLessThan(0.02);
      expect(await camera.readExposure()).toBe(applied_ms);
      expect((await camera.acquire({ label: label(0) })).exposure_ms).toBe(applied_ms);
    }
    const { exposureMin_ms, exposureMax_ms } = camera.info;
    for (const wrong_ms of [exposureMin_ms / 2, exposureMax_ms * 2, 0, -1, Number.NaN]) {
      await expectCode(camera.setExposure(wrong_ms), "out_of_range");
    }
    expect(await camera.readExposure()).toBeCloseTo(7.5, 2);
    await tidy();
  });

  test("gives frames that were begun after they were asked for, each once", async () => {
    const { camera, clock, tidy } = await make();
    await camera.setExposure(5);
    let before = -1;
    for (let index = 0; index < 4; index++) {
      const asked_ms = clock.now_ms();
      const frame = await camera.acquire({ label: label(index) });
      expect(frame.startedAt_ms).toBeGreaterThanOrEqual(asked_ms);
      expect(frame.startedAt_ms).toBeLessThanOrEqual(clock.now_ms());
      expect(frame.sequence).toBeGreaterThan(before);
      before = frame.sequence;
    }
    await tidy();
  });

  test("is brighter with a longer exposure, from the first frame after the change", async () => {
    const { camera, tidy } = await make();
    await camera.setExposure(1.5);
    const means: number[] = [];
    for (const exposure_ms of [1.5, 6, 1.5, 6]) {
      await camera.setExposure(exposure_ms);
      means.push(mean((await camera.acquire({ label: label(0) })).samples));
    }
    const [short = 0, long = 0, again = 0, longer = 0] = means;
    expect(long).toBeGreaterThan(short);
    expect(again).toBeLessThan(long);
    expect(longer).toBeGreaterThan(again);
    await tidy();
  });

  test("does one thing at a time; what is cancelled fails by name and the next frame is whole", async () => {
    const { camera, tidy } = await make();
    await camera.setExposure(100);
    const cancel = new AbortController();
    const running = expectCode(camera.acquire({ label: label(0), cancellation: cancel.signal }), "cancelled");
    await expectCode(camera.acquire({ label: label(0) }), "busy");
    await expectCode(camera.setExposure(1), "busy");
    cancel.abort();
    await running;
    await expectCode(camera.acquire({ label: label(0), cancellation: AbortSignal.abort() }), "cancelled");
    expect((await camera.acquire({ label: label(0) })).exposure_ms).toBe(100);
    await tidy();
  });

  test("is silent after it was closed", async () => {
    const { camera, tidy } = await make();
    await camera.close();
    await expectCode(camera.acquire({ label: label(0) }), "not_connected");
    await expectCode(camera.setExposure(1), "not_connected");
    await expectCode(camera.readExposure(), "not_connected");
    await camera.close();
    await tidy();
  });
});

describe.each(makers.filter(({ skip }) => skip))("$name", () => {
  test.skip("keeps the promises of a camera", () => expect.unreachable());
});
