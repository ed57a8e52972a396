/** Symmetric 3 × 3 matrix by its upper triangle: [00, 01, 02, 11, 12, 22]. */
export type Symmetric3 = readonly [number, number, number, number, number, number];

export type Vector3 = readonly [number, number, number];

/** One equation `row · x = value`, already divided by its standard deviation. */
export interface Equation {
  readonly row: Vector3;
  readonly value: number;
}

export interface LeastSquaresSolution {
  readonly x: Vector3;
  /** (AᵀA)⁻¹: the covariance of x where the equations have unit variance. */
  readonly inverse: Symmetric3;
  /** Sum of the squared residuals. */
  readonly residualSquares: number;
}

/** A column that keeps less than this share of its length after the others are taken out depends on them. */
const SINGULAR = 1e-10;

/**
 * Solves three unknowns in the least-squares sense by QR (Householder, columns scaled to unit length first), which
 * keeps twice the digits of the normal equations. Undefined when fewer than three equations are independent or a number
 * is not finite.
 */
export function solveLeastSquares(equations: readonly Equation[]): LeastSquaresSolution | undefined {
  const n = equations.length;
  if (n < 3) return undefined;
  const columns = [0, 1, 2].map((k) => Float64Array.from(equations, (equation) => equation.row[k] as number));
  const right = Float64Array.from(equations, (equation) => equation.value);
  const lengths = columns.map((column) => Math.sqrt(dot(column, column, 0)));
  if (!lengths.every((length) => length > 0 && Number.isFinite(length)) || !right.every(Number.isFinite)) {
    return undefined;
  }
  columns.forEach((column, k) => {
    for (let i = 0; i < n; i++) column[i] = (column[i] as number) / (lengths[k] as number);
  });
  const diagonal: number[] = [];
  for (let k = 0; k < 3; k++) {
    const head = columns[k] as Float64Array;
    const length = Math.sqrt(dot(head, head, k));
    if (!(length > SINGULAR)) return undefined;
    const pivot = (head[k] as number) > 0 ? -length : length;
    diagonal.push(pivot);
    // The reflector replaces the column below the diagonal; R's upper part stays in the rows above.
    head[k] = (head[k] as number) - pivot;
    const scale = dot(head, head, k);
    for (const target of [...columns.slice(k + 1), right]) {
      const factor = (2 * dot(head, target, k)) / scale;
      for (let i = k; i < n; i++) target[i] = (target[i] as number) - factor * (head[i] as number);
    }
  }
  const [r00, r11, r22] = diagonal as [number, number, number];
  const r01 = columns[1]?.[0] as number;
  const r02 = columns[2]?.[0] as number;
  const r12 = columns[2]?.[1] as number;
  // Inverse of the triangle R, then (RᵀR)⁻¹ = R⁻¹R⁻ᵀ.
  const s00 = 1 / r00;
  const s11 = 1 / r11;
  const s22 = 1 / r22;
  const s01 = -r01 * s00 * s11;
  const s12 = -r12 * s11 * s22;
  const s02 = (r01 * r12 - r02 * r11) * s00 * s11 * s22;
  const [q0, q1, q2] = [right[0] as number, right[1] as number, right[2] as number];
  const [l0, l1, l2] = lengths as [number, number, number];
  return {
    x: [(s00 * q0 + s01 * q1 + s02 * q2) / l0, (s11 * q1 + s12 * q2) / l1, (s22 * q2) / l2],
    inverse: [
      (s00 * s00 + s01 * s01 + s02 * s02) / (l0 * l0),
      (s01 * s11 + s02 * s12) / (l0 * l1),
      (s02 * s22) / (l0 * l2),
      (s11 * s11 + s12 * s12) / (l1 * l1),
      (s12 * s22) / (l1 * l2),
      (s22 * s22) / (l2 * l2),
    ],
    residualSquares: dot(right, right, 3),
  };
}

/** gᵀ C g: the variance of a quantity with gradient g. */
export function quadraticForm(c: Symmetric3, g: Vector3): number {
  const [x, y, z] = g;
  return c[0] * x * x + c[3] * y * y + c[5] * z * z + 2 * (c[1] * x * y + c[2] * x * z + c[4] * y * z);
}

/** Scalar product of two columns from row `from` on. */
function dot(a: Float64Array, b: Float64Array, from: number): number {
  let sum = 0;
  for (let i = from; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}
