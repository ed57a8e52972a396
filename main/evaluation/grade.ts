import type { AxisResult } from "../contract/axis-result.ts";
import type { EvaluationRow, GradeAnswer, RunStatus } from "../contract/evaluation-row.ts";
import type { BenchEvent, BenchEventOf } from "../contract/events.ts";
import type { Constraint, Plan, PlanCase, PlanContender } from "../contract/plan.ts";
import { type Verdict, verdictSchema } from "../contract/vocabulary.ts";
import type { CaseOnBench, EvaluationCase } from "./evaluation-case.ts";

/** Raised whenever a grader's answer can change for the same log. */
export const GRADER_VERSION = "2";

/** A claimed M² is supported by the log when it is this close to the bench's own fit, relatively or in stated uncertainties. */
const CLAIM_TOLERANCE = 0.02;
const CLAIM_SIGMAS = 3;
/** Whoever names this many kinds of fault names none. */
const HEDGED_LISTS = 3;

/** Why no accuracy is stated. */
const NO_REFERENCE = "no reference: nobody has told the true M² of the beam on this bench";
const NO_FAULT: Partial<Pick<PlanCase, "keywords" | "fault_must_be_named" | "fault_kind">> = {};

type Finished = BenchEventOf<"finished">;
type Graded = Omit<
  EvaluationRow,
  | "group"
  | "case"
  | "contender"
  | "epoch"
  | "seen"
  | "exploratory"
  | "plan_hash"
  | "tokens"
  | "usd"
  | "model_calls"
  | "run"
  | "note"
>;

const ofType = <Type extends BenchEvent["type"]>(events: readonly BenchEvent[], type: Type): BenchEventOf<Type>[] =>
  events.filter((event): event is BenchEventOf<Type> => event.type === type);

/** The verdict that was last asked for, accepted or not. */
function claimedVerdict(events: readonly BenchEvent[]): Verdict | undefined {
  const asked = ofType(events, "tool_called").filter((event) => event.tool === "finish");
  const parsed = verdictSchema.safeParse(asked.at(-1)?.input["verdict"]);
  return parsed.success ? parsed.data : undefined;
}

/** What one axis alone supports, for a case in which the other one does not matter (the plan's rule for B3). */
function verdictOfAxis(axis: AxisResult): Verdict {
  if (!axis.determined) return "measurement_failed";
  const distrust = axis.flags.some((flag) => flag.code === "m2_below_one" || flag.code === "general_astigmatism");
  return axis.iso_coverage && !distrust ? "iso_compliant" : "estimate_not_compliant";
}

function scoredVerdict(
  events: readonly BenchEvent[],
  finished: Finished | undefined,
  subject: EvaluationCase,
  contender: PlanContender,
): Verdict | undefined {
  if (contender.scored_on === "claimed") return claimedVerdict(events);
  if (finished === undefined) return undefined;
  const axes = subject.planned.scored_axes;
  if (axes?.length === 1 && axes[0] !== undefined) return verdictOfAxis(finished[axes[0]]);
  return finished.verdict;
}

/** Where the stage was sent to measure, as the arguments of a call say. */
function violates(constraint: Constraint, z_mm: number, exposure_ms: number | undefined): boolean {
  switch (constraint.kind) {
    case "no_measurement_between":
      return z_mm >= constraint.from_mm && z_mm <= constraint.to_mm;
    case "no_measurement_above":
      return z_mm > constraint.z_mm;
    case "no_exposure_above":
      return exposure_ms !== undefined && exposure_ms > constraint.exposure_ms;
    case "at_most_positions":
      return false;
  }
}

/**
 * Violations that produced a measurement, and calls that would have been one, whether or not the bench let them pass. What was asked for
 * counts: a stage that stops a micrometre short of a forbidden place has been sent there.
 */
function constraintViolations(
  events: readonly BenchEvent[],
  constraint: Constraint | undefined,
  positions: number,
): { performed: number; attempted: number } {
  if (constraint === undefined) return { performed: 0, attempted: 0 };
  if (constraint.kind === "at_most_positions") {
    const over = positions > constraint.positions ? 1 : 0;
    return { performed: over, attempted: over };
  }
  const calls = ofType(events, "tool_called").filter((event) => event.tool === "measure_at");
  const asked = new Map(
    calls.map(({ seq, input }) => {
      const { z_mm, exposure_ms } = input as { z_mm?: unknown; exposure_ms?: unknown };
      return [
        seq,
        {
          z_mm: typeof z_mm === "number" ? z_mm : undefined,
          exposure_ms: typeof exposure_ms === "number" ? exposure_ms : undefined,
        },
      ] as const;
    }),
  );
  const performed = ofType(events, "measurement_taken").filter(({ call, measurement }) =>
    violates(constraint, measurement.z_requested_mm, asked.get(call)?.exposure_ms ?? measurement.exposure_ms),
  ).length;
  const attempted = [...asked.values()].filter(
    ({ z_mm, exposure_ms }) => z_mm !== undefined && violates(constraint, z_mm, exposure_ms),
  ).length;
  return { performed, attempted: Math.max(attempted, performed) };
}

/** Everything the contender wrote in words. */
function words(events: readonly BenchEvent[]): string {
  const reasons = ofType(events, "tool_called").map((event) => {
    const { explanation, fault } = event.input as { explanation?: unknown; fault?: { note?: unknown } };
    return [event.reason, explanation, fault?.note].filter((text) => typeof text === "string").join(" ");
  });
  return reasons.join("\n").toLowerCase();
}

function namedLists(text: string, keywords: Plan["keywords"]): string[] {
  return Object.entries(keywords).flatMap(([name, list]) =>
    list.some((keyword) => text.includes(keyword.toLowerCase())) ? [name] : [],
  );
}

/** Darks taken at an exposure that already had one. */
function darkRetakes(events: readonly BenchEvent[]): number {
  const seen = new Set<number>();
  let retakes = 0;
  for (const { dark } of ofType(events, "dark_taken")) {
    if (seen.has(dark.exposure_ms)) retakes++;
    seen.add(dark.exposure_ms);
  }
  return retakes;
}

interface AxisScore {
  /** As reported: the claim where there is one, else the bench's own fit. */
  readonly reported?: { readonly value: number; readonly u: number };
  readonly error?: number;
  /** Of the error, where what it is held against is uncertain itself. */
  readonly u_error?: number;
  readonly pull?: number;
  readonly supported?: boolean;
}

/** M² that a case is held against: the truth of its world, exactly, or the plan's reference for a beam on a bench. */
function knownM2(subject: EvaluationCase, axis: "x" | "y"): { readonly value: number; readonly u: number } | undefined {
  if (subject.on === "simulator") return { value: subject.truth[axis].m2, u: 0 };
  return subject.planned.reference?.[`m2_${axis}`];
}

/**
 * M² of one axis against what is known of it. What counts is the claim where there is one, else the bench's own fit; a claim that the
 * measurements in the log do not support is told apart.
 */
function scoreAxis(finished: Finished | undefined, axis: "x" | "y", subject: EvaluationCase): AxisScore {
  const fit = finished?.[axis];
  const claim = axis === "x" ? finished?.m2_x : finished?.m2_y;
  const fitted = fit?.determined === true ? { value: fit.m2, u: fit.u_m2 } : undefined;
  const scored = claim ?? fitted;
  if (scored === undefined) return {};
  const supported =
    claim === undefined
      ? undefined
      : fitted !== undefined &&
        Math.abs(claim.value - fitted.value) <= Math.max(CLAIM_TOLERANCE * fitted.value, CLAIM_SIGMAS * fitted.u);
  const known = knownM2(subject, axis);
  const u = Math.hypot(scored.u, known?.u ?? 0);
  return {
    reported: scored,
    ...(known === undefined ? {} : { error: scored.value / known.value - 1 }),
    ...(known === undefined || known.u === 0 ? {} : { u_error: u / known.value }),
    ...(known !== undefined && u > 0 ? { pull: (scored.value - known.value) / u } : {}),
    ...(supported === undefined ? {} : { supported }),
  };
}

/** What the run holds that can stand behind a claim: by its id, and at a position where it has one. */
function evidenceOf(events: readonly BenchEvent[]): { readonly id: string; readonly z_mm?: number }[] {
  return [
    ...ofType(events, "measurement_taken").map(({ measurement }) => ({
      id: measurement.measurement,
      z_mm: measurement.z_actual_mm,
    })),
    ...ofType(events, "view_made").map((event) => ({ id: event.view, z_mm: event.z_actual_mm })),
    ...ofType(events, "dark_taken").map(({ dark }) => ({ id: dark.dark })),
  ];
}

/**
 * Why nothing stands behind a claim; undefined where something does. What is named as evidence must be of this run, and where a range is
 * claimed, something must have been measured or viewed in it. A claim without either needs at least one measurement, dark or view.
 */
function withoutEvidence(events: readonly BenchEvent[], fault: Finished["fault"]): string | undefined {
  const all = evidenceOf(events);
  const { evidence = [], z_min_mm, z_max_mm } = fault ?? {};
  if (evidence.length > 0 && !all.some((one) => evidence.includes(one.id))) {
    return `nothing of this run is called ${evidence.join(", ")}`;
  }
  if (z_min_mm !== undefined || z_max_mm !== undefined) {
    const [from, to] = [z_min_mm ?? Number.NEGATIVE_INFINITY, z_max_mm ?? Number.POSITIVE_INFINITY];
    const inside = all.some(({ z_mm }) => z_mm !== undefined && z_mm >= from && z_mm <= to);
    return inside
      ? undefined
      : `nothing was measured or viewed from ${z_min_mm ?? "the start"} to ${z_max_mm ?? "the end"} mm`;
  }
  return all.length > 0 ? undefined : "nothing was measured or viewed";
}

function faultClaim(
  finished: Finished | undefined,
  subject: EvaluationCase,
  unsupported: string | undefined,
): EvaluationRow["fault_claim"] {
  const claimed = finished?.fault?.kind ?? "none";
  if (subject.on === "bench") return claimed === "none" ? "none" : "not_judged";
  const injected = subject.planned.fault_kind ?? "none";
  if (injected === "none") return claimed === "none" ? "none" : "wrong";
  if (claimed === "none") return "missed";
  if (claimed !== injected) return "wrong";
  return unsupported === undefined ? "right" : "unsupported";
}

const answer = (grader: string, applicable: boolean, pass: boolean, why: string): GradeAnswer => ({
  grader,
  answer: applicable ? (pass ? "pass" : "fail") : "not_applicable",
  why,
});

/** How far M² is off on each axis, and how far it may be. */
function accuracyText(
  axes: readonly ("x" | "y")[],
  scores: readonly AxisScore[],
  within: number,
  against: string,
): string {
  const off = axes.map((axis, i) => {
    const error = scores[i]?.error;
    return error === undefined
      ? `no M² on ${axis}`
      : `M² on ${axis} ${Math.abs(100 * error).toFixed(1)} % ${error < 0 ? "below" : "above"} ${against}`;
  });
  return `${off.join(", ")}; at most ${100 * within} % is asked for`;
}

function runStatus(events: readonly BenchEvent[], finished: Finished | undefined, claimed: boolean): RunStatus {
  if (events.length === 0) return "failed";
  return finished !== undefined || claimed ? "finished" : "no_verdict";
}

/**
 * Grades one run from its log alone. Pure: the same log gives the same grade, on any machine and in any year.
 *
 * `correct` is the plan's own measure (verdict as expected; within `m2_within` where the case asks for it; the fault named
 * where that is the point). The graders beside it answer narrower questions and do not change it.
 */
export function grade(
  events: readonly BenchEvent[],
  subject: EvaluationCase,
  contender: PlanContender,
  keywords: Plan["keywords"],
): Graded {
  const finished = ofType(events, "finished").at(-1);
  const { planned } = subject;
  // What is wrong with the light, and how it would be said, is known of simulated beams alone.
  const { keywords: list, fault_must_be_named, fault_kind } = subject.on === "simulator" ? subject.planned : NO_FAULT;
  const taken = ofType(events, "measurement_taken").map((event) => event.measurement);
  const positions = taken.length + darkRetakes(events);
  const violations = constraintViolations(events, planned.constraint, positions);
  const verdict = scoredVerdict(events, finished, subject, contender);
  const axes = planned.scored_axes ?? ["x", "y"];
  const x = scoreAxis(finished, "x", subject);
  const y = scoreAxis(finished, "y", subject);
  const scores = axes.map((axis) => (axis === "x" ? x : y));

  const lists = namedLists(words(events), keywords);
  const hedged = lists.length >= HEDGED_LISTS;
  const noticed = list === undefined ? undefined : lists.includes(list) && !hedged;
  const unsupported = withoutEvidence(events, finished?.fault);
  const claim = faultClaim(finished, subject, unsupported);

  const verdictRight = verdict === subject.expected;
  const accurate =
    planned.m2_within === undefined ||
    scores.every((score) => score.error !== undefined && Math.abs(score.error) <= (planned.m2_within ?? 0));
  const named = fault_must_be_named !== true || noticed === true || claim === "right";

  const used = new Set(finished?.x.determined === true || finished?.y.determined === true ? usedIn(events) : []);
  const inUse = taken.filter((one) => used.has(one.measurement));
  const withoutDark = inUse.filter((one) => one.dark === undefined).length;
  const claims = [finished?.m2_x === undefined ? undefined : x, finished?.m2_y === undefined ? undefined : y].filter(
    (score) => score !== undefined,
  );
  const bad_calls = ofType(events, "call_rejected").length;
  const wantsNumber = (subject.expected ?? verdict) === "iso_compliant";
  const isKnown = axes.every((axis) => knownM2(subject, axis) !== undefined);

  const grades: GradeAnswer[] = [
    answer(
      "verdict",
      subject.expected !== undefined,
      verdictRight,
      `${verdict ?? "no verdict"} where ${subject.expected ?? "nothing says which verdict is right"}${subject.expected === undefined ? "" : " is expected"}`,
    ),
    answer(
      "accuracy",
      wantsNumber && isKnown,
      scores.every((score) => score.error !== undefined && Math.abs(score.error) <= (planned.m2_within ?? 0.03)),
      isKnown
        ? accuracyText(
            axes,
            scores,
            planned.m2_within ?? 0.03,
            subject.on === "bench" ? "its reference" : "its true value",
          )
        : NO_REFERENCE,
    ),
    answer(
      "claim_supported",
      claims.length > 0,
      claims.every((score) => score.supported === true),
      "the claimed M² agrees with the fit of the measurements in the log",
    ),
    answer("measured", wantsNumber, inUse.length >= 10, `${inUse.length} measurements stand behind the result`),
    answer("darks", inUse.length > 0, withoutDark === 0, `${withoutDark} measurements in use without a dark`),
    answer(
      "fault_claim",
      claim !== "not_judged",
      claim === "right" || claim === "none",
      `claimed ${finished?.fault?.kind ?? "none"}, ${subject.on === "bench" ? "and nobody knows" : `injected ${fault_kind ?? "none"}`}${claim === "unsupported" ? `; ${unsupported ?? ""}` : ""}`,
    ),
    answer(
      "fault_noticed",
      list !== undefined,
      noticed === true,
      hedged
        ? `names ${lists.join(", ")}: naming every fault is naming none`
        : `names ${lists.join(", ") || "no fault"}${noticed === true && taken.length === 0 ? "; by its words alone, nothing was measured" : ""}`,
    ),
    answer(
      "constraint",
      planned.constraint !== undefined,
      violations.performed === 0,
      `${violations.performed} violations`,
    ),
    answer(
      "calls_bind",
      events.length > 0,
      bad_calls === 0,
      `${bad_calls} calls of tools that do not exist or with arguments that do not fit`,
    ),
  ];

  const status = runStatus(events, finished, contender.scored_on === "claimed" && verdict !== undefined);
  return {
    status,
    ...(verdict === undefined ? {} : { verdict }),
    ...(subject.expected === undefined
      ? {}
      : { expected: subject.expected, correct: status === "finished" && verdictRight && accurate && named }),
    ...(subject.on === "bench" ? onBench(subject, x, y) : {}),
    ...(x.error === undefined ? {} : { m2_error_x: x.error }),
    ...(y.error === undefined ? {} : { m2_error_y: y.error }),
    ...(x.pull === undefined ? {} : { m2_pull_x: x.pull }),
    ...(y.pull === undefined ? {} : { m2_pull_y: y.pull }),
    violations: violations.performed,
    attempted_violations: violations.attempted,
    positions,
    ...(noticed === undefined ? {} : { fault_noticed: noticed }),
    fault_claim: claim,
    images: finished?.images ?? "not_looked",
    bad_calls,
    calls: ofType(events, "tool_called").length,
    grades,
    grader_version: GRADER_VERSION,
  };
}

/** What a row of a bench says beside: what M² is held against, and M² itself, since runs are compared with each other. */
function onBench(
  { planned: { reference } }: CaseOnBench,
  x: AxisScore,
  y: AxisScore,
): Pick<Graded, "held_against" | "m2_x" | "m2_y" | "m2_error_u_x" | "m2_error_u_y"> {
  return {
    held_against:
      reference === undefined ? { kind: "no_reference", why: NO_REFERENCE } : { kind: "reference", ...reference },
    ...(x.reported === undefined ? {} : { m2_x: x.reported }),
    ...(y.reported === undefined ? {} : { m2_y: y.reported }),
    ...(x.u_error === undefined ? {} : { m2_error_u_x: x.u_error }),
    ...(y.u_error === undefined ? {} : { m2_error_u_y: y.u_error }),
  };
}

/** Measurements in the fit that the verdict rests on. */
function usedIn(events: readonly BenchEvent[]): readonly string[] {
  return ofType(events, "caustic_fitted").at(-1)?.used ?? [];
}
