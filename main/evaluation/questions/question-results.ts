import type { SuiteMetric, SuiteResults, SuiteRow } from "../../contract/suite-results.ts";
import { suiteMetric } from "../suites/suite-metric.ts";
import { QUESTION_GRADER_VERSION } from "./grade-question.ts";

interface Counted {
  readonly stamp: string;
  readonly suite_hash: string;
  readonly contenders: readonly string[];
  readonly rows: readonly SuiteRow[];
  readonly selected: number;
  readonly all: number;
}

/** What each of the agents without a model is there for. */
const NOTES: Readonly<Record<string, string>> = {
  oracle: "oracle plays the reference calls: it shows that every task can be passed, and says nothing of a model.",
  naive: "naive plays the setup that comes to mind first: a control that must fail.",
  silent: "silent hands nothing in: a control that must fail.",
  refusing: "refusing declines everything: a control that must fail.",
  hedging: "hedging plays the naive setup and names every worry: a control that must fail.",
  guessing: "guessing knows the numbers and measures nothing: a control that must fail.",
};

/** Results with the share of passed tasks by kind, by category and in all. Rows that were not run count as not passed. */
export function questionResults({ rows, contenders, selected, all, ...named }: Counted): SuiteResults {
  const metrics = contenders.flatMap((contender) => {
    const own = rows.filter((row) => row.contender === contender);
    const by = (group: string, counted: readonly SuiteRow[]): SuiteMetric[] => {
      const trials = counted.filter(({ status }) => status !== "failed");
      if (trials.length === 0) return [];
      const successes = trials.filter(({ passed }) => passed).length;
      return [suiteMetric({ name: "passed", group, contender, successes, trials: trials.length })];
    };
    const values = (of: (row: SuiteRow) => string): string[] => [...new Set(own.map(of))];
    return [
      ...by("all", own),
      ...values((row) => row.category).flatMap((one) =>
        by(
          `category ${one}`,
          own.filter((row) => row.category === one),
        ),
      ),
      ...values((row) => row.group).flatMap((one) =>
        by(
          one,
          own.filter((row) => row.group === one),
        ),
      ),
    ];
  });
  const gates = contenders.map((contender) => {
    const own = rows.filter((row) => row.contender === contender);
    const passing = own.filter(({ passed }) => passed).length;
    return {
      group: "all",
      contender,
      passed: own.length > 0 && passing === own.length,
      text: `passes every task: ${passing} of ${own.length}`,
    };
  });
  return {
    suite: "questions",
    ...named,
    grader_version: QUESTION_GRADER_VERSION,
    contenders: [...contenders],
    rows: [...rows],
    metrics,
    gates,
    notes: [
      ...contenders.flatMap((contender) => NOTES[contender] ?? []),
      ...(selected < all ? [`${selected} of ${all} tasks were selected.`] : []),
      ...(rows.some(({ status }) => status === "failed")
        ? ["Rows marked failed are the infrastructure's failure and count for nobody."]
        : []),
    ],
  };
}
