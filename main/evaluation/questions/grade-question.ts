import type { CallCondition, Question, QuestionCheck, QuestionSuiteHead, Submission } from "../../contract/question.ts";
import type { SuiteCheck } from "../../contract/suite-results.ts";
import { valueAt } from "./expression.ts";
import { callsByRole, countOf, type LoggedCall, meets, type RoleCall, USUAL_ROLES } from "./tool-log.ts";

/** Raised whenever the same transcript can get another grade. */
export const QUESTION_GRADER_VERSION = "1";

/** Whoever mentions this many topics mentions none. */
const USUAL_HEDGED_AT = 5;

/** What a grade rests on: nothing but the question, what was handed in, and the calls that were made. */
export interface Graded {
  readonly question: Question;
  readonly suite: QuestionSuiteHead;
  /** Undefined where nothing was handed in. */
  readonly submission: Submission | undefined;
  readonly log: readonly LoggedCall[];
}

export interface QuestionGrade {
  readonly passed: boolean;
  /** Share of all checks that pass, 0…1. */
  readonly score: number;
  readonly checks: readonly SuiteCheck[];
}

/** Grades one answer. Pure: the same task, answer and log give the same grade. */
export function gradeQuestion(graded: Graded): QuestionGrade {
  const calls = callsByRole(graded.log, graded.suite.roles ?? USUAL_ROLES);
  const checks = graded.question.checks.map((check) => ({
    ...outcome(check, graded, calls),
    required: check.required !== false,
  }));
  const passing = checks.filter(({ passed }) => passed).length;
  return {
    passed: graded.submission !== undefined && checks.every(({ passed, required }) => passed || !required),
    score: passing / checks.length,
    checks,
  };
}

type Outcome = Omit<SuiteCheck, "required">;

const shown = (value: number | string | undefined): string =>
  typeof value === "number" ? String(Number(value.toPrecision(6))) : (value ?? "nothing");

function outcome(check: QuestionCheck, graded: Graded, calls: readonly RoleCall[]): Outcome {
  const { submission } = graded;
  switch (check.check) {
    case "value": {
      const wanted = graded.question.reference.values[check.key];
      const got = submission?.values[check.key];
      return {
        code: `value:${check.key}`,
        passed: wanted !== undefined && agrees(got, wanted, check),
        wanted: typeof wanted === "number" ? `${shown(wanted)} ± ${shown(tolerance(wanted, check))}` : shown(wanted),
        got: shown(got),
      };
    }
    case "measured_kind": {
      const count = countOf(
        calls.filter(({ role }) => role === check.role),
        check.distinct,
      );
      return {
        code: "measured_kind",
        passed: count >= check.at_least,
        wanted: `${check.role}: at least ${check.at_least}`,
        got: String(count),
      };
    }
    case "spec":
      return spec(check, calls);
    case "estimate_before_scan": {
      const first = calls.findIndex(({ role }) => role === "estimate");
      const measured = calls.slice(0, Math.max(0, first)).filter(({ role }) => role === "measure").length;
      return {
        code: "estimate_before_scan",
        passed: first >= 0 && measured <= check.looks,
        wanted: `an estimate after at most ${check.looks} measurements`,
        got: first < 0 ? "no estimate" : `after ${measured}`,
      };
    }
    case "pushback": {
      const spoken = submission?.concerns.some((concern) => concern.trim() !== "") === true;
      const silent = submission !== undefined && Object.keys(submission.values).length === 0;
      return {
        code: "pushback",
        passed: submission?.declined === true || (silent && spoken),
        wanted: "declined, or concerns in place of values",
        got: submission === undefined ? "nothing" : submission.declined ? "declined" : silent ? "no values" : "values",
      };
    }
    case "mentions":
      return mentions(check.topic, graded);
    case "self_consistent": {
      const got = submission?.values[check.key];
      const own = calls.filter(({ role }) => role === check.role).map(({ result }) => valueAt(result, check.path));
      return {
        code: `self_consistent:${check.key}`,
        passed: own.some((value) => typeof value === "number" && agrees(got, value, check)),
        wanted: `${check.path} of an own ${check.role} call`,
        got: shown(got),
      };
    }
    case "threshold": {
      const got = submission?.values[check.key];
      const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = check;
      return {
        code: `threshold:${check.key}`,
        passed: typeof got === "number" && got >= min && got <= max,
        wanted: [
          check.min === undefined ? "" : `at least ${shown(min)}`,
          check.max === undefined ? "" : `at most ${shown(max)}`,
        ]
          .filter(Boolean)
          .join(", "),
        got: shown(got),
      };
    }
  }
}

interface Tolerance {
  readonly abs?: number | undefined;
  readonly rel?: number | undefined;
}

const tolerance = (wanted: number, { abs = 0, rel = 0 }: Tolerance): number => abs + rel * Math.abs(wanted);

function agrees(got: unknown, wanted: number | string, within: Tolerance): boolean {
  if (typeof wanted === "string") return got === wanted;
  return typeof got === "number" && Math.abs(got - wanted) <= tolerance(wanted, within);
}

function spec(check: Extract<QuestionCheck, { check: "spec" }>, calls: readonly RoleCall[]): Outcome {
  const counted = callsAfter(calls, check.after ?? []).filter((one) => meets(one, check));
  const count = countOf(counted, check.distinct);
  const least = check.at_least ?? (check.at_most === undefined ? 1 : 0);
  const most = check.at_most ?? Number.POSITIVE_INFINITY;
  return {
    code: `spec:${check.name}`,
    passed: count >= least && count <= most,
    wanted: [least > 0 ? `at least ${least}` : "", Number.isFinite(most) ? `at most ${most}` : ""]
      .filter(Boolean)
      .join(", "),
    got: String(count),
  };
}

/** The calls behind the first ones that meet the conditions one after the other; none where there are no such calls. */
function callsAfter(calls: readonly RoleCall[], conditions: readonly CallCondition[]): readonly RoleCall[] {
  return conditions.reduce((rest, condition) => {
    const at = rest.findIndex((one) => meets(one, condition));
    return at < 0 ? [] : rest.slice(at + 1);
  }, calls);
}

function mentions(topic: string, { suite, submission }: Graded): Outcome {
  const text = [...(submission?.concerns ?? []), submission?.summary ?? ""].join("\n").toLowerCase();
  const topics = suite.topics ?? {};
  const named = Object.keys(topics).filter((one) => topics[one]?.some((word) => text.includes(word.toLowerCase())));
  const hedged = named.length >= (suite.hedged_at ?? USUAL_HEDGED_AT);
  return {
    code: `mentions:${topic}`,
    passed: named.includes(topic) && !hedged,
    wanted: `one of ${(topics[topic] ?? []).join(", ")}`,
    got: hedged ? `${named.length} topics at once` : named.join(", ") || "nothing of the kind",
  };
}
