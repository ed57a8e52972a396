/** One width with its uncertainty, as the operator keeps it. */
export interface WidthPoint {
  readonly z_mm: number;
  readonly d_um: number;
  readonly u_um: number;
}

/** The operator's own pencil-and-paper caustic: enough to plan with, never reported. */
export interface RoughCaustic {
  readonly z0_mm: number;
  readonly d0_um: number;
  readonly rayleigh_mm: number;
  /** χ² per degree of freedom; Infinity where none is left. */
  readonly chi2_ndf: number;
}

/** Width at z of a rough caustic, in µm. */
export function widthAt(caustic: Pick<RoughCaustic, "z0_mm" | "d0_um" | "rayleigh_mm">, z_mm: number): number {
  return caustic.d0_um * Math.hypot(1, (z_mm - caustic.z0_mm) / caustic.rayleigh_mm);
}

/** Solves the 3 × 3 normal equations by elimination; undefined when they are singular. */
function solve3(rows: number[][]): [number, number, number] | undefined {
  const m = rows.map((row) => [...row]);
  for (let column = 0; column < 3; column++) {
    let pivot = column;
    for (let row = column + 1; row < 3; row++) {
      if (Math.abs(m[row]?.[column] ?? 0) > Math.abs(m[pivot]?.[column] ?? 0)) pivot = row;
    }
    const pivotRow = m[pivot];
    const other = m[column];
    if (pivotRow === undefined || other === undefined) return undefined;
    m[pivot] = other;
    m[column] = pivotRow;
    const head = pivotRow[column] ?? 0;
    if (Math.abs(head) < 1e-30) return undefined;
    for (let row = 0; row < 3; row++) {
      const target = m[row];
      if (row === column || target === undefined) continue;
      const factor = (target[column] ?? 0) / head;
      for (let k = column; k < 4; k++) target[k] = (target[k] ?? 0) - factor * (pivotRow[k] ?? 0);
    }
  }
  const value = (row: number) => (m[row]?.[3] ?? 0) / (m[row]?.[row] ?? 1);
  return [value(0), value(1), value(2)];
}

/**
 * Weighted least squares of d² = a + b z + c z² with u(d²) = 2 d u(d). Undefined with fewer than three points or where
 * the parabola opens downwards or dips below zero.
 */
export function fitParabola(points: readonly WidthPoint[]): RoughCaustic | undefined {
  if (points.length < 3) return undefined;
  const centre_mm = points.reduce((sum, point) => sum + point.z_mm, 0) / points.length;
  const rows = [
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ];
  const terms = points.map((point) => {
    const t = point.z_mm - centre_mm;
    const square = point.d_um * point.d_um;
    return {
      powers: [1, t, t * t],
      square,
      weight: 1 / (2 * point.d_um * Math.max(point.u_um, 1e-6 * point.d_um)) ** 2,
    };
  });
  for (const { powers, square, weight } of terms) {
    for (let i = 0; i < 3; i++) {
      const row = rows[i];
      if (row === undefined) continue;
      const pi = powers[i] ?? 0;
      for (let k = 0; k < 3; k++) row[k] = (row[k] ?? 0) + weight * pi * (powers[k] ?? 0);
      row[3] = (row[3] ?? 0) + weight * pi * square;
    }
  }
  const solution = solve3(rows);
  if (solution === undefined) return undefined;
  const [a, b, c] = solution;
  const discriminant = 4 * a * c - b * b;
  if (!(c > 0) || !(discriminant > 0)) return undefined;
  const chi2 = terms.reduce((sum, { powers, square, weight }) => {
    const residual = square - (a + b * (powers[1] ?? 0) + c * (powers[2] ?? 0));
    return sum + weight * residual * residual;
  }, 0);
  return {
    z0_mm: centre_mm - b / (2 * c),
    d0_um: Math.sqrt(discriminant / (4 * c)),
    rayleigh_mm: Math.sqrt(discriminant) / (2 * c),
    chi2_ndf: points.length > 3 ? chi2 / (points.length - 3) : Number.POSITIVE_INFINITY,
  };
}
