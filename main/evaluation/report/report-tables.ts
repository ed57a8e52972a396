import type { EvaluationResults } from "../../contract/evaluation-results.ts";
import type { EvaluationRow } from "../../contract/evaluation-row.ts";
import type { GroupSummary, PairedSummary } from "../../contract/evaluation-summary.ts";
import type { Plan, PlanGroup } from "../../contract/plan.ts";
import { isGraded } from "../is-graded.ts";
import { unitId } from "../unit.ts";
import { counted, decimal, percent, pText, rateText, usdText } from "./figures-text.ts";
import type { ReportTable } from "./report-table.ts";

/** One cell of the matrix of cases and contenders. */
export interface MatrixCell {
  readonly mark: "right" | "wrong" | "no verdict" | "failed" | "not run" | "not judged" | "no such unit";
  readonly text: string;
  /** The unit it stands for, where it is a single one with a run. */
  readonly unit?: string;
}

export interface MatrixRow {
  readonly name: string;
  readonly expected: string;
  readonly seen: boolean;
  readonly caveat?: string;
  readonly cells: readonly MatrixCell[];
}

/** Larger groups are shown by kind of case, not case by case. */
const MOST_CASES = 24;

export const contendersOf = (results: EvaluationResults): string[] => [
  ...new Set(results.rows.map((row) => row.contender)),
];

export const isReference = (plan: Plan, contender: string): boolean =>
  plan.contenders.find((one) => one.contender === contender)?.reference === true;

export const contenderLabel = (plan: Plan, contender: string): string =>
  isReference(plan, contender) ? `${contender} (reference)` : contender;

const SUMMARY_COLUMNS = [
  "contender",
  "planned",
  "graded",
  "failed",
  "not run",
  "right verdicts",
  "|M² error| median",
  "|M² error| max",
  "within ± u",
  "within ± 2u",
  "violations (attempted)",
  "positions",
  "fault noticed",
  "fault claim right",
  "bad calls",
  "picture not confirmed",
  "tokens",
  "USD",
];

/** One line a contender: the plan's metrics over a group. */
export function summaryTable(summaries: readonly GroupSummary[], plan: Plan): ReportTable {
  return {
    columns: SUMMARY_COLUMNS,
    rows: summaries.map((one) => {
      const costs = plan.contenders.find((other) => other.contender === one.contender)?.limits !== undefined;
      return [
        contenderLabel(plan, one.contender),
        String(one.planned),
        String(one.graded),
        String(one.failed),
        String(one.not_run),
        rateText(one.correct),
        one.m2_error_median === undefined ? "–" : percent(one.m2_error_median, 2),
        one.m2_error_max === undefined ? "–" : percent(one.m2_error_max, 2),
        rateText(one.within_1u),
        rateText(one.within_2u),
        `${one.violations} (${one.attempted_violations})`,
        one.positions_mean === undefined ? "–" : decimal(one.positions_mean, 1),
        rateText(one.fault_noticed),
        rateText(one.fault_claim_right),
        rateText(one.bad_call_runs),
        String(one.image_not_confirmed),
        costs ? (one.tokens === undefined ? "unknown" : String(one.tokens)) : "–",
        costs ? usdText(one.usd) : "–",
      ];
    }),
  };
}

export const summariesOf = (results: EvaluationResults, group: string): GroupSummary[] =>
  results.summary.groups.filter((one) => one.group === group);

/** What stands before the text of a cell, in every form of the report. */
export const CELL_SIGNS: Readonly<Record<MatrixCell["mark"], string>> = {
  right: "✓",
  wrong: "✗",
  "no verdict": "✗",
  failed: "!",
  "not run": "○",
  "not judged": "·",
  "no such unit": "",
};

function cellOf(rows: readonly EvaluationRow[]): MatrixCell {
  const [row] = rows;
  if (row === undefined) return { mark: "no such unit", text: "" };
  if (rows.length > 1) {
    const graded = rows.filter(isGraded);
    if (graded.length > 0 && graded.every((one) => one.correct === undefined)) return notJudged(graded);
    const right = graded.filter((one) => one.correct === true).length;
    const missing = rows.length - graded.length;
    return {
      mark: graded.length === 0 ? "not run" : right === graded.length ? "right" : "wrong",
      text: `${right} of ${graded.length}${missing === 0 ? "" : `, ${missing} without a grade`}`,
    };
  }
  const unit = unitId(row);
  if (row.status === "not_run") return { mark: "not run", text: "not run" };
  if (row.status === "failed") return { mark: "failed", text: "failed" };
  if (row.verdict === undefined) return { mark: "no verdict", text: "no verdict", unit };
  if (row.correct === undefined) return { ...notJudged(rows), unit };
  return { mark: row.correct ? "right" : "wrong", text: row.verdict, unit };
}

/** Verdicts that nothing calls right or wrong, each with how often it came. */
function notJudged(rows: readonly EvaluationRow[]): MatrixCell {
  const verdicts = rows.map((row) => row.verdict ?? "no verdict");
  const texts = [...new Set(verdicts)].map((verdict) => {
    const times = verdicts.filter((one) => one === verdict).length;
    return times === 1 ? verdict : `${times} × ${verdict}`;
  });
  return { mark: "not judged", text: texts.join(", ") };
}

/** What is right and wrong in a group: case by case, or by kind of case where there are many. */
export function verdictMatrix(results: EvaluationResults, group: PlanGroup): MatrixRow[] {
  const contenders = contendersOf(results);
  const rows = results.rows.filter((row) => row.group === group.group);
  const cases = [...new Set(rows.map((row) => row.case))];
  const byKind = cases.length > MOST_CASES;
  const kindOf = (row: EvaluationRow): string =>
    !byKind
      ? row.case
      : group.grid === undefined
        ? `${group.group}, ${row.expected ?? "on a bench"}`
        : row.case.replace(/-\d+$/, "");
  return [...new Set(rows.map(kindOf))].map((name) => {
    const own = rows.filter((row) => kindOf(row) === name);
    const planned = [...(group.cases ?? []), ...(group.bench_cases ?? [])].find((one) => one.case === name);
    return {
      name,
      expected: [...new Set(own.map((row) => row.expected ?? "–"))].join(", "),
      seen: own.every((row) => row.seen),
      ...(planned?.caveat === undefined ? {} : { caveat: planned.caveat }),
      cells: contenders.map((contender) => cellOf(own.filter((row) => row.contender === contender))),
    };
  });
}

const outcomeText = (one: PairedSummary): string => {
  if (one.only_first !== undefined) {
    return `${one.first} alone right ${one.only_first}, ${one.second} alone right ${one.only_second ?? 0}`;
  }
  if (one.mean_difference === undefined || one.low === undefined || one.high === undefined) return "–";
  const text = (value: number): string => (one.metric === "absolute M² error" ? percent(value, 2) : decimal(value, 2));
  return `mean difference ${text(one.mean_difference)} (${text(one.low)} to ${text(one.high)})`;
};

/** Contenders on the same cases; the plan's primary comparisons first. */
export function pairedTable(results: EvaluationResults): ReportTable {
  const ordered = [...results.summary.paired].sort((a, b) => Number(a.exploratory) - Number(b.exploratory));
  return {
    columns: ["metric", "groups", "contenders", "cases", "outcome", "p", "p (Holm)", "kind"],
    rows: ordered.map((one) => [
      one.metric,
      one.groups.join(", "),
      `${one.first} – ${one.second}`,
      String(one.cases),
      outcomeText(one),
      pText(one.p),
      pText(one.p_holm),
      one.exploratory ? "exploratory" : "primary",
    ]),
  };
}

/** Rows that were graded and are not right, in the plan's order, and those that the infrastructure broke. */
export const rowsWithNotes = (results: EvaluationResults): EvaluationRow[] =>
  results.rows.filter((row) => row.note !== undefined && row.status !== "not_run");

export const rowsNotRun = (results: EvaluationResults): EvaluationRow[] =>
  results.rows.filter((row) => row.status === "not_run");

/** Whether a verdict was right, in words; a dash where the case was not run to its end. */
export function rightText(row: EvaluationRow): string {
  const { correct } = row;
  if (!isGraded(row)) return "–";
  return correct === undefined ? "not judged" : correct ? "yes" : "no";
}

/** When a deviation came, and what it marks. */
export function deviationRemark({ results_seen, marks_seen = [] }: EvaluationResults["deviations"][number]): string {
  const marks = marks_seen.length === 0 ? "" : `; marks as seen: ${marks_seen.join(", ")}`;
  return `(${results_seen ? "after" : "before"} results were seen${marks})`;
}

/** How the plan stands, in sentences. */
export function registrationText(results: EvaluationResults): string[] {
  const { registration, plan_hash } = results;
  const sentences = [
    registration.registered
      ? `Registered: frozen on ${registration.frozen_on ?? "?"}${registration.commit === undefined ? "" : `, in commit ${registration.commit.slice(0, 12)}`}, unchanged since.`
      : `EXPLORATORY, every row of it: ${registration.why_not.join("; ") || "not registered"}.`,
    `SHA-256 of the plan: ${plan_hash}.`,
  ];
  if (registration.changed_parts.length > 0) {
    sentences.push(
      `Changed after the freeze: ${registration.changed_parts.join(", ")}. The held-out cases that this concerns are marked as seen and left out of the held-out totals.`,
    );
  }
  if (registration.history !== undefined) sentences.push(`Mind: ${registration.history}.`);
  const { not_recomputed = [], started_again = [] } = results;
  if (not_recomputed.length > 0) {
    const why = [...new Set(not_recomputed.map((one) => one.why))].join("; ");
    sentences.push(
      `${counted(not_recomputed.length, "run")} could not be simulated again, so nothing but run.json says that they are those of their cases: ${why}.`,
    );
  }
  for (const { starts, finished, failed, ...unit } of started_again) {
    const broken = starts - finished - failed;
    sentences.push(
      `${unit.case} by ${unit.contender}, epoch ${unit.epoch}, was started ${starts} times: ${finished} finished, ${failed} failed, ${broken} broken off; the last one is reported.`,
    );
  }
  const mixed = Object.entries(results.made_with).filter(([, hashes]) => hashes.length > 1);
  if (mixed.length > 0) {
    sentences.push(`Runs of different states of the program are mixed: ${mixed.map(([part]) => part).join(", ")}.`);
  }
  const outside = results.registration.registered ? results.rows.filter((row) => row.exploratory) : [];
  if (outside.length > 0) {
    const names = [...new Set(outside.map((row) => row.contender))].join(", ");
    sentences.push(
      `Exploratory, since the plan does not name them for these cases: ${names} (${counted(outside.length, "row")}).`,
    );
  }
  return sentences;
}
