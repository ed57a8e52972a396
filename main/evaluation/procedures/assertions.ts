import type { ProcedureAssertion } from "../../contract/procedure-task.ts";
import { evaluate } from "../../procedures/evaluate.ts";
import { parseExpression } from "../../procedures/parse.ts";
import { ProcedureError } from "../../procedures/procedure-error.ts";
import { sameDimension } from "../../procedures/units.ts";
import { type Quantity, type Value, inUnit, quantityFrom, valueText } from "../../procedures/values.ts";

/** What came of one assertion. */
export interface AssertionVerdict {
  readonly passed: boolean;
  readonly wanted: string;
  /** The value that was found, or why there is none. */
  readonly got: string;
}

/** Numbers that are stated without a tolerance agree to this share. */
const EXACT = 1e-9;
/** A perturbed value is off by this share, or by so many tolerances, whichever is more. */
const PERTURBED_SHARE = 0.1;
const PERTURBED_BANDS = 3;

/** The expression of an assertion. */
export function assertedExpression({ target, prop, expr }: ProcedureAssertion): string {
  return expr ?? `${target ?? ""}.${prop ?? ""}`;
}

/** The largest accepted difference, in the assertion's unit. */
function tolerance({ value, tol, rtol }: ProcedureAssertion): number {
  const size = typeof value === "number" ? Math.abs(value) : 0;
  return Math.max(tol ?? 0, (rtol ?? 0) * size, EXACT * Math.max(size, 1e-3));
}

function wantedText(assertion: ProcedureAssertion): string {
  const { value, unit } = assertion;
  if (typeof value !== "number") return JSON.stringify(value);
  const { tol, rtol } = assertion;
  const band =
    tol !== undefined ? ` ± ${tol}` : rtol !== undefined ? ` ± ${Number((100 * rtol).toPrecision(3))} %` : "";
  return `${value}${band}${unit === undefined ? "" : ` ${unit}`}`;
}

/** Looks an assertion up in the final state of a program. Never throws for what a program did. */
export function judge(assertion: ProcedureAssertion, state: ReadonlyMap<string, Value>): AssertionVerdict {
  const wanted = wantedText(assertion);
  let found: Value;
  try {
    found = evaluate(parseExpression(assertedExpression(assertion)), { names: new Map(state), step: () => undefined });
  } catch (error) {
    if (!(error instanceof ProcedureError)) throw error;
    return { passed: false, wanted, got: `nothing: ${error.message}` };
  }
  return { passed: agrees(assertion, found), wanted, got: valueText(found) };
}

function agrees(assertion: ProcedureAssertion, found: Value): boolean {
  const { value, unit } = assertion;
  if (typeof value === "string") return found.kind === "text" && found.text === value;
  if (typeof value === "boolean") return found.kind === "truth" && found.value === value;
  if (found.kind !== "quantity") return false;
  const wanted = quantityFrom(value, unit);
  if (wanted === undefined) throw new RangeError(`no unit "${unit ?? ""}" in an assertion`);
  if (!sameDimension(found.dimension, wanted.dimension)) return false;
  return Math.abs(told(found, wanted) - value) <= tolerance(assertion);
}

/** A quantity as a number in the unit of another. */
function told(found: Quantity, like: Quantity): number {
  return like.unit === undefined ? found.value : inUnit(found, like.unit);
}

/** The assertion with values well outside its tolerance: none of them may hold where the assertion does. */
export function perturbed(assertion: ProcedureAssertion): ProcedureAssertion[] {
  const { value } = assertion;
  if (typeof value === "boolean") return [{ ...assertion, value: !value }];
  if (typeof value === "string") return [{ ...assertion, value: `${value}_` }];
  const off = Math.max(PERTURBED_SHARE * Math.abs(value), PERTURBED_BANDS * tolerance(assertion), value === 0 ? 1 : 0);
  // The tolerance stays what it was: a share of a larger value would be a larger band.
  const tol = tolerance(assertion);
  return [value - off, value + off].map((moved) => {
    const { rtol: _, ...rest } = assertion;
    return { ...rest, value: moved, tol };
  });
}
