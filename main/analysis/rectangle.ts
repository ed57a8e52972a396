import type { Rectangle } from "./kernel.ts";

/** The rows of a rectangle on the sensor: for row `firstRow + k`, `spans[3k]`, `[3k + 1]`, `[3k + 2]` are left, right and overlap. */
export interface RectangleRows {
  readonly firstRow: number;
  readonly rowCount: number;
  readonly spans: Float64Array;
}

/**
 * Cuts a rectangle to the sensor, row by row. A row's overlap is the length of [row − ½, row + ½] that lies within the
 * rectangle's extent in y; left and right are where the line in the middle of that overlap enters and leaves the rectangle. The
 * covered area of a row is then exact except in the rows that hold a corner, and all of it is continuous in the rectangle's
 * parameters, which is what gives the iteration a fixed point.
 */
export function rectangleRows(rectangle: Rectangle, width_px: number, height_px: number): RectangleRows {
  // Every frame of a measurement, its geometry and its noise are summed over the same rows in turn.
  if (latest?.rectangle !== rectangle || latest.width_px !== width_px || latest.height_px !== height_px) {
    latest = { rectangle, width_px, height_px, rows: computeRows(rectangle, width_px, height_px) };
  }
  return latest.rows;
}

let latest:
  | {
      readonly rectangle: Rectangle;
      readonly width_px: number;
      readonly height_px: number;
      readonly rows: RectangleRows;
    }
  | undefined;

function computeRows(rectangle: Rectangle, width_px: number, height_px: number): RectangleRows {
  const { centreX_px, centreY_px, halfLength_px, halfBreadth_px, angle_rad } = rectangle;
  const cosine = Math.cos(angle_rad);
  const sine = Math.sin(angle_rad);
  const reach = halfLength_px * Math.abs(sine) + halfBreadth_px * Math.abs(cosine);
  const top = Math.max(centreY_px - reach, -0.5);
  const bottom = Math.min(centreY_px + reach, height_px - 0.5);
  if (!(bottom > top)) return { firstRow: 0, rowCount: 0, spans: new Float64Array(0) };
  const firstRow = Math.max(0, Math.floor(top + 0.5));
  const lastRow = Math.min(height_px - 1, Math.ceil(bottom - 0.5));
  const rowCount = Math.max(0, lastRow - firstRow + 1);
  const spans = new Float64Array(3 * rowCount);
  for (let k = 0; k < rowCount; k++) {
    const row = firstRow + k;
    const from = Math.max(row - 0.5, top);
    const to = Math.min(row + 0.5, bottom);
    const dy = (from + to) / 2 - centreY_px;
    let left = Number.NEGATIVE_INFINITY;
    let right = Number.POSITIVE_INFINITY;
    // |dx cos + dy sin| ≤ halfLength and |−dx sin + dy cos| ≤ halfBreadth.
    if (cosine !== 0) {
      const middle = -(dy * sine) / cosine;
      const half = halfLength_px / Math.abs(cosine);
      left = middle - half;
      right = middle + half;
    } else if (Math.abs(dy * sine) > halfLength_px) right = Number.NEGATIVE_INFINITY;
    if (sine !== 0) {
      const middle = (dy * cosine) / sine;
      const half = halfBreadth_px / Math.abs(sine);
      left = Math.max(left, middle - half);
      right = Math.min(right, middle + half);
    } else if (Math.abs(dy * cosine) > halfBreadth_px) right = Number.NEGATIVE_INFINITY;
    left = Math.max(left + centreX_px, -0.5);
    right = Math.min(right + centreX_px, width_px - 0.5);
    const overlap = to - from;
    if (right > left && overlap > 0) {
      spans[3 * k] = left;
      spans[3 * k + 1] = right;
      spans[3 * k + 2] = overlap;
    }
  }
  return { firstRow, rowCount, spans };
}

/** Columns of one row from the first to the last; none where the last comes before the first. */
export interface ColumnSpan {
  readonly first: number;
  readonly last: number;
}

/** For a row, the columns whose pixel's centre lies inside a rectangle or on its rim, which are neighbours: it is convex. */
export function columnsInside(rectangle: Rectangle, width_px: number): (row: number) => ColumnSpan {
  const { centreX_px, centreY_px, halfLength_px, halfBreadth_px, angle_rad } = rectangle;
  const cosine = Math.cos(angle_rad);
  const sine = Math.sin(angle_rad);
  return (row) => {
    const dy = row - centreY_px;
    const inside = (column: number): boolean => {
      const dx = column - centreX_px;
      return Math.abs(dx * cosine + dy * sine) <= halfLength_px && Math.abs(dy * cosine - dx * sine) <= halfBreadth_px;
    };
    const halfAlong = halfLength_px / Math.abs(cosine);
    const halfAcross = halfBreadth_px / Math.abs(sine);
    const left = Math.max(-(dy * sine) / cosine - halfAlong, (dy * cosine) / sine - halfAcross);
    const right = Math.min(-(dy * sine) / cosine + halfAlong, (dy * cosine) / sine + halfAcross);
    // Where a side lies along the row its crossing is no number: every column is looked at then.
    let first = left >= -centreX_px ? Math.min(Math.ceil(centreX_px + left), width_px) : 0;
    let last = right < width_px - centreX_px ? Math.max(Math.floor(centreX_px + right), -1) : width_px - 1;
    // The crossings are rounded: whether a centre at the rim is inside is decided by the distances alone.
    while (first > 0 && inside(first - 1)) first--;
    while (first <= last && !inside(first)) first++;
    while (last < width_px - 1 && inside(last + 1)) last++;
    while (last >= first && !inside(last)) last--;
    return { first, last };
  };
}

/** The pixel nearest to the rectangle's centre, kept on the sensor. */
export function momentOrigin(rectangle: Rectangle, width_px: number, height_px: number): { x: number; y: number } {
  return {
    x: Math.min(Math.max(Math.round(rectangle.centreX_px), 0), width_px - 1),
    y: Math.min(Math.max(Math.round(rectangle.centreY_px), 0), height_px - 1),
  };
}

/** Σ w XᵖYᑫ over the pixels of a rectangle with the kernel's weights: the moments of a constant 1. Named g‹p›‹q›. */
export interface RectangleGeometry {
  readonly g00: number;
  readonly g10: number;
  readonly g01: number;
  readonly g20: number;
  readonly g11: number;
  readonly g02: number;
  readonly g30: number;
  readonly g21: number;
  readonly g12: number;
  readonly g03: number;
}

/** Moments of a constant, so that an offset or a plane can be taken off the sums without touching the pixels again. */
export function rectangleGeometry(rows: RectangleRows, originX_px: number, originY_px: number): RectangleGeometry {
  let g00 = 0;
  let g10 = 0;
  let g01 = 0;
  let g20 = 0;
  let g11 = 0;
  let g02 = 0;
  let g30 = 0;
  let g21 = 0;
  let g12 = 0;
  let g03 = 0;
  for (let k = 0; k < rows.rowCount; k++) {
    const overlap = rows.spans[3 * k + 2] as number;
    if (overlap === 0) continue;
    const left = rows.spans[3 * k] as number;
    const right = rows.spans[3 * k + 1] as number;
    const first = Math.floor(left + 0.5);
    const last = Math.ceil(right - 0.5);
    const a = first - originX_px;
    const b = last - originX_px;
    const firstWeight = Math.min(right, first + 0.5) - left;
    let p0 = firstWeight;
    let p1 = firstWeight * a;
    let p2 = p1 * a;
    let p3 = p2 * a;
    if (last > first) {
      const lastWeight = right - (last - 0.5);
      p0 += lastWeight + (b - a - 1);
      p1 += lastWeight * b + powerSum1(b - 1) - powerSum1(a);
      p2 += lastWeight * b * b + powerSum2(b - 1) - powerSum2(a);
      p3 += lastWeight * b * b * b + powerSum3(b - 1) - powerSum3(a);
    }
    const y = rows.firstRow + k - originY_px;
    g00 += overlap * p0;
    g10 += overlap * p1;
    g01 += overlap * p0 * y;
    g20 += overlap * p2;
    g11 += overlap * p1 * y;
    g02 += overlap * p0 * y * y;
    g30 += overlap * p3;
    g21 += overlap * p2 * y;
    g12 += overlap * p1 * y * y;
    g03 += overlap * p0 * y * y * y;
  }
  return { g00, g10, g01, g20, g11, g02, g30, g21, g12, g03 };
}

// Polynomials whose difference F(n) − F(m) is the sum of kᵖ over m < k ≤ n, for integers of either sign.
const powerSum1 = (n: number): number => (n * (n + 1)) / 2;
const powerSum2 = (n: number): number => (n * (n + 1) * (2 * n + 1)) / 6;
const powerSum3 = (n: number): number => powerSum1(n) ** 2;
