/** What stands where there is no number. */
export const NO_NUMBER = "–";
/** Between the digits of a number and its unit. */
const NARROW_SPACE = "\u202f";

/** So many digits behind the point as make `significant` digits in all, at least none. */
function decimalsFor(value: number, significant: number): number {
  if (value === 0 || !Number.isFinite(value)) return 0;
  return Math.max(0, significant - 1 - Math.floor(Math.log10(Math.abs(value))));
}

const MINUS = "\u2212";
/** With a true minus sign, and without one where all digits are zero. */
const minus = (text: string): string => (/[1-9]/.test(text) ? text.replace("-", MINUS) : text.replace("-", ""));

/** A number with so many digits behind the point, with a true minus sign. */
export function fixed(value: number | undefined, decimals: number): string {
  return value === undefined ? NO_NUMBER : minus(value.toFixed(decimals));
}

/** A number with so many significant digits, without exponent. */
export function significant(value: number | undefined, digits: number): string {
  return value === undefined ? NO_NUMBER : minus(value.toFixed(decimalsFor(value, digits)));
}

/**
 * A value and its standard uncertainty, rounded alike: two digits of the uncertainty decide about the digits of both.
 * Without an uncertainty four digits are shown.
 */
export function withUncertainty(
  value: number | undefined,
  u: number | undefined,
): { readonly value: string; readonly u: string | undefined } {
  if (value === undefined) return { value: NO_NUMBER, u: undefined };
  if (u === undefined || !(u > 0)) return { value: significant(value, 4), u: undefined };
  const decimals = Math.min(6, decimalsFor(u, 2));
  return { value: minus(value.toFixed(decimals)), u: u.toFixed(decimals) };
}

/** As one text: `1.204 ± 0.003`. */
export function plusMinus(value: number | undefined, u: number | undefined): string {
  const parts = withUncertainty(value, u);
  return parts.u === undefined ? parts.value : `${parts.value}${NARROW_SPACE}±${NARROW_SPACE}${parts.u}`;
}

export function percent(share: number | undefined, digits = 1): string {
  return share === undefined ? NO_NUMBER : `${minus((100 * share).toFixed(digits))}${NARROW_SPACE}%`;
}

/** Bench time: `2:03.4`, or with hours from the first hour on. */
export function clockTime(t_ms: number): string {
  const tenths = Math.floor(t_ms / 100);
  const seconds = Math.floor(tenths / 10);
  const minutes = Math.floor(seconds / 60);
  const two = (value: number): string => String(value).padStart(2, "0");
  const rest = `${two(seconds % 60)}.${tenths % 10}`;
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}

/** Round numbers that divide a range into about `count` steps. */
export function ticks(from: number, to: number, count: number): number[] {
  const span = to - from;
  if (!(span > 0) || !Number.isFinite(span)) return [];
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (rough / power >= 5 ? 10 : rough / power >= 2 ? 5 : rough / power >= 1 ? 2 : 1);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}
