/**
 * Probability that |t| < x for Student's t with `freedom` degrees of freedom (whole, ≥ 1): Abramowitz and Stegun,
 * 26.7.3 and 26.7.4. Ten degrees, x = 2: 0.92661.
 */
export function studentCoverage(x: number, freedom: number): number {
  const angle = Math.atan(x / Math.sqrt(freedom));
  const cosine = Math.cos(angle);
  const odd = freedom % 2 === 1;
  let sum = 0;
  let term = odd ? cosine : 1;
  for (let k = odd ? 1 : 0; k <= freedom - 2; k += 2) {
    sum += term;
    term *= ((k + 1) / (k + 2)) * cosine * cosine;
  }
  return odd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}

/** Share of a normal distribution within one standard deviation. */
const ONE_SIGMA = 0.682689492137;

/**
 * Half-width, in units of the estimated standard deviation, of the interval that holds the true value with the
 * probability of ±1 σ of a normal distribution (GUM, G.3). 1.84 for one degree of freedom, 1.05 for ten, 1 for many.
 */
export function studentFactor(freedom: number): number {
  if (freedom > 200) return 1;
  let low = 1;
  let high = 2;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (studentCoverage(middle, freedom) < ONE_SIGMA) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Standard normal deviate with one tenth above it. */
const ONE_TENTH = 1.281551566;

/**
 * χ²/ν that chance exceeds in one fit of ten when the uncertainties are right (Wilson and Hilferty's cube, good to 1 %
 * from ν = 2 on). 1.55 for twelve degrees of freedom.
 */
export function largestByChance(freedom: number): number {
  const spread = 2 / (9 * freedom);
  return (1 - spread + ONE_TENTH * Math.sqrt(spread)) ** 3;
}
