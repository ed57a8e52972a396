/**
 * A GenICam camera (GigE Vision, USB3 Vision) through libaravis.
 *
 * Sources: GenICam Standard Features Naming Convention 2.x (names of features), GigE Vision 2.x and USB3 Vision as
 * libaravis implements them (https://aravisproject.github.io/aravis/), Pixel Format Naming Convention 2.x. Checked against
 * libaravis' own emulated camera and that of `camera-server.ts`; none has met hardware yet.
 *
 * Open points: whether a maker stamps the begin or the end of an exposure is not standardised, so the later is assumed
 * wherever it decides; gain and black level are in the camera's own unit where it has only raw ones.
 */
import type { AcquireOptions, BeamCamera, BeamCameraInfo } from "../../protocol/beam-camera.ts";
import type { Cancellation } from "../../protocol/cancellation.ts";
import type { Clock } from "../../protocol/clock.ts";
import type { Frame } from "../../protocol/frame.ts";
import type { FrameRoom } from "../../protocol/frame-memory.ts";
import {
  InstrumentError,
  type InstrumentErrorCode,
  type InstrumentErrorDetail,
} from "../../protocol/instrument-error.ts";
import { asInstrumentError, CameraFeatures } from "./camera-features.ts";
import {
  choosePixelFormat,
  chooseRegion,
  chooseTrigger,
  makeLinear,
  type SensorRegion,
  setLevel,
} from "./camera-settings.ts";
import { cameraIdOf } from "./discovery.ts";
import { isEmulated } from "./emulated-identity.ts";
import { FrameTime } from "./frame-time.ts";
import type { BufferStatus, NativeFrame, NativeGenicam, NativeHandle } from "./native.ts";
import { type FrameOrientation, isUpright, orient, orientedSize } from "./orientation.ts";
import { type PixelFormat, payloadBytes, pixelFormatOfCode } from "./pixel-formats.ts";

const BUFFERS = 8;
/** How long one look at the stream lasts; a cancellation waits that long. */
const LOOK_ms = 20;
/** Readout, transfer and a busy computer, beyond the exposure itself. */
const PATIENCE_ms = 2000;
/** Frames right after the start of a stream that may be incomplete, as they often are (Aravis issue 337). */
const WARM_UP_FRAMES = 3;
/** Frames per second assumed of a camera that does not tell. */
const SLOW_Hz = 5;

export interface GenicamCameraOptions {
  /** Id, serial number or IP address. */
  readonly address: string;
  /** Pitch of the sensor's pixels; GenICam does not know it. */
  readonly pixelPitch_um: number;
  /** By its GenICam name; the most levels on offer when absent. */
  readonly pixelFormat?: string;
  /** The whole sensor when absent. */
  readonly region?: SensorRegion;
  /** In dB, or in the camera's own steps where it has only those. Left as it is when absent. */
  readonly gain_db?: number;
  /** Counts added to every pixel, or the camera's own steps. Left as it is when absent. */
  readonly blackLevel_counts?: number;
  /** Frames per second of a camera that has no software trigger. */
  readonly frameRate_Hz?: number;
  readonly orientation?: FrameOrientation;
  /** Of a network camera: 8228 or so where every switch passes jumbo frames. Aravis tries it out when absent. */
  readonly packetSize_bytes?: number;
  /** How long a frame may take beyond its exposure, before the stream counts as standing still. Default 2000. */
  readonly patience_ms?: number;
  /** Gives memory for the samples of a frame of so many pixels. Default: memory of the frame's own. */
  readonly room?: (pixels: number) => FrameRoom;
  readonly clock: Clock;
}

/** Everything that came out of the stream, by what became of it; "stale" is older than what it was asked for. */
export type FrameCounts = Readonly<Partial<Record<BufferStatus | "stale" | "unasked", number>>>;

/** One connection, from opening to loss. */
interface Session {
  readonly handle: NativeHandle;
  readonly features: CameraFeatures;
  readonly format: PixelFormat;
  readonly region: SensorRegion;
  /** Where the samples of a frame lie before they are turned; absent where they go straight into the frame's own room. */
  readonly unturned: Uint16Array | undefined;
  readonly triggered: boolean;
  /** The command that reads the camera's clock, where it has one. */
  readonly latch: Latch | undefined;
  readonly time: FrameTime;
  /** Good frames since the stream began. */
  good: number;
  /** A frame may still be on its way that nobody waits for. */
  dirty: boolean;
}

/** Samples of a frame, in memory of their own where none is said. */
type Room = Pick<FrameRoom, "samples"> & Partial<FrameRoom>;

interface Latch {
  readonly command: string;
  readonly value: string;
  readonly ticksPerMs: number;
}

interface Identity {
  readonly vendor: string;
  readonly model: string;
  readonly serialNumber: string;
}

export class GenicamCamera implements BeamCamera {
  readonly #native: NativeGenicam;
  readonly #options: GenicamCameraOptions;
  readonly #clock: Clock;
  readonly #counts = new Map<BufferStatus | "stale" | "unasked", number>();
  #instrument: string;
  #identity: Identity | undefined;
  #info: BeamCameraInfo | undefined;
  #notes: readonly string[] = [];
  #session: Session | undefined;
  #connecting: Promise<Session> | undefined;
  #leaving: Promise<void> = Promise.resolve();
  /** What was asked for last, for a camera that comes back. */
  #exposure_ms: number | undefined;
  #sequence = -1;
  #lost = 0;
  #busy = false;
  #closed = false;

  private constructor(native: NativeGenicam, options: GenicamCameraOptions) {
    this.#native = native;
    this.#options = options;
    this.#clock = options.clock;
    this.#instrument = `GenICam camera ${options.address}`;
  }

  /**
   * Opens the camera, switches off whatever is automatic or not linear, sets format, region and levels, and starts the
   * stream. Errors: `not_connected`, `busy` (another program has it), `refused`, `unsupported`, `out_of_range`.
   */
  static async open(native: NativeGenicam, options: GenicamCameraOptions): Promise<GenicamCamera> {
    const camera = new GenicamCamera(native, options);
    await camera.#ensureConnected();
    return camera;
  }

  get #patience_ms(): number {
    return this.#options.patience_ms ?? PATIENCE_ms;
  }

  get info(): BeamCameraInfo {
    if (this.#info === undefined) throw this.#error("not_connected", "not connected yet");
    return this.#info;
  }

  /** What the camera lacks of what should have been switched off, in words. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Frames since the camera was opened, by what became of them. Only "success" is ever analysed. */
  get frameCounts(): FrameCounts {
    return Object.fromEntries(this.#counts);
  }

  async setExposure(exposure_ms: number): Promise<number> {
    return this.#alone(async (session) => {
      const { exposureMin_ms, exposureMax_ms } = this.info;
      if (!(exposure_ms >= exposureMin_ms && exposure_ms <= exposureMax_ms)) {
        const limit = exposure_ms < exposureMin_ms ? exposureMin_ms : exposureMax_ms;
        throw this.#error(
          "out_of_range",
          `the exposure ${exposure_ms} ms is outside ${exposureMin_ms} to ${exposureMax_ms} ms`,
          { name: "exposure_ms", value: exposure_ms, unit: "ms", limit },
          "choose an exposure inside these bounds",
        );
      }
      await session.features.writeQuantity("exposure", exposure_ms * 1000);
      this.#exposure_ms = exposure_ms;
      return this.#readExposure(session);
    });
  }

  async readExposure(): Promise<number> {
    this.#checkOpen();
    const session = await this.#ensureConnected();
    return this.#watched(session, () => this.#readExposure(session));
  }

  async acquire({ cancellation }: AcquireOptions): Promise<Frame> {
    return this.#alone((session) => this.#acquire(session, cancellation));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#connecting?.catch(() => undefined);
    this.#drop();
    await this.#leaving;
  }

  async #acquire(session: Session, cancellation: Cancellation | undefined): Promise<Frame> {
    this.#checkNotCancelled(cancellation);
    if (session.dirty) await this.#restart(session);
    const exposure_ms = await this.#readExposure(session);
    const period_ms = session.triggered ? 0 : await this.#framePeriod_ms(session);
    for (let attempt = 1; ; attempt++) {
      const frame = await this.#exposeInto(this.#roomFor(session), session, exposure_ms, period_ms, cancellation);
      if (frame !== undefined) return frame;
      if (session.good > 0 || attempt > WARM_UP_FRAMES) throw this.#incomplete();
    }
  }

  #roomFor({ region }: Session): Room {
    const pixels = region.width * region.height;
    return this.#options.room?.(pixels) ?? { samples: new Uint16Array(pixels) };
  }

  /** Lets go of the room where no frame comes of the exposure. */
  async #exposeInto(
    room: Room,
    ...exposure: [session: Session, exposure_ms: number, period_ms: number, cancellation: Cancellation | undefined]
  ): Promise<Frame | undefined> {
    let frame: Frame | undefined;
    try {
      frame = await this.#expose(room, ...exposure);
      return frame;
    } finally {
      if (frame === undefined) room.memory?.release();
    }
  }

  /** One exposure. Undefined when its frame came incomplete; that is counted. */
  async #expose(
    room: Room,
    session: Session,
    exposure_ms: number,
    period_ms: number,
    cancellation: Cancellation | undefined,
  ): Promise<Frame | undefined> {
    const { handle, features, format, triggered, time, unturned = room.samples } = session;
    await this.#discardWaiting(session);
    const requested_ms = this.#clock.now_ms();
    session.dirty = true;
    if (triggered) await features.execute("TriggerSoftware");
    else await this.#readCameraClock(session);
    const deadline_ms = this.#clock.now_ms() + exposure_ms + 2 * period_ms + this.#patience_ms;
    let stale = 0;
    for (;;) {
      const taken = await features.attempt("taking a frame", this.#native.takeFrame(handle, LOOK_ms, format, unturned));
      this.#checkOpen();
      this.#checkNotCancelled(cancellation);
      if (taken === undefined) {
        if (this.#native.controlLost(handle)) throw this.#connectionLost();
        if (this.#clock.now_ms() > deadline_ms) throw await this.#silent(session, exposure_ms, stale);
        continue;
      }
      this.#count(taken.status);
      if (taken.status !== "success") {
        this.#lost += 1;
        session.dirty = false;
        return undefined;
      }
      const arrived_ms = this.#clock.now_ms() - taken.age_ms;
      const stamped_ms = time.latest_ms({ stamp_ms: taken.timestamp_ms, arrived_ms });
      const begun_ms = triggered
        ? stamped_ms
        : stamped_ms - exposure_ms - (session.latch === undefined ? period_ms : 0);
      if (begun_ms < requested_ms) {
        this.#count("stale");
        stale += 1;
        continue;
      }
      this.#checkWhole(session, taken, unturned);
      if (unturned !== room.samples)
        orient(unturned, session.region.width, this.#options.orientation ?? {}, room.samples);
      session.good += 1;
      session.dirty = false;
      this.#sequence += 1 + this.#lost;
      this.#lost = 0;
      return this.#toFrame(room, exposure_ms, triggered ? requested_ms : begun_ms);
    }
  }

  #toFrame({ samples, memory }: Room, exposure_ms: number, startedAt_ms: number): Frame {
    const { width_px, height_px, bitDepth, simulated } = this.info;
    return {
      width_px,
      height_px,
      samples,
      bitDepth,
      exposure_ms,
      startedAt_ms,
      sequence: this.#sequence,
      simulated,
      ...(memory === undefined ? {} : { memory }),
    };
  }

  /** Checks that the frame is what was configured, so that its samples are there. */
  #checkWhole(
    session: Session,
    frame: Extract<NativeFrame, { readonly status: "success" }>,
    samples: Uint16Array,
  ): void {
    const { format, region } = session;
    const pixels = region.width * region.height;
    const named = pixelFormatOfCode(frame.pixelFormat)?.name ?? `0x${frame.pixelFormat.toString(16)}`;
    if (frame.pixelFormat !== format.code || frame.width !== region.width || frame.height !== region.height) {
      session.dirty = true;
      const found = `${frame.width} × ${frame.height} of ${named}`;
      throw this.#wrongFormat(
        `the frame is ${found}, ${region.width} × ${region.height} of ${format.name} was configured`,
        found,
      );
    }
    const needed = payloadBytes(format, pixels);
    if (frame.bytes !== needed) {
      throw this.#wrongFormat(
        `the frame has ${frame.bytes} bytes, ${pixels} pixels of ${format.name} take ${needed}`,
        frame.bytes,
      );
    }
    const fullScale = 2 ** format.bitDepth - 1;
    const above = format.layout === "word" ? firstAbove(samples, fullScale) : undefined;
    if (above === undefined) return;
    throw this.#wrongFormat(
      `the frame holds ${above} counts, ${format.name} ends at ${fullScale}: the camera aligns its samples high or sends the high byte first`,
      above,
    );
  }

  async #readExposure(session: Session): Promise<number> {
    const exposure = await session.features.readQuantity("exposure");
    if (exposure === undefined) throw this.#error("unsupported", "the camera has no exposure to set");
    return exposure.value / 1000;
  }

  async #framePeriod_ms(session: Session): Promise<number> {
    const rate = await session.features.readQuantity("frameRate");
    return 1000 / Math.max(rate?.value ?? 0, SLOW_Hz / 1000);
  }

  /** Bounds the time of coming frames by the camera's own clock, where it can be read. */
  async #readCameraClock(session: Session): Promise<void> {
    const { latch, features, time } = session;
    if (latch === undefined) return;
    await features.execute(latch.command);
    const latched = await features.readNumber(latch.value);
    if (latched === undefined) return;
    time.latest_ms({ stamp_ms: latched.value / latch.ticksPerMs, arrived_ms: this.#clock.now_ms() });
  }

  async #discardWaiting({ handle, features }: Session): Promise<void> {
    const discarded = await features.attempt("clearing the stream", this.#native.discardFrames(handle));
    for (const [status, count] of Object.entries(discarded)) {
      // Whole frames that nobody asked for are nothing to worry about.
      this.#count(status === "success" ? "unasked" : (status as BufferStatus), count);
    }
  }

  async #restart(session: Session): Promise<void> {
    const { handle, features } = session;
    await features.attempt("stopping the stream", this.#native.stopStream(handle));
    await this.#startStream(handle, features);
    session.dirty = false;
    session.good = 0;
  }

  async #startStream(handle: NativeHandle, features: CameraFeatures): Promise<void> {
    const packetSize = this.#options.packetSize_bytes ?? 0;
    await features.attempt("starting the stream", this.#native.startStream(handle, BUFFERS, packetSize));
  }

  /** Why no frame came: the camera is gone, sends only old ones, or stands still. */
  async #silent(session: Session, exposure_ms: number, stale: number): Promise<InstrumentError> {
    if (!(await this.#stillAnswers(session))) return this.#connectionLost();
    if (stale > 0) {
      return this.#error(
        "frame_lost",
        `the camera sent ${stale} frames from before the request and none from after it`,
        { name: "stale frames", value: stale },
        "measure again; when it recurs, lower the frame rate",
      );
    }
    return this.#error(
      "timed_out",
      `no frame came within ${Math.round(exposure_ms + this.#patience_ms)} ms although the camera answers: its stream does not get through`,
      { name: "frame", unit: "ms", limit: Math.round(exposure_ms + this.#patience_ms) },
      "check the firewall, the packet size (MTU) and that no other program takes the stream",
    );
  }

  /** libaravis gives 0, and no error, for the width of a camera that does not answer. */
  async #stillAnswers({ handle, features }: Session): Promise<boolean> {
    const width = await features.readNumber("Width").catch(() => undefined);
    return width !== undefined && width.value > 0 && !this.#native.controlLost(handle);
  }

  #connectionLost(): InstrumentError {
    return this.#error(
      "connection_lost",
      "the camera no longer answers, or another program took control of it",
      {},
      "check cable and power of the camera, then try again: it is connected anew by itself",
    );
  }

  #incomplete(): InstrumentError {
    const kinds = [...this.#counts]
      .filter(([kind]) => kind !== "success" && kind !== "stale" && kind !== "unasked")
      .map(([kind, count]) => `${kind.replaceAll("_", " ")} ${count}`)
      .join(", ");
    return this.#error(
      "frame_lost",
      `the frame came incomplete and is not used (since the camera was opened: ${kinds})`,
      { name: "incomplete frames", value: kinds },
      "measure again; when it recurs, check cable, packet size (MTU 9000) and the socket buffer (net.core.rmem_max)",
    );
  }

  #wrongFormat(message: string, value: number | string): InstrumentError {
    return this.#error(
      "wrong_format",
      message,
      { name: "frame", value },
      "the camera's configuration was changed from outside: open the bench again",
    );
  }

  /** Runs one piece of work at a time, on a camera that is connected. */
  async #alone<T>(work: (session: Session) => Promise<T>): Promise<T> {
    this.#checkOpen();
    if (this.#busy) throw this.#error("busy", "an exposure is running", {}, "wait for its frame");
    this.#busy = true;
    try {
      const session = await this.#ensureConnected();
      return await this.#watched(session, () => work(session));
    } finally {
      this.#busy = false;
    }
  }

  /** Lets go of a camera that went away in the middle of the work; the next call looks for it. */
  async #watched<T>(session: Session, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#closed) throw this.#error("not_connected", "the camera has been closed");
      const gone = error instanceof InstrumentError && error.code === "connection_lost";
      if (this.#session === session && (gone || this.#native.controlLost(session.handle))) {
        this.#drop();
        throw gone ? error : this.#connectionLost();
      }
      throw error;
    }
  }

  /**
   * Lets go of the session. A camera that is gone is not waited for: libaravis tries for seconds to tell it to stop, while
   * it may be back already.
   */
  #drop(): void {
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    const leaving = Promise.allSettled([this.#leaving, this.#native.closeCamera(session.handle)]);
    this.#leaving = leaving.then(() => undefined);
  }

  async #ensureConnected(): Promise<Session> {
    this.#checkOpen();
    if (this.#session !== undefined) {
      if (!this.#native.controlLost(this.#session.handle)) return this.#session;
      this.#drop();
    }
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Session> {
    const id = await cameraIdOf(this.#native, this.#options.address);
    let handle: NativeHandle;
    try {
      handle = await this.#native.openCamera(id);
    } catch (error) {
      throw asInstrumentError(error, this.#instrument, "opening the camera");
    }
    try {
      const session = await this.#configure(handle);
      this.#session = session;
      return session;
    } catch (error) {
      await this.#native.closeCamera(handle).catch(() => undefined);
      throw error;
    }
  }

  async #configure(handle: NativeHandle): Promise<Session> {
    const { gain_db, blackLevel_counts, frameRate_Hz, pixelFormat, region: wantedRegion } = this.#options;
    const named = new CameraFeatures(this.#native, handle, this.#instrument);
    const identity = await this.#identify(named);
    this.#instrument = `${identity.vendor} ${identity.model} (camera)`;
    const features = new CameraFeatures(this.#native, handle, this.#instrument);
    this.#notes = await makeLinear(features);
    const format = await choosePixelFormat(features, pixelFormat);
    const region = await chooseRegion(features, wantedRegion);
    if (gain_db !== undefined) await setLevel(features, "gain", gain_db);
    if (blackLevel_counts !== undefined) await setLevel(features, "blackLevel", blackLevel_counts);
    // libaravis switches triggers off when it sets the frame rate, so this comes first.
    if (frameRate_Hz !== undefined) await features.writeQuantity("frameRate", frameRate_Hz);
    const triggered = await chooseTrigger(features);
    if (this.#exposure_ms !== undefined) await features.writeQuantity("exposure", this.#exposure_ms * 1000);
    this.#info = await this.#describe(features, identity, format, region);
    const latch = triggered ? undefined : await findLatch(features);
    await this.#startStream(handle, features);
    const isTurned = !isUpright(this.#options.orientation ?? {});
    return {
      handle,
      features,
      format,
      region,
      unturned: isTurned ? new Uint16Array(region.width * region.height) : undefined,
      triggered,
      latch,
      time: new FrameTime(),
      good: 0,
      dirty: false,
    };
  }

  async #identify(features: CameraFeatures): Promise<Identity> {
    const serial = (await features.readText("DeviceSerialNumber")) || (await features.readText("DeviceID"));
    const identity = {
      vendor: await features.readText("DeviceVendorName"),
      model: await features.readText("DeviceModelName"),
      serialNumber: serial || this.#options.address,
    };
    const before = this.#identity;
    if (before !== undefined && before.serialNumber !== identity.serialNumber) {
      throw this.#error(
        "not_connected",
        `camera ${identity.serialNumber} answers where ${before.serialNumber} was`,
        { name: "serial number", value: identity.serialNumber, limit: before.serialNumber },
        "connect the camera that was there, or open the bench again",
      );
    }
    this.#identity = identity;
    return identity;
  }

  async #describe(
    features: CameraFeatures,
    identity: Identity,
    format: PixelFormat,
    region: SensorRegion,
  ): Promise<BeamCameraInfo> {
    const exposure = await features.readQuantity("exposure");
    if (exposure?.least === undefined || exposure.most === undefined) {
      throw this.#error("unsupported", "the camera does not tell its exposure and the bounds of it");
    }
    const { width, height } = orientedSize(region, this.#options.orientation ?? {});
    return {
      model: `${identity.vendor} ${identity.model}`,
      serialNumber: identity.serialNumber,
      simulated: isEmulated(identity.vendor, identity.model),
      width_px: width,
      height_px: height,
      pixelPitch_um: this.#options.pixelPitch_um,
      bitDepth: format.bitDepth,
      pixelFormat: format.name,
      exposureMin_ms: exposure.least / 1000,
      exposureMax_ms: exposure.most / 1000,
    };
  }

  #count(status: BufferStatus | "stale" | "unasked", count = 1): void {
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + count);
  }

  #checkOpen(): void {
    if (this.#closed) throw this.#error("not_connected", "the camera has been closed");
  }

  #checkNotCancelled(cancellation: Cancellation | undefined): void {
    if (cancellation?.aborted === true) throw this.#error("cancelled", "the exposure was cancelled");
  }

  #error(
    code: InstrumentErrorCode,
    message: string,
    detail: InstrumentErrorDetail = {},
    hint?: string,
  ): InstrumentError {
    return new InstrumentError(code, this.#instrument, message, detail, hint);
  }
}

/** Only whole words have room for counts beyond their format. */
function firstAbove(samples: Uint16Array, fullScale: number): number | undefined {
  for (const sample of samples) if (sample > fullScale) return sample;
  return undefined;
}

const LATCHES = [
  { command: "TimestampLatch", value: "TimestampLatchValue", frequency: undefined },
  { command: "GevTimestampControlLatch", value: "GevTimestampValue", frequency: "GevTimestampTickFrequency" },
];

/** SFNC 2 stamps in ns; GigE Vision 1 cameras tell their ticks per second. */
async function findLatch(features: CameraFeatures): Promise<Latch | undefined> {
  for (const { command, value, frequency } of LATCHES) {
    if ((await features.read(command))?.kind !== "command") continue;
    if ((await features.readNumber(value)) === undefined) continue;
    const ticksPerSecond = frequency === undefined ? 1e9 : (await features.readNumber(frequency))?.value;
    if (ticksPerSecond !== undefined && ticksPerSecond > 0) {
      return { command, value, ticksPerMs: ticksPerSecond / 1000 };
    }
  }
  return undefined;
}
