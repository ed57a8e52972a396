/** A rate with its interval. */
export interface Rate {
  readonly successes: number;
  readonly trials: number;
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** 97.5 % point of the standard normal distribution. */
const Z_95 = 1.959963984540054;

/**
 * Wilson's score interval for a binomial rate, 95 % by default. Unlike the textbook interval it is right near 0 and 1
 * and for few trials: 16 of 16 gives 0.806…1. Undefined without trials.
 *
 * Source: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927) 209.
 */
export function wilsonInterval(successes: number, trials: number, z = Z_95): Rate | undefined {
  if (trials <= 0) return undefined;
  const rate = successes / trials;
  const z2 = z * z;
  const centre = (rate + z2 / (2 * trials)) / (1 + z2 / trials);
  const half = (z / (1 + z2 / trials)) * Math.sqrt((rate * (1 - rate)) / trials + z2 / (4 * trials * trials));
  return { successes, trials, rate, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
