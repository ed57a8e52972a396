import type { StageCalibration, StageOptions } from "./stage-options.ts";

/** The straight line between the controller's millimetres and the bench's, and back. */
export class BenchCoordinates {
  /** Bench millimetres per controller millimetre, with the sign of the direction. */
  readonly slope: number;
  readonly zero_mm: number;

  /** Throws a RangeError for a scale that is not above zero. */
  constructor({ scale = 1, direction = 1, zero_mm = 0 }: StageCalibration = {}) {
    if (!(scale > 0) || !Number.isFinite(scale) || !Number.isFinite(zero_mm)) {
      throw new RangeError(
        `the calibration needs a scale above zero and a finite zero, got ${scale} and ${zero_mm} mm`,
      );
    }
    this.slope = scale * direction;
    this.zero_mm = zero_mm;
  }

  toBench(device_mm: number): number {
    return this.zero_mm + this.slope * device_mm;
  }

  toDevice(bench_mm: number): number {
    return (bench_mm - this.zero_mm) / this.slope;
  }

  /** A length, velocity or acceleration without its sign. */
  lengthToBench(device_mm: number): number {
    return device_mm * Math.abs(this.slope);
  }
}

/** The velocity and acceleration that the options ask for, in the controller's own millimetres. */
export function requestedMotion(options: StageOptions): {
  readonly velocity_mm_s: number | undefined;
  readonly acceleration_mm_s2: number | undefined;
} {
  const slope = Math.abs(new BenchCoordinates(options.calibration).slope);
  const toDevice = (value: number | undefined): number | undefined => (value === undefined ? undefined : value / slope);
  return {
    velocity_mm_s: toDevice(options.velocity_mm_s),
    acceleration_mm_s2: toDevice(options.acceleration_mm_s2),
  };
}
