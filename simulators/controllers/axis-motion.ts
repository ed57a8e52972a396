/** A stretch of constant acceleration, in mm and s. */
interface Segment {
  readonly start_s: number;
  readonly duration_s: number;
  readonly x_mm: number;
  readonly v_mm_s: number;
  readonly a_mm_s2: number;
}

/** A sinusoidal motion that begins and ends at rest at `x_mm` and reaches twice the amplitude from there. */
interface Swing {
  readonly start_s: number;
  readonly x_mm: number;
  readonly amplitude_mm: number;
  readonly period_s: number;
  readonly cycles: number;
}

/**
 * Motion with trapezoidal velocity, or a sinusoidal one, as a function of the instant: nothing is integrated step by
 * step, so a position is exact at any time and in any order of asking. A new target in motion starts from the present
 * velocity.
 */
export class AxisMotion {
  #segments: Segment[] = [];
  #swing: Swing | undefined;
  #rest_mm: number;

  constructor(position_mm: number) {
    this.#rest_mm = position_mm;
  }

  /** Where the motion ends, or the place of rest. */
  get target_mm(): number {
    return this.#rest_mm;
  }

  /** When the motion ends; in the past for an axis at rest. */
  get end_ms(): number {
    if (this.#swing !== undefined) {
      return (this.#swing.start_s + this.#swing.cycles * this.#swing.period_s) * 1000;
    }
    const last = this.#segments.at(-1);
    return last === undefined ? Number.NEGATIVE_INFINITY : (last.start_s + last.duration_s) * 1000;
  }

  isMoving(now_ms: number): boolean {
    return now_ms < this.end_ms;
  }

  position_mm(now_ms: number): number {
    const phase = this.#phase(now_ms);
    if (this.#swing !== undefined && phase !== undefined) {
      return this.#swing.x_mm + this.#swing.amplitude_mm * (1 - Math.cos(phase));
    }
    const segment = this.#segmentAt(now_ms);
    if (segment === undefined) {
      return this.#rest_mm;
    }
    const t_s = now_ms / 1000 - segment.start_s;
    return segment.x_mm + segment.v_mm_s * t_s + (segment.a_mm_s2 * t_s * t_s) / 2;
  }

  velocity_mm_s(now_ms: number): number {
    const phase = this.#phase(now_ms);
    if (this.#swing !== undefined && phase !== undefined) {
      return ((2 * Math.PI * this.#swing.amplitude_mm) / this.#swing.period_s) * Math.sin(phase);
    }
    const segment = this.#segmentAt(now_ms);
    return segment === undefined ? 0 : segment.v_mm_s + segment.a_mm_s2 * (now_ms / 1000 - segment.start_s);
  }

  /** Goes to the target with the given limits. Brakes and comes back when it is too close to stop in time. */
  moveTo(target_mm: number, now_ms: number, velocity_mm_s: number, acceleration_mm_s2: number): void {
    const x_mm = this.position_mm(now_ms);
    const v_mm_s = this.velocity_mm_s(now_ms);
    const a = acceleration_mm_s2;
    this.#segments = [];
    this.#swing = undefined;
    this.#rest_mm = target_mm;
    const braking_mm = (v_mm_s * Math.abs(v_mm_s)) / (2 * a);
    const sign = Math.sign(target_mm - x_mm) || 1;
    const wrongWay = v_mm_s * sign < 0 || Math.abs(braking_mm) > Math.abs(target_mm - x_mm) + 1e-12;
    let start_s = now_ms / 1000;
    const add = (duration_s: number, from_mm: number, from_mm_s: number, accel: number): void => {
      if (duration_s > 0) {
        this.#segments.push({ start_s, duration_s, x_mm: from_mm, v_mm_s: from_mm_s, a_mm_s2: accel });
        start_s += duration_s;
      }
    };
    if (wrongWay && v_mm_s !== 0) {
      add(Math.abs(v_mm_s) / a, x_mm, v_mm_s, -Math.sign(v_mm_s) * a);
      this.#fromRest(x_mm + braking_mm, target_mm, velocity_mm_s, a, add);
      return;
    }
    const distance_mm = Math.abs(target_mm - x_mm);
    const v0 = Math.abs(v_mm_s);
    if (v0 > velocity_mm_s) {
      const slow_s = (v0 - velocity_mm_s) / a;
      const slow_mm = ((v0 + velocity_mm_s) / 2) * slow_s;
      add(slow_s, x_mm, v_mm_s, -sign * a);
      const brake_mm = (velocity_mm_s * velocity_mm_s) / (2 * a);
      const cruise_mm = Math.max(0, distance_mm - slow_mm - brake_mm);
      add(cruise_mm / velocity_mm_s, x_mm + sign * slow_mm, sign * velocity_mm_s, 0);
      add(velocity_mm_s / a, x_mm + sign * (slow_mm + cruise_mm), sign * velocity_mm_s, -sign * a);
      return;
    }
    const peak = Math.min(velocity_mm_s, Math.sqrt(a * distance_mm + (v0 * v0) / 2));
    const rise_mm = (peak * peak - v0 * v0) / (2 * a);
    const brake_mm = (peak * peak) / (2 * a);
    const cruise_mm = Math.max(0, distance_mm - rise_mm - brake_mm);
    add((peak - v0) / a, x_mm, v_mm_s, sign * a);
    add(peak > 0 ? cruise_mm / peak : 0, x_mm + sign * rise_mm, sign * peak, 0);
    add(peak / a, x_mm + sign * (rise_mm + cruise_mm), sign * peak, -sign * a);
  }

  /** Brakes with the given deceleration. */
  stop(now_ms: number, deceleration_mm_s2: number): void {
    const x_mm = this.position_mm(now_ms);
    const v_mm_s = this.velocity_mm_s(now_ms);
    if (v_mm_s === 0) {
      this.place(x_mm);
      return;
    }
    const duration_s = Math.abs(v_mm_s) / deceleration_mm_s2;
    this.#swing = undefined;
    this.#segments = [
      { start_s: now_ms / 1000, duration_s, x_mm, v_mm_s, a_mm_s2: -Math.sign(v_mm_s) * deceleration_mm_s2 },
    ];
    this.#rest_mm = x_mm + (v_mm_s * duration_s) / 2;
  }

  /** Stands still at once, as a motor without current or a jammed carriage does. */
  place(position_mm: number): void {
    this.#segments = [];
    this.#swing = undefined;
    this.#rest_mm = position_mm;
  }

  /**
   * Swings from rest between here and twice the amplitude away (mm, either sign), `cycles` times (≥ 1, may be infinite)
   * with a period in s.
   */
  swing(amplitude_mm: number, period_s: number, cycles: number, now_ms: number): void {
    const x_mm = this.position_mm(now_ms);
    this.place(x_mm);
    this.#swing = { start_s: now_ms / 1000, x_mm, amplitude_mm, period_s, cycles };
  }

  /** Lets a swing end with the cycle under way; false where there is none. */
  endSwing(now_ms: number): boolean {
    const swing = this.#swing;
    if (swing === undefined || !this.isMoving(now_ms)) {
      return false;
    }
    const cycles = Math.ceil((now_ms / 1000 - swing.start_s) / swing.period_s - 1e-9);
    this.#swing = { ...swing, cycles: Math.min(swing.cycles, Math.max(1, cycles)) };
    return true;
  }

  /** First instant from `now_ms` on at which the axis is at the given place, if its present motion leads there. */
  whenAt(place_mm: number, now_ms: number): number | undefined {
    for (const segment of this.#segments) {
      const end_s = segment.start_s + segment.duration_s;
      const from_s = Math.max(segment.start_s, now_ms / 1000);
      for (const t_s of rootsOf(segment, place_mm)) {
        const at_s = segment.start_s + t_s;
        if (at_s >= from_s - 1e-9 && at_s <= end_s + 1e-9) {
          return Math.max(at_s * 1000, now_ms);
        }
      }
    }
    return undefined;
  }

  #fromRest(
    from_mm: number,
    to_mm: number,
    velocity_mm_s: number,
    a: number,
    add: (duration_s: number, x_mm: number, v_mm_s: number, a_mm_s2: number) => void,
  ): void {
    const distance_mm = Math.abs(to_mm - from_mm);
    const sign = Math.sign(to_mm - from_mm) || 1;
    const peak = Math.min(velocity_mm_s, Math.sqrt(a * distance_mm));
    const ramp_mm = (peak * peak) / (2 * a);
    const cruise_mm = Math.max(0, distance_mm - 2 * ramp_mm);
    add(peak / a, from_mm, 0, sign * a);
    add(peak > 0 ? cruise_mm / peak : 0, from_mm + sign * ramp_mm, sign * peak, 0);
    add(peak / a, from_mm + sign * (ramp_mm + cruise_mm), sign * peak, -sign * a);
  }

  /** How far the swing under way has come, in rad; undefined where there is none. */
  #phase(now_ms: number): number | undefined {
    const swing = this.#swing;
    if (swing === undefined || now_ms >= this.end_ms) {
      return undefined;
    }
    return (2 * Math.PI * (now_ms / 1000 - swing.start_s)) / swing.period_s;
  }

  #segmentAt(now_ms: number): Segment | undefined {
    const now_s = now_ms / 1000;
    return this.#segments.find((segment) => now_s < segment.start_s + segment.duration_s);
  }
}

/** Times from the start of the segment at which it passes a place, in order. */
function rootsOf({ x_mm, v_mm_s, a_mm_s2 }: Segment, place_mm: number): number[] {
  const c = x_mm - place_mm;
  if (a_mm_s2 === 0) {
    return v_mm_s === 0 ? [] : [-c / v_mm_s];
  }
  const discriminant = v_mm_s * v_mm_s - 2 * a_mm_s2 * c;
  if (discriminant < 0) {
    return [];
  }
  const root = Math.sqrt(discriminant);
  return [(-v_mm_s - root) / a_mm_s2, (-v_mm_s + root) / a_mm_s2].sort((left, right) => left - right);
}
