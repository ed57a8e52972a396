import type { Cancellation } from "../../drivers/protocol/cancellation.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import type { MoveOptions, Stage, StageInfo, StageState } from "../../drivers/protocol/stage.ts";
import { braking, type Motion, trapezoid } from "./trapezoid.ts";

const NAME = "Simulated stage";
/** Longest time between two reports of progress. */
const REPORT_ms = 50;

const INFO: StageInfo = {
  model: NAME,
  serialNumber: "SIM-STAGE",
  simulated: true,
  travelMin_mm: 0,
  travelMax_mm: 250,
  velocity_mm_s: 20,
  acceleration_mm_s2: 100,
  resolution_mm: 0.001,
};

/** A running move, and what ends it from outside. */
interface Move {
  readonly target_mm: number;
  readonly initial_mm: number;
  readonly started_ms: number;
  stopped: string | undefined;
}

/**
 * A linear stage of 250 mm. It stands homed at 0 when the session begins; its position is a function of the instant, so
 * that a frame taken in motion sees where it was. Its readback is the encoder's, in steps of 1 µm; where the carriage
 * really stands within the repeatability is known to the world alone.
 */
export class SimulatedStage implements Stage {
  readonly info: StageInfo = INFO;
  readonly #clock: Clock;
  #motion: Motion;
  #move: Move | undefined;
  #setpoint_mm: number | undefined;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#motion = trapezoid(0, 0, clock.now_ms(), INFO.velocity_mm_s, INFO.acceleration_mm_s2);
  }

  /** Where the encoder sees the carriage at this instant. */
  encoder_mm(): number {
    return quantise_mm(this.#motion.position_mm(this.#clock.now_ms()));
  }

  async readState(): Promise<StageState> {
    this.#checkOpen();
    return this.#state();
  }

  async home(options: MoveOptions = {}): Promise<StageState> {
    return this.#travel(INFO.travelMin_mm, options);
  }

  async moveTo(target_mm: number, options: MoveOptions = {}): Promise<StageState> {
    if (!(target_mm >= INFO.travelMin_mm && target_mm <= INFO.travelMax_mm)) {
      throw new InstrumentError(
        "out_of_range",
        NAME,
        `the target ${target_mm} mm is outside the travel of ${INFO.travelMin_mm} to ${INFO.travelMax_mm} mm`,
        {
          name: "target_mm",
          value: target_mm,
          unit: "mm",
          limit: target_mm < INFO.travelMin_mm ? INFO.travelMin_mm : INFO.travelMax_mm,
        },
        "choose a target inside the travel",
      );
    }
    return this.#travel(target_mm, options);
  }

  async stop(): Promise<StageState> {
    this.#checkOpen();
    this.#brake("stopped by command");
    await this.#clock.wait(Math.max(0, this.#motion.end_ms - this.#clock.now_ms()));
    return this.#state();
  }

  async close(): Promise<void> {
    this.#brake("the stage was closed");
    this.#closed = true;
  }

  async #travel(target_mm: number, { onProgress, cancellation }: MoveOptions): Promise<StageState> {
    this.#checkOpen();
    if (cancellation?.aborted === true) {
      throw new InstrumentError("cancelled", NAME, "the move was cancelled before it began");
    }
    if (this.#move !== undefined || this.#isMoving()) {
      throw new InstrumentError("busy", NAME, "the stage is moving already", {}, "wait for it or stop it");
    }
    const started_ms = this.#clock.now_ms();
    const end_mm = quantise_mm(target_mm);
    const initial_mm = this.#motion.position_mm(started_ms);
    const move: Move = { target_mm, initial_mm, started_ms, stopped: undefined };
    this.#move = move;
    this.#setpoint_mm = target_mm;
    this.#motion = trapezoid(initial_mm, end_mm, started_ms, INFO.velocity_mm_s, INFO.acceleration_mm_s2);
    const cancel = (): void => this.#brake("the move was cancelled");
    cancellation?.addEventListener("abort", cancel, { once: true });
    try {
      await this.#watch(move, onProgress, cancellation);
    } finally {
      cancellation?.removeEventListener("abort", cancel);
      this.#move = undefined;
    }
    if (move.stopped !== undefined) {
      const position_mm = this.encoder_mm();
      throw new InstrumentError(
        "cancelled",
        NAME,
        `${move.stopped} at ${position_mm} mm on the way to ${target_mm} mm`,
        { name: "position_mm", value: position_mm, unit: "mm" },
        "read the position before the next move",
      );
    }
    return this.#state();
  }

  async #watch(
    move: Move,
    onProgress: MoveOptions["onProgress"],
    cancellation: Cancellation | undefined,
  ): Promise<void> {
    while (this.#isMoving()) {
      const left_ms = this.#motion.end_ms - this.#clock.now_ms();
      // While braking the time has to pass, whatever the cancellation says.
      await this.#clock.wait(Math.min(REPORT_ms, left_ms), move.stopped === undefined ? cancellation : undefined);
      onProgress?.({
        initial_mm: quantise_mm(move.initial_mm),
        current_mm: this.encoder_mm(),
        target_mm: move.target_mm,
        elapsed_ms: this.#clock.now_ms() - move.started_ms,
      });
    }
  }

  /** Decelerates from wherever the carriage is; a stage at rest stays. */
  #brake(why: string): void {
    if (this.#move === undefined || this.#move.stopped !== undefined) return;
    const now_ms = this.#clock.now_ms();
    if (now_ms >= this.#motion.end_ms) return;
    this.#move.stopped = why;
    this.#motion = braking(
      this.#motion.position_mm(now_ms),
      this.#motion.velocity_mm_s(now_ms),
      now_ms,
      INFO.acceleration_mm_s2,
    );
  }

  #isMoving(): boolean {
    return this.#clock.now_ms() < this.#motion.end_ms;
  }

  #state(): StageState {
    return {
      ...(this.#setpoint_mm === undefined ? {} : { setpoint_mm: this.#setpoint_mm }),
      position_mm: this.encoder_mm(),
      moving: this.#isMoving(),
      homed: true,
      warnings: [],
    };
  }

  #checkOpen(): void {
    if (this.#closed) throw new InstrumentError("not_connected", NAME, "the stage has been closed");
  }
}

/** To the encoder's steps of 1 µm, without the dust of binary fractions. */
function quantise_mm(position_mm: number): number {
  return Math.round(position_mm * 1000) / 1000;
}
