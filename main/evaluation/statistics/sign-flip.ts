import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Up to so many differences that are not zero, every assignment of signs is looked at. */
const MOST_EXACT = 16;
const DRAWS = 10_000;
/** Sums of the same differences in another order differ by rounding. */
const ROUNDING = 1e-12;

/**
 * Two-sided p of "either sign of each paired difference is as likely": the share of all assignments of signs whose sum lies as far from zero
 * as the one that was found. Exact for up to 16 differences that are not zero; beyond, from 10 000 drawn assignments of which the found one
 * is one. Five differences can never give less than 1/16, however large they are. 1 where there are none.
 *
 * Source: E. J. G. Pitman, Suppl. J. R. Stat. Soc. 4 (1937) 119.
 */
export function signFlip(differences: readonly number[], seed: number): number {
  const sizes = differences.filter((difference) => difference !== 0).map(Math.abs);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const found = Math.abs(differences.reduce((sum, difference) => sum + difference, 0)) - ROUNDING * total;
  const n = sizes.length;
  const isAsFar = (isNegative: (index: number) => boolean): boolean =>
    Math.abs(sizes.reduce((sum, size, index) => sum + (isNegative(index) ? -size : size), 0)) >= found;
  if (n <= MOST_EXACT) {
    let far = 0;
    for (let signs = 0; signs < 2 ** n; signs++) if (isAsFar((index) => ((signs >> index) & 1) === 1)) far++;
    return far / 2 ** n;
  }
  const generator = xoroshiro128plus(seed);
  let far = 1;
  for (let draw = 1; draw < DRAWS; draw++) if (isAsFar(() => uniformInt(generator, 0, 1) === 1)) far++;
  return far / DRAWS;
}
