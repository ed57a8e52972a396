import { setTimeout } from "node:timers/promises";
import type { Frame } from "../../../drivers/protocol/frame.ts";
import type { BenchSession } from "../../bench/bench-session.ts";
import type { FrameDetail, FrameHeader } from "../../contract/window-frame.ts";
import type { FrameTasks } from "../live-chain/frame-tasks.ts";
import type { FrameReading } from "./read-frame.ts";
import { ReadingPace } from "./reading-pace.ts";

/** What a viewer is sent; it adds its own count. */
export type LiveFrame = Omit<FrameHeader, "number" | "skipped" | "reply">;

export type FrameSamples = Pick<Frame, "samples" | "memory">;

export interface Viewer {
  /** How many frames may come before one of the last is on the screen; none beyond them would be seen. */
  readonly room: number;
  /** How much of a frame it can show. */
  readonly detail: FrameDetail;
  /** Whoever wants the samples after the call returns holds their memory. */
  show(header: LiveFrame, frame: FrameSamples): void;
}

interface Glimpse extends FrameSamples {
  readonly facts: Pick<FrameHeader, "reduction" | "region" | "rim_counts" | "pointer">;
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
  readonly #tasks: Pick<FrameTasks, "read" | "reduce">;
  readonly #interval_ms: number;
  readonly #viewers = new Set<Viewer>();
  readonly #unwatch: () => void;
  readonly #pace = new ReadingPace();
  #reading: { readonly reading: FrameReading; readonly sequence: number; readonly exposure_ms: number } | undefined;
  #position_mm: number | undefined;
  #running = false;
  #looking = false;
  #readsElsewhere = false;
  #underWay: Promise<void> | undefined;
  #closed = false;
  #wake: () => void = () => undefined;

  constructor(session: BenchSession, tasks: Pick<FrameTasks, "read" | "reduce">, interval_ms = FRAME_INTERVAL_MS) {
    this.#session = session;
    this.#tasks = tasks;
    this.#interval_ms = interval_ms;
    this.#position_mm = session.snapshot().z_actual_mm;
    this.#unwatch = session.watch((signal) => {
      if (signal.type === "stage") this.#position_mm = signal.z_mm;
      else if (signal.type === "frame" && signal.purpose !== "live") {
        void this.#show(signal.frame, signal.purpose);
      }
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
    let shown: Promise<void> = Promise.resolve();
    let due_ms = performance.now();
    while (!this.#closed && this.#viewers.size > 0) {
      if (!this.#someoneIsReady()) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      const began_ms = performance.now();
      const frame = await this.#take();
      await shown;
      if (frame !== undefined) {
        this.#position_mm = this.#session.snapshot().z_actual_mm ?? this.#position_mm;
        // Where frames are looked at elsewhere, the next one is exposed meanwhile.
        shown = this.#show(frame, "live").finally(() => frame.memory?.release());
      }
      const now_ms = performance.now();
      due_ms = Math.max(now_ms, due_ms + (frame === undefined ? BUSY_INTERVAL_MS : this.#interval_ms));
      // Looking never takes more than half of the process: calls and measurements come first.
      const rest_ms = this.#readsElsewhere ? due_ms - now_ms : Math.max(due_ms - now_ms, now_ms - began_ms);
      await setTimeout(Math.max(1, rest_ms));
    }
    await shown;
    this.#running = false;
  }

  #someoneIsReady(): boolean {
    // The frame that is looked at will take its place.
    const taken = this.#looking ? 1 : 0;
    for (const viewer of this.#viewers) if (viewer.room > taken) return true;
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

  /** Shows a frame to those who are ready now, once it has been looked at. Frames that come meanwhile are passed over. */
  async #show(frame: Frame, purpose: FrameHeader["purpose"]): Promise<void> {
    const ready = [...this.#viewers].filter((viewer) => viewer.room > 0);
    if (ready.length === 0 || this.#looking) return;
    const pitch_um = this.#session.description.pixel_pitch_um;
    const facts = {
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
    };
    this.#looking = true;
    const smaller = new Map<Viewer, Glimpse>();
    frame.memory?.hold();
    try {
      const reading = purpose === "dark" ? {} : await this.#read(frame, purpose);
      await this.#reduce(frame, ready, smaller);
      for (const viewer of ready) {
        if (!this.#viewers.has(viewer)) continue;
        const header = { ...facts, ...reading };
        const reduced = smaller.get(viewer);
        if (reduced === undefined) show(viewer, header, frame);
        else show(viewer, { ...header, ...reduced.facts }, reduced);
      }
    } catch {
      // What reduces frames has ended: a new one takes over with the next frame.
    } finally {
      for (const { memory } of smaller.values()) memory?.release();
      frame.memory?.release();
      this.#looking = false;
      this.#wake();
    }
  }

  /** Fills in what those viewers can show of the frame, where that is less than all of it. */
  async #reduce(frame: Frame, viewers: readonly Viewer[], smaller: Map<Viewer, Glimpse>): Promise<void> {
    for (const viewer of viewers) {
      const { detail } = viewer;
      if (detail.reduction === 1 && detail.region === undefined) continue;
      const { samples, memory, ...rest } = await this.#tasks.reduce(frame, detail);
      const facts = { reduction: detail.reduction, ...rest };
      smaller.set(viewer, { samples, facts, ...(memory === undefined ? {} : { memory }) });
    }
  }

  /**
   * What was found in this frame, or in the newest one before it that was looked at, unless that had another exposure: its numbers
   * and flags would contradict the picture. In this thread frames are looked at now and then;
   * elsewhere one after the other, and a frame waits for its own reading no longer than for the next frame.
   */
  async #read(frame: Frame, purpose: FrameHeader["purpose"]): Promise<FrameReading & Pick<LiveFrame, "read_sequence">> {
    const circumstances = { purpose, exposure_ms: frame.exposure_ms };
    const isDue = this.#readsElsewhere || this.#pace.isDue(performance.now(), circumstances);
    if (this.#reading === undefined || (isDue && this.#underWay === undefined)) {
      const looked = this.#lookAt(frame, circumstances).finally(() => {
        this.#underWay = undefined;
      });
      this.#underWay = looked;
      if (this.#readsElsewhere && this.#reading !== undefined) {
        await Promise.race([looked, setTimeout(this.#interval_ms, undefined, { ref: false })]);
      } else await looked;
    }
    if (this.#reading?.exposure_ms !== frame.exposure_ms) return {};
    return { ...this.#reading.reading, read_sequence: this.#reading.sequence };
  }

  /** A reading that cannot be had leaves the one before. */
  async #lookAt(frame: Frame, circumstances: Parameters<ReadingPace["wasRead"]>[2]): Promise<void> {
    try {
      const coming = this.#tasks.read(frame, this.#session.description.pixel_pitch_um);
      this.#readsElsewhere = coming instanceof Promise;
      const reading = await coming;
      this.#reading = { reading, sequence: frame.sequence, exposure_ms: frame.exposure_ms };
      this.#pace.wasRead(performance.now(), reading.analysis_ms ?? 0, circumstances);
    } catch {
      // The worker has ended; a new one takes over with the next frame.
    }
  }
}

function show(viewer: Viewer, header: LiveFrame, frame: FrameSamples): void {
  try {
    viewer.show(header, frame);
  } catch {
    // A window that cannot be reached keeps no frame from the others; its connection ends by itself.
  }
}
