import { fixed, NO_NUMBER } from "../../store/format.ts";

/** Values over time, oldest first; absent where a frame had none. */
export type Series = readonly (number | undefined)[];

/**
 * The number in the head of a strip chart: the newest value, or how much the values spread. Where the newest frame has none, there is no
 * number, since an older one would be taken for the beam's.
 */
export function headWords(series: Series, spread: boolean): string {
  const newest = series.at(-1);
  if (newest === undefined) return NO_NUMBER;
  return spread ? `σ ${fixed(deviationOf(series), 2)}` : short(newest);
}

function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${fixed(value / 1e6, 3)}M`;
  if (size >= 1e5) return `${fixed(value / 1e3, 1)}k`;
  return fixed(value, size >= 1000 ? 0 : 1);
}

export function meanOf(series: Series): number | undefined {
  const known = series.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function deviationOf(series: Series): number | undefined {
  const known = series.filter((value) => value !== undefined);
  const mean = meanOf(series);
  if (mean === undefined || known.length < 2) return undefined;
  return Math.sqrt(known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (known.length - 1));
}
