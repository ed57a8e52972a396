import type { AcquireOptions, BeamCamera, BeamCameraInfo } from "../../drivers/protocol/beam-camera.ts";
import type { BeamShutter } from "../../drivers/protocol/beam-shutter.ts";
import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { Frame } from "../../drivers/protocol/frame.ts";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import type { MoveOptions, Stage, StageInfo, StageState } from "../../drivers/protocol/stage.ts";

/* Small instruments for the tests of this folder: a clean round beam on a coarse sensor, and failures on demand. */

/** Lets everything run that does not wait for a clock. */
export const quiet = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await new Promise<void>((resolve) => setImmediate(resolve));
};

/** Jumps to whoever is due first when everybody waits (`free`), or stands until a test moves it. */
export class TestClock implements Clock {
  free: boolean;
  #now_ms = 0;
  #sleepers: { due_ms: number; wake: () => void }[] = [];
  #jumping = false;

  constructor(free = true) {
    this.free = free;
  }

  now_ms(): number {
    return this.#now_ms;
  }

  async wait(duration_ms: number, cancellation?: Cancellation): Promise<void> {
    if (cancellation?.aborted === true) return;
    const woken = new Promise<void>((resolve) => {
      const sleeper = { due_ms: this.#now_ms + duration_ms, wake: resolve };
      this.#sleepers.push(sleeper);
      this.#sleepers.sort((a, b) => a.due_ms - b.due_ms);
      cancellation?.addEventListener(
        "abort",
        () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
          resolve();
        },
        { once: true },
      );
    });
    this.#jump();
    await woken;
  }

  /** Moves time, waking everybody at the instant at which they are due. */
  async advance(duration_ms: number): Promise<void> {
    const until_ms = this.#now_ms + duration_ms;
    await quiet();
    for (let next = this.#sleepers[0]; next !== undefined && next.due_ms <= until_ms; next = this.#sleepers[0]) {
      this.#sleepers.shift();
      this.#now_ms = Math.max(this.#now_ms, next.due_ms);
      next.wake();
      await quiet();
    }
    this.#now_ms = until_ms;
  }

  #jump(): void {
    if (!this.free || this.#jumping) return;
    this.#jumping = true;
    setImmediate(() => {
      this.#jumping = false;
      const next = this.#sleepers.shift();
      if (next === undefined) return;
      this.#now_ms = Math.max(this.#now_ms, next.due_ms);
      next.wake();
      this.#jump();
    });
  }
}

export class FakeStage implements Stage {
  readonly info: StageInfo = {
    model: "Fake stage",
    serialNumber: "1",
    simulated: true,
    travelMin_mm: 0,
    travelMax_mm: 250,
    velocity_mm_s: 20,
    acceleration_mm_s2: 100,
    resolution_mm: 0.001,
  };
  /** Every command that reached the stage. */
  readonly commands: string[] = [];
  position_mm: number | undefined = 0;
  /** Thrown by the next move. */
  fail: InstrumentError | undefined;
  /** Where the next move ends, whatever was asked. */
  endsAt_mm: number | undefined;
  readonly #clock: Clock;
  #setpoint_mm: number | undefined;
  #moving: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get moving(): boolean {
    return this.#moving !== undefined;
  }

  async readState(): Promise<StageState> {
    return {
      ...(this.#setpoint_mm === undefined ? {} : { setpoint_mm: this.#setpoint_mm }),
      ...(this.position_mm === undefined ? {} : { position_mm: this.position_mm }),
      moving: this.moving,
      homed: this.position_mm !== undefined,
      warnings: [],
    };
  }

  async home(): Promise<StageState> {
    this.commands.push("home");
    this.position_mm = 0;
    return this.readState();
  }

  async moveTo(target_mm: number, { onProgress, cancellation }: MoveOptions = {}): Promise<StageState> {
    this.commands.push(`move ${target_mm}`);
    if (this.moving) throw new InstrumentError("busy", "Fake stage (stage)", "it moves already");
    const fail = this.fail;
    this.fail = undefined;
    if (fail !== undefined) throw fail;
    const stop = new AbortController();
    this.#moving = stop;
    const halt = (): void => stop.abort();
    cancellation?.addEventListener("abort", halt, { once: true });
    const initial_mm = this.position_mm ?? 0;
    const started_ms = this.#clock.now_ms();
    this.#setpoint_mm = target_mm;
    try {
      while (this.position_mm !== target_mm) {
        const from_mm = this.position_mm ?? 0;
        const step_mm = Math.min(1, Math.abs(target_mm - from_mm));
        await this.#clock.wait((step_mm / this.info.velocity_mm_s) * 1000, stop.signal);
        if (stop.signal.aborted) throw new InstrumentError("cancelled", "Fake stage (stage)", "the move was cancelled");
        this.position_mm = from_mm + Math.sign(target_mm - from_mm) * step_mm;
        const elapsed_ms = this.#clock.now_ms() - started_ms;
        onProgress?.({ initial_mm, current_mm: this.position_mm, target_mm, elapsed_ms });
      }
    } finally {
      this.#moving = undefined;
      cancellation?.removeEventListener("abort", halt);
    }
    if (this.endsAt_mm !== undefined) this.position_mm = this.endsAt_mm;
    this.endsAt_mm = undefined;
    return this.readState();
  }

  async stop(): Promise<StageState> {
    this.commands.push("stop");
    this.#moving?.abort();
    return this.readState();
  }

  async close(): Promise<void> {
    this.commands.push("close");
  }
}

/** A round beam with its waist at 120 mm: d0 = 240 µm, zR = 40 mm, so M² = 1.131 at 1000 nm. */
const WAIST = { z0_mm: 120, d0_um: 240, rayleigh_mm: 40 };
export const FAKE_WAVELENGTH_NM = 1000;
export const FAKE_M2 = 1.131;

export class FakeCamera implements BeamCamera {
  readonly info: BeamCameraInfo = {
    model: "Fake camera",
    serialNumber: "2",
    simulated: true,
    width_px: 200,
    height_px: 160,
    pixelPitch_um: 10,
    bitDepth: 12,
    pixelFormat: "Mono12",
    exposureMin_ms: 0.02,
    exposureMax_ms: 1000,
  };
  /** Labels of every exposure. */
  readonly labels: AcquireOptions["label"][] = [];
  /** Changes a frame on its way out, or throws. */
  distort: ((frame: Frame) => Frame) | undefined;
  /** Frames come even when the exposure was cancelled. */
  deaf = false;
  readonly #clock: Clock;
  readonly #stage: FakeStage;
  readonly #shutter: FakeShutter;
  #exposure_ms = 1;
  #sequence = 0;

  constructor(clock: Clock, stage: FakeStage, shutter: FakeShutter) {
    this.#clock = clock;
    this.#stage = stage;
    this.#shutter = shutter;
  }

  async setExposure(exposure_ms: number): Promise<number> {
    // In steps of 10 µs, as sensors do.
    this.#exposure_ms = Math.round(exposure_ms * 100) / 100;
    return this.#exposure_ms;
  }

  async readExposure(): Promise<number> {
    return this.#exposure_ms;
  }

  async acquire({ label, cancellation }: AcquireOptions): Promise<Frame> {
    this.labels.push(label);
    const startedAt_ms = this.#clock.now_ms();
    await this.#clock.wait(this.#exposure_ms, this.deaf ? undefined : cancellation);
    if (cancellation?.aborted === true && !this.deaf) {
      throw new InstrumentError("cancelled", "Fake camera (camera)", "the exposure was cancelled");
    }
    const frame: Frame = {
      width_px: this.info.width_px,
      height_px: this.info.height_px,
      samples: this.#expose(label.acquisition * 101 + label.frame),
      bitDepth: this.info.bitDepth,
      exposure_ms: this.#exposure_ms,
      startedAt_ms,
      sequence: this.#sequence++,
      simulated: true,
    };
    return this.distort?.(frame) ?? frame;
  }

  async close(): Promise<void> {
    this.labels.length = 0;
  }

  #expose(seed: number): Uint16Array {
    const { width_px, height_px, pixelPitch_um } = this.info;
    const samples = new Uint16Array(width_px * height_px);
    const distance = ((this.#stage.position_mm ?? 0) - WAIST.z0_mm) / WAIST.rayleigh_mm;
    const w_px = (WAIST.d0_um * Math.hypot(1, distance)) / 2 / pixelPitch_um;
    const peak = this.#shutter.open ? 2500 * this.#exposure_ms * (WAIST.d0_um / 2 / pixelPitch_um / w_px) ** 2 : 0;
    let state = seed + 1;
    for (let row = 0; row < height_px; row++) {
      for (let column = 0; column < width_px; column++) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        const noise = (state / 2 ** 32 - 0.5) * 8;
        const r2 = (column - 100) ** 2 + (row - 80) ** 2;
        const counts = Math.round(64 + noise + peak * Math.exp((-2 * r2) / (w_px * w_px)));
        samples[row * width_px + column] = Math.min(4095, Math.max(0, counts));
      }
    }
    return samples;
  }
}

export class FakeShutter implements BeamShutter {
  readonly model = "Fake shutter";
  readonly simulated = true;
  open = true;
  /** Thrown by the next opening. */
  fail: InstrumentError | undefined;

  async setOpen(open: boolean): Promise<void> {
    const fail = this.fail;
    if (open && fail !== undefined) {
      this.fail = undefined;
      throw fail;
    }
    this.open = open;
  }

  async close(): Promise<void> {
    this.open = true;
  }
}
