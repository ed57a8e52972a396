import type { Clock } from "../../protocol/clock.ts";
import type {
  BufferStatus,
  NativeFeature,
  NativeFrame,
  NativeGenicam,
  NativeHandle,
  NativeListing,
  NativeNumber,
  NativeQuantity,
} from "./native.ts";
import { packPixels, payloadBytes, type PixelFormat, pixelFormatNamed, unpackPixels } from "./pixel-formats.ts";

/**
 * Stands where the addon does, for tests of the driver: a camera as data, on a clock that passes while frames are waited for, or on one
 * that others share.
 */
export class ScriptedNative implements NativeGenicam, Clock {
  readonly features = new Map<string, NativeFeature>();
  readonly quantities = new Map<NativeQuantity, NativeNumber>();
  /** Features that acknowledge what they are told and keep their value. */
  readonly stubborn = new Set<string>();
  /** Every write and command, in order. */
  readonly deeds: string[] = [];
  /** What the stream holds, with the instant at which each comes. */
  queue: { readonly at_ms: number; readonly frame: NativeFrame; readonly pixels?: Uint8Array }[] = [];
  onTrigger: () => void = () => undefined;
  /** The camera answers; when it does not, everything fails as Aravis fails. */
  there = true;
  lost = false;
  opened = 0;
  closed = 0;
  streams = 0;
  readonly #clock: Clock | undefined;
  #now_ms = 1000;

  constructor(clock?: Clock) {
    this.#clock = clock;
    const word = (name: string, value: string, entries: readonly string[]): void => {
      this.features.set(name, { kind: "enumeration", writable: true, value, entries });
    };
    const text = (name: string, value: string): void => {
      this.features.set(name, { kind: "string", writable: false, value });
    };
    const whole = (name: string, value: number, least: number, most: number, step = 1): void => {
      this.features.set(name, { kind: "integer", writable: true, value, least, most, step });
    };
    text("DeviceVendorName", "Maker");
    text("DeviceModelName", "M1");
    text("DeviceSerialNumber", "S1");
    word("PixelFormat", "Mono8", ["Mono8", "Mono12", "RGB8"]);
    whole("Width", 8, 4, 16, 4);
    whole("Height", 2, 2, 8, 2);
    whole("OffsetX", 4, 0, 12, 4);
    whole("OffsetY", 0, 0, 6, 2);
    word("ExposureAuto", "Continuous", ["Off", "Once", "Continuous"]);
    word("GainAuto", "Off", ["Off", "Continuous"]);
    word("TriggerSelector", "AcquisitionStart", ["AcquisitionStart", "FrameStart"]);
    word("TriggerMode", "Off", ["Off", "On"]);
    word("TriggerSource", "Line1", ["Line1", "Software"]);
    this.features.set("TriggerSoftware", { kind: "command", writable: true });
    this.features.set("GammaEnable", { kind: "boolean", writable: true, value: true });
    const level = (quantity: NativeQuantity, value: number, least: number, most: number): void => {
      this.quantities.set(quantity, { kind: "float", writable: true, value, least, most });
    };
    level("exposure", 10_000, 20, 500_000);
    level("gain", 0, 0, 24);
    level("frameRate", 20, 1, 100);
  }

  now_ms(): number {
    return this.#clock?.now_ms() ?? this.#now_ms;
  }

  async wait(duration_ms: number): Promise<void> {
    if (this.#clock === undefined) this.pass(duration_ms);
    else await this.#clock.wait(duration_ms);
  }

  /** Time passes on the clock of its own. */
  pass(duration_ms: number): void {
    this.#now_ms += duration_ms;
  }

  /** A camera that runs freely. */
  withoutTrigger(): this {
    this.features.delete("TriggerSoftware");
    return this;
  }

  value(name: string): string | number | boolean | undefined {
    const feature = this.features.get(name);
    return feature === undefined || feature.kind === "command" ? undefined : feature.value;
  }

  /** A whole frame of the configured size in which every sample is `counts`, stamped and arriving at these instants. */
  send(counts: number, times: { readonly stamp_ms: number; readonly at_ms: number }): void {
    const [width, height] = [Number(this.value("Width")), Number(this.value("Height"))];
    const format = pixelFormatNamed(String(this.value("PixelFormat")));
    if (format === undefined) throw new Error("no such format");
    const bytes = packPixels(format, new Uint16Array(width * height).fill(counts));
    this.queue.push({
      at_ms: times.at_ms,
      frame: {
        status: "success",
        frameId: this.queue.length,
        width,
        height,
        pixelFormat: format.code,
        timestamp_ms: times.stamp_ms,
        age_ms: 0,
        bytes: bytes.length,
      },
      pixels: bytes,
    });
  }

  /** A frame that did not come whole. */
  spoil(status: Exclude<BufferStatus, "success">): void {
    this.queue.push({ at_ms: this.now_ms(), frame: { status, frameId: 0 } });
  }

  async listCameras(): Promise<readonly NativeListing[]> {
    return [
      {
        id: "Maker-M1-S1",
        physicalId: "00:11",
        vendor: "Maker",
        model: "M1",
        serial: "S1",
        address: "10.0.0.9",
        protocol: "GigEVision",
      },
    ];
  }

  async openCamera(id: string): Promise<NativeHandle> {
    if (!this.there) throw failure("not_found", `Device '${id}' not found`);
    this.opened += 1;
    this.lost = false;
    return {};
  }

  async closeCamera(): Promise<void> {
    this.closed += 1;
  }

  controlLost(): boolean {
    return this.lost;
  }

  enableFakeInterface(): void {
    // There is none.
  }

  async readFeature(_camera: NativeHandle, name: string): Promise<NativeFeature | undefined> {
    this.#answer();
    return this.features.get(name);
  }

  async writeFeature(_camera: NativeHandle, name: string, value: string | number | boolean): Promise<void> {
    this.#answer();
    this.deeds.push(`${name}=${value}`);
    const feature = this.features.get(name);
    if (feature === undefined || feature.kind === "command") throw failure("refused", `no ${name}`);
    if (!this.stubborn.has(name)) this.features.set(name, { ...feature, value } as NativeFeature);
  }

  async executeFeature(_camera: NativeHandle, name: string): Promise<void> {
    this.#answer();
    this.deeds.push(name);
    if (name === "TriggerSoftware") this.onTrigger();
  }

  async readQuantity(_camera: NativeHandle, quantity: NativeQuantity): Promise<NativeNumber | undefined> {
    this.#answer();
    return this.quantities.get(quantity);
  }

  async writeQuantity(_camera: NativeHandle, quantity: NativeQuantity, value: number): Promise<void> {
    this.#answer();
    this.deeds.push(`${quantity}=${value}`);
    const before = this.quantities.get(quantity);
    // In steps of 10, as cameras apply a multiple of their line time.
    if (before !== undefined) this.quantities.set(quantity, { ...before, value: 10 * Math.round(value / 10) });
  }

  async startStream(): Promise<number> {
    this.#answer();
    this.streams += 1;
    return 0;
  }

  async stopStream(): Promise<void> {
    this.#answer();
    this.queue = [];
  }

  async takeFrame(
    _camera: NativeHandle,
    patience_ms: number,
    format: PixelFormat,
    samples: Uint16Array,
  ): Promise<NativeFrame | undefined> {
    const next = this.queue[0];
    if (next === undefined || next.at_ms > this.now_ms() + patience_ms) {
      await this.wait(patience_ms);
      return undefined;
    }
    this.queue.shift();
    await this.wait(Math.max(0, next.at_ms - this.now_ms()));
    const { frame, pixels } = next;
    const fits =
      frame.status === "success" &&
      frame.pixelFormat === format.code &&
      frame.width * frame.height === samples.length &&
      frame.bytes === payloadBytes(format, samples.length);
    if (pixels !== undefined && fits) unpackPixels(format, pixels, samples.length, samples);
    return frame;
  }

  async discardFrames(): Promise<Partial<Record<BufferStatus, number>>> {
    const counts: Partial<Record<BufferStatus, number>> = {};
    while (this.queue[0] !== undefined && this.queue[0].at_ms <= this.now_ms()) {
      const { status } = this.queue[0].frame;
      counts[status] = (counts[status] ?? 0) + 1;
      this.queue.shift();
    }
    return counts;
  }

  async startServer(): Promise<NativeHandle> {
    throw failure("other", "a scripted camera serves nobody");
  }

  async stopServer(): Promise<void> {
    // None runs.
  }

  answerFrame(): void {
    // None runs.
  }

  setLostPacketRatio(): void {
    // None runs.
  }

  readRegister(): number {
    return 0;
  }

  writeRegister(): void {
    // None runs.
  }

  #answer(): void {
    if (!this.there) throw failure("timeout", "[ArvGvDevice] Timeout");
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
