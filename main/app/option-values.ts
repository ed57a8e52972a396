import { InvalidArgumentError } from "commander";

interface NumberRange {
  readonly least?: number;
  readonly most?: number;
  /** The least value itself is not allowed. */
  readonly above?: number;
  readonly whole?: boolean;
}

/** A parser for an option that takes a number; its refusal says what is allowed. */
export function numberOption(range: NumberRange = {}): (text: string) => number {
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY, above, whole = false } = range;
  const bounds = [
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(range.least === undefined ? [] : [`from ${least}`]),
    ...(range.most === undefined ? [] : [`to ${most}`]),
  ].join(" ");
  return (text) => {
    const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN;
    const fits = value >= least && value <= most && (above === undefined || value > above);
    if (!Number.isFinite(value) || !fits || (whole && !Number.isInteger(value))) {
      throw new InvalidArgumentError(`Expected a ${whole ? "whole " : ""}number ${bounds}`.trim());
    }
    return value;
  };
}
