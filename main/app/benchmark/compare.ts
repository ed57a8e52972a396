import type { BenchReport, Entry } from "./entry.ts";

/** A median must move by more than this to be called another. */
const NOTICEABLE = 0.1;

export interface Comparison {
  readonly name: string;
  /** Median now over median then; of the ratios to the reference where both reports have one, which load hardly changes. */
  readonly factor: number;
  /** `same` also where the halves of all runs overlap: then the difference may be noise. */
  readonly verdict: "faster" | "slower" | "same";
}

/** Entry by entry; what only one of the two has is left out. */
export function compareReports(now: BenchReport, then: BenchReport): Comparison[] {
  const before = new Map(then.entries.map((entry) => [entry.name, entry]));
  return now.entries.flatMap((entry) => {
    const old = before.get(entry.name);
    return old === undefined ? [] : [compare(entry, old)];
  });
}

function compare(now: Entry, then: Entry): Comparison {
  const scale =
    now.ratio === undefined || then.ratio === undefined
      ? 1
      : // What the reference took now over what it took then.
        now.timing.median_ms / now.ratio.value / (then.timing.median_ms / then.ratio.value);
  const factor = now.timing.median_ms / (then.timing.median_ms * scale);
  const slower = factor > 1 + NOTICEABLE && now.timing.lower_quartile_ms > then.timing.upper_quartile_ms * scale;
  const faster = factor < 1 - NOTICEABLE && now.timing.upper_quartile_ms < then.timing.lower_quartile_ms * scale;
  return { name: now.name, factor, verdict: slower ? "slower" : faster ? "faster" : "same" };
}
