import type { BenchReport, Entry } from "./entry.ts";

/** A factor must be farther from 1 than this to be called a change. */
const NOTICEABLE = 0.1;

export interface Comparison {
  readonly name: string;
  /** Now over then: of the ratios to the reference where both reports have one, which load hardly changes, else of the medians. */
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
  if (now.ratio !== undefined && then.ratio !== undefined) {
    const factor = now.ratio.value / then.ratio.value;
    // What the machine as a whole takes longer now, as the reference tells.
    const scale = now.timing.least_ms / then.timing.least_ms / factor;
    return { name: now.name, factor, verdict: verdict(now, then, factor, scale) };
  }
  const factor = now.timing.median_ms / then.timing.median_ms;
  return { name: now.name, factor, verdict: verdict(now, then, factor, 1) };
}

function verdict(now: Entry, then: Entry, factor: number, scale: number): Comparison["verdict"] {
  if (factor > 1 + NOTICEABLE && now.timing.lower_quartile_ms > then.timing.upper_quartile_ms * scale) return "slower";
  if (factor < 1 - NOTICEABLE && now.timing.upper_quartile_ms < then.timing.lower_quartile_ms * scale) return "faster";
  return "same";
}
