import type { FitWeights } from "../contract/vocabulary.ts";
import { type Symmetric3, type Vector3, quadraticForm, solveLeastSquares } from "./caustic-least-squares.ts";
import { darkCorrelation } from "./caustic-shared-dark.ts";
import { largestByChance, studentFactor } from "./caustic-student.ts";
import type {
  CausticFailure,
  CausticFit,
  CausticOptions,
  CausticPoint,
  DeterminedCaustic,
  FitFlag,
  FittedQuantity,
  UndeterminedCaustic,
} from "./caustic-types.ts";
import { checkIsoPositions, distinctPositions } from "./iso-positions.ts";

/** χ²/ν above which the points do not lie on one caustic within their uncertainties. */
const POOR_FIT = 4;
/** Growth of d² over the scan, relative to its largest value, that is rounding and not divergence. */
const NO_GROWTH = 1e-9;
/** Square of the waist width, relative to the largest d², that is rounding and not a waist. */
const NO_WAIST = 1e-9;
const MOST_STEPS = 200;

/** A curve d²(t) = d0² + Θ²(t − t0)² in any units. */
interface Hyperbola {
  readonly d0: number;
  readonly t0: number;
  readonly slope: number;
}

/** A point in centred and scaled coordinates. */
interface ScaledPoint {
  readonly t: number;
  readonly d: number;
  /** Standard uncertainty that the fit gives the width; 1 where the weights have no absolute scale. */
  readonly u: number;
}

/**
 * Fits d²(z) = a + bz + cz² = d0² + Θ²(z − z0)² to the widths of one principal axis (ISO 11146-1:2021, clause 9).
 *
 *     z0 = −b / 2c    d0 = √(4ac − b²) / 2√c    Θ = √c    zR = d0 / Θ    M² = π d0 Θ / 4λ
 *
 * Points: any number, in any order, repeats allowed; λ is the wavelength in the medium. The weighting decides what is
 * minimized, and is part of the result because it changes M² by up to 10 %:
 *
 * | weights | minimized |
 * |---|---|
 * | `given` | ((d − d(z)) / u)², with u the width's uncertainty joined by the slope of d(z) times that of the position |
 * | `relative` | ((d² − d²(z)) / d²)², relative deviations |
 * | `uniform_d` | (d − d(z))² |
 * | `uniform_d2` | (d² − d²(z))² |
 *
 * Uncertainties come from the whole covariance. With `given` weights they stand as they are while the scatter agrees
 * with them (χ²/ν below its 90 % point). Beyond it, and with the other weights, which say nothing about the size of the
 * errors, the scatter sets the scale: the covariance times χ²/ν. Since that scatter is itself known from few points, u is
 * then widened to the half-width that holds 68.3 % of Student's t (`studentFactor`, 1.08 for ν = 7). The plain rule
 * max(1, χ²/ν) also enlarges right uncertainties whenever chance lifts χ²/ν above 1: ±1 u then holds 71–73 %. The
 * uniform weights are calibrated only over errors of the size that they suppose, the same in d or in d² everywhere. The
 * common calibration terms are added in quadrature and listed apart. Measurements that share a dark share its noise; where
 * the points say how much (`dark`), the covariance includes what they have in common.
 *
 * What cannot be fitted comes back as a reason, never as a number. A fit with M² + 2u < 1 carries the flag
 * `m2_below_one` and never counts as complete: no beam has it.
 *
 * Worked number: 632.8 nm, d0 = 130 µm, Θ = 7.4373 mrad gives zR = 17.479 mm and M² = 1.2.
 */
export function fitCaustic(points: readonly CausticPoint[], options: CausticOptions): CausticFit {
  const weights = options.weights ?? defaultWeights(points);
  const uZ_mm = options.uZ_mm ?? 0;
  const finitePositions = points.map((point) => point.z_mm).filter(Number.isFinite);
  const distinct = distinctPositions(finitePositions, uZ_mm);
  const fail = (reason: CausticFailure, why: string): UndeterminedCaustic => ({
    determined: false,
    reason,
    why,
    positions: distinct.length,
    flags: [],
  });

  const { wavelength_nm } = options;
  if (!(wavelength_nm > 0 && Number.isFinite(wavelength_nm))) {
    return fail("bad_wavelength", `The wavelength is ${wavelength_nm} nm; a positive number was expected.`);
  }
  for (const [i, { z_mm, d_um, u_um }] of points.entries()) {
    if (!Number.isFinite(z_mm)) {
      return fail("bad_position", `The position of point ${i + 1} is ${z_mm} mm; a finite number was expected.`);
    }
    if (!(d_um > 0 && Number.isFinite(d_um))) {
      return fail("bad_width", `The width at z = ${z_mm} mm is ${d_um} µm; a positive number was expected.`);
    }
    if (weights === "given" && !(u_um !== undefined && u_um > 0 && Number.isFinite(u_um))) {
      const found = u_um === undefined ? "missing" : `${u_um} µm`;
      return fail(
        "bad_uncertainty",
        `The uncertainty of the width at z = ${z_mm} mm is ${found}; the weights "given" need a positive number at every point.`,
      );
    }
  }
  if (distinct.length < 3) {
    return fail(
      "too_few_positions",
      `A caustic needs at least 3 distinct positions; there ${distinct.length === 1 ? "is" : "are"} ${distinct.length}.`,
    );
  }
  const freedom = points.length - 3;
  if (weights !== "given" && freedom === 0) {
    return fail(
      "no_uncertainty",
      "Three widths without uncertainties fix the curve exactly and tell nothing about its error; give uncertainties or measure at more positions.",
    );
  }

  // Centred and scaled to the order of 1, so that neither a far origin nor the units cost digits.
  const first_mm = distinct[0] as number;
  const last_mm = distinct.at(-1) as number;
  const centre_mm = (first_mm + last_mm) / 2;
  const halfSpan_mm = (last_mm - first_mm) / 2;
  const largest_um = Math.max(...points.map((point) => point.d_um));
  const scaled = (uPosition: (t: number) => number): ScaledPoint[] =>
    points.map((point) => {
      const t = (point.z_mm - centre_mm) / halfSpan_mm;
      const u = weights === "given" ? Math.hypot((point.u_um as number) / largest_um, uPosition(t)) : 1;
      return { t, d: point.d_um / largest_um, u };
    });

  let data = scaled(() => 0);
  const start = solveParabola(data, weights);
  if (start === undefined) {
    return fail("singular", "The positions and weights do not determine three parameters; spread the positions.");
  }
  const { a, b, c } = start;
  if (c <= NO_GROWTH) {
    return fail(
      "no_divergence",
      "The widths do not grow away from a waist (c ≤ 0 in d² = a + bz + cz²), so there is no divergence and no M².",
    );
  }
  if (4 * a * c - b * b <= 4 * c * NO_WAIST) {
    return fail(
      "no_waist",
      "The fitted d² = a + bz + cz² reaches zero (4ac − b² ≤ 0), so there is no waist of positive width and no M².",
    );
  }
  let curve: Hyperbola = { d0: Math.sqrt(a - (b * b) / (4 * c)), t0: -b / (2 * c), slope: Math.sqrt(c) };

  if (weights === "given" || weights === "uniform_d") {
    // The slope that turns a position's uncertainty into a width's is the fit's own: repeat until it stands.
    const rounds = weights === "given" && uZ_mm > 0 ? 6 : 1;
    for (let round = 0; round < rounds; round++) {
      const present = curve;
      if (rounds > 1) data = scaled((t) => (slopeAt(present, t) * uZ_mm) / halfSpan_mm);
      const refined = refine(data, present);
      if (refined === undefined) {
        return fail(
          "not_converged",
          "The least-squares iteration did not settle; the points do not look like a caustic.",
        );
      }
      curve = refined;
    }
    if (curve.d0 * curve.d0 <= NO_WAIST) {
      return fail("no_waist", "The fitted waist has no width, so there is no M².");
    }
  }

  const equations = data.map((point) => linearized(point, curve, weights));
  const solution = solveLeastSquares(equations);
  if (solution === undefined) {
    return fail("singular", "The positions and weights do not determine three parameters; spread the positions.");
  }
  const chi2 = equations.reduce((sum, equation) => sum + equation.value * equation.value, 0);
  const chi2_ndf = freedom > 0 ? chi2 / freedom : undefined;
  const absolute = weights === "given";
  const shared = absolute ? sharedNoise(points, equations, data, solution.inverse, largest_um) : NOTHING_SHARED;
  // What the points share moves them together and shows less in their scatter than in the curve.
  const scatter = chi2_ndf === undefined ? undefined : chi2 / (freedom - shared.missingScatter);
  const byScatter = scatter !== undefined && (!absolute || scatter > largestByChance(freedom));
  const variance = byScatter ? scatter : 1;
  const widening = byScatter ? studentFactor(freedom) : 1;

  const toSlope = largest_um / halfSpan_mm;
  const d0_um = curve.d0 * largest_um;
  const z0_mm = centre_mm + curve.t0 * halfSpan_mm;
  const divergence_mrad = curve.slope * toSlope;
  const rayleigh_mm = d0_um / divergence_mrad;
  const m2 = (Math.PI * d0_um * divergence_mrad) / (4 * wavelength_nm);
  const units: Vector3 = [largest_um, halfSpan_mm, toSlope];
  const covariance = rescale(add(solution.inverse, shared.covariance), units, variance);

  const u = (gradient: Vector3) => widening * Math.sqrt(quadraticForm(covariance, gradient));
  const { pixelPitch = 0, stageScale = 0, wavelength = 0 } = options.calibration ?? {};
  const quantity = (
    value: number,
    fit: number,
    powers: { readonly pixelPitch: number; readonly stageScale: number; readonly wavelength: number },
  ): FittedQuantity => {
    const parts = {
      fit,
      pixelPitch: Math.abs(value * powers.pixelPitch * pixelPitch),
      stageScale: Math.abs(value * powers.stageScale * stageScale),
      wavelength: Math.abs(value * powers.wavelength * wavelength),
    };
    return { value, u: Math.hypot(parts.fit, parts.pixelPitch, parts.stageScale, parts.wavelength), parts };
  };

  const result = {
    m2: quantity(m2, u([m2 / d0_um, 0, m2 / divergence_mrad]), { pixelPitch: 2, stageScale: 1, wavelength: 1 }),
    // The waist is where the stage says: its scale moves the ruler along.
    z0_mm: quantity(z0_mm, u([0, 1, 0]), { pixelPitch: 0, stageScale: 0, wavelength: 0 }),
    d0_um: quantity(d0_um, u([1, 0, 0]), { pixelPitch: 1, stageScale: 0, wavelength: 0 }),
    divergence_mrad: quantity(divergence_mrad, u([0, 0, 1]), { pixelPitch: 1, stageScale: 1, wavelength: 0 }),
    rayleigh_mm: quantity(rayleigh_mm, u([1 / divergence_mrad, 0, -rayleigh_mm / divergence_mrad]), {
      pixelPitch: 0,
      stageScale: 1,
      wavelength: 0,
    }),
  };
  const { z0_mm: waist, ...positive } = result;
  const computable =
    Object.values(positive).every((q) => q.value > 0 && q.value < Number.POSITIVE_INFINITY && Number.isFinite(q.u)) &&
    Number.isFinite(waist.value + waist.u);
  if (!computable) {
    return fail(
      "out_of_range",
      "The widths or positions are too large or too small to compute with; check their units.",
    );
  }
  const flags = fitFlags(result, first_mm, last_mm, absolute ? chi2_ndf : undefined);
  const positions = checkIsoPositions(distinct, z0_mm, rayleigh_mm);
  const impossible = flags.some((flag) => flag.code === "m2_below_one");
  return {
    determined: true,
    weights,
    wavelength_nm,
    ...result,
    covariance,
    studentFactor: widening,
    degreesOfFreedom: freedom,
    ...(absolute && chi2_ndf !== undefined ? { chi2_ndf } : {}),
    iso: impossible
      ? {
          ...positions,
          complete: false,
          missing: [...positions.missing, `a possible M²: ${m2.toPrecision(3)} lies significantly below 1`],
        }
      : positions,
    flags,
    residuals: points.map((point, i) => {
      const fitted_um = widthAt(curve, (data[i] as ScaledPoint).t) * largest_um;
      const residual_um = point.d_um - fitted_um;
      const { u: uScaled } = data[i] as ScaledPoint;
      return {
        z_mm: point.z_mm,
        d_um: point.d_um,
        fitted_um,
        residual_um,
        ...(absolute ? { normalized: residual_um / (uScaled * largest_um) } : {}),
      };
    }),
  };
}

/** Given uncertainties where every point has one, relative deviations otherwise. */
export function defaultWeights(points: readonly CausticPoint[]): FitWeights {
  return points.length > 0 && points.every((point) => point.u_um !== undefined) ? "given" : "relative";
}

function fitFlags(
  result: Pick<DeterminedCaustic, "m2" | "z0_mm">,
  first_mm: number,
  last_mm: number,
  chi2_ndf: number | undefined,
): FitFlag[] {
  const flags: FitFlag[] = [];
  const { m2, z0_mm } = result;
  const upper = m2.value + 2 * m2.u;
  if (upper < 1) flags.push({ code: "m2_below_one", value: upper, limit: 1 });
  if (z0_mm.value < first_mm) flags.push({ code: "waist_outside_positions", value: z0_mm.value, limit: first_mm });
  if (z0_mm.value > last_mm) flags.push({ code: "waist_outside_positions", value: z0_mm.value, limit: last_mm });
  if (chi2_ndf !== undefined && chi2_ndf > POOR_FIT) {
    flags.push({ code: "poor_fit", value: chi2_ndf, limit: POOR_FIT });
  }
  return flags;
}

/** Weighted linear least squares of d² = a + bt + ct². */
function solveParabola(
  data: readonly ScaledPoint[],
  weights: FitWeights,
): { readonly a: number; readonly b: number; readonly c: number } | undefined {
  const solution = solveLeastSquares(
    data.map((point) => {
      const s = squareDeviation(point, weights);
      return { row: [1 / s, point.t / s, (point.t * point.t) / s] as const, value: (point.d * point.d) / s };
    }),
  );
  if (solution === undefined) return undefined;
  const [a, b, c] = solution.x;
  return { a, b, c };
}

/** Standard deviation that a weighting gives d² (to first order where it is a statement about d). */
function squareDeviation({ d, u }: ScaledPoint, weights: FitWeights): number {
  switch (weights) {
    case "given":
    case "uniform_d":
      return 2 * d * u;
    case "relative":
      return d * d;
    case "uniform_d2":
      return 1;
  }
}

/** The equation of one point for small changes of (d0, t0, slope): derivatives and residual over its deviation. */
function linearized(
  point: ScaledPoint,
  curve: Hyperbola,
  weights: FitWeights,
): { readonly row: Vector3; readonly value: number } {
  const { d0, t0, slope } = curve;
  const distance = point.t - t0;
  const model = widthAt(curve, point.t);
  const ofSquare: Vector3 = [2 * d0, -2 * slope * slope * distance, 2 * slope * distance * distance];
  const inWidth = weights === "given" || weights === "uniform_d";
  const divisor = inWidth ? 2 * model * point.u : squareDeviation(point, weights);
  const residual = inWidth
    ? (point.d - model) / point.u
    : (point.d * point.d - model * model) / squareDeviation(point, weights);
  return { row: [ofSquare[0] / divisor, ofSquare[1] / divisor, ofSquare[2] / divisor], value: residual };
}

/** Levenberg–Marquardt on the widths, from a curve that is near. Undefined when it does not settle. */
function refine(data: readonly ScaledPoint[], start: Hyperbola): Hyperbola | undefined {
  let curve = start;
  let damping = 0;
  let squares = sumOfSquares(data, curve);
  for (let step = 0; step < MOST_STEPS; step++) {
    const equations = data.map((point) => linearized(point, curve, "given"));
    const damped = [0, 1, 2].map((k) => {
      const length = Math.sqrt(equations.reduce((sum, { row }) => sum + (row[k] as number) ** 2, 0));
      const row: [number, number, number] = [0, 0, 0];
      row[k] = Math.sqrt(damping) * length;
      return { row, value: 0 };
    });
    const change = solveLeastSquares(damping > 0 ? [...equations, ...damped] : equations)?.x;
    if (change === undefined) return undefined;
    const next: Hyperbola = {
      d0: Math.abs(curve.d0 + change[0]),
      t0: curve.t0 + change[1],
      slope: Math.abs(curve.slope + change[2]),
    };
    const size = Math.max(
      Math.abs(change[0]) / next.d0,
      Math.abs(change[1]) / (Math.abs(next.t0) + next.d0 / next.slope),
      Math.abs(change[2]) / next.slope,
    );
    const nextSquares = sumOfSquares(data, next);
    // Near the bottom rounding decides which of two sums is smaller: a tiny step ends the search either way.
    if (nextSquares <= squares || size < 1e-10) {
      curve = nextSquares <= squares ? next : curve;
      squares = Math.min(squares, nextSquares);
      damping = damping < 1e-6 ? 0 : damping / 10;
      if (size < 1e-10) return curve;
    } else {
      damping = damping === 0 ? 1e-3 : damping * 10;
      if (damping > 1e12) return undefined;
    }
  }
  return undefined;
}

function sumOfSquares(data: readonly ScaledPoint[], curve: Hyperbola): number {
  let sum = 0;
  for (const point of data) sum += ((point.d - widthAt(curve, point.t)) / point.u) ** 2;
  return sum;
}

function widthAt({ d0, t0, slope }: Hyperbola, t: number): number {
  return Math.hypot(d0, slope * (t - t0));
}

function slopeAt(curve: Hyperbola, t: number): number {
  return (curve.slope * curve.slope * (t - curve.t0)) / widthAt(curve, t);
}

/** What correlations between points add to the covariance of the curve, and take from the expected χ². */
interface SharedNoise {
  readonly covariance: Symmetric3;
  readonly missingScatter: number;
}
const NOTHING_SHARED: SharedNoise = { covariance: [0, 0, 0, 0, 0, 0], missingScatter: 0 };

/**
 * With equations A of unit variance, correlated by I + K, the least-squares curve has the covariance H + H AᵀKA H with
 * H = (AᵀA)⁻¹, and χ² the expectation ν − tr(H AᵀKA) (K has no diagonal).
 */
function sharedNoise(
  points: readonly CausticPoint[],
  equations: readonly { readonly row: Vector3 }[],
  data: readonly ScaledPoint[],
  inverse: Symmetric3,
  largest_um: number,
): SharedNoise {
  // The curve's answer to one unit of each point's error.
  const answers = equations.map(({ row }) => product(inverse, row));
  let missingScatter = 0;
  const sum: [number, number, number, number, number, number] = [0, 0, 0, 0, 0, 0];
  const share = (i: number) => {
    const common_um = points[i]?.dark?.u_um ?? 0;
    return common_um > 0 ? Math.min(1, common_um / ((data[i] as ScaledPoint).u * largest_um)) : 0;
  };
  points.forEach((one, i) => {
    points.slice(0, i).forEach((other, k) => {
      const correlation = share(i) * share(k) * darkCorrelation(one, other);
      if (correlation === 0) return;
      const [p, q] = [answers[i] as Vector3, answers[k] as Vector3];
      sum[0] += 2 * correlation * p[0] * q[0];
      sum[1] += correlation * (p[0] * q[1] + p[1] * q[0]);
      sum[2] += correlation * (p[0] * q[2] + p[2] * q[0]);
      sum[3] += 2 * correlation * p[1] * q[1];
      sum[4] += correlation * (p[1] * q[2] + p[2] * q[1]);
      sum[5] += 2 * correlation * p[2] * q[2];
      const row = (equations[k] as { readonly row: Vector3 }).row;
      missingScatter += 2 * correlation * (p[0] * row[0] + p[1] * row[1] + p[2] * row[2]);
    });
  });
  return { covariance: sum, missingScatter: Math.min(missingScatter, 0.5 * (points.length - 3)) };
}

function product(c: Symmetric3, [x, y, z]: Vector3): Vector3 {
  return [c[0] * x + c[1] * y + c[2] * z, c[1] * x + c[3] * y + c[4] * z, c[2] * x + c[4] * y + c[5] * z];
}

function add(a: Symmetric3, b: Symmetric3): Symmetric3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]];
}

/** A covariance in other units, times a factor. */
function rescale(c: Symmetric3, [p, q, r]: Vector3, factor: number): Symmetric3 {
  return [
    c[0] * p * p * factor,
    c[1] * p * q * factor,
    c[2] * p * r * factor,
    c[3] * q * q * factor,
    c[4] * q * r * factor,
    c[5] * r * r * factor,
  ];
}
