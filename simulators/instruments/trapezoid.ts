/** A motion from rest to rest, or from a stop's velocity to rest, as a function of the instant. */
export interface Motion {
  /** When it is over, on the same clock as its start. */
  readonly end_ms: number;
  readonly end_mm: number;
  position_mm(at_ms: number): number;
  /** Signed. */
  velocity_mm_s(at_ms: number): number;
}

/**
 * Trapezoidal profile: constant acceleration, cruise, constant deceleration; without the cruise where the way is short.
 * @param velocity_mm_s,acceleration_mm_s2 limits, above zero
 */
export function trapezoid(
  start_mm: number,
  end_mm: number,
  start_ms: number,
  velocity_mm_s: number,
  acceleration_mm_s2: number,
): Motion {
  const distance_mm = Math.abs(end_mm - start_mm);
  const sign = Math.sign(end_mm - start_mm);
  const peak_mm_s = Math.min(velocity_mm_s, Math.sqrt(distance_mm * acceleration_mm_s2));
  const ramp_s = peak_mm_s / acceleration_mm_s2;
  const ramp_mm = 0.5 * peak_mm_s * ramp_s;
  const cruise_s = peak_mm_s === 0 ? 0 : (distance_mm - 2 * ramp_mm) / peak_mm_s;
  const total_s = 2 * ramp_s + cruise_s;
  return {
    end_ms: start_ms + total_s * 1000,
    end_mm,
    position_mm: (at_ms) => {
      const t_s = (at_ms - start_ms) / 1000;
      if (t_s <= 0) return start_mm;
      if (t_s >= total_s) return end_mm;
      const left_s = total_s - t_s;
      if (t_s < ramp_s) return start_mm + sign * 0.5 * acceleration_mm_s2 * t_s * t_s;
      if (left_s < ramp_s) return end_mm - sign * 0.5 * acceleration_mm_s2 * left_s * left_s;
      return start_mm + sign * (ramp_mm + peak_mm_s * (t_s - ramp_s));
    },
    velocity_mm_s: (at_ms) => {
      const t_s = (at_ms - start_ms) / 1000;
      if (t_s <= 0 || t_s >= total_s) return 0;
      return sign * Math.min(peak_mm_s, acceleration_mm_s2 * Math.min(t_s, total_s - t_s));
    },
  };
}

/** Braking from a velocity at a place to rest. */
export function braking(from_mm: number, from_mm_s: number, start_ms: number, deceleration_mm_s2: number): Motion {
  const speed_mm_s = Math.abs(from_mm_s);
  const sign = Math.sign(from_mm_s);
  const total_s = speed_mm_s / deceleration_mm_s2;
  const inside_s = (at_ms: number): number => Math.min(total_s, Math.max(0, (at_ms - start_ms) / 1000));
  const end_mm = from_mm + (sign * speed_mm_s * total_s) / 2;
  return {
    end_ms: start_ms + total_s * 1000,
    end_mm,
    position_mm: (at_ms) => {
      const t_s = inside_s(at_ms);
      return from_mm + sign * (speed_mm_s - 0.5 * deceleration_mm_s2 * t_s) * t_s;
    },
    velocity_mm_s: (at_ms) => sign * (speed_mm_s - deceleration_mm_s2 * inside_s(at_ms)),
  };
}
