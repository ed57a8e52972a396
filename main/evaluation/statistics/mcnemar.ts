/** Two contenders on the same cases: where they differ, and how surprising that is. */
export interface PairedComparison {
  readonly cases: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  /** Two-sided exact p of "who wins a case on which they differ is a coin toss". 1 where they never differ. */
  readonly p: number;
}

/**
 * Exact McNemar test on paired right-or-wrong outcomes: the two-sided binomial test on the discordant pairs. With five of
 * five one way p is 0.0625, with six of six 0.031.
 *
 * Source: Q. McNemar, Psychometrika 12 (1947) 153, in its exact form.
 */
export function exactMcNemar(
  pairs: readonly { readonly first: boolean; readonly second: boolean }[],
): PairedComparison {
  const onlyFirst = pairs.filter((pair) => pair.first && !pair.second).length;
  const onlySecond = pairs.filter((pair) => !pair.first && pair.second).length;
  const n = onlyFirst + onlySecond;
  const k = Math.min(onlyFirst, onlySecond);
  let term = 0.5 ** n;
  let tail = term;
  for (let i = 1; i <= k; i++) {
    term *= (n - i + 1) / i;
    tail += term;
  }
  return { cases: pairs.length, onlyFirst, onlySecond, p: n === 0 ? 1 : Math.min(1, 2 * tail) };
}
