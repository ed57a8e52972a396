import { describe, expect, test } from "vitest";
import type { AcquisitionLabel } from "../../protocol/beam-camera.ts";
import { InstrumentError } from "../../protocol/instrument-error.ts";
import { GenicamCamera, type GenicamCameraOptions } from "./camera.ts";
import { ScriptedNative } from "./scripted-native.ts";

const label: AcquisitionLabel = { purpose: "measurement", acquisition: 0, frame: 0 };

function open(native: ScriptedNative, options: Partial<GenicamCameraOptions> = {}): Promise<GenicamCamera> {
  return GenicamCamera.open(native, { address: "S1", pixelPitch_um: 5.5, clock: native, ...options });
}

/** Answers each trigger with a frame that is exposed from now on and arrives when it is read out. */
function answering(counts = 700): ScriptedNative {
  const native = new ScriptedNative();
  native.onTrigger = () => native.send(counts, { stamp_ms: native.now_ms() - 990, at_ms: native.now_ms() + 15 });
  return native;
}

async function failureOf(action: Promise<unknown>): Promise<InstrumentError> {
  const error = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof InstrumentError)) throw new Error(`expected an InstrumentError, got ${String(error)}`);
  return error;
}

describe("before it measures", () => {
  test("everything automatic or not linear is off, and what the camera lacks is said", async () => {
    const native = new ScriptedNative();
    const camera = await open(native);
    expect(native.value("ExposureAuto")).toBe("Off");
    expect(native.value("GammaEnable")).toBe(false);
    expect(native.deeds).not.toContain("GainAuto=Off");
    expect(camera.notes).toContain("the camera has no LUTEnable");
    expect(camera.notes).toContain("the camera has no BlackLevelAuto");
  });

  test.each(["ExposureAuto", "GammaEnable"])("%s that does not switch off is an error by its name", async (name) => {
    const native = new ScriptedNative();
    native.stubborn.add(name);
    const error = await failureOf(open(native));
    expect(error).toMatchObject({ code: "refused", detail: { name } });
    expect(error.message).toContain(`${name} stays`);
    expect(native.closed).toBe(1);
  });

  test("gamma without a switch is made 1, or is an error", async () => {
    const native = new ScriptedNative();
    native.features.delete("GammaEnable");
    native.features.set("Gamma", { kind: "float", writable: true, value: 0.45 });
    await open(native);
    expect(native.value("Gamma")).toBe(1);
    native.features.set("Gamma", { kind: "float", writable: false, value: 0.45 });
    expect(await failureOf(open(native))).toMatchObject({ code: "refused", detail: { name: "Gamma", value: "0.45" } });
  });

  test("the whole sensor and the most levels are taken when nobody says", async () => {
    const { info } = await open(new ScriptedNative());
    expect(info).toEqual({
      model: "Maker M1",
      serialNumber: "S1",
      simulated: false,
      width_px: 16,
      height_px: 8,
      pixelPitch_um: 5.5,
      bitDepth: 12,
      pixelFormat: "Mono12",
      exposureMin_ms: 0.02,
      exposureMax_ms: 500,
    });
  });

  test("offsets go to zero before the size changes and to their place after it", async () => {
    const native = new ScriptedNative();
    await open(native, { region: { x: 8, y: 2, width: 4, height: 4 } });
    const steps = native.deeds.filter((deed) => /^(Width|Height|Offset)/.test(deed));
    expect(steps).toEqual(["OffsetX=0", "Width=4", "Height=4", "OffsetX=8", "OffsetY=2"]);
  });

  test.each([
    [{ x: 0, y: 0, width: 6, height: 4 }, "Width 6 px", "choose 4 px"],
    [{ x: 0, y: 0, width: 400, height: 4 }, "Width 400 px", "choose 16 px"],
    [{ x: 2, y: 0, width: 4, height: 4 }, "OffsetX 2 px", "choose 0 px"],
    [{ x: 0, y: 0, width: 4, height: 4.5 }, "Height 4.5 px", "choose 4 px"],
  ])("a region that does not fit is refused with the next one that does: %j", async (region, words, hint) => {
    const error = await failureOf(open(new ScriptedNative(), { region }));
    expect(error.code).toBe("out_of_range");
    expect(error.message).toContain(words);
    expect(error.hint).toBe(hint);
  });

  test("a format that the camera does not have, or that is no counts, names those that would do", async () => {
    for (const pixelFormat of ["Mono16", "RGB8"]) {
      const error = await failureOf(open(new ScriptedNative(), { pixelFormat }));
      expect(error.code).toBe("unsupported");
      expect(error.hint).toBe("choose one of Mono12, Mono8");
    }
  });

  test("gain and black level are set where they are there and in range", async () => {
    const native = new ScriptedNative();
    await open(native, { gain_db: 10 });
    expect(native.quantities.get("gain")?.value).toBe(10);
    expect(await failureOf(open(native, { gain_db: 30 }))).toMatchObject({ code: "out_of_range" });
    expect(await failureOf(open(native, { blackLevel_counts: 64 }))).toMatchObject({ code: "unsupported" });
  });

  test("another program's camera, and no camera, have names of their own", async () => {
    const native = new ScriptedNative();
    native.openCamera = () => Promise.reject(Object.assign(new Error("taken"), { code: "not_controller" }));
    expect(await failureOf(open(native))).toMatchObject({ code: "busy" });
    const error = await failureOf(open(new ScriptedNative(), { address: "S2" }));
    expect(error.code).toBe("not_connected");
    expect(error.message).toContain("Maker-M1-S1 (serial S1, 10.0.0.9)");
  });
});

describe("exposure", () => {
  test("what the camera applied comes back, not what was asked for", async () => {
    const camera = await open(answering());
    expect(await camera.setExposure(3.1415)).toBe(3.14);
    expect(await camera.readExposure()).toBe(3.14);
    expect((await camera.acquire({ label })).exposure_ms).toBe(3.14);
  });

  test.each([0.001, 501, Number.NaN])("%f ms is out of range", async (exposure_ms) => {
    const camera = await open(answering());
    expect(await failureOf(camera.setExposure(exposure_ms))).toMatchObject({ code: "out_of_range" });
    expect(await camera.readExposure()).toBe(10);
  });
});

describe("triggered frames", () => {
  test("are begun by the request, in the counts of the format", async () => {
    const native = answering(4095);
    const camera = await open(native);
    native.pass(500);
    const before_ms = native.now_ms();
    const frame = await camera.acquire({ label });
    expect(frame).toMatchObject({ width_px: 16, height_px: 8, bitDepth: 12, exposure_ms: 10, sequence: 0 });
    expect(frame.startedAt_ms).toBeGreaterThanOrEqual(before_ms);
    expect(new Set(frame.samples)).toEqual(new Set([4095]));
    expect(native.value("TriggerSource")).toBe("Software");
    expect(native.value("TriggerSelector")).toBe("FrameStart");
    expect((await camera.acquire({ label })).sequence).toBe(1);
  });

  test("what waited in the stream is thrown away and counted", async () => {
    const native = answering(5);
    const camera = await open(native);
    native.send(1, { stamp_ms: 0, at_ms: native.now_ms() });
    native.spoil("missing_packets");
    expect((await camera.acquire({ label })).samples[0]).toBe(5);
    expect(camera.frameCounts).toEqual({ unasked: 1, missing_packets: 1, success: 1 });
  });

  test("a frame that was stamped before the trigger is passed over, however late it comes", async () => {
    const native = answering(5);
    const camera = await open(native);
    await camera.acquire({ label });
    native.pass(1000);
    native.onTrigger = () => {
      const now_ms = native.now_ms();
      native.send(1, { stamp_ms: now_ms - 990 - 400, at_ms: now_ms + 5 });
      native.send(9, { stamp_ms: now_ms - 990, at_ms: now_ms + 15 });
    };
    expect((await camera.acquire({ label })).samples[0]).toBe(9);
    expect(camera.frameCounts.stale).toBe(1);
    native.onTrigger = () => native.send(1, { stamp_ms: native.now_ms() - 1500, at_ms: native.now_ms() + 5 });
    const error = await failureOf(camera.acquire({ label }));
    expect(error.code).toBe("frame_lost");
    expect(error.message).toContain("1 frames from before the request");
  });

  test("incomplete ones are an error by kind, and a gap in the sequence", async () => {
    const native = answering();
    const camera = await open(native);
    const first = await camera.acquire({ label });
    const whole = native.onTrigger;
    native.onTrigger = () => native.spoil("missing_packets");
    const error = await failureOf(camera.acquire({ label }));
    expect(error.code).toBe("frame_lost");
    expect(error.message).toContain("missing packets 1");
    native.onTrigger = whole;
    expect((await camera.acquire({ label })).sequence).toBe(first.sequence + 2);
  });

  test("the first of a stream may be incomplete three times, not more", async () => {
    const native = answering();
    const whole = native.onTrigger;
    let spoilt = 0;
    native.onTrigger = () => {
      spoilt += 1;
      if (spoilt <= 3) native.spoil("timeout");
      else whole();
    };
    expect((await (await open(native)).acquire({ label })).samples).toHaveLength(128);
    native.onTrigger = () => native.spoil("size_mismatch");
    expect(await failureOf((await open(native)).acquire({ label }))).toMatchObject({ code: "frame_lost" });
  });

  test("another format, another size and other alignment are never counts", async () => {
    const native = answering();
    const camera = await open(native);
    await camera.acquire({ label });
    const change = (name: string, value: string | number): (() => void) => {
      return () => {
        const before = native.features.get(name);
        native.features.set(name, { ...before, value } as typeof before & object);
        native.send(7, { stamp_ms: native.now_ms() - 990, at_ms: native.now_ms() });
        if (before !== undefined) native.features.set(name, before);
      };
    };
    native.onTrigger = change("PixelFormat", "Mono8");
    expect((await failureOf(camera.acquire({ label }))).message).toContain("of Mono8, 16 × 8 of Mono12 was configured");
    native.onTrigger = change("Width", 8);
    expect(await failureOf(camera.acquire({ label }))).toMatchObject({ code: "wrong_format" });
    native.onTrigger = () => native.send(4095 * 16, { stamp_ms: native.now_ms() - 990, at_ms: native.now_ms() });
    const error = await failureOf(camera.acquire({ label }));
    expect(error.code).toBe("wrong_format");
    expect(error.message).toContain("65520 counts, Mono12 ends at 4095");
  });

  test("a stream that stands still is told from a camera that is gone", async () => {
    const native = answering();
    const camera = await open(native);
    native.onTrigger = () => undefined;
    const before_ms = native.now_ms();
    expect(await failureOf(camera.acquire({ label }))).toMatchObject({ code: "timed_out" });
    expect(native.now_ms() - before_ms).toBeLessThan(3000);
    native.onTrigger = () => {
      native.there = false;
    };
    expect(await failureOf(camera.acquire({ label }))).toMatchObject({ code: "connection_lost" });
  });

  test("a camera of which libaravis reads a width of 0 is gone, though reading it gives no error", async () => {
    const native = answering();
    const camera = await open(native);
    native.onTrigger = () => {
      native.features.set("Width", { kind: "integer", writable: true, value: 0 });
    };
    expect(await failureOf(camera.acquire({ label }))).toMatchObject({ code: "connection_lost" });
    expect(native.closed).toBe(1);
  });
});

describe("free running frames", () => {
  /** Sends frames every 50 ms, exposed for 10 ms and stamped at the end of it, 5 ms on their way. */
  function running(native: ScriptedNative): ScriptedNative {
    for (let end_ms = native.now_ms() + 10; end_ms < 4000; end_ms += 50) {
      native.send(Math.round(end_ms), { stamp_ms: end_ms + 77_000, at_ms: end_ms + 5 });
    }
    return native;
  }

  test("are taken when their exposure began after the request, whatever was under way", async () => {
    const native = new ScriptedNative().withoutTrigger();
    const camera = await open(native);
    running(native);
    for (let k = 0; k < 12; k++) {
      native.pass(13 * k);
      const requested_ms = native.now_ms();
      const [sample = 0] = (await camera.acquire({ label })).samples;
      // The sample is the instant at which the exposure ended.
      expect(sample - 10).toBeGreaterThanOrEqual(requested_ms);
    }
    expect(native.value("TriggerMode")).toBe("Off");
    expect(camera.frameCounts.stale).toBeGreaterThan(0);
  });

  test("the camera's clock, where it can be read, spares the wait for a whole period", async () => {
    const native = new ScriptedNative().withoutTrigger();
    native.features.set("TimestampLatch", { kind: "command", writable: true });
    const latched = { kind: "integer", writable: false, value: 0 } as const;
    native.features.set("TimestampLatchValue", latched);
    const execute = native.executeFeature.bind(native);
    native.executeFeature = (camera, name) => {
      native.features.set("TimestampLatchValue", { ...latched, value: 1e6 * (native.now_ms() + 77_000) });
      return execute(camera, name);
    };
    const camera = await open(native);
    running(native);
    native.pass(2);
    const requested_ms = native.now_ms();
    const [sample = 0] = (await camera.acquire({ label })).samples;
    expect(sample - 10).toBeGreaterThanOrEqual(requested_ms);
    expect(sample - 10).toBeLessThan(requested_ms + 50);
  });
});

describe("a camera that goes away", () => {
  test("fails what was under way, and is found again with its settings", async () => {
    const native = answering();
    const camera = await open(native);
    await camera.setExposure(5);
    native.there = false;
    expect(await failureOf(camera.acquire({ label }))).toMatchObject({ code: "connection_lost" });
    expect(await failureOf(camera.acquire({ label }))).toMatchObject({ code: "not_connected" });
    native.there = true;
    native.quantities.set("exposure", { kind: "float", writable: true, value: 10_000, least: 20, most: 500_000 });
    native.features.set("ExposureAuto", {
      kind: "enumeration",
      writable: true,
      value: "Continuous",
      entries: ["Off", "Continuous"],
    });
    expect((await camera.acquire({ label })).exposure_ms).toBe(5);
    expect(native.value("ExposureAuto")).toBe("Off");
    expect(native.opened).toBe(2);
    expect(native.closed).toBe(1);
  });

  test("is let go of when another program took control", async () => {
    const native = answering();
    const camera = await open(native);
    native.onTrigger = () => {
      native.lost = true;
    };
    expect(await failureOf(camera.acquire({ label }))).toMatchObject({ code: "connection_lost" });
    expect(native.closed).toBe(1);
  });

  test("is not replaced by another one in silence", async () => {
    const native = answering();
    const camera = await open(native);
    native.there = false;
    await failureOf(camera.readExposure());
    native.there = true;
    native.features.set("DeviceSerialNumber", { kind: "string", writable: false, value: "S9" });
    const error = await failureOf(camera.readExposure());
    expect(error.code).toBe("not_connected");
    expect(error.message).toContain("camera S9 answers where S1 was");
  });
});

describe("one thing at a time", () => {
  test("and a cancelled exposure leaves nothing behind", async () => {
    const native = answering(5);
    const camera = await open(native);
    const cancel = new AbortController();
    const running = failureOf(camera.acquire({ label, cancellation: cancel.signal }));
    expect(await failureOf(camera.acquire({ label }))).toMatchObject({ code: "busy" });
    expect(await failureOf(camera.setExposure(1))).toMatchObject({ code: "busy" });
    cancel.abort();
    expect((await running).code).toBe("cancelled");
    // The frame that nobody took is still on its way; the stream begins anew.
    native.send(1, { stamp_ms: native.now_ms() - 990, at_ms: native.now_ms() + 1 });
    expect((await camera.acquire({ label })).samples[0]).toBe(5);
    expect(native.streams).toBe(2);
  });

  test("a closed camera says so, also to an exposure that was under way", async () => {
    const native = new ScriptedNative();
    const camera = await open(native);
    const running = failureOf(camera.acquire({ label }));
    await camera.close();
    expect((await running).code).toBe("not_connected");
    expect(await failureOf(camera.readExposure())).toMatchObject({ code: "not_connected" });
    expect(native.closed).toBe(1);
    await camera.close();
  });
});
