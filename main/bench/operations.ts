import type { AcquisitionLabel } from "../../drivers/protocol/beam-camera.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { Frame } from "../../drivers/protocol/frame.ts";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import type { StageState } from "../../drivers/protocol/stage.ts";
import { BenchError } from "../contract/error-codes.ts";
import type { Action } from "./action-lock.ts";
import type { BenchInstruments, LiveSignal } from "./bench-session.ts";
import type { BudgetLedger } from "./budgets.ts";
import { checkFrame, checkedReading } from "./frame-checks.ts";
import type { Limits, Refusal } from "./limits.ts";
import type { Listeners, RunLog } from "./run-log.ts";

/** A command that a limit or budget refuses; turned into a `limit_refused` event where it is caught. */
export class LimitError extends BenchError {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.code, refusal.message, refusal.hint);
    this.refusal = refusal;
  }
}

export interface MoveResult {
  readonly z_actual_mm: number;
  /** From the command until the stage stood still. */
  readonly duration_s: number;
}

export interface OperationsParts {
  readonly instruments: BenchInstruments;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly budgets: BudgetLedger;
  readonly log: RunLog;
  readonly signals: Listeners<LiveSignal>;
  readonly positionTolerance_mm: number;
}

/** Share of an exposure that is done, 0…1. */
type Report = (fraction: number, message: string) => void;

const throwIf = (refusal: Refusal | undefined): void => {
  if (refusal !== undefined) throw new LimitError(refusal);
};

const ofCall = ({ call }: Action): { call?: number } => (call === undefined ? {} : { call });

/**
 * The hands of the bench: the only code that commands instruments. Everything is checked before anything moves, charged to
 * the budgets for what was really done, and recorded. Instrument errors pass through.
 */
export class Operations {
  readonly #parts: OperationsParts;
  z_requested_mm: number | undefined;
  z_actual_mm: number | undefined;
  /** Exposure that the camera says it applied. */
  exposure_ms: number;
  #exposureRequested_ms: number | undefined;
  /** False after a failed exposure: the camera may have been reset. */
  #exposureKnown = true;

  constructor(parts: OperationsParts, state: StageState, exposure_ms: number) {
    this.#parts = parts;
    this.z_requested_mm = state.setpoint_mm;
    this.z_actual_mm = state.position_mm;
    this.exposure_ms = checkedReading(exposure_ms, `${parts.instruments.camera.info.model} (camera)`, "exposure", "ms");
  }

  get stageName(): string {
    return `${this.#parts.instruments.stage.info.model} (stage)`;
  }

  /** Asks the stage where it stands. */
  async locate(): Promise<number | undefined> {
    const { position_mm } = await this.#parts.instruments.stage.readState();
    this.z_actual_mm =
      position_mm === undefined ? undefined : checkedReading(position_mm, this.stageName, "position", "mm");
    return this.z_actual_mm;
  }

  /** Throws `LimitError` when limits, zones or the travel budget forbid the move. */
  checkMove(z_mm: number, from_mm: number | undefined): void {
    throwIf(this.#parts.limits.moveRefusal(z_mm, from_mm));
    if (from_mm !== undefined) throwIf(this.#parts.budgets.refusal("travel_mm", Math.abs(z_mm - from_mm)));
  }

  /** Throws `LimitError` when bounds or the exposure budget forbid that many exposures. */
  checkExposure(exposure_ms: number, frames: number): void {
    throwIf(this.#parts.limits.exposureRefusal(exposure_ms));
    throwIf(this.#parts.budgets.refusal("exposure_s", (frames * exposure_ms) / 1000));
  }

  checkBudget(name: "positions" | "darks" | "views"): void {
    throwIf(this.#parts.budgets.refusal(name, 1));
  }

  /** Moves and reads back. `checkMove` comes before. */
  async move(z_mm: number, action: Action, report: Report): Promise<MoveResult> {
    const { instruments, clock, budgets, limits, log, signals, positionTolerance_mm } = this.#parts;
    // A stop may have come while whoever moves asked for the position, closed the shutter or set the exposure.
    action.signal.throwIfAborted();
    const from_mm = this.z_actual_mm;
    const started_ms = clock.now_ms();
    log.emit("move_started", {
      ...ofCall(action),
      ...(from_mm === undefined ? {} : { z_from_mm: from_mm }),
      z_requested_mm: z_mm,
    });
    this.z_requested_mm = z_mm;
    const ended = (outcome: "arrived" | "stopped" | "failed"): number => {
      const z_actual_mm = this.z_actual_mm;
      const travel_mm = from_mm === undefined || z_actual_mm === undefined ? 0 : Math.abs(z_actual_mm - from_mm);
      const duration_s = (clock.now_ms() - started_ms) / 1000;
      budgets.spend("travel_mm", travel_mm);
      log.emit("move_ended", {
        ...ofCall(action),
        outcome,
        z_requested_mm: z_mm,
        ...(z_actual_mm === undefined ? {} : { z_actual_mm, limit_state: limits.limitState(z_actual_mm) }),
        travel_mm,
        duration_s,
      });
      return duration_s;
    };
    try {
      const state = await instruments.stage.moveTo(z_mm, {
        cancellation: action.signal,
        onProgress: ({ current_mm, initial_mm, target_mm }) => {
          signals.tell({ type: "stage", z_mm: current_mm, target_mm });
          const whole_mm = Math.abs(target_mm - initial_mm);
          const gone = whole_mm > 0 ? Math.abs(current_mm - initial_mm) / whole_mm : 1;
          report(Math.min(1, Math.max(0, gone)), `moving, at ${current_mm.toFixed(2)} mm`);
        },
      });
      if (state.position_mm === undefined) {
        throw new InstrumentError("position_lost", this.stageName, "the move ended and the position is unknown");
      }
      const z_actual_mm = checkedReading(state.position_mm, this.stageName, "position", "mm");
      this.z_actual_mm = z_actual_mm;
      if (Math.abs(z_actual_mm - z_mm) > positionTolerance_mm) {
        throw new InstrumentError(
          "position_error",
          this.stageName,
          `the move to ${z_mm} mm ended at ${z_actual_mm} mm`,
          { name: "z_mm", value: z_actual_mm, unit: "mm", limit: positionTolerance_mm },
          "Look whether something is in the way; home the stage before going on.",
        );
      }
      return { z_actual_mm, duration_s: ended("arrived") };
    } catch (error) {
      // Where it stands after a failure decides what comes next; the failure itself is the news, not a second one.
      await this.locate().catch(() => {
        this.z_actual_mm = undefined;
      });
      ended(action.signal.aborted ? "stopped" : "failed");
      throw error;
    }
  }

  /** Sets the exposure unless it is in force already. `checkExposure` comes before. */
  async expose(exposure_ms: number, action: Action): Promise<number> {
    action.signal.throwIfAborted();
    const { instruments, log } = this.#parts;
    const inForce = exposure_ms === this.#exposureRequested_ms || exposure_ms === this.exposure_ms;
    if (inForce && this.#exposureKnown) return this.exposure_ms;
    const { camera } = instruments;
    const applied_ms = checkedReading(
      await camera.setExposure(exposure_ms),
      `${camera.info.model} (camera)`,
      "exposure",
      "ms",
    );
    this.exposure_ms = applied_ms;
    this.#exposureRequested_ms = exposure_ms;
    this.#exposureKnown = true;
    log.emit("exposure_set", { ...ofCall(action), exposure_requested_ms: exposure_ms, exposure_ms: applied_ms });
    return applied_ms;
  }

  /**
   * Takes frames at the exposure in force and checks each. What was exposed is charged and recorded even when one fails. The caller
   * holds the memory of every frame that it gets.
   */
  async acquire(
    purpose: AcquisitionLabel["purpose"],
    acquisition: number,
    count: number,
    action: Action,
    call: number,
    report: Report,
    firstIndex = 0,
  ): Promise<Frame[]> {
    const { budgets, log } = this.#parts;
    const { exposure_ms, z_actual_mm } = this;
    const frames: Frame[] = [];
    try {
      for (let i = 0; i < count; i++) {
        frames.push(await this.#oneFrame({ purpose, acquisition, frame: firstIndex + i }, action, frames.at(-1)));
        report((i + 1) / count, `frame ${i + 1} of ${count}`);
      }
    } catch (error) {
      this.#exposureKnown = false;
      for (const { memory } of frames) memory?.release();
      throw error;
    } finally {
      budgets.spend("exposure_s", (frames.length * exposure_ms) / 1000);
      log.emit("frames_exposed", {
        call,
        purpose,
        acquisition,
        frames: frames.length,
        frames_asked: count,
        ...(z_actual_mm === undefined ? {} : { z_actual_mm }),
        exposure_ms,
      });
    }
    return frames;
  }

  /** A frame for the window alone: neither charged nor recorded. The caller holds its memory. */
  async glance(acquisition: number, index: number, action: Action): Promise<Frame> {
    return this.#oneFrame({ purpose: "live", acquisition, frame: index }, action, undefined);
  }

  async #oneFrame(label: AcquisitionLabel, action: Action, before: Frame | undefined): Promise<Frame> {
    const { instruments, clock, signals } = this.#parts;
    // A camera that needs no time at all would otherwise never see the cancellation.
    action.signal.throwIfAborted();
    const notBefore_ms = clock.now_ms();
    const frame = await instruments.camera.acquire({ label, cancellation: action.signal });
    try {
      checkFrame(frame, instruments.camera.info, {
        exposure_ms: this.exposure_ms,
        notBefore_ms,
        after: before?.sequence,
      });
    } catch (error) {
      frame.memory?.release();
      throw error;
    }
    signals.tell({ type: "frame", frame, purpose: label.purpose });
    return frame;
  }
}
