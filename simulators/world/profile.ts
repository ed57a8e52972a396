import type { BeamProfile, Scenario } from "./scenario.ts";

/**
 * Irradiance in normalised coordinates: u and v are distances along the principal axes over the second-moment radii
 * there. Its integral over the plane is 1 and ⟨u²⟩ = ⟨v²⟩ = 1/4, so that the second-moment radius is 1 on each axis.
 */
export interface NormalisedProfile {
  readonly density: (u: number, v: number) => number;
  /** Where |u| or |v| is larger, the density is below 1e-12 of its largest. */
  readonly reach: number;
}

/** Γ(1/2) and Γ(1/4), for the moments of exp(−ρ⁸). */
const GAMMA_HALF = Math.sqrt(Math.PI);
const GAMMA_QUARTER = 3.625609908221908;

/** exp(−(ρ/s)⁸) with ⟨ρ²⟩ = s² Γ(1/2) / Γ(1/4) = 1/2: a flat top. */
function superGaussian(): NormalisedProfile {
  const s2 = (0.5 * GAMMA_QUARTER) / GAMMA_HALF;
  const height = 4 / (Math.PI * s2 * GAMMA_QUARTER);
  return {
    density: (u, v) => {
      const q = (u * u + v * v) / s2;
      return height * Math.exp(-(q * q) * (q * q));
    },
    reach: 1.6,
  };
}

/** ρ² exp(−4ρ²), the ring of a Laguerre–Gauss mode 0, 1. */
function donut(): NormalisedProfile {
  return {
    density: (u, v) => {
      const rho2 = u * u + v * v;
      return (16 / Math.PI) * rho2 * Math.exp(-4 * rho2);
    },
    reach: 2.9,
  };
}

/**
 * Weights of an incoherent mixture of Hermite–Gauss orders 0…N with Σ p_n (2n + 1) = M²: binomial about the mean order
 * (M² − 1) / 2, with N at least twice the mean so that the lowest order is never rare.
 */
export function hermiteGaussWeights(m2: number): readonly number[] {
  const highest = Math.max(1, Math.ceil(m2 - 1));
  const p = (m2 - 1) / 2 / highest;
  const weights: number[] = [];
  let choose = 1;
  for (let n = 0; n <= highest; n++) {
    weights.push(choose * p ** n * (1 - p) ** (highest - n));
    choose = (choose * (highest - n)) / (n + 1);
  }
  return weights;
}

/** One axis of the mixture: √2 M Σ p_n φ_n(√2 M u)², φ_n the orthonormal Hermite functions of ⟨s²⟩ = n + 1/2. */
function hermiteGaussAxis(m2: number): (u: number) => number {
  const weights = hermiteGaussWeights(m2);
  const scale = Math.sqrt(2 * m2);
  return (u) => {
    const s = scale * u;
    let previous = 0;
    let current = Math.PI ** -0.25 * Math.exp(-0.5 * s * s);
    let sum = 0;
    for (const [n, weight] of weights.entries()) {
      sum += weight * current * current;
      const next = Math.sqrt(2 / (n + 1)) * s * current - Math.sqrt(n / (n + 1)) * previous;
      previous = current;
      current = next;
    }
    return scale * sum;
  };
}

function hermiteGauss(m2X: number, m2Y: number): NormalisedProfile {
  const alongX = hermiteGaussAxis(m2X);
  const alongY = hermiteGaussAxis(m2Y);
  return { density: (u, v) => alongX(u) * alongY(v), reach: 4.2 };
}

/** The profile of a scenario; undefined for the Gaussian, which is drawn by its own recurrence. */
export function profileOf(scenario: Scenario): NormalisedProfile | undefined {
  const builders: Readonly<Record<BeamProfile, () => NormalisedProfile | undefined>> = {
    gaussian: () => undefined,
    hermite_gauss: () => hermiteGauss(scenario.x.m2, scenario.y.m2),
    super_gaussian: superGaussian,
    donut,
  };
  return builders[scenario.profile]();
}
