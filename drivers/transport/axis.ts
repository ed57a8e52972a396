import type { InstrumentErrorCode } from "../protocol/instrument-error.ts";

/** What a controller says of itself and its axis, in the controller's own millimetres. */
export interface AxisIdentity {
  readonly model: string;
  readonly serialNumber: string;
  readonly firmware?: string;
  readonly travelMin_mm: number;
  readonly travelMax_mm: number;
  readonly velocity_mm_s: number;
  readonly acceleration_mm_s2: number;
  readonly resolution_mm: number;
  /** Longest time that a search for the reference may take. */
  readonly homing_ms: number;
}

/** A fault as the controller names it. */
export interface AxisFault {
  readonly code: InstrumentErrorCode;
  readonly message: string;
  /** What the controller said, verbatim. */
  readonly reply?: string;
  readonly hint?: string;
}

/** One look at the axis. */
export interface AxisStatus {
  /** In the controller's own millimetres; absent where the controller cannot say (GRBL while homing). */
  readonly position_mm?: number;
  readonly moving: boolean;
  readonly homed: boolean;
  /** Motion ended, or cannot begin, because of this. */
  readonly fault?: AxisFault;
  /** Why the reference is gone, where the controller's behaviour tells more than that it is not there. */
  readonly lost?: string;
  readonly warnings: readonly string[];
}

/**
 * One axis of one controller in the controller's own terms: the part of a stage driver that differs from maker to
 * maker. It says and asks, and judges nothing; `ControlledStage` watches the motion. Errors are `InstrumentError`.
 */
export interface Axis {
  /** Name for errors before the controller has said what it is. */
  readonly fallbackName: string;
  readonly linkIsOpen: boolean;
  /**
   * Opens the link and reads what the controller is. Moves nothing, resets nothing, and keeps the reference.
   * @param stopFirst true after a lost connection: whatever moves is stopped before anything else.
   */
  connect(stopFirst: boolean): Promise<AxisIdentity>;
  readStatus(): Promise<AxisStatus>;
  /** Resolves when the controller has accepted the command; the search itself goes on. */
  startHome(): Promise<void>;
  /** Resolves when the controller has accepted the target. */
  startMove(target_mm: number): Promise<void>;
  /** Sends the stop at once, past everything that waits. Resolves when it is sent or accepted; the stage may still brake. */
  stop(): Promise<void>;
  disconnect(): Promise<void>;
}
