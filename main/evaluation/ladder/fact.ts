/**
 * Something that holds on the bench, as a text: `at(150)` in mm, `exposure(2)` and `dark(2)` in ms, `measured(150)`, `measured(150,2)`,
 * `exists(m002)`, `used(m002)`, `rejected(m002)`, `fitted`, `determined`, `covered`, `suggested`, `estimated(60,120)`, `status_known`,
 * `finished(iso_compliant)`, `none_saturated`, and what the bench's limits allow, `reachable(150)` and `exposable(2)`.
 */
export type Fact = string;

/** Numbers of facts are kept to a thousandth of a millimetre or millisecond. */
const DECIMALS = 3;

export function fact(name: string, ...subjects: readonly (string | number)[]): Fact {
  const words = subjects.map((one) => (typeof one === "number" ? String(Number(one.toFixed(DECIMALS))) : one));
  return words.length === 0 ? name : `${name}(${words.join(",")})`;
}

/** `at` of `at(150)`. */
export const factName = (one: Fact): string => one.split("(", 1)[0] ?? one;

/** Facts of which only one of its name holds at a time: another value takes the place of the old one. */
const SINGLE_VALUED: ReadonlySet<string> = new Set(["at", "exposure"]);

/** Whether what comes true with `later` ends `earlier`. */
export function ends(later: Fact, earlier: Fact): boolean {
  if (later === earlier) return false;
  if (factName(later) === factName(earlier)) return SINGLE_VALUED.has(factName(later));
  return (
    (later === earlier.replace(/^used\(/, "rejected(") && earlier.startsWith("used(")) ||
    (later === earlier.replace(/^rejected\(/, "used(") && earlier.startsWith("rejected("))
  );
}
