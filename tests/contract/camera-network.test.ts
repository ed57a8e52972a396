import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { GenicamCamera } from "../../drivers/instruments/genicam/camera.ts";
import { CameraServer } from "../../drivers/instruments/genicam/camera-server.ts";
import {
  discoverGenicamCameras,
  type GenicamCameraOptions,
  type GenicamDeviceDescription,
} from "../../drivers/instruments/genicam/index.ts";
import type { BeamCamera } from "../../drivers/protocol/beam-camera.ts";
import { countedMemory } from "../../drivers/protocol/counted-memory.ts";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import { analyzeFrames, type BeamWidths, type DarkReference } from "../../main/analysis/analyze-frame.ts";
import type { HostCameraOptions } from "../../main/app/camera-emulation.ts";
import { RealClock } from "../../main/app/real-clock.ts";
import { createSimulatedBench } from "../../simulators/instruments/simulated-bench.ts";
import { SCENARIOS } from "../../simulators/world/scenarios.ts";
import { beamTruth, trueD4sigma_um } from "../../simulators/world/truth.ts";
import { simulatedClock } from "../support/emulated-stages.ts";
import {
  aravisCamera,
  cameraTitle,
  emulatedCamera,
  eventually,
  nativeGenicam,
  TURN_DEADLINE_ms,
  takeLoopbackTurn,
  WHY_NO_CAMERAS,
} from "../support/loopback-cameras.ts";

/* GigE Vision over this machine's loopback: our driver, our emulated camera, and programs of libaravis at either end. */

const DESCRIPTION = new URL("../../drivers/instruments/genicam/emulated-camera.xml", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "caustic-camera-"));
const tidying: (() => Promise<void>)[] = [];
let endTurn: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  if (WHY_NO_CAMERAS === undefined) endTurn = await takeLoopbackTurn();
}, TURN_DEADLINE_ms);
afterEach(async () => {
  for (const tidy of tidying.splice(0).reverse()) await tidy();
});
afterAll(async () => {
  await endTurn();
  rmSync(folder, { recursive: true });
});

async function serve(options: Partial<HostCameraOptions> = {}): Promise<CameraServer> {
  const server = await emulatedCamera(options);
  tidying.push(() => server.close());
  return server;
}

async function open(options: Partial<GenicamCameraOptions> = {}): Promise<GenicamCamera> {
  const camera = await GenicamCamera.open(nativeGenicam(), {
    address: "127.0.0.1",
    pixelPitch_um: 5.5,
    clock: new RealClock(),
    patience_ms: 15_000,
    ...options,
  });
  tidying.push(() => camera.close());
  return camera;
}

/** The description of the emulated camera with a change to it. */
function described(name: string, change: (whole: string) => string): string {
  const whole = readFileSync(DESCRIPTION, "utf8");
  const changed = change(whole);
  expect(changed).not.toBe(whole);
  const path = join(folder, `${name}.xml`);
  writeFileSync(path, changed);
  return path;
}

async function failureOf(action: Promise<unknown>): Promise<InstrumentError> {
  const error = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InstrumentError);
  return error as InstrumentError;
}

let frames = 0;
function shoot(camera: BeamCamera): ReturnType<BeamCamera["acquire"]> {
  frames += 1;
  return camera.acquire({ label: { purpose: "live", acquisition: frames, frame: 0 } });
}

function mean(samples: Uint16Array): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
}

function brightest(samples: Uint16Array): number {
  return samples.reduce((most, sample) => Math.max(most, sample), 0);
}

/** Runs one of libaravis' programs to its end, while this process may be its camera. */
async function arv(program: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, args, { timeout: 60_000 });
  return stdout + stderr;
}

describe.skipIf(WHY_NO_CAMERAS !== undefined)(cameraTitle("cameras on the loopback network"), () => {
  describe("our driver and libaravis' camera program", () => {
    test("finds it by id, serial number and address, and grabs what it draws", async () => {
      const child = await aravisCamera("FOREIGN-1");
      tidying.push(async () => {
        child.kill();
      });
      expect(await arv("arv-tool-0.8")).toContain("Aravis-Fake-FOREIGN-1");
      const listed: readonly GenicamDeviceDescription[] = await discoverGenicamCameras();
      expect(listed).toContainEqual({
        id: "Aravis-Fake-FOREIGN-1",
        vendor: "Aravis",
        model: "Fake",
        serialNumber: "FOREIGN-1",
        address: "127.0.0.1",
        protocol: "GigEVision",
      });
      for (const address of ["Aravis-Fake-FOREIGN-1", "FOREIGN-1", "127.0.0.1"]) {
        const region = { x: 64, y: 32, width: 320, height: 200 };
        const camera = await open({ address, pixelFormat: "Mono8", region });
        expect(camera.info).toMatchObject({ model: "Aravis Fake", width_px: 320, height_px: 200, bitDepth: 8 });
        await camera.setExposure(10);
        const { samples } = await shoot(camera);
        // Its picture is a diagonal ramp of slope one: (x + y + frame) modulo 255.
        const first = samples[0] ?? 0;
        for (const [x, y] of [
          [1, 0],
          [0, 1],
          [100, 99],
          [319, 199],
        ] as const) {
          expect(samples[320 * y + x]).toBe((first + x + y) % 255);
        }
        await camera.close();
      }
    });
  });

  describe("libaravis' programs and our camera", () => {
    test("arv-tool lists it, reads it and sets it", async () => {
      await serve();
      expect(await arv("arv-tool-0.8")).toContain("Caustic-Emulated camera-CONTRACT-1 (127.0.0.1)");
      const name = ["-n", "Caustic-CONTRACT-1"];
      const read = await arv("arv-tool-0.8", ...name, "control", "Width", "Height", "GainAuto", "PixelFormat");
      expect(read).toContain("Width = 640");
      expect(read).toContain("Height = 480");
      expect(read).toContain("GainAuto = Continuous");
      const set = ["control", "PixelFormat=Mono12p", "ExposureTime=1234", "ExposureTime", "PayloadSize"];
      const after = await arv("arv-tool-0.8", ...name, ...set);
      expect(after).toContain("ExposureTime = 1230");
      expect(after).toContain("PayloadSize = 460800");
    });

    test("settings that it does not have are brought back, and it goes on serving", async () => {
      const server = await serve();
      const name = ["-n", "Caustic-CONTRACT-1", "control"];
      const impossible = ["Width=99999", "Height=99999", "OffsetX=4000000000", "ExposureTime=4e9"];
      await arv("arv-tool-0.8", ...name, ...impossible);
      await eventually("settings within the ranges", async () => {
        const read = await arv("arv-tool-0.8", ...name, "Width", "Height", "OffsetX", "ExposureTime");
        for (const within of [
          /Width = 640\b/,
          /Height = 480\b/,
          /OffsetX = 624\b/,
          /ExposureTime = 1(?:e\+06|000000)\b/,
        ]) {
          expect(read).toMatch(within);
        }
      });
      const camera = await open({ pixelFormat: "Mono8" });
      await camera.setExposure(1);
      expect((await shoot(camera)).samples).toHaveLength(640 * 480);
      expect(server.failure).toBeUndefined();
    });

    test("arv-camera-test streams from it", async () => {
      const server = await serve();
      const options = ["--duration=2", "--no-packet-socket", "-a", "-f", "10", "-i", "9000", "-w", "320", "-h", "240"];
      const report = await arv("arv-camera-test-0.8", ...options, "-n", "Caustic-CONTRACT-1");
      expect(report).toMatch(/vendor name\s+= Caustic/);
      const completed = /n_completed_buffers\s+= (\d+)/.exec(report)?.[1];
      expect(Number(completed)).toBeGreaterThan(3);
      expect(server.failure).toBeUndefined();
    });
  });

  describe("our driver and our camera", () => {
    test.each(["Mono8", "Mono10", "Mono10p", "Mono10Packed", "Mono12", "Mono12p", "Mono12Packed", "Mono16"])(
      "%s carries the same light",
      async (pixelFormat) => {
        await serve();
        const camera = await open({ pixelFormat });
        await camera.setExposure(1);
        const { samples, bitDepth } = await shoot(camera);
        const fullScale = 2 ** bitDepth - 1;
        // The clean beam has its peak at 2800 of 4095 in 1 ms, on a black level of 64.
        expect(brightest(samples) / fullScale).toBeGreaterThan(0.68);
        expect(brightest(samples) / fullScale).toBeLessThan(0.75);
        expect((samples[0] ?? 0) / fullScale).toBeLessThan(0.03);
      },
    );

    /** A count for every place, of all levels that there are. */
    const countsAt = (place: number, bitDepth: number): number =>
      (Math.imul(place + 1, 2_654_435_761) >>> 5) % 2 ** bitDepth;

    test.each([
      ["Mono8", 8],
      ["Mono10", 10],
      ["Mono10p", 10],
      ["Mono10Packed", 10],
      ["Mono12", 12],
      ["Mono12p", 12],
      ["Mono12Packed", 12],
      ["Mono16", 16],
    ] as const)(
      "%s brings every sample as it was sent, into the memory that was lent for it",
      async (pixelFormat, bits) => {
        const server = await eventually("a camera on 127.0.0.1", () =>
          CameraServer.start(
            { serialNumber: "SAMPLES", sensorWidth_px: 640, sensorHeight_px: 480 },
            async ({ width_px, height_px, bitDepth }) =>
              Uint16Array.from({ length: width_px * height_px }, (_, place) => countsAt(place, bitDepth)),
          ),
        );
        tidying.push(() => server.close());
        for (const orientation of [{}, { mirrorColumns: true }]) {
          const lent: Uint16Array[] = [];
          const camera = await open({
            pixelFormat,
            orientation,
            room: (pixels) => {
              const samples = new Uint16Array(new SharedArrayBuffer(2 * pixels));
              lent.push(samples);
              return { samples, memory: countedMemory(() => undefined) };
            },
          });
          const { samples, width_px } = await shoot(camera);
          expect(lent).toContain(samples);
          const wrong = samples.findIndex((sample, place) => {
            const column = place % width_px;
            const sent = "mirrorColumns" in orientation ? place - column + (width_px - 1 - column) : place;
            return sample !== countsAt(sent, bits);
          });
          expect(wrong).toBe(-1);
          await camera.close();
        }
      },
    );

    test("a region shows its part of the sensor, growing and shrinking", async () => {
      await serve();
      const whole = await open();
      await whole.setExposure(1);
      const { samples } = await shoot(whole);
      await whole.close();
      for (const region of [
        { x: 240, y: 160, width: 160, height: 160 },
        { x: 400, y: 300, width: 240, height: 180 },
        { x: 0, y: 0, width: 640, height: 480 },
      ]) {
        const camera = await open({ region });
        expect(camera.info).toMatchObject({ width_px: region.width, height_px: region.height });
        const part = (await shoot(camera)).samples;
        let expected = 0;
        for (let row = 0; row < region.height; row++) {
          const first = (region.y + row) * 640 + region.x;
          expected += samples.subarray(first, first + region.width).reduce((sum, sample) => sum + sample, 0);
        }
        expect(mean(part) / (expected / part.length)).toBeCloseTo(1, 1);
        await camera.close();
      }
    });

    test("mean counts rise in proportion to the exposure, and gain and black level do what they say", async () => {
      await serve();
      const camera = await open({ gain_db: 0, blackLevel_counts: 100 });
      const light: number[] = [];
      for (const exposure_ms of [0.2, 0.4, 0.8]) {
        expect(await camera.setExposure(exposure_ms)).toBe(exposure_ms);
        light.push(mean((await shoot(camera)).samples) - 100);
      }
      const [once = 0, twice = 0, fourTimes = 0] = light;
      expect(twice / once).toBeCloseTo(2, 1);
      expect(fourTimes / once).toBeCloseTo(4, 1);
      await camera.close();
      const louder = await open({ gain_db: 6, blackLevel_counts: 64 });
      await louder.setExposure(0.2);
      expect((mean((await shoot(louder)).samples) - 64) / once).toBeCloseTo(10 ** (6 / 20), 1);
    });

    test("widths are the simulator's, at every place of the stage", async () => {
      let z_mm = 0;
      let blocked = false;
      await serve({ position_mm: () => z_mm, beamBlocked: () => blocked });
      const camera = await open({ pixelFormat: "Mono12Packed" });
      const {
        camera: simulated,
        stage,
        shutter,
      } = createSimulatedBench({
        scenario: SCENARIOS.clean,
        seed: 8,
        clock: simulatedClock(),
      });
      const truth = beamTruth(SCENARIOS.clean);
      for (const [place_mm, exposure_ms] of [
        [60, 8],
        [110, 2],
        [130, 0.8],
      ] as const) {
        z_mm = place_mm;
        await stage.moveTo(place_mm);
        const overNetwork = await widths(camera, exposure_ms, async (block) => {
          blocked = block;
        });
        const inMemory = await widths(simulated, exposure_ms, (block) => shutter.setOpen(!block));
        for (const axis of ["X", "Y"] as const) {
          const [d_um, u_um] = [overNetwork[`d4sigma${axis}_um`], overNetwork[`u${axis}_um`]];
          const other = { d_um: inMemory[`d4sigma${axis}_um`], u_um: inMemory[`u${axis}_um`] };
          // Uncertainties beside the repeatability of the stage, which moves the width by 0.1 % at most.
          const spread_um = Math.hypot(u_um, other.u_um, 0.001 * d_um);
          expect(Math.abs(d_um - other.d_um)).toBeLessThan(4 * spread_um);
          const true_um = trueD4sigma_um(axis === "X" ? truth.x : truth.y, place_mm);
          expect(Math.abs(d_um - true_um)).toBeLessThan(4 * Math.hypot(u_um, 0.002 * d_um));
        }
      }
    });
  });

  describe("faults", () => {
    test("what cannot be switched off is an error by its name", async () => {
      const fixed = (whole: string): string =>
        whole
          .replace("<pValue>GainAutoRegister</pValue>", "<pValue>GainAutoFixed</pValue>")
          .replace(
            "</RegisterDescription>",
            '<IntSwissKnife Name="GainAutoFixed"><Formula>2</Formula></IntSwissKnife></RegisterDescription>',
          );
      await serve({ description: described("stubborn", fixed) });
      const error = await failureOf(open());
      expect(error.code).toBe("refused");
      expect(error.message).toContain("GainAuto stays Continuous");
    });

    test("lost packets are counted by kind and never analysed; the next frame is whole", async () => {
      const server = await serve();
      const camera = await open();
      await camera.setExposure(1);
      await shoot(camera);
      server.loseFrames(0.05);
      let lost: InstrumentError | undefined;
      for (let attempt = 0; lost === undefined && attempt < 20; attempt++) {
        lost = await shoot(camera).then(
          () => undefined,
          (error: unknown) => error as InstrumentError,
        );
      }
      expect(lost).toMatchObject({ code: "frame_lost" });
      expect(lost?.message).toMatch(/missing packets|timeout/);
      server.loseFrames(0);
      expect(brightest((await shoot(camera)).samples)).toBeGreaterThan(2500);
    });

    test("a stream that stands still while the camera answers is named so, and comes back", async () => {
      const server = await serve();
      const camera = await open({ patience_ms: 2000 });
      await shoot(camera);
      server.loseFrames(1);
      const error = await failureOf(shoot(camera));
      expect(error.code).toBe("timed_out");
      expect(error.message).toContain("the camera answers");
      server.loseFrames(0);
      expect((await shoot(camera)).samples).toHaveLength(640 * 480);
    });

    test("a format that was changed behind the driver's back is refused", async () => {
      const server = await serve();
      const camera = await open({ pixelFormat: "Mono12" });
      await shoot(camera);
      server.switchFormat("Mono8");
      expect(await failureOf(shoot(camera))).toMatchObject({ code: "wrong_format" });
    });

    test("a frame from before the move is passed over", async () => {
      let z_mm = 130;
      const server = await serve({ position_mm: () => z_mm });
      const camera = await open({ patience_ms: 2000 });
      await camera.setExposure(1);
      await shoot(camera);
      await shoot(camera);
      z_mm = 30;
      server.repeatFrame();
      // The camera has nothing else to send for this trigger.
      const error = await failureOf(shoot(camera));
      expect(error.code).toBe("frame_lost");
      expect(error.message).toContain("from before the request");
      expect(camera.frameCounts.stale).toBe(1);
      expect(brightest((await shoot(camera)).samples)).toBeLessThan(1000);
    });

    test("a camera that goes away fails what was under way; when it returns, work goes on with the same settings", async () => {
      const server = await serve();
      const camera = await open({ pixelFormat: "Mono10p", region: { x: 0, y: 0, width: 320, height: 240 } });
      await camera.setExposure(3);
      await shoot(camera);
      await server.close();
      expect((await failureOf(shoot(camera))).code).toBe("connection_lost");
      expect((await failureOf(shoot(camera))).code).toBe("not_connected");
      await serve();
      const frame = await eventually("the camera", () => shoot(camera));
      expect(frame).toMatchObject({ width_px: 320, height_px: 240, bitDepth: 10, exposure_ms: 3 });
      // While it is there to say goodbye to.
      await camera.close();
    });

    test("a second program is told that the camera is taken", async () => {
      await serve();
      await open();
      expect(await failureOf(open())).toMatchObject({ code: "busy" });
    });
  });
});

/** Mean of four frames against a dark of eight. */
async function widths(
  camera: BeamCamera,
  exposure_ms: number,
  block: (block: boolean) => Promise<void>,
): Promise<BeamWidths> {
  await camera.setExposure(exposure_ms);
  await block(true);
  const darks = await several(8, () => shoot(camera));
  await block(false);
  const lit = await several(4, () => shoot(camera));
  const { width_px, height_px, bitDepth, pixelPitch_um } = camera.info;
  const average = new Float64Array(width_px * height_px);
  for (const { samples } of darks) {
    for (let index = 0; index < samples.length; index++)
      average[index] = (average[index] as number) + (samples[index] as number) / darks.length;
  }
  const [first] = darks;
  const deviation =
    first === undefined
      ? 0
      : Math.sqrt(
          first.samples.reduce((sum, sample, index) => sum + (sample - (average[index] as number)) ** 2, 0) /
            (average.length * (1 - 1 / darks.length)),
        );
  const dark: DarkReference = { mean: average, frames: darks.length, noise_counts: deviation };
  const result = analyzeFrames({
    frames: lit.map(({ samples }) => samples),
    width_px,
    height_px,
    bitDepth,
    pixelPitch_um,
    dark,
  });
  if (result.kind !== "measured") throw new Error(`not measured: ${result.reasons.join("; ")}`);
  return result.widths;
}

async function several<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let index = 0; index < count; index++) made.push(await make());
  return made;
}
