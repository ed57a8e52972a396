import type { FitFlag } from "./caustic-types.ts";

/** Ellipticity above which a profile counts as circular and its azimuth means nothing (ISO 11146-1:2021, 7.2). */
const CIRCULAR = 0.87;
/** Turn of the azimuth along z beyond which a beam is not simply astigmatic. */
const LARGEST_TURN_deg = 10;
/** How many times its own uncertainty a turn must be: the largest of many pairs reaches three by chance. */
const SIGNIFICANCE = 4;
/** An axis known worse than this is not followed. */
const LOST_AXIS_deg = 10;

const DEGREES = 180 / Math.PI;

/** Direction and widths of the principal axes in one plane. */
export interface PrincipalAxes {
  readonly d4sigmaX_um: number;
  readonly d4sigmaY_um: number;
  readonly uX_um?: number;
  readonly uY_um?: number;
  /** Parts of uX_um and uY_um that come from the noise of the dark. */
  readonly uDarkX_um?: number;
  readonly uDarkY_um?: number;
  /** Direction of x, (−45, 45]; axes a quarter turn apart are the same axes. */
  readonly azimuth_deg?: number;
  /** Minor over major width; from the widths where absent. */
  readonly ellipticity?: number;
}

/**
 * Standard uncertainty of the azimuth in degrees. Noise that gives the widths a relative uncertainty r gives the mixed
 * moment √2 r σxσy, and φ = ½ atan(2σxy² / (σx² − σy²)) turns it into √2 r ε / (1 − ε²). Zero where the widths carry no
 * uncertainty, infinite for a round beam. r = 0.5 %, ε = 0.8: 0.90°.
 */
export function azimuthUncertainty_deg(axes: PrincipalAxes): number {
  const relative = Math.max((axes.uX_um ?? 0) / axes.d4sigmaX_um, (axes.uY_um ?? 0) / axes.d4sigmaY_um);
  const ellipticity = ellipticityOf(axes);
  return ellipticity < 1
    ? (Math.SQRT2 * relative * ellipticity * DEGREES) / (1 - ellipticity * ellipticity)
    : Number.POSITIVE_INFINITY;
}

/**
 * Whether the principal axes turn along the beam: the flag `general_astigmatism` with the largest turn between two
 * clearly elliptical planes (ellipticity < 0.87), when it exceeds 10° (ISO 11146-1:2021, 4 and 11146-2) and four times its own
 * uncertainty. Angles are compared modulo a quarter turn, since ±45° are the same pair of axes and x and y exchange there.
 */
export function turningOfAxes(planes: readonly PrincipalAxes[]): FitFlag | undefined {
  const elliptical = planes.flatMap((plane) =>
    plane.azimuth_deg !== undefined && Number.isFinite(plane.azimuth_deg) && ellipticityOf(plane) < CIRCULAR
      ? [{ azimuth_deg: plane.azimuth_deg, u_deg: azimuthUncertainty_deg(plane) }]
      : [],
  );
  let largest_deg = 0;
  elliptical.forEach((one, i) => {
    for (const other of elliptical.slice(i + 1)) {
      const turn_deg = Math.abs(modulo(one.azimuth_deg - other.azimuth_deg, 90));
      if (turn_deg > SIGNIFICANCE * Math.hypot(one.u_deg, other.u_deg)) largest_deg = Math.max(largest_deg, turn_deg);
    }
  });
  return largest_deg > LARGEST_TURN_deg
    ? { code: "general_astigmatism", value: largest_deg, limit: LARGEST_TURN_deg }
    : undefined;
}

/**
 * The same planes with x and y exchanged where that keeps x along one direction. Azimuths are folded to (−45, 45], so
 * for a beam near 45° noise decides which axis is called x; here x is the axis nearer to the mean direction of all planes
 * whose axes are known to 10°.
 */
export function alignAxes<Plane extends PrincipalAxes>(planes: readonly Plane[]): Plane[] {
  const known = planes.filter(isKnown);
  // Mean direction of axes that repeat every quarter turn: four times the angle makes a full circle.
  let east = 0;
  let north = 0;
  for (const plane of known) {
    const angle = (4 * plane.azimuth_deg) / DEGREES;
    const weight = 1 - ellipticityOf(plane) ** 2;
    east += weight * Math.cos(angle);
    north += weight * Math.sin(angle);
  }
  if (east === 0 && north === 0) return [...planes];
  const mean_deg = (Math.atan2(north, east) * DEGREES) / 4;
  return planes.map((plane) => {
    if (!isKnown(plane) || Math.abs(modulo(plane.azimuth_deg - mean_deg, 180)) <= 45) return plane;
    const { d4sigmaX_um, d4sigmaY_um, uX_um, uY_um, uDarkX_um, uDarkY_um, azimuth_deg } = plane;
    const turned_deg = azimuth_deg > 0 ? azimuth_deg - 90 : azimuth_deg + 90;
    return {
      ...plane,
      d4sigmaX_um: d4sigmaY_um,
      d4sigmaY_um: d4sigmaX_um,
      azimuth_deg: turned_deg,
      ...(uY_um === undefined ? {} : { uX_um: uY_um }),
      ...(uX_um === undefined ? {} : { uY_um: uX_um }),
      ...(uDarkY_um === undefined ? {} : { uDarkX_um: uDarkY_um }),
      ...(uDarkX_um === undefined ? {} : { uDarkY_um: uDarkX_um }),
    };
  });
}

function isKnown<Plane extends PrincipalAxes>(plane: Plane): plane is Plane & { readonly azimuth_deg: number } {
  return (
    plane.azimuth_deg !== undefined &&
    Number.isFinite(plane.azimuth_deg) &&
    ellipticityOf(plane) < 1 &&
    (ellipticityOf(plane) < CIRCULAR || azimuthUncertainty_deg(plane) < LOST_AXIS_deg)
  );
}

function ellipticityOf(axes: PrincipalAxes): number {
  const { d4sigmaX_um, d4sigmaY_um } = axes;
  return axes.ellipticity ?? Math.min(d4sigmaX_um, d4sigmaY_um) / Math.max(d4sigmaX_um, d4sigmaY_um);
}

/** The remainder nearest to zero, in [−period/2, period/2]. */
function modulo(value: number, period: number): number {
  return value - period * Math.round(value / period);
}
