import { z } from "zod";
import type { SuiteCheck } from "../../contract/suite-results.ts";
import { canonicalJson } from "../../store/canonical-json.ts";
import { holdsByLimits } from "./bench-facts.ts";
import { ends, type Fact, factName } from "./fact.ts";
import type { ExpectedCall, LadderCase, Pin } from "./ladder-case.ts";
import type { LadderCall, ProofStep } from "./ladder-driver.ts";
import { capability } from "./registry.ts";
import type { LadderRecord, SeenCall } from "./run-ladder-case.ts";

/** Raised whenever the same record could get another grade. */
export const LADDER_GRADER_VERSION = "1";

/** What came of a case. `plan`: the right calls; `result`: they did what they should. */
export interface LadderGrade {
  readonly checks: readonly SuiteCheck[];
  readonly passed: boolean;
  readonly hallucinated: number;
  readonly plan: boolean;
  readonly result: boolean;
}

const short = (input: object): string => JSON.stringify(input);
const callText = ({ name, input }: LadderCall): string => {
  const { reason: _reason, explanation: _explanation, ...shown } = input;
  return `${name}${short(shown)}`;
};
const outcomeText = (call: SeenCall): string => `${callText(call)}${call.outcome.ok ? "" : ` (${call.outcome.code})`}`;
const callsText = (calls: readonly SeenCall[]): string =>
  calls.length === 0 ? "no call" : calls.map(outcomeText).join(", then ");
const pinText = (pin: Pin): string => {
  if (typeof pin !== "object" || Array.isArray(pin)) return JSON.stringify(pin);
  if ("least" in pin) return `${pin.least} to ${pin.most}`;
  if ("one_of" in pin) return pin.one_of.join(" or ");
  return `${[pin.path].flat().join(" + ")} of call ${pin.from}`;
};
const expectedText = ({ name, input, times }: ExpectedCall): string =>
  `${name}{${Object.entries(input)
    .map(([key, pin]) => `${key}: ${pinText(pin)}`)
    .join(", ")}}${times === undefined ? "" : `, ${times.least} to ${times.most} times`}`;

const isLook = (call: { readonly name: string }): boolean => capability(call.name)?.looks === true;

/** Grades a case by what the harness saw. Pure: the same record gives the same grade. */
export function gradeLadderCase(subject: LadderCase, record: LadderRecord): LadderGrade {
  const { expect } = subject;
  const checks: SuiteCheck[] = [];
  const add = (code: string, passed: boolean, wanted: string, got: string): boolean => {
    checks.push({ code, passed, required: true, ...(passed ? {} : { wanted, got }) });
    return passed;
  };

  // The gate before everything: nothing else is looked at in the light of a call that cannot be.
  const bad = record.seen.filter(({ outcome }) => !outcome.ok && outcome.code === "hallucination");
  const [first] = bad;
  const sober = add(
    "hallucination",
    bad.length === 0,
    "only declared tools with arguments that bind",
    first === undefined || first.outcome.ok
      ? ""
      : `${bad.length} of ${record.seen.length} calls, at first ${first.outcome.message}`,
  );
  const ended = add("termination", record.terminated, "an end", `${record.seen.length} calls and no end`);
  const { plan, result } = sober && ended ? outcome(subject, record, add) : { plan: false, result: false };
  if (sober && ended && expect.proof === true && record.result?.refused === false) {
    const faults = proofFaults(record);
    add(
      "proof",
      faults.length === 0,
      "a connected chain in which every precondition holds",
      faults.slice(0, 3).join("; "),
    );
  }
  return { checks, passed: checks.every((check) => check.passed), hallucinated: bad.length, plan, result };
}

type Add = (code: string, passed: boolean, wanted: string, got: string) => boolean;
type Reached = Pick<LadderGrade, "plan" | "result">;

function outcome({ expect }: LadderCase, record: LadderRecord, add: Add): Reached {
  const { result } = record;
  if (result === undefined) return { plan: false, result: false };
  const recognised = expect.inferredGoal !== undefined || expect.reject === true || expect.ambiguousGoals !== undefined;
  if (recognised) {
    const wanted =
      expect.inferredGoal !== undefined
        ? `goal ${expect.inferredGoal}`
        : expect.ambiguousGoals !== undefined
          ? `tied goals ${[...expect.ambiguousGoals].sort().join(", ")}`
          : "no declared goal";
    const said = result.recognition;
    const got =
      said === undefined
        ? "nothing recognised"
        : said.kind === "goal"
          ? `goal ${said.goal}`
          : said.kind === "ambiguous"
            ? `tied goals ${[...said.goals].sort().join(", ")}`
            : "no declared goal";
    const right = add("recognition", got === wanted, wanted, got);
    const calm = add("outcome:calls", acting(record.seen).length === 0, "no call that acts", callsText(record.seen));
    return { plan: right && calm, result: right };
  }

  const matched = expect.calls === undefined ? undefined : match(expect.calls, record.seen, expect.any_order === true);
  if (expect.candidateResults !== undefined) {
    const given = result.candidates ?? [];
    const wanted = expect.candidateResults;
    const tied =
      given.length === wanted.length &&
      wanted.every((one) => given.some((other) => pinned(one, other, record.seen))) &&
      given.every((other) => wanted.some((one) => pinned(one, other, record.seen)));
    const got = given.length === 0 ? "one reading or none" : given.map(callText).join(", ");
    add("tied_readings", tied, wanted.map(expectedText).join(", "), got);
  }
  if (expect.refuse === true) {
    const refused = add("outcome:refusal", result.refused, "a refusal", `none, and ${callsText(record.seen)}`);
    const calm = add("outcome:calls", acting(record.seen).length === 0, "no call that acts", callsText(record.seen));
    return { plan: refused && calm, result: refused };
  }
  const wanted = (expect.calls ?? []).map(expectedText).join(", then ") || "no call that acts";
  const obeyed = add("outcome:refusal", !result.refused, "no refusal", `refused: ${result.said ?? "without a word"}`);
  if (!obeyed) return { plan: false, result: false };
  const plan = add("outcome:calls", matched !== undefined, wanted, callsText(record.seen));
  if (expect.recover !== undefined) {
    const { tool, sees, then } = expect.recover;
    const failed = record.seen.findIndex((call) => call.name === tool && sights(call).includes(sees));
    const replanned =
      failed >= 0 && record.seen.slice(failed + 1).some((call) => call.name === then && call.outcome.ok);
    add("recovery", replanned, `${then} after ${tool} gave ${sees}`, callsText(record.seen));
  }
  const unanswered = (matched ?? []).filter((call) => !call.outcome.ok && !isForeseen(call, expect.recover));
  const missing = (expect.facts ?? []).filter((one) => !record.endFacts.includes(one));
  const reached = add(
    "result",
    unanswered.length === 0 && missing.length === 0,
    (expect.facts ?? []).join(", ") || "every call answered",
    [...unanswered.map(outcomeText), ...missing.map((one) => `not ${one}`)].join(", "),
  );
  return { plan, result: reached };
}

const acting = (calls: readonly SeenCall[]): SeenCall[] => calls.filter((call) => !isLook(call));

const isForeseen = (call: SeenCall, recover: LadderCase["expect"]["recover"]): boolean =>
  recover !== undefined && call.name === recover.tool && sights(call).includes(recover.sees);

/** What can be seen of a call: its code where it was refused, the flags and the grade of its answer, `undetermined`. */
export function sights({ outcome: seen }: Pick<SeenCall, "outcome">): string[] {
  if (!seen.ok) return [seen.code];
  const { data } = seenSchema.safeParse(seen.answer);
  const undetermined = data?.x?.determined === false || data?.y?.determined === false;
  return [
    ...(data?.flags ?? []).map((flag) => flag.code),
    ...(data?.grade === undefined ? [] : [data.grade]),
    ...(undetermined ? ["undetermined"] : []),
  ];
}

const axisSchema = z.object({ determined: z.boolean() }).optional();
const seenSchema = z.object({
  flags: z.array(z.object({ code: z.string() })).optional(),
  grade: z.string().optional(),
  x: axisSchema,
  y: axisSchema,
});

/**
 * The calls that answer the expected ones, or undefined. Expected calls are a lower bound in their order: further keys may be given, and
 * looks may come between; every call that acts must be an expected one.
 */
function match(
  expected: readonly ExpectedCall[],
  seen: readonly SeenCall[],
  anyOrder: boolean,
): SeenCall[] | undefined {
  const matched: SeenCall[] = [];
  if (anyOrder) {
    const left = [...seen];
    for (const one of expected) {
      const place = left.findIndex((call) => pinned(one, call, matched));
      const [found] = place < 0 ? [] : left.splice(place, 1);
      if (found === undefined) return undefined;
      matched.push(found);
    }
    return acting(left).length === 0 ? matched : undefined;
  }
  /** Expected call that is waited for, and how often it has come. */
  let place = 0;
  let came = 0;
  const all: SeenCall[] = [];
  for (const call of seen) {
    let found = false;
    for (let next = place, sofar = came; next < expected.length; next++, sofar = 0) {
      const one = expected[next];
      if (one === undefined) break;
      const { least, most } = one.times ?? ONCE;
      if (sofar < most && pinned(one, call, matched)) {
        [place, came, found] = [next, sofar + 1, true];
        matched[next] ??= call;
        all.push(call);
        break;
      }
      if (sofar < least) break;
    }
    if (!found && !isLook(call)) return undefined;
  }
  const open = expected.slice(place).some((one, i) => (i === 0 ? came : 0) < (one.times ?? ONCE).least);
  return open ? undefined : all;
}

const ONCE = { least: 1, most: 1 };

/** Whether a call is the expected one. `before`: the calls whose answers a pin may refer to. */
function pinned(expected: ExpectedCall, call: LadderCall, before: readonly SeenCall[]): boolean {
  if (call.name !== expected.name) return false;
  return Object.entries(expected.input).every(([key, pin]) => holds(pin, call.input[key], before));
}

function holds(pin: Pin, value: unknown, before: readonly SeenCall[]): boolean {
  if (typeof pin === "number")
    return typeof value === "number" && Math.abs(value - pin) <= 1e-6 * Math.max(1, Math.abs(pin));
  if (typeof pin !== "object") return value === pin;
  if (Array.isArray(pin)) {
    return (
      Array.isArray(value) &&
      value.length === pin.length &&
      pin.every((one, i) => holds(one, (value as unknown[])[i], before))
    );
  }
  if ("one_of" in pin) return pin.one_of.some((one) => holds(one, value, before));
  const asked = Array.isArray(value) && value.length === 1 ? (value as unknown[])[0] : value;
  if (typeof asked !== "number") return false;
  if ("least" in pin) return asked >= pin.least && asked <= pin.most;
  const source = before[pin.from];
  if (source?.outcome.ok !== true) return false;
  const { answer } = source.outcome;
  const parts = [pin.path].flat().map((path) => at(answer, path));
  const sum = parts.reduce<number>((total, part) => total + (typeof part === "number" ? part : Number.NaN), 0);
  return Math.abs(asked - sum) <= pin.within;
}

const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((inside, key) => {
    if (typeof inside !== "object" || inside === null) return undefined;
    return Object.hasOwn(inside, key) ? (inside as Record<string, unknown>)[key] : undefined;
  }, value);

/**
 * What is wrong with a chain of reasons. It is held against the registry and what the harness saw, so that a driver cannot claim what is
 * not so: one step a call in their order, the preconditions of the registry and no others, each by the start or by what an earlier step
 * really gave; every step must serve a later one or a goal, and every goal must have come true.
 */
export function proofFaults({ seen, result, startFacts, bench, startZ_mm }: LadderRecord): string[] {
  if (result === undefined || result.proof.length === 0) return ["there is no chain"];
  const faults: string[] = [];
  const { proof, goals } = result;
  if (proof.length !== seen.length || proof.some((step, i) => step.call !== i)) {
    return [`${proof.length} steps for ${seen.length} calls`];
  }
  const given = seen.map((call): Fact[] => {
    const known = capability(call.name);
    if (known === undefined || !call.outcome.ok) return [];
    return [...known.gives(call.input), ...(known.shows?.(call.outcome.answer) ?? [])];
  });
  let z_mm = startZ_mm;
  for (const [i, step] of proof.entries()) {
    const call = seen[i];
    if (call === undefined) continue;
    const wanted = [...(capability(call.name)?.needs(call.input) ?? [])].sort();
    if (canonicalJson(wanted) !== canonicalJson(step.needs.map((need) => need.fact).sort())) {
      faults.push(`step ${i} (${call.name}) names other preconditions than ${wanted.join(", ") || "none"}`);
    }
    for (const need of step.needs) {
      if (!need.ok) faults.push(`step ${i} (${call.name}): ${need.fact} does not hold`);
      else if (!isGrounded(need, i, { given, startFacts, bench, z_mm })) {
        faults.push(
          `step ${i} (${call.name}): ${need.fact} does not hold by ${need.by === "start" ? "the start" : `step ${need.by}`}`,
        );
      }
    }
    const claimed = step.gives.filter((one) => given[i]?.includes(one) !== true);
    if (claimed.length > 0) faults.push(`step ${i} (${call.name}) did not give ${claimed.join(", ")}`);
    if (step.uses.some((one) => one >= i || one < 0)) faults.push(`step ${i} uses what came later`);
    const moved = given[i]?.find((one) => factName(one) === "at");
    if (moved !== undefined) z_mm = Number(moved.slice(3, -1));
  }
  const served = new Set(
    proof.flatMap((step) => [...step.uses, ...step.needs.flatMap(({ by }) => (by === "start" ? [] : [by]))]),
  );
  for (const [i, step] of proof.entries()) {
    if (!served.has(i) && !step.gives.some((one) => goals.includes(one))) faults.push(`step ${i} serves nothing`);
  }
  if (goals.length === 0) faults.push("no goal is named");
  for (const goal of goals) {
    const last = given.findLastIndex((facts) => facts.includes(goal));
    if (last < 0 && !startFacts.includes(goal)) faults.push(`${goal} did not come true`);
  }
  return faults;
}

interface Grounds {
  readonly given: readonly (readonly Fact[])[];
  readonly startFacts: readonly Fact[];
  readonly bench: LadderRecord["bench"];
  readonly z_mm: number | undefined;
}

/** Whether a precondition holds by what it is said to hold by, and has not been ended in between. */
function isGrounded(
  need: ProofStep["needs"][number],
  before: number,
  { given, startFacts, bench, z_mm }: Grounds,
): boolean {
  if (need.by === "start") {
    if (holdsByLimits(need.fact, z_mm, bench)) return true;
    if (!startFacts.includes(need.fact)) return false;
  } else if (need.by >= before || given[need.by]?.includes(need.fact) !== true) {
    return false;
  }
  const since = need.by === "start" ? 0 : need.by + 1;
  return !given
    .slice(since, before)
    .flat()
    .some((later) => ends(later, need.fact));
}
