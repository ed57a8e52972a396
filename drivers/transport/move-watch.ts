/** What is known when a move begins; bench coordinates. */
export interface MovePlan {
  readonly initial_mm: number;
  readonly target_mm: number;
  readonly velocity_mm_s: number;
  readonly acceleration_mm_s2: number;
  readonly resolution_mm: number;
  readonly travelMin_mm: number;
  readonly travelMax_mm: number;
  /** Accepted excursion past the target, away from it, or past the limits. */
  readonly excursion_mm: number;
  /** A readback that stands still for this long while the stage says that it moves is a stall. */
  readonly stall_ms: number;
}

/** Why a move cannot be right. "timed_out" is the deadline, everything else a place where the stage must not be. */
export interface MoveVerdict {
  readonly code: "position_error" | "timed_out";
  readonly message: string;
}

/** The deadline is the duration of the motion profile times this, plus a constant for slow starts and corrections. */
const DEADLINE_FACTOR = 2;
const DEADLINE_EXTRA_ms = 5000;

/** Time that a trapezoidal profile needs from rest to rest. */
function profileDuration_ms({ initial_mm, target_mm, velocity_mm_s, acceleration_mm_s2 }: MovePlan): number {
  const distance_mm = Math.abs(target_mm - initial_mm);
  const ramps_mm = (velocity_mm_s * velocity_mm_s) / acceleration_mm_s2;
  const duration_s =
    distance_mm >= ramps_mm
      ? distance_mm / velocity_mm_s + velocity_mm_s / acceleration_mm_s2
      : 2 * Math.sqrt(distance_mm / acceleration_mm_s2);
  return duration_s * 1000;
}

/** Judges the readbacks of one move: deadline, progress, direction, overshoot and limits. */
export class MoveWatch {
  readonly #plan: MovePlan;
  readonly #started_ms: number;
  readonly deadline_ms: number;
  #progressAt_ms: number;
  #progress_mm: number;

  constructor(plan: MovePlan, now_ms: number) {
    this.#plan = plan;
    this.#started_ms = now_ms;
    this.#progressAt_ms = now_ms;
    this.#progress_mm = plan.initial_mm;
    this.deadline_ms = profileDuration_ms(plan) * DEADLINE_FACTOR + DEADLINE_EXTRA_ms;
  }

  /** The first thing that is wrong with this readback, or undefined. */
  judge(current_mm: number, now_ms: number): MoveVerdict | undefined {
    const { initial_mm, target_mm, excursion_mm, resolution_mm, travelMin_mm, travelMax_mm, stall_ms } = this.#plan;
    const place = `at ${format(current_mm)} mm on the way from ${format(initial_mm)} to ${format(target_mm)} mm`;
    // A stage that begins outside its soft limits, as at its home switch, is on its way in.
    const low_mm = Math.min(travelMin_mm, initial_mm) - excursion_mm;
    const high_mm = Math.max(travelMax_mm, initial_mm) + excursion_mm;
    if (current_mm < low_mm || current_mm > high_mm) {
      return { code: "position_error", message: `the stage is outside its limits, ${place}` };
    }
    const way_mm = Math.abs(target_mm - initial_mm);
    const sign = target_mm >= initial_mm ? 1 : -1;
    const travelled_mm = (current_mm - initial_mm) * sign;
    if (travelled_mm < -excursion_mm) {
      return { code: "position_error", message: `the stage moves away from its target, ${place}` };
    }
    if (travelled_mm > way_mm + excursion_mm) {
      return { code: "position_error", message: `the stage ran past its target, ${place}` };
    }
    if (now_ms - this.#started_ms > this.deadline_ms) {
      return {
        code: "timed_out",
        message: `the stage has not arrived after ${Math.round(this.deadline_ms)} ms, ${place}`,
      };
    }
    if (Math.abs(current_mm - this.#progress_mm) > resolution_mm) {
      this.#progress_mm = current_mm;
      this.#progressAt_ms = now_ms;
    } else if (now_ms - this.#progressAt_ms > stall_ms && Math.abs(current_mm - target_mm) > resolution_mm) {
      return { code: "position_error", message: `the stage has stalled, ${place}` };
    }
    return undefined;
  }
}

function format(value_mm: number): string {
  return String(Math.round(value_mm * 1e4) / 1e4);
}
