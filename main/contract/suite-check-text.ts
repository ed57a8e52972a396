import type { SuiteCheck, SuiteResults } from "./suite-results.ts";

/** A check that failed, as a sentence: `value of m2_x: wanted 1.20 ± 0.05, got 2.4`. */
export function suiteCheckText({ code, required, wanted, got }: SuiteCheck): string {
  const [what = code, ...subject] = code.split(":");
  const name = `${what.replaceAll("_", " ")}${subject.length === 0 ? "" : ` of ${subject.join(":")}`}`;
  const parts = [
    ...(wanted === undefined ? [] : [`wanted ${wanted}`]),
    ...(got === undefined ? [] : [`got ${got}`]),
    ...(required ? [] : ["not required"]),
  ];
  return parts.length === 0 ? name : `${name}: ${parts.join(", ")}`;
}

export const SUITE_TITLES: Readonly<Record<SuiteResults["suite"], string>> = {
  questions: "Question suite",
  ladder: "Tool ladder",
  procedures: "Procedures",
};
