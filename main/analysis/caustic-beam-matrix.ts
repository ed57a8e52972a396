import { quadraticForm, type Symmetric3, solveLeastSquares, type Vector3 } from "./caustic-least-squares.ts";
import { largestByChance } from "./caustic-student.ts";

/** Principal widths of one plane. */
export interface MomentPlane {
  readonly z_mm: number;
  readonly d4sigmaX_um: number;
  readonly d4sigmaY_um: number;
  /** Standard uncertainties, > 0. */
  readonly uX_um: number;
  readonly uY_um: number;
  /** Of the x axis, counter-clockwise, (−45, 45]. */
  readonly azimuth_deg: number;
}

/**
 * Second moments of the Wigner distribution in the sensor's axes, x along the rows to the right and y upwards, u and v the
 * angles along them, at the plane `z_mm` (ISO 11146-2). Positions in µm, angles in mrad.
 */
export interface BeamMatrix {
  readonly determined: true;
  readonly z_mm: number;
  readonly xx_um2: number;
  readonly yy_um2: number;
  readonly xy_um2: number;
  readonly xu_um_mrad: number;
  readonly yv_um_mrad: number;
  /** Free propagation shows only this sum of ⟨xv⟩ and ⟨yu⟩; their difference is the twist. */
  readonly xvPlusYu_um_mrad: number;
  readonly uu_mrad2: number;
  readonly vv_mrad2: number;
  readonly uv_mrad2: number;
  /** Effective beam propagation ratio, (4π/λ) det(P)^¼; √(M²x M²y) for simple astigmatic beams. */
  readonly m2Effective: number;
  readonly uM2Effective: number;
  /** a; ½ (M²x − M²y)² for aligned simple astigmatic beams. */
  readonly intrinsicAstigmatism: number;
  /** a / (M²eff)² < 0.039: lenses could make the beam stigmatic. */
  readonly intrinsicallyStigmatic: boolean;
  /** The one direction of axes that suits all planes best. */
  readonly azimuth_deg: number;
  /** χ²/ν of σxy² about zero in that direction: near 1 where the axes do not turn along the beam. */
  readonly fixedAxes_chi2_ndf: number;
  /** Whether the planes agree, within noise, with axes that do not turn. */
  readonly axesFixed: boolean;
}

export interface UndeterminedBeamMatrix {
  readonly determined: false;
  readonly why: string;
}

export interface BeamMatrixOptions {
  readonly wavelength_nm: number;
  /**
   * ⟨xv⟩ − ⟨yu⟩ in µm·mrad, from a second scan behind a cylindrical lens. Default 0: free propagation cannot tell it, and
   * a twist lowers M²eff.
   */
  readonly twist_um_mrad?: number;
}

const INTRINSICALLY_STIGMATIC = 0.039;
const FEWEST_PLANES = 5;
const RADIANS = Math.PI / 180;

/** A moment and its standard uncertainty. */
interface Moment {
  readonly value: number;
  readonly u: number;
}

/** Second moments of a plane in axes turned by some angle. */
interface TurnedMoments {
  readonly xx: Moment;
  readonly yy: Moment;
  readonly xy: Moment;
}

/**
 * The moments that free propagation reveals: σx², σy² and σxy² are parabolas in z each, with the coefficients ⟨xx⟩, 2⟨xu⟩, ⟨uu⟩ and so
 * on (ISO 11146-2). From them M²eff = (4π/λ) det(P)^¼ and the intrinsic astigmatism
 *
 *     a = (8π²/λ²) [⟨xx⟩⟨uu⟩ − ⟨xu⟩² + ⟨yy⟩⟨vv⟩ − ⟨yv⟩² + 2 (⟨xy⟩⟨uv⟩ − ⟨xv⟩⟨yu⟩)] − (M²eff)²
 *
 * and whether one direction of axes fits all planes. At least five planes at three places. Not determined where the matrix
 * is that of no beam (det P ≤ 0).
 */
export function fitBeamMatrix(
  planes: readonly MomentPlane[],
  { wavelength_nm, twist_um_mrad = 0 }: BeamMatrixOptions,
): BeamMatrix | UndeterminedBeamMatrix {
  const bad = planes.find(
    (plane) =>
      !(plane.d4sigmaX_um > 0 && plane.d4sigmaY_um > 0 && plane.uX_um > 0 && plane.uY_um > 0) ||
      !Number.isFinite(plane.z_mm + plane.azimuth_deg + plane.d4sigmaX_um + plane.d4sigmaY_um),
  );
  if (bad !== undefined) {
    return {
      determined: false,
      why: `The plane at ${bad.z_mm} mm lacks positive widths, uncertainties or an azimuth.`,
    };
  }
  if (planes.length < FEWEST_PLANES) {
    return {
      determined: false,
      why: `Turning axes need at least ${FEWEST_PLANES} planes; there are ${planes.length}.`,
    };
  }
  const z_mm = planes.reduce((sum, plane) => sum + plane.z_mm, 0) / planes.length;
  const turned = planes.map((plane) => momentsOf(plane, 0));
  const parabola = (pick: (moments: TurnedMoments) => Moment) =>
    solveLeastSquares(
      turned.map((moments, i) => {
        const t = (planes[i] as MomentPlane).z_mm - z_mm;
        const { value, u } = pick(moments);
        return { row: [1 / u, t / u, (t * t) / u] as const, value: value / u };
      }),
    );
  const alongX = parabola((moments) => moments.xx);
  const alongY = parabola((moments) => moments.yy);
  const mixed = parabola((moments) => moments.xy);
  if (alongX === undefined || alongY === undefined || mixed === undefined) {
    return { determined: false, why: "The planes lie at fewer than three different places." };
  }
  const coefficients = [alongX.x, alongY.x, mixed.x] as const;
  const invariants = invariantsOf(coefficients, twist_um_mrad, wavelength_nm);
  if (invariants === undefined) {
    return { determined: false, why: "The fitted moments are those of no beam (the beam matrix is not positive)." };
  }
  const axes = bestFixedAxes(planes);
  const freedom = planes.length - 1;
  const fixedAxes_chi2_ndf = axes.chi2 / freedom;
  const [x, y, xy] = coefficients;
  return {
    determined: true,
    z_mm,
    xx_um2: x[0],
    yy_um2: y[0],
    xy_um2: xy[0],
    xu_um_mrad: x[1] / 2,
    yv_um_mrad: y[1] / 2,
    xvPlusYu_um_mrad: xy[1],
    uu_mrad2: x[2],
    vv_mrad2: y[2],
    uv_mrad2: xy[2],
    m2Effective: invariants.m2Effective,
    uM2Effective: propagated(
      coefficients,
      [alongX.inverse, alongY.inverse, mixed.inverse],
      (changed) => invariantsOf(changed, twist_um_mrad, wavelength_nm)?.m2Effective,
    ),
    intrinsicAstigmatism: invariants.intrinsicAstigmatism,
    intrinsicallyStigmatic: invariants.intrinsicAstigmatism / invariants.m2Effective ** 2 < INTRINSICALLY_STIGMATIC,
    azimuth_deg: axes.azimuth_deg,
    fixedAxes_chi2_ndf,
    axesFixed: fixedAxes_chi2_ndf <= largestByChance(freedom),
  };
}

/** Second moments of a plane in axes turned counter-clockwise by `turn_deg` from the sensor's. */
function momentsOf(plane: MomentPlane, turn_deg: number): TurnedMoments {
  const { d4sigmaX_um: dx, d4sigmaY_um: dy } = plane;
  const major = (dx * dx) / 16;
  const minor = (dy * dy) / 16;
  const uMajor = (dx * plane.uX_um) / 8;
  const uMinor = (dy * plane.uY_um) / 8;
  // Noise of relative size r in both widths is noise of √2 r σxσy in the mixed moment along the principal axes.
  const relative = Math.hypot(plane.uX_um / dx, plane.uY_um / dy) / Math.SQRT2;
  const uMixed = (Math.SQRT2 * relative * dx * dy) / 16;
  const angle = (plane.azimuth_deg - turn_deg) * RADIANS;
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  return {
    xx: {
      value: c * c * major + s * s * minor,
      u: Math.hypot(c * c * uMajor, s * s * uMinor, 2 * c * s * uMixed),
    },
    yy: {
      value: s * s * major + c * c * minor,
      u: Math.hypot(s * s * uMajor, c * c * uMinor, 2 * c * s * uMixed),
    },
    xy: {
      value: c * s * (major - minor),
      u: Math.hypot(c * s * uMajor, c * s * uMinor, (c * c - s * s) * uMixed),
    },
  };
}

/** The direction that makes σxy² vanish best in all planes at once: a scan, then golden section about the best step. */
function bestFixedAxes(planes: readonly MomentPlane[]): { readonly azimuth_deg: number; readonly chi2: number } {
  const chi2 = (turn_deg: number) =>
    planes.reduce((sum, plane) => {
      const { value, u } = momentsOf(plane, turn_deg).xy;
      return sum + (value / u) ** 2;
    }, 0);
  let best_deg = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let turn_deg = -44; turn_deg <= 45; turn_deg++) {
    const value = chi2(turn_deg);
    if (value < least) [best_deg, least] = [turn_deg, value];
  }
  const golden = (Math.sqrt(5) - 1) / 2;
  let low = best_deg - 1;
  let high = best_deg + 1;
  for (let step = 0; step < 40; step++) {
    const left = high - golden * (high - low);
    const right = low + golden * (high - low);
    if (chi2(left) < chi2(right)) high = right;
    else low = left;
  }
  const azimuth_deg = (low + high) / 2;
  return { azimuth_deg: azimuth_deg > 45 ? azimuth_deg - 90 : azimuth_deg, chi2: chi2(azimuth_deg) };
}

type Parabolas = readonly [Vector3, Vector3, Vector3];

/** M²eff and a of a beam matrix; undefined where it is not positive. */
function invariantsOf([x, y, mixed]: Parabolas, twist: number, wavelength_nm: number) {
  const [xx, xu, uu] = [x[0], x[1] / 2, x[2]];
  const [yy, yv, vv] = [y[0], y[1] / 2, y[2]];
  const [xy, uv] = [mixed[0], mixed[2]];
  const xv = (mixed[1] + twist) / 2;
  const yu = (mixed[1] - twist) / 2;
  const determinant = determinantOf([
    [xx, xy, xu, xv],
    [xy, yy, yu, yv],
    [xu, yu, uu, uv],
    [xv, yv, uv, vv],
  ]);
  const alongX = xx * uu - xu * xu;
  const alongY = yy * vv - yv * yv;
  if (!(determinant > 0 && alongX > 0 && alongY > 0 && xx > 0 && yy > 0)) return undefined;
  // µm × mrad is nm, so that everything is in units of the wavelength.
  const m2Effective = (4 * Math.PI * determinant ** 0.25) / wavelength_nm;
  const intrinsicAstigmatism =
    ((8 * Math.PI ** 2) / wavelength_nm ** 2) * (alongX + alongY + 2 * (xy * uv - xv * yu)) - m2Effective ** 2;
  return { m2Effective, intrinsicAstigmatism };
}

/** Laplace expansion along two rows: products of 2 × 2 minors. */
function determinantOf(m: readonly (readonly [number, number, number, number])[]): number {
  const [p, q, r, s] = m as [Row4, Row4, Row4, Row4];
  const minor = (a: Row4, b: Row4, i: number, k: number) =>
    (a[i] as number) * (b[k] as number) - (a[k] as number) * (b[i] as number);
  return (
    minor(p, q, 0, 1) * minor(r, s, 2, 3) -
    minor(p, q, 0, 2) * minor(r, s, 1, 3) +
    minor(p, q, 0, 3) * minor(r, s, 1, 2) +
    minor(p, q, 1, 2) * minor(r, s, 0, 3) -
    minor(p, q, 1, 3) * minor(r, s, 0, 2) +
    minor(p, q, 2, 3) * minor(r, s, 0, 1)
  );
}
type Row4 = readonly [number, number, number, number];

/** Standard uncertainty of a function of the nine coefficients, by small steps; the three parabolas count as independent. */
function propagated(
  coefficients: Parabolas,
  covariances: readonly [Symmetric3, Symmetric3, Symmetric3],
  of: (coefficients: Parabolas) => number | undefined,
): number {
  const centre = of(coefficients) ?? 0;
  let variance = 0;
  covariances.forEach((covariance, which) => {
    const steps = [covariance[0], covariance[3], covariance[5]].map((value) => 1e-3 * Math.sqrt(value));
    const gradient = steps.map((step, k) => {
      const changed = coefficients.map((parabola, i) =>
        i === which ? parabola.map((value, place) => (place === k ? value + step : value)) : parabola,
      ) as unknown as Parabolas;
      return ((of(changed) ?? centre) - centre) / step;
    });
    variance += quadraticForm(covariance, gradient as unknown as Vector3);
  });
  return Math.sqrt(variance);
}
