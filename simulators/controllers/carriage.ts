import { AxisMotion } from "./axis-motion.ts";

/**
 * The mechanics behind an emulated controller, in mm from the reference mark. The motor follows the motion that the
 * controller asks for, unless the carriage is jammed or runs against its end.
 */
export class Carriage {
  readonly #motion: AxisMotion;
  readonly end1_mm: number;
  readonly end2_mm: number;
  /** A carriage that is jammed stands here whatever the motor does. */
  #jammed_mm: number | undefined;
  /** The next moves end this far past their target. */
  overshoot_mm = 0;

  constructor(position_mm: number, end1_mm: number, end2_mm: number) {
    this.#motion = new AxisMotion(position_mm);
    this.end1_mm = end1_mm;
    this.end2_mm = end2_mm;
  }

  /** Where the carriage is; an encoder on it shows this. */
  actual_mm(now_ms: number): number {
    return this.#jammed_mm ?? clamp(this.#motion.position_mm(now_ms), this.end1_mm, this.end2_mm);
  }

  /** Where the motor has been told to be; a controller without encoder believes this. */
  commanded_mm(now_ms: number): number {
    return this.#motion.position_mm(now_ms);
  }

  get jammed(): boolean {
    return this.#jammed_mm !== undefined;
  }

  get end_ms(): number {
    return this.#motion.end_ms;
  }

  get target_mm(): number {
    return this.#motion.target_mm;
  }

  isMoving(now_ms: number): boolean {
    return this.#motion.isMoving(now_ms);
  }

  velocity_mm_s(now_ms: number): number {
    return this.#motion.velocity_mm_s(now_ms);
  }

  moveTo(target_mm: number, now_ms: number, velocity_mm_s: number, acceleration_mm_s2: number): void {
    const sign = Math.sign(target_mm - this.#motion.position_mm(now_ms));
    this.#motion.moveTo(target_mm + sign * this.overshoot_mm, now_ms, velocity_mm_s, acceleration_mm_s2);
  }

  swing(amplitude_mm: number, period_s: number, cycles: number, now_ms: number): void {
    this.#motion.swing(amplitude_mm, period_s, cycles, now_ms);
  }

  endSwing(now_ms: number): boolean {
    return this.#motion.endSwing(now_ms);
  }

  stop(now_ms: number, deceleration_mm_s2: number): void {
    this.#motion.stop(now_ms, deceleration_mm_s2);
  }

  /** The motor lets go: the carriage stays where it is, and the motor is where the carriage is. */
  halt(now_ms: number): void {
    this.#motion.place(this.actual_mm(now_ms));
  }

  whenAt(place_mm: number, now_ms: number): number | undefined {
    return this.#motion.whenAt(place_mm, now_ms);
  }

  /** Something holds the carriage. */
  jam(now_ms: number): void {
    this.#jammed_mm = this.actual_mm(now_ms);
  }

  free(now_ms: number): void {
    this.halt(now_ms);
    this.#jammed_mm = undefined;
  }

  /** Somebody pushes the carriage by hand. */
  push(position_mm: number): void {
    this.#motion.place(clamp(position_mm, this.end1_mm, this.end2_mm));
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
