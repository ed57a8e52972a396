/**
 * A GigE Vision camera that is emulated: libaravis speaks the protocol, a frame source makes the counts.
 *
 * The registers below 0x1000 are those of libaravis' ArvFakeCamera (`arvfakecamera.h`), the others those of
 * `emulated-camera.xml`. libaravis makes one frame per period or software trigger and asks for its pixels.
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { requireGenicam } from "./availability.ts";
import { EMULATED_MODEL, EMULATED_VENDOR } from "./emulated-identity.ts";
import type { NativeFrameRequest, NativeGenicam, NativeHandle } from "./native.ts";
import { packPixels, payloadBytes, pixelFormatNamed, pixelFormatOfCode } from "./pixel-formats.ts";

const REGISTERS = {
  width: 0x100,
  height: 0x104,
  exposure_us: 0x120,
  sensorHeight: 0x118,
  sensorWidth: 0x11c,
  pixelFormat: 0x128,
  x: 0x130,
  y: 0x134,
  gain: 0x2010,
  blackLevel: 0x2014,
  exposureAuto: 0x2020,
  gainAuto: 0x2024,
  blackLevelAuto: 0x2028,
  gammaEnable: 0x202c,
  gamma: 0x2030,
  lutEnable: 0x2034,
} as const;

/** How often what a client has written is looked at. Short beside the way from a setting to the start of a stream. */
const LOOK_ms = 10;
/** As in `emulated-camera.xml`. */
const LEAST_SIDE_px = 16;
const EXPOSURE_us = { least: 20, most: 1_000_000 };

const CONTINUOUS = 2;
const GAMMA_AT_POWER_UP = 450;
/** Counts at 12 bits. */
const BLACK_LEVEL_AT_POWER_UP = 64;

/** What the client of an emulated camera has set, for one frame. */
export interface ServedFrameRequest {
  readonly exposure_ms: number;
  /** The region of the sensor. */
  readonly x_px: number;
  readonly y_px: number;
  readonly width_px: number;
  readonly height_px: number;
  /** Bits of the counts that are wanted. */
  readonly bitDepth: number;
  readonly gain_dB: number;
  /** Of 12 bits. */
  readonly blackLevel_counts: number;
}

/** Makes the counts of one frame, row-major, `width_px * height_px` of them, right-aligned. May take its time to expose. */
export type ServedFrameSource = (request: ServedFrameRequest) => Promise<Uint16Array>;

export interface CameraServerOptions {
  /** IPv4 address of a network interface of this machine, or its name. Default 127.0.0.1. */
  readonly interface?: string;
  /** At most 15 characters. */
  readonly serialNumber: string;
  readonly sensorWidth_px: number;
  readonly sensorHeight_px: number;
  /** Another description than `emulated-camera.xml`, for cameras that lack or refuse something. */
  readonly description?: string;
}

/** What befalls the frames of an emulated camera; for tests. */
export interface CameraServerFaults {
  /** Share of the stream's packets that get lost, 0…1; with 1 the stream stands still while the camera answers. */
  loseFrames(ratio: number): void;
  /** From the next frame on the camera sends another format than its client has set. */
  switchFormat(name: string): void;
  /** The next frame is the one before it over again, with its time stamp. */
  repeatFrame(): void;
}

/** Serves until it is closed. Errors at the start carry the reason: the port is taken, no such interface. */
export class CameraServer implements CameraServerFaults {
  readonly serialNumber: string;
  readonly #native: NativeGenicam;
  readonly #source: ServedFrameSource;
  #handle: NativeHandle | undefined;
  #looking: NodeJS.Timeout | undefined;
  #last: { readonly bytes: Uint8Array; readonly at_ms: number } | undefined;
  #repeat = false;
  #failure: unknown;

  private constructor(native: NativeGenicam, serialNumber: string, source: ServedFrameSource) {
    this.#native = native;
    this.serialNumber = serialNumber;
    this.#source = source;
  }

  static async start(options: CameraServerOptions, source: ServedFrameSource): Promise<CameraServer> {
    const native = requireGenicam();
    const server = new CameraServer(native, options.serialNumber, source);
    const handle = await native.startServer(
      {
        interface: options.interface ?? "127.0.0.1",
        serial: options.serialNumber,
        description: options.description ?? join(dirname(fileURLToPath(import.meta.url)), "emulated-camera.xml"),
        vendor: EMULATED_VENDOR,
        model: EMULATED_MODEL,
      },
      (request) => void server.#answer(request),
    );
    server.#handle = handle;
    const powerUp: readonly (readonly [number, number])[] = [
      [REGISTERS.sensorWidth, options.sensorWidth_px],
      [REGISTERS.sensorHeight, options.sensorHeight_px],
      [REGISTERS.width, options.sensorWidth_px],
      [REGISTERS.height, options.sensorHeight_px],
      [REGISTERS.blackLevel, BLACK_LEVEL_AT_POWER_UP],
      // As cameras come out of their box: made for looking, not for measuring.
      [REGISTERS.exposureAuto, CONTINUOUS],
      [REGISTERS.gainAuto, CONTINUOUS],
      [REGISTERS.blackLevelAuto, CONTINUOUS],
      [REGISTERS.gammaEnable, 1],
      [REGISTERS.gamma, GAMMA_AT_POWER_UP],
      [REGISTERS.lutEnable, 1],
    ];
    for (const [address, value] of powerUp) native.writeRegister(handle, address, value);
    server.#looking = setInterval(() => server.#keepInRange(handle, options), LOOK_ms);
    server.#looking.unref();
    return server;
  }

  /**
   * A camera refuses settings that it does not have; libaravis takes whatever a client writes that does not heed the description, and
   * would make frames of gigabytes. So what lies outside is brought back.
   */
  #keepInRange(
    handle: NativeHandle,
    { sensorWidth_px, sensorHeight_px }: Pick<CameraServerOptions, "sensorWidth_px" | "sensorHeight_px">,
  ): void {
    const ranges: readonly (readonly [number, number, number])[] = [
      [REGISTERS.width, LEAST_SIDE_px, sensorWidth_px],
      [REGISTERS.height, LEAST_SIDE_px, sensorHeight_px],
      [REGISTERS.x, 0, sensorWidth_px - LEAST_SIDE_px],
      [REGISTERS.y, 0, sensorHeight_px - LEAST_SIDE_px],
      [REGISTERS.exposure_us, EXPOSURE_us.least, EXPOSURE_us.most],
    ];
    for (const [address, least, most] of ranges) {
      const value = this.#native.readRegister(handle, address);
      if (value < least || value > most) {
        this.#native.writeRegister(handle, address, Math.min(most, Math.max(least, value)));
      }
    }
  }

  /** The first error of the frame source, if there was one; its frame was sent dark. */
  get failure(): unknown {
    return this.#failure;
  }

  loseFrames(ratio: number): void {
    if (this.#handle !== undefined) this.#native.setLostPacketRatio(this.#handle, ratio);
  }

  switchFormat(name: string): void {
    const format = pixelFormatNamed(name);
    if (format === undefined || this.#handle === undefined) throw new RangeError(`no pixel format ${name}`);
    this.#native.writeRegister(this.#handle, REGISTERS.pixelFormat, format.code);
  }

  repeatFrame(): void {
    this.#repeat = true;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    clearInterval(this.#looking);
    if (handle !== undefined) await this.#native.stopServer(handle);
  }

  async #answer(request: NativeFrameRequest): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined) return;
    const asked_ms = performance.now();
    if (this.#repeat && this.#last !== undefined) {
      this.#repeat = false;
      this.#native.answerFrame(handle, request.id, this.#last.bytes, this.#last.at_ms - asked_ms);
      return;
    }
    const bytes = await this.#expose(handle, request);
    this.#last = { bytes, at_ms: asked_ms };
    if (this.#handle === handle) this.#native.answerFrame(handle, request.id, bytes, 0);
  }

  async #expose(handle: NativeHandle, request: NativeFrameRequest): Promise<Uint8Array> {
    const format = pixelFormatOfCode(request.pixelFormat);
    if (format === undefined) return new Uint8Array(request.payload);
    try {
      const samples = await this.#source({
        exposure_ms: request.exposure_us / 1000,
        x_px: request.x,
        y_px: request.y,
        width_px: request.width,
        height_px: request.height,
        bitDepth: format.bitDepth,
        gain_dB: this.#native.readRegister(handle, REGISTERS.gain) / 10,
        blackLevel_counts: this.#native.readRegister(handle, REGISTERS.blackLevel),
      });
      return packPixels(format, samples);
    } catch (error) {
      this.#failure ??= error;
      return new Uint8Array(payloadBytes(format, request.width * request.height));
    }
  }
}
