import type { Cancellation } from "./cancellation.ts";

/** What a stage is and can do. Read once per session; positions are in the bench's coordinates. */
export interface StageInfo {
  readonly model: string;
  readonly serialNumber: string;
  readonly firmware?: string;
  readonly simulated: boolean;
  /** The travel that the controller itself allows. */
  readonly travelMin_mm: number;
  readonly travelMax_mm: number;
  readonly velocity_mm_s: number;
  readonly acceleration_mm_s2: number;
  /** Smallest commanded step. */
  readonly resolution_mm: number;
}

/** Where a stage is and in which condition. Setpoint and readback are different things. */
export interface StageState {
  /** The last target that was accepted; absent before the first move. */
  readonly setpoint_mm?: number;
  /** Readback. Absent while the position is unknown (not homed, reset). */
  readonly position_mm?: number;
  readonly moving: boolean;
  readonly homed: boolean;
  /** Controller warnings in words, empty when there are none. */
  readonly warnings: readonly string[];
}

/** One shape of progress for every long motion. */
export interface MoveProgress {
  readonly initial_mm: number;
  readonly current_mm: number;
  readonly target_mm: number;
  readonly elapsed_ms: number;
}

export interface MoveOptions {
  readonly onProgress?: (progress: MoveProgress) => void;
  /** Cancelling stops the stage with its own deceleration; the move then fails with `cancelled`. */
  readonly cancellation?: Cancellation;
}

/**
 * A linear stage that carries the camera along the beam. Errors are `InstrumentError`.
 * `moveTo` and `home` resolve when the stage stands still at its target, with the readback taken after that.
 */
export interface Stage {
  readonly info: StageInfo;
  readState(): Promise<StageState>;
  home(options?: MoveOptions): Promise<StageState>;
  moveTo(target_mm: number, options?: MoveOptions): Promise<StageState>;
  /** Works at any moment, also while a move runs; resolves when the stage stands still. */
  stop(): Promise<StageState>;
  close(): Promise<void>;
}
