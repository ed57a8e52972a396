/**
 * Holm's step-down adjustment: the returned p values, in the order given, may each be read against the family's level. `family`: how many tests
 * were planned; those without data count like ones that found nothing.
 *
 * Source: S. Holm, Scand. J. Stat. 6 (1979) 65.
 */
export function holm(p: readonly number[], family = p.length): number[] {
  const order = p.map((_, i) => i).sort((a, b) => (p[a] ?? 0) - (p[b] ?? 0));
  const adjusted = new Array<number>(p.length).fill(1);
  let running = 0;
  order.forEach((index, rank) => {
    running = Math.max(running, Math.min(1, (p[index] ?? 1) * (family - rank)));
    adjusted[index] = running;
  });
  return adjusted;
}
