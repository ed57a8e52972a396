import type { SuiteMetric } from "../../contract/suite-results.ts";
import { wilsonInterval } from "../statistics/wilson-interval.ts";

/** A share with its 95 % Wilson interval; without trials the interval is all that a share can be. */
export function suiteMetric(
  of: Pick<SuiteMetric, "name" | "group" | "contender" | "successes" | "trials">,
): SuiteMetric {
  const interval = wilsonInterval(of.successes, of.trials);
  return { ...of, low: interval?.low ?? 0, high: interval?.high ?? 1 };
}
