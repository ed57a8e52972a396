import type { GroupSummary } from "../../contract/evaluation-summary.ts";

/** A number with that many decimals and a real minus sign. */
export function decimal(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** A share as a percentage. */
export const percent = (share: number, decimals = 1): string => `${decimal(100 * share, decimals)}\u00a0%`;

/** A share with its sign. */
export const signedPercent = (share: number): string => `${share < 0 ? "" : "+"}${percent(share, 2)}`;

type Rate = NonNullable<GroupSummary["correct"]>;

/** `14 of 16 (88 %, 64 to 97)`; a dash where there is nothing to rate. */
export function rateText(rate: Rate | undefined): string {
  if (rate === undefined) return "–";
  const { successes, trials, low, high } = rate;
  return `${successes} of ${trials} (${percent(rate.rate, 0)}, ${decimal(100 * low, 0)} to ${decimal(100 * high, 0)})`;
}

export const usdText = (usd: number | undefined): string => (usd === undefined ? "unknown" : `$${usd.toFixed(2)}`);

/** A p value as it may be quoted. */
export const pText = (p: number | undefined): string =>
  p === undefined ? "–" : p < 0.001 ? "< 0.001" : p.toPrecision(2).replace(/\.0$/, "");

/** `1 row`, `2 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
