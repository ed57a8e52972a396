import type { AxisResult } from "../contract/axis-result.ts";
import type { EvaluationRow, RunStatus } from "../contract/evaluation-row.ts";
import type { BenchEvent, BenchEventOf } from "../contract/events.ts";
import type { Plan } from "../contract/plan.ts";
import { GRADER_VERSION, grade } from "./grade.ts";
import type { PlannedUnit } from "./select-units.ts";
import { type UnitOutcome, unitId } from "./unit.ts";

/** One measured position for a drawing; widths that could not be had are absent. */
export interface DrawnPoint {
  readonly z_mm: number;
  readonly dx_um?: number;
  readonly dy_um?: number;
  readonly used: boolean;
}

/** The fitted caustic of one axis for a drawing. */
export interface DrawnCurve {
  readonly z0_mm: number;
  readonly d0_um: number;
  readonly rayleigh_mm: number;
  readonly m2: number;
  readonly u_m2: number;
}

export interface CausticFigure {
  readonly points: readonly DrawnPoint[];
  readonly x?: DrawnCurve;
  readonly y?: DrawnCurve;
}

/** What a report needs of one run. Plain data, so that it can cross from one process to another. */
export interface RunDigest {
  readonly row: EvaluationRow;
  readonly figure?: CausticFigure;
  /** Hashes of what the run depended on. */
  readonly parts: Readonly<Record<string, string>>;
  /** Why it could not be shown by recomputing that the run is that of its case; absent where it was, or the run was just made. */
  readonly notRecomputed?: string;
}

/** What is known of a run beside its events. */
export interface RunFacts {
  readonly outcome: UnitOutcome;
  readonly seen: boolean;
  readonly exploratory: boolean;
  readonly plan_hash: string;
  readonly parts: Readonly<Record<string, string>>;
}

const ofType = <Type extends BenchEvent["type"]>(events: readonly BenchEvent[], type: Type): BenchEventOf<Type>[] =>
  events.filter((event): event is BenchEventOf<Type> => event.type === type);

/** Grades a run and draws its caustic. Pure: the same events give the same digest. */
export function digestRun(
  events: readonly BenchEvent[],
  planned: PlannedUnit,
  keywords: Plan["keywords"],
  facts: RunFacts,
): RunDigest {
  const { unit, subject, contender } = planned;
  const graded = grade(events, subject, contender, keywords);
  const { outcome } = facts;
  const status = statusOf(outcome, graded.status);
  const row: EvaluationRow = {
    group: subject.group,
    case: unit.case,
    contender: unit.contender,
    epoch: unit.epoch,
    ...graded,
    status,
    ...(graded.correct === undefined ? {} : { correct: graded.correct && status === "finished" }),
    ...(outcome.tokens !== undefined && isAmount(total(outcome.tokens)) ? { tokens: total(outcome.tokens) } : {}),
    ...(isAmount(outcome.usd) ? { usd: outcome.usd } : {}),
    ...(outcome.model_calls === undefined ? {} : { model_calls: outcome.model_calls }),
    seen: facts.seen,
    exploratory: facts.exploratory,
    plan_hash: facts.plan_hash,
    ...(status === "failed" ? {} : { run: `runs/${unitId(unit)}` }),
  };
  const note = noteFor(row, events, outcome);
  const figure = causticFigure(events);
  return {
    row: { ...row, ...(note === undefined ? {} : { note }) },
    ...(figure === undefined ? {} : { figure }),
    parts: facts.parts,
  };
}

/** A number that JSON can say and that can have been used up. */
const isAmount = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value) && value >= 0;

/** Whoever was asked and never opened the bench has given no verdict; only a broken infrastructure is no run of theirs. */
function statusOf(outcome: UnitOutcome, graded: RunStatus): RunStatus {
  if (outcome.status !== "completed") return outcome.status;
  return graded === "failed" ? "no_verdict" : graded;
}

const total = (tokens: NonNullable<UnitOutcome["tokens"]>): number =>
  tokens.input + tokens.cached_input + tokens.cache_write + tokens.output;

/** The row of a unit that was not run. */
export function rowNotRun(
  { unit, subject }: PlannedUnit,
  facts: Pick<RunFacts, "seen" | "exploratory" | "plan_hash">,
  status: "not_run" | "failed",
  note: string,
): EvaluationRow {
  return {
    group: subject.group,
    case: unit.case,
    contender: unit.contender,
    epoch: unit.epoch,
    status,
    ...(subject.expected === undefined ? {} : { expected: subject.expected, correct: false }),
    violations: 0,
    attempted_violations: 0,
    positions: 0,
    fault_claim: "none",
    images: "not_looked",
    bad_calls: 0,
    calls: 0,
    grades: [],
    seen: facts.seen,
    exploratory: facts.exploratory,
    plan_hash: facts.plan_hash,
    grader_version: GRADER_VERSION,
    note,
  };
}

function curve(axis: AxisResult | undefined): DrawnCurve | undefined {
  if (axis?.determined !== true) return undefined;
  const { z0_mm, d0_um, rayleigh_mm, m2, u_m2 } = axis;
  return { z0_mm, d0_um, rayleigh_mm, m2, u_m2 };
}

function causticFigure(events: readonly BenchEvent[]): CausticFigure | undefined {
  const taken = ofType(events, "measurement_taken").map((event) => event.measurement);
  if (taken.length === 0) return undefined;
  const fit = ofType(events, "finished").at(-1) ?? ofType(events, "caustic_fitted").at(-1);
  const used = new Set(ofType(events, "caustic_fitted").at(-1)?.used ?? []);
  const x = curve(fit?.x);
  const y = curve(fit?.y);
  return {
    points: taken.map((one) => ({
      z_mm: one.z_actual_mm,
      ...(one.d4sigma_x_um === undefined ? {} : { dx_um: one.d4sigma_x_um }),
      ...(one.d4sigma_y_um === undefined ? {} : { dy_um: one.d4sigma_y_um }),
      used: used.has(one.measurement),
    })),
    ...(x === undefined ? {} : { x }),
    ...(y === undefined ? {} : { y }),
  };
}

/** Reasons that a note repeats; more would bury the first. */
const MOST_REASONS = 4;
const LONGEST_QUOTE = 400;

const quoted = (text: string): string =>
  `"${text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 1).trimEnd()}…` : text}"`;

/** The distinct texts with how often each came, most frequent first. */
function counted(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_REASONS)
    .map(([text, count]) => (count === 1 ? quoted(text) : `${quoted(text)} (${count} times)`));
}

const percent = (error: number): string => `${error < 0 ? "−" : "+"}${Math.abs(100 * error).toFixed(1)} %`;

/** What went wrong, in the words of the log; undefined for a right verdict. */
function noteFor(row: EvaluationRow, events: readonly BenchEvent[], outcome: UnitOutcome): string | undefined {
  if (row.status === "failed") return `the infrastructure failed: ${outcome.message ?? "the bench was never opened"}`;
  if (row.status === "not_run") return `the means do not allow a first request: ${outcome.message ?? ""}`;
  // Without an expected verdict only a run that gave none has something to explain.
  if (row.correct === true || (row.correct === undefined && row.verdict !== undefined)) return undefined;
  const sentences: string[] = [];
  if (row.verdict === undefined)
    sentences.push(row.expected === undefined ? "No verdict." : `No verdict where ${row.expected} was expected.`);
  else if (row.verdict !== row.expected)
    sentences.push(`Said ${row.verdict} where ${row.expected ?? "none"} was expected.`);
  else {
    const failed = row.grades.filter((one) => one.answer === "fail").map((one) => one.grader);
    sentences.push(
      `The verdict is the expected one; not met: ${failed.join(", ") || "what the case asks for beside it"}.`,
    );
  }
  const off = [
    row.m2_error_x === undefined ? undefined : `x ${percent(row.m2_error_x)}`,
    row.m2_error_y === undefined ? undefined : `y ${percent(row.m2_error_y)}`,
  ].filter((text) => text !== undefined);
  if (off.length > 0) sentences.push(`M² off by ${off.join(", ")}.`);
  const finished = ofType(events, "finished").at(-1);
  if (finished !== undefined) sentences.push(`Explanation: ${quoted(finished.explanation)}.`);
  const rejected = ofType(events, "measurement_use_changed").filter((event) => event.use === "rejected");
  if (rejected.length > 0) {
    sentences.push(
      `Rejected ${rejected.length} measurements: ${counted(rejected.map((event) => event.reason ?? "without a reason")).join("; ")}.`,
    );
  }
  const refusals = ofType(events, "tool_returned").flatMap((event) =>
    event.error === undefined ? [] : [`${event.tool}: ${event.error.message}`],
  );
  if (refusals.length > 0) sentences.push(`Refused: ${counted(refusals).join("; ")}.`);
  const fit = finished ?? ofType(events, "caustic_fitted").at(-1);
  const flags = new Set([fit?.x, fit?.y].flatMap((axis) => axis?.flags.map((flag) => flag.code) ?? []));
  if (flags.size > 0) sentences.push(`Flags of the last fit: ${[...flags].join(", ")}.`);
  if (outcome.message !== undefined) sentences.push(`The drive ended with: ${quoted(outcome.message)}.`);
  const last = ofType(events, "tool_called").at(-1);
  if (finished === undefined && last?.reason !== undefined)
    sentences.push(`Last reason given: ${quoted(last.reason)}.`);
  return sentences.join(" ");
}
