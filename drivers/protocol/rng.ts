/** Chance as an argument: a seeded generator whose draws depend on nothing but its seed and their order. */
export interface Rng {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** Standard normal deviate: mean 0, variance 1. */
  normal(): number;
}
