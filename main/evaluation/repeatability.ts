import type { EvaluationRow } from "../contract/evaluation-row.ts";
import type { Agreement, EvaluationSummary, Repeatability } from "../contract/evaluation-summary.ts";
import type { Plan } from "../contract/plan.ts";
import { isGraded } from "./is-graded.ts";

type Axis = "x" | "y";
const AXES: readonly Axis[] = ["x", "y"];
/** A run that gave no verdict, among the verdicts. */
const NO_VERDICT = "no_verdict";

const verdictOf = (row: EvaluationRow): string => row.verdict ?? NO_VERDICT;

interface Mean {
  readonly runs: number;
  readonly mean: number;
  readonly deviation?: number;
  readonly u_mean: number;
}

function meanOf(rows: readonly EvaluationRow[], axis: Axis): Mean | undefined {
  const values = rows.map((row) => row[`m2_${axis}`]).filter((value) => value !== undefined);
  const runs = values.length;
  if (runs === 0) return undefined;
  const mean = values.reduce((sum, { value }) => sum + value, 0) / runs;
  const squares = values.reduce((sum, { value }) => sum + (value - mean) ** 2, 0);
  return {
    runs,
    mean,
    ...(runs < 2 ? {} : { deviation: Math.sqrt(squares / (runs - 1)) }),
    u_mean: Math.sqrt(values.reduce((sum, { u }) => sum + u ** 2, 0) / runs),
  };
}

function repeatabilityOf(rows: readonly EvaluationRow[], name: string, contender: string): Repeatability {
  const verdicts: Record<string, number> = {};
  for (const row of rows) verdicts[verdictOf(row)] = (verdicts[verdictOf(row)] ?? 0) + 1;
  return {
    case: name,
    contender,
    runs: rows.length,
    verdicts,
    ...(rows.length < 2 ? {} : { consistent: Object.keys(verdicts).length === 1 }),
    m2: AXES.flatMap((axis) => {
      const mean = meanOf(rows, axis);
      return mean === undefined ? [] : [{ axis, ...mean }];
    }),
  };
}

/** What two contenders measured on one case. Runs share the bench, so what all of them get wrong alike does not show. */
function agreementOf(first: readonly EvaluationRow[], second: readonly EvaluationRow[]): Agreement[] {
  const [one, other] = [first[0], second[0]];
  if (one === undefined || other === undefined) return [];
  const verdicts = new Set([...first, ...second].map(verdictOf));
  return AXES.flatMap((axis) => {
    const [a, b] = [meanOf(first, axis), meanOf(second, axis)];
    if (a === undefined || b === undefined) return [];
    return [
      {
        case: one.case,
        axis,
        first: one.contender,
        second: other.contender,
        difference: a.mean - b.mean,
        u: Math.hypot(a.u_mean / Math.sqrt(a.runs), b.u_mean / Math.sqrt(b.runs)),
        same_verdict: verdicts.size === 1,
      },
    ];
  });
}

/**
 * How runs on a bench agree with each other: each contender with itself, and two contenders on the same case. It needs no truth, and shows
 * none. Absent where the plan has no such case.
 */
export function compareOnBench(
  rows: readonly EvaluationRow[],
  plan: Plan,
): Pick<EvaluationSummary, "repeatability" | "agreement"> {
  const names = plan.groups.flatMap((group) => (group.bench_cases ?? []).map((one) => one.case));
  const own = rows.filter((row) => names.includes(row.case) && isGraded(row));
  if (own.length === 0) return {};
  const contenders = [...new Set(own.map((row) => row.contender))];
  const of = (name: string, contender: string): EvaluationRow[] =>
    own.filter((row) => row.case === name && row.contender === contender);
  const cases = names.filter((name) => own.some((row) => row.case === name));
  return {
    repeatability: cases.flatMap((name) =>
      contenders.flatMap((contender) => {
        const runs = of(name, contender);
        return runs.length === 0 ? [] : [repeatabilityOf(runs, name, contender)];
      }),
    ),
    agreement: cases.flatMap((name) =>
      contenders.flatMap((first, i) =>
        contenders.slice(i + 1).flatMap((second) => agreementOf(of(name, first), of(name, second))),
      ),
    ),
  };
}
