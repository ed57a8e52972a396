import { GenicamCamera } from "../../drivers/instruments/genicam/camera.ts";
import { type PixelFormat, packPixels, pixelFormatNamed } from "../../drivers/instruments/genicam/pixel-formats.ts";
import { ScriptedNative } from "../../drivers/instruments/genicam/scripted-native.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { SimulatedCamera } from "../../simulators/instruments/camera.ts";

/** What becomes of the frame that somebody waits for. */
export type CameraTrouble =
  | "stream stalls"
  | "wrong pixel format"
  | "frame from before the move"
  | "incomplete frame"
  | "unplugged";

/** Older than any request: the stage moved since. */
const STALE_ms = 60_000;

function format(name: string): PixelFormat {
  const found = pixelFormatNamed(name);
  if (found === undefined) throw new TypeError(`no format ${name}`);
  return found;
}

/**
 * The driver of real cameras over a scripted addon: each software trigger exposes the simulated light, and what comes out of the stream is
 * that frame in the bytes of Mono12, or the trouble that was asked for.
 */
export class TroubledCamera {
  readonly driver: GenicamCamera;
  readonly native: ScriptedNative;
  readonly #light: SimulatedCamera;
  readonly #clock: Clock;
  #trouble: CameraTrouble | undefined;
  #acquisition = 0;

  private constructor(driver: GenicamCamera, native: ScriptedNative, light: SimulatedCamera, clock: Clock) {
    this.driver = driver;
    this.native = native;
    this.#light = light;
    this.#clock = clock;
    native.onTrigger = () => void this.#expose();
  }

  static async open(light: SimulatedCamera, clock: Clock): Promise<TroubledCamera> {
    const native = new ScriptedNative(clock);
    const { width_px, height_px, pixelPitch_um, exposureMin_ms, exposureMax_ms } = light.info;
    for (const [name, value] of [
      ["Width", width_px],
      ["Height", height_px],
    ] as const) {
      native.features.set(name, { kind: "integer", writable: true, value, least: value, most: value, step: 1 });
    }
    for (const name of ["OffsetX", "OffsetY"]) {
      native.features.set(name, { kind: "integer", writable: true, value: 0, least: 0, most: 0, step: 1 });
    }
    native.quantities.set("exposure", {
      kind: "float",
      writable: true,
      value: 1000,
      least: 1000 * exposureMin_ms,
      most: 1000 * exposureMax_ms,
    });
    const driver = await GenicamCamera.open(native, {
      address: "S1",
      pixelPitch_um,
      pixelFormat: "Mono12",
      patience_ms: 3000,
      clock,
    });
    return new TroubledCamera(driver, native, light, clock);
  }

  get trouble(): CameraTrouble | undefined {
    return this.#trouble;
  }

  set trouble(trouble: CameraTrouble | undefined) {
    this.#trouble = trouble;
    this.native.there = trouble !== "unplugged";
    if (trouble === "unplugged") this.native.lost = true;
  }

  async #expose(): Promise<void> {
    const { native } = this;
    if (this.#trouble === "stream stalls" || this.#trouble === "unplugged") return;
    if (this.#trouble === "incomplete frame") {
      native.spoil("missing_packets");
      return;
    }
    await this.#light.setExposure((native.quantities.get("exposure")?.value ?? 0) / 1000);
    const label = { purpose: "measurement", acquisition: this.#acquisition++, frame: 0 } as const;
    const { width_px, height_px, samples, startedAt_ms } = await this.#light.acquire({ label });
    const now_ms = this.#clock.now_ms();
    const { code, ...layout } = format(this.#trouble === "wrong pixel format" ? "Mono8" : "Mono12");
    const stale_ms = this.#trouble === "frame from before the move" ? STALE_ms : 0;
    const pixels = packPixels({ code, ...layout }, samples);
    native.queue.push({
      at_ms: now_ms,
      pixels,
      frame: {
        status: "success",
        frameId: this.#acquisition,
        width: width_px,
        height: height_px,
        pixelFormat: code,
        timestamp_ms: startedAt_ms - stale_ms,
        age_ms: 0,
        bytes: pixels.length,
      },
    });
  }
}
