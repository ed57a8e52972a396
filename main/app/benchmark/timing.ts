/** Times of one piece of work in milliseconds. Half of all runs lie between the quartiles. */
export interface Timing {
  readonly runs: number;
  readonly least_ms: number;
  readonly lower_quartile_ms: number;
  readonly median_ms: number;
  readonly upper_quartile_ms: number;
  readonly p99_ms: number;
}

/** @param times_ms at least one */
export function timingOf(times_ms: readonly number[]): Timing {
  const sorted = times_ms.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return {
    runs: sorted.length,
    least_ms: at(0),
    lower_quartile_ms: at(0.25),
    median_ms: at(0.5),
    upper_quartile_ms: at(0.75),
    p99_ms: at(0.99),
  };
}

type Work = () => unknown;

/**
 * Times several pieces of work in turn, round after round, so that whatever else the machine does falls on all of them alike. Each is
 * run `warmUp` times before, for the compiler's sake.
 */
export async function timeInTurn(works: readonly Work[], rounds: number, warmUp = 3): Promise<Timing[]> {
  const times = works.map((): number[] => []);
  for (let round = -warmUp; round < rounds; round++) {
    for (const [index, work] of works.entries()) {
      const began_ms = performance.now();
      await work();
      const took_ms = performance.now() - began_ms;
      if (round >= 0) times[index]?.push(took_ms);
    }
  }
  return times.map(timingOf);
}
