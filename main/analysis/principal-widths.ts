/** Central second moments of a profile in pixel², image axes (y downwards). */
export interface CentralMoments {
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
}

/** Full d4σ widths along the principal axes in pixels; x is the axis closer to the sensor's rows. */
export interface PrincipalWidths {
  readonly x_px: number;
  readonly y_px: number;
  /** Of the x axis in image axes (y downwards), in [−π/4, π/4): clockwise as seen on the screen. */
  readonly angle_rad: number;
}

/**
 * Widths along the principal axes from the eigenvalues of the second-moment matrix (ISO 11146-1:2021, 7.2 and 7.3):
 * d = 4 √λ, azimuth ½ atan(2 σ²xy / (σ²x − σ²y)). Where σ²x = σ²y but σ²xy ≠ 0 the azimuth is +45°; a round profile has azimuth 0.
 * An eigenvalue ≤ 0, which noise can bring about, gives the width 0. Example: xx 100, yy 25, xy 0 → 40 and 20 px at 0°.
 */
export function principalWidths({ xx, xy, yy }: CentralMoments): PrincipalWidths {
  const half = (xx - yy) / 2;
  const radius = Math.hypot(half, xy);
  const mean = (xx + yy) / 2;
  const sign = half > 0 || (half === 0 && xy < 0) ? 1 : -1;
  let angle_rad: number;
  if (half !== 0) angle_rad = Math.atan(xy / half) / 2;
  else angle_rad = xy === 0 ? 0 : -Math.PI / 4;
  return { x_px: widthOf(mean + sign * radius), y_px: widthOf(mean - sign * radius), angle_rad };
}

/** d4σ of a variance. */
export function widthOf(variance: number): number {
  return variance > 0 ? 4 * Math.sqrt(variance) : 0;
}

/** Azimuth as reported: counter-clockwise as seen on the screen, (−45, 45]. The one place where the sign of y turns. */
export function azimuthOnScreen_deg(angle_rad: number): number {
  const degrees = (-angle_rad * 180) / Math.PI;
  if (degrees <= -45) return 45;
  return degrees === 0 ? 0 : degrees;
}
