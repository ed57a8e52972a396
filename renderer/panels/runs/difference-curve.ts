/** A fitted curve as it is drawn: places in ascending order, and one value of each kind a place. */
export interface DrawnCurve {
  readonly z_mm: readonly number[];
  readonly d_um: readonly number[];
  readonly u_um: readonly number[];
}

/**
 * Second less first, at the places of the first that lie inside the second; between the places of the second it is interpolated
 * linearly. `u_um` is the standard uncertainty of the difference of two independent fits.
 */
export function differenceCurve(first: DrawnCurve, second: DrawnCurve): DrawnCurve {
  const z_mm: number[] = [];
  const d_um: number[] = [];
  const u_um: number[] = [];
  let after = 0;
  for (const [index, z] of first.z_mm.entries()) {
    while (after < second.z_mm.length && (second.z_mm[after] as number) < z) after++;
    const right = second.z_mm[after];
    const left = second.z_mm[after - 1] ?? right;
    if (right === undefined || left === undefined || z < left) continue;
    const share = right === left ? 1 : (z - left) / (right - left);
    const at = (values: readonly number[]): number => {
      const to = values[after] as number;
      const from = values[after - 1] ?? to;
      return from + share * (to - from);
    };
    z_mm.push(z);
    d_um.push(at(second.d_um) - (first.d_um[index] as number));
    u_um.push(Math.hypot(at(second.u_um), first.u_um[index] as number));
  }
  return { z_mm, d_um, u_um };
}
