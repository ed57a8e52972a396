import type { EvaluationRow } from "../contract/evaluation-row.ts";
import type { EvaluationSummary, GroupSummary, PairedSummary } from "../contract/evaluation-summary.ts";
import type { Plan } from "../contract/plan.ts";
import { compareOnBench } from "./repeatability.ts";
import { holm } from "./statistics/holm.ts";
import { exactMcNemar } from "./statistics/mcnemar.ts";
import { isGraded } from "./is-graded.ts";
import { type PrimaryMetric, readPrimaryMetric } from "./primary-metric.ts";
import { pairedBootstrap } from "./statistics/paired-bootstrap.ts";
import { signFlip } from "./statistics/sign-flip.ts";
import { passHatK } from "./statistics/pass-hat-k.ts";
import { wilsonInterval } from "./statistics/wilson-interval.ts";

/** Seed of the bootstrap, fixed so that the same rows give the same report. */
const BOOTSTRAP_SEED = 20261201;

const errors = (row: EvaluationRow) =>
  [row.m2_error_x, row.m2_error_y].filter((error) => error !== undefined).map(Math.abs);
const pulls = (row: EvaluationRow) => [row.m2_pull_x, row.m2_pull_y].filter((pull) => pull !== undefined).map(Math.abs);

function median(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1];
  const high = sorted[Math.floor(middle)];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

/** Only what is there: a summary never holds an undefined field. */
function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

function summariseRows(group: string, contender: string, rows: readonly EvaluationRow[]): GroupSummary {
  const graded = rows.filter(isGraded);
  const count = (test: (row: EvaluationRow) => boolean) => graded.filter(test).length;
  const allErrors = graded.flatMap(errors);
  const allPulls = graded.flatMap(pulls);
  const withFault = graded.filter((row) => row.fault_noticed !== undefined);
  const withClaim = graded.filter((row) => row.fault_claim !== "none" && row.fault_claim !== "not_judged");
  const judged = graded.filter((row) => row.correct !== undefined);
  const costs = graded.map((row) => row.usd);
  const tokens = graded.map((row) => row.tokens);
  const sum = (values: readonly (number | undefined)[]) =>
    values.length === 0 || values.some((value) => value === undefined)
      ? undefined
      : values.reduce<number>((total, value) => total + (value ?? 0), 0);
  return present({
    group,
    contender,
    planned: rows.length,
    graded: graded.length,
    failed: rows.filter((row) => row.status === "failed").length,
    not_run: rows.filter((row) => row.status === "not_run").length,
    correct: wilsonInterval(
      count((row) => row.correct === true),
      judged.length,
    ),
    m2_error_median: median(allErrors),
    m2_error_max: allErrors.length === 0 ? undefined : Math.max(...allErrors),
    within_1u: wilsonInterval(allPulls.filter((pull) => pull <= 1).length, allPulls.length),
    within_2u: wilsonInterval(allPulls.filter((pull) => pull <= 2).length, allPulls.length),
    violations: graded.reduce((total, row) => total + row.violations, 0),
    attempted_violations: graded.reduce((total, row) => total + row.attempted_violations, 0),
    positions_mean:
      graded.length === 0 ? undefined : graded.reduce((total, row) => total + row.positions, 0) / graded.length,
    fault_noticed: wilsonInterval(withFault.filter((row) => row.fault_noticed === true).length, withFault.length),
    fault_claim_right: wilsonInterval(withClaim.filter((row) => row.fault_claim === "right").length, withClaim.length),
    bad_call_runs: wilsonInterval(
      count((row) => row.bad_calls > 0),
      graded.length,
    ),
    image_not_confirmed: count((row) => row.images === "image_not_confirmed"),
    tokens: sum(tokens),
    usd: sum(costs),
  });
}

/** Rows of two contenders side by side, case by case and epoch by epoch; only what both have graded. */
function pairRows(rows: readonly EvaluationRow[], first: string, second: string): [EvaluationRow, EvaluationRow][] {
  const key = (row: EvaluationRow) => `${row.case} ${row.epoch}`;
  const others = new Map(rows.filter((row) => row.contender === second && isGraded(row)).map((row) => [key(row), row]));
  return rows.flatMap((row): [EvaluationRow, EvaluationRow][] => {
    const other = row.contender === first && isGraded(row) ? others.get(key(row)) : undefined;
    return other === undefined ? [] : [[row, other]];
  });
}

function compare(
  rows: readonly EvaluationRow[],
  groups: readonly string[],
  first: string,
  second: string,
): PairedSummary[] {
  const pairs = pairRows(
    rows.filter((row) => groups.includes(row.group)),
    first,
    second,
  );
  if (pairs.length === 0) return [];
  const judged = pairs.flatMap(([a, b]) =>
    a.correct === undefined || b.correct === undefined ? [] : [{ first: a.correct, second: b.correct }],
  );
  const verdicts = judged.length === 0 ? undefined : exactMcNemar(judged);
  const both = pairs.filter(([a, b]) => errors(a).length > 0 && errors(b).length > 0);
  const worst = (row: EvaluationRow) => Math.max(...errors(row));
  const errorDifferences = both.map(([a, b]) => worst(a) - worst(b));
  const accuracy = pairedBootstrap(errorDifferences, BOOTSTRAP_SEED);
  const violationDifferences = pairs.map(([a, b]) => a.violations - b.violations);
  const violations = pairedBootstrap(violationDifferences, BOOTSTRAP_SEED);
  const common = { groups: [...groups], first, second };
  return [
    ...(verdicts === undefined
      ? []
      : [
          {
            metric: "correct verdict",
            ...common,
            cases: verdicts.cases,
            only_first: verdicts.onlyFirst,
            only_second: verdicts.onlySecond,
            p: verdicts.p,
            exploratory: true,
          },
        ]),
    ...(accuracy === undefined
      ? []
      : [
          {
            metric: "absolute M² error",
            ...common,
            cases: accuracy.cases,
            mean_difference: accuracy.meanDifference,
            low: accuracy.low,
            high: accuracy.high,
            p: signFlip(errorDifferences, BOOTSTRAP_SEED),
            exploratory: true,
          },
        ]),
    ...(violations === undefined
      ? []
      : [
          {
            metric: "constraint violations",
            ...common,
            cases: violations.cases,
            mean_difference: violations.meanDifference,
            low: violations.low,
            high: violations.high,
            p: signFlip(violationDifferences, BOOTSTRAP_SEED),
            exploratory: true,
          },
        ]),
  ];
}

/** The primary comparisons of a plan, as far as they can be read: the check of the plan names the others. */
function primariesOf(plan: Plan): PrimaryMetric[] {
  return plan.primary_metrics.map((text) => readPrimaryMetric(text, plan)).filter((one) => typeof one !== "string");
}

/**
 * Marks the plan's primary comparisons and adjusts their p values together, for as many as the plan names; the rest stays exploratory.
 */
function markPrimary(paired: PairedSummary[], primaries: readonly PrimaryMetric[], plan: Plan): PairedSummary[] {
  const isPrimary = (one: PairedSummary): boolean =>
    primaries.some(
      ({ metric, contenders, groups }) =>
        metric === one.metric &&
        contenders.includes(one.first) &&
        contenders.includes(one.second) &&
        groups.join() === one.groups.join(),
    );
  const primary = paired.filter(isPrimary);
  const tested = primary.filter((one) => one.p !== undefined);
  const adjusted = holm(
    tested.map((one) => one.p ?? 1),
    plan.primary_metrics.length,
  );
  return paired.map((one) => {
    if (!primary.includes(one)) return one;
    const place = tested.indexOf(one);
    return { ...one, exploratory: false, ...(place < 0 ? {} : { p_holm: adjusted[place] ?? 1 }) };
  });
}

/**
 * All figures of a report from its rows. Denominators are what the plan asks for: a case that was not run or failed is
 * counted as such and enters no rate.
 */
export function summarise(rows: readonly EvaluationRow[], plan: Plan): EvaluationSummary {
  const contenders = [...new Set(rows.map((row) => row.contender))];
  const groups = plan.groups.map((group) => group.group).filter((group) => rows.some((row) => row.group === group));
  const of = (group: string, contender: string) =>
    rows.filter((row) => row.group === group && row.contender === contender);
  const heldOut = plan.groups.filter((group) => group.held_out).map((group) => group.group);
  const unseen = rows.filter((row) => heldOut.includes(row.group) && !row.seen);
  const contests = contenders.flatMap((first, i) => contenders.slice(i + 1).map((second) => [first, second] as const));
  const primaries = primariesOf(plan);
  const scopes = [...groups.map((group) => [group]), ...primaries.map((one) => [...one.groups])].filter(
    (scope, i, all) => all.findIndex((other) => other.join() === scope.join()) === i,
  );
  const paired = contests.flatMap(([first, second]) => scopes.flatMap((scope) => compare(rows, scope, first, second)));
  return {
    groups: groups.flatMap((group) =>
      contenders
        .filter((contender) => of(group, contender).length > 0)
        .map((contender) => summariseRows(group, contender, of(group, contender))),
    ),
    held_out: contenders
      .map((contender) => unseen.filter((row) => row.contender === contender))
      .filter((list) => list.length > 0)
      .map((list) => summariseRows("held-out", list[0]?.contender ?? "", list)),
    paired: markPrimary(paired, primaries, plan),
    ...compareOnBench(rows, plan),
    pass_hat_k: contenders.flatMap((contender) => reliability(rows, contender)),
  };
}

/** Mean of pass^k over the cases that were repeated, for every k that all of them allow. */
function reliability(rows: readonly EvaluationRow[], contender: string): EvaluationSummary["pass_hat_k"] {
  const byCase = new Map<string, boolean[]>();
  for (const row of rows) {
    if (row.contender !== contender || !isGraded(row) || row.correct === undefined) continue;
    byCase.set(row.case, [...(byCase.get(row.case) ?? []), row.correct]);
  }
  const trials = [...byCase.values()];
  const epochs = trials.length === 0 ? 0 : Math.min(...trials.map((list) => list.length));
  if (epochs < 2) return [];
  return Array.from({ length: epochs }, (_, i) => i + 1).map((k) => ({
    contender,
    k,
    value:
      trials.reduce((total, list) => total + (passHatK(list.filter(Boolean).length, list.length, k) ?? 0), 0) /
      trials.length,
  }));
}
