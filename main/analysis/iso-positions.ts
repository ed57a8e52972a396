/** Positions of a caustic against the rule of ISO 11146-1:2021, clause 9, for one principal axis. */
export interface IsoPositions {
  /** Distinct positions used. */
  readonly positions: number;
  /** Those with |z − z0| ≤ zR. */
  readonly near: number;
  /** Those with |z − z0| ≥ 2 zR. */
  readonly far: number;
  readonly complete: boolean;
  /** What is missing, in words; empty when nothing is. */
  readonly missing: readonly string[];
}

const FEWEST_POSITIONS = 10;
const FEWEST_NEAR = 5;
const FEWEST_FAR = 5;
/** Stage positions closer than this share of the scan are one position. */
const SAME_POSITION = 1e-4;

/**
 * Positions that count as different, ascending: repeats at one place bring no new position. Two positions are the same
 * when they lie closer than 1e-4 of the whole scan or than four times the stage's own repeatability.
 */
export function distinctPositions(z_mm: readonly number[], uZ_mm = 0): number[] {
  const sorted = [...z_mm].sort((a, b) => a - b);
  const span_mm = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0);
  const apart_mm = Math.max(SAME_POSITION * span_mm, 4 * uZ_mm);
  const distinct: number[] = [];
  for (const z of sorted) {
    const last = distinct.at(-1);
    if (last === undefined || z - last > apart_mm) distinct.push(z);
  }
  return distinct;
}

/**
 * ISO 11146-1:2021, clause 9: at least 10 positions, about half of them within one Rayleigh length of the waist and
 * about half beyond two. Here: ≥ 10, ≥ 5 with |z − z0| ≤ zR, ≥ 5 with |z − z0| ≥ 2 zR. All lengths in mm, `positions_mm`
 * distinct.
 */
export function checkIsoPositions(positions_mm: readonly number[], z0_mm: number, rayleigh_mm: number): IsoPositions {
  const positions = positions_mm.length;
  const near = positions_mm.filter((z) => Math.abs(z - z0_mm) <= rayleigh_mm).length;
  const far = positions_mm.filter((z) => Math.abs(z - z0_mm) >= 2 * rayleigh_mm).length;
  const missing: string[] = [];
  if (near < FEWEST_NEAR) {
    const low = format(z0_mm - rayleigh_mm);
    const high = format(z0_mm + rayleigh_mm);
    missing.push(
      `${FEWEST_NEAR - near} more within one Rayleigh length of the waist (between ${low} and ${high} mm): ${near} of ${FEWEST_NEAR}`,
    );
  }
  if (far < FEWEST_FAR) {
    const below = format(z0_mm - 2 * rayleigh_mm);
    const above = format(z0_mm + 2 * rayleigh_mm);
    missing.push(
      `${FEWEST_FAR - far} more beyond two Rayleigh lengths (below ${below} or above ${above} mm): ${far} of ${FEWEST_FAR}`,
    );
  }
  if (positions < FEWEST_POSITIONS) {
    missing.push(`${FEWEST_POSITIONS - positions} more positions in all: ${positions} of ${FEWEST_POSITIONS}`);
  }
  return { positions, near, far, complete: missing.length === 0, missing };
}

function format(z_mm: number): string {
  return String(Number(z_mm.toPrecision(5)));
}
