/** How the controller's own millimetres map to the bench's: `bench = zero_mm + direction · scale · controller`. */
export interface StageCalibration {
  /** Bench millimetres per millimetre that the controller counts; from a comparison with a ruler or interferometer. */
  readonly scale?: number;
  /** −1 when the controller counts against the direction of the beam. */
  readonly direction?: 1 | -1;
  /** Bench position of the controller's zero. */
  readonly zero_mm?: number;
}

/** A stretch of the bench that the stage may neither enter nor cross. */
export interface KeepOutZone {
  readonly from_mm: number;
  readonly to_mm: number;
  /** What is there, for the error message. */
  readonly reason?: string;
}

/** What every stage driver takes from the bench file. Positions are in the bench's coordinates. */
export interface StageOptions {
  /** Role on the bench, for error messages. "stage" when absent. */
  readonly role?: string;
  /** Name of the stage for people, "Zaber X-LSM150A"; what the controller says of itself when absent. */
  readonly model?: string;
  readonly calibration?: StageCalibration;
  readonly softMin_mm?: number;
  readonly softMax_mm?: number;
  readonly keepOut?: readonly KeepOutZone[];
  /** Velocity and acceleration to set at connection; the controller's own when absent. */
  readonly velocity_mm_s?: number;
  readonly acceleration_mm_s2?: number;
  /** Largest accepted difference of target and readback at the end of a move. */
  readonly tolerance_mm?: number;
  /** Largest accepted excursion past the target, or away from it, while moving. */
  readonly excursion_mm?: number;
  /** A move whose readback does not change for this long has stalled. */
  readonly stall_ms?: number;
  /** Time between two looks at a moving stage. */
  readonly poll_ms?: number;
}
