import type { Frame } from "../../../drivers/protocol/frame.ts";
import type { MomentKernel } from "../../analysis/kernel.ts";
import type { BenchSession } from "../../bench/bench-session.ts";
import type { FrameHeader } from "../../contract/window-frame.ts";
import { type FrameReading, readFrame } from "./read-frame.ts";
import { ReadingPace } from "./reading-pace.ts";

/** What a viewer is sent; it adds its own count. */
export type LiveFrame = Omit<FrameHeader, "number" | "skipped" | "reply">;

export interface Viewer {
  /** Whether the last frames are on the screen, so that another one would be seen. */
  readonly ready: boolean;
  show(header: LiveFrame, samples: Uint16Array): void;
}

/** Shortest time between two live frames. */
const FRAME_INTERVAL_MS = 33;
/** How soon the camera is asked again when it is busy with other work. */
const BUSY_INTERVAL_MS = 30;

/**
 * Live frames of one run for everybody who looks. A frame is taken only when somebody is ready for it: nobody's slowness holds
 * up the bench, and nothing is taken to be thrown away. Frames of measurements and darks are shown as they are made.
 */
export class LiveFeed {
  readonly #session: BenchSession;
  readonly #kernel: MomentKernel | undefined;
  readonly #viewers = new Set<Viewer>();
  readonly #unwatch: () => void;
  readonly #pace = new ReadingPace();
  #reading: { readonly reading: FrameReading; readonly sequence: number } | undefined;
  #position_mm: number | undefined;
  #running = false;
  #closed = false;
  #wake: () => void = () => undefined;

  constructor(session: BenchSession, kernel: MomentKernel | undefined) {
    this.#session = session;
    this.#kernel = kernel;
    this.#position_mm = session.snapshot().z_actual_mm;
    this.#unwatch = session.watch((signal) => {
      if (signal.type === "stage") this.#position_mm = signal.z_mm;
      else if (signal.type === "frame" && signal.purpose !== "live") this.#show(signal.frame, signal.purpose);
    });
  }

  get watched(): boolean {
    return this.#viewers.size > 0;
  }

  add(viewer: Viewer): void {
    this.#viewers.add(viewer);
    if (!this.#running) void this.#run();
  }

  remove(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    this.becameReady();
  }

  /** A viewer is ready for the next frame. */
  becameReady(): void {
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#viewers.clear();
    this.#wake();
    this.#unwatch();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (!this.#closed && this.#viewers.size > 0) {
      if (!this.#someoneIsReady()) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      const began_ms = performance.now();
      const frame = await this.#take();
      if (frame !== undefined) {
        this.#position_mm = this.#session.snapshot().z_actual_mm ?? this.#position_mm;
        this.#show(frame, "live");
      }
      const interval_ms = frame === undefined ? BUSY_INTERVAL_MS : FRAME_INTERVAL_MS;
      // Looking never takes more than half of the process: calls and measurements come first.
      const took_ms = performance.now() - began_ms;
      const rest_ms = Math.max(1, interval_ms - took_ms, took_ms);
      await new Promise((resolve) => setTimeout(resolve, rest_ms));
    }
    this.#running = false;
  }

  #someoneIsReady(): boolean {
    for (const viewer of this.#viewers) if (viewer.ready) return true;
    return false;
  }

  /** A camera that fails shows in the run's log where it matters; the picture only stands still. */
  async #take(): Promise<Frame | undefined> {
    try {
      return await this.#session.liveFrame();
    } catch {
      return undefined;
    }
  }

  #show(frame: Frame, purpose: FrameHeader["purpose"]): void {
    const ready = [...this.#viewers].filter((viewer) => viewer.ready);
    if (ready.length === 0) return;
    const pitch_um = this.#session.description.pixel_pitch_um;
    const header: LiveFrame = {
      source: `live:${this.#session.handle}`,
      purpose,
      width_px: frame.width_px,
      height_px: frame.height_px,
      bit_depth: frame.bitDepth,
      pixel_pitch_um: pitch_um,
      exposure_ms: frame.exposure_ms,
      ...(this.#position_mm === undefined ? {} : { z_actual_mm: this.#position_mm }),
      t_ms: frame.startedAt_ms,
      sequence: frame.sequence,
      simulated: frame.simulated,
      ...this.#read(frame, purpose),
    };
    for (const viewer of ready) viewer.show(header, frame.samples);
  }

  /** What was found in this frame, or in the newest one before it that was looked at. A dark has no beam to look for. */
  #read(frame: Frame, purpose: FrameHeader["purpose"]): FrameReading & Pick<LiveFrame, "read_sequence"> {
    if (purpose === "dark") return {};
    const now_ms = (): number => performance.now();
    if (this.#reading === undefined || this.#pace.isDue(now_ms(), { purpose, exposure_ms: frame.exposure_ms })) {
      const reading = readFrame(frame, this.#session.description.pixel_pitch_um, this.#kernel, now_ms);
      this.#reading = { reading, sequence: frame.sequence };
      this.#pace.wasRead(now_ms(), reading.analysis_ms ?? 0, { purpose, exposure_ms: frame.exposure_ms });
    }
    return { ...this.#reading.reading, read_sequence: this.#reading.sequence };
  }
}
