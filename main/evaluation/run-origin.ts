import type { BenchEvent } from "../contract/events.ts";
import { SCRIPTS } from "../contenders/index.ts";
import { canonicalJson } from "../store/canonical-json.ts";
import type { RunRecord } from "../store/run-record.ts";
import type { EvaluationCase } from "./evaluation-case.ts";
import { changedParts, type Parts } from "./freeze.ts";
import { replaySimulated } from "./replay-simulated.ts";
import { gradingContextSchema } from "./run-unit.ts";
import type { PlannedUnit } from "./select-units.ts";
import { unitId } from "./unit.ts";

/*
 * Whether a run is that of its unit. run.json is compared with the plan, the journal with what run.json says, and the first measurement
 * with what the case's own world gives: its frames are simulated again and their hash compared. A journal names neither case nor seed,
 * since clients may read it, but no other world gives these frames.
 */

/** What of run.json does not fit the unit, in words; undefined where all of it does. */
export function recordDeviation(
  record: RunRecord,
  { unit, subject, contender }: Pick<PlannedUnit, "unit" | "subject" | "contender">,
): string | undefined {
  const { planned } = subject;
  const context = gradingContextSchema.safeParse(record.more?.["grading"]);
  const of = subject.on === "simulator" ? subject.planned : undefined;
  const is: Record<string, readonly [unknown, unknown]> = {
    id: [record.id, unitId(unit)],
    case: [record.case, unit.case],
    contender: [record.by, unit.contender],
    epoch: [record.epoch, unit.epoch],
    scenario: [record.scenario, of?.scenario],
    seed: [record.seed, of?.seed],
    // A case without a note leaves the note of the bench's file standing.
    ...(of === undefined && planned.note === undefined ? {} : { note: [record.note, planned.note] }),
    faults: [record.instruments?.["faults"], of && (of.faults ?? [])],
    "faults of instruments": [record.instruments?.["instrument_faults"], of && (of.instrument_faults ?? [])],
    "definition of the case": [context.data?.planned, planned],
    "definition of the contender": [context.data?.contender, contender],
  };
  for (const [name, [found, expected]] of Object.entries(is)) {
    if (canonicalJson([found ?? null]) !== canonicalJson([expected ?? null]))
      return `its ${name} is ${text(found)} in run.json, and ${text(expected)} in the plan`;
  }
  return undefined;
}

const LONGEST = 120;
const text = (value: unknown): string => {
  const json = value === undefined ? "absent" : canonicalJson(value);
  return json.length > LONGEST ? `${json.slice(0, LONGEST)}…` : json;
};

/** What of a journal does not fit who is said to have driven what, in words. */
export function journalDeviation(
  events: readonly BenchEvent[],
  { subject, contender }: Pick<PlannedUnit, "subject" | "contender">,
): string | undefined {
  const [opened] = events;
  if (opened === undefined) return undefined;
  if (opened.type !== "run_opened") return "its journal does not begin with the opening of the bench";
  const { note } = subject.planned;
  const ofTheFile = subject.on === "bench" && note === undefined;
  if (!ofTheFile && opened.description.operator_note !== note) {
    return `its journal was opened with the note ${text(opened.description.operator_note)}, not ${text(note)}`;
  }
  const taken = contender.without?.find((tool) => opened.tools.includes(tool));
  if (taken !== undefined) return `its journal offers ${taken}, which ${contender.contender} does not have`;
  const called = events.find((event) => event.type === "tool_called");
  const named = contender.limits !== undefined || contender.contender in SCRIPTS;
  if (named && called !== undefined && called.caller.name !== contender.contender) {
    return `its journal is that of ${called.caller.name}, not of ${contender.contender}`;
  }
  return undefined;
}

/** What a recomputation found: nothing against the run, that it is another one's, or that it could not be made. */
export type Recomputed = { readonly result: "same" } | { readonly result: "other" | "unknown"; readonly why: string };

/**
 * Makes the calls up to the first measurement again in the world of the case. `parts` are the hashes of the program as it is; a run of
 * another state of simulator or analysis cannot be recomputed, nor one whose control changed by host time.
 */
export async function recomputeFirstMeasurement(
  events: readonly BenchEvent[],
  subject: EvaluationCase,
  made: Readonly<Record<string, string>>,
  parts: Parts,
): Promise<Recomputed> {
  const first = events.findIndex((event) => event.type === "measurement_taken");
  // The light of a bench cannot be made again; the results say so once, for all of its runs.
  if (subject.on === "bench") return { result: "same" };
  // Without a measurement nothing in the journal came from the light.
  if (first < 0) return { result: "same" };
  const changed = changedParts(parts, made).filter((part) => part === "simulator" || part === "analysis");
  if (changed.length > 0) {
    return { result: "unknown", why: `it was made with another state of the program (${changed.join(", ")})` };
  }
  const until = events.slice(0, first + 1);
  if (until.some((event) => event.type === "control_changed" && event.why === "idle")) {
    return { result: "unknown", why: "control changed by host time before the first measurement" };
  }
  const again = () =>
    replaySimulated(until, {
      scenario: subject.scenario,
      seed: subject.planned.seed,
      instrumentFaults: subject.planned.instrument_faults ?? [],
    });
  const { difference } = await again();
  if (difference === undefined) return { result: "same" };
  // An accusation rests on a recomputation that repeats itself.
  if ((await again()).difference === undefined) {
    const where = `event ${difference.seq}, ${unlike(difference.recorded, difference.replayed)}`;
    return { result: "unknown", why: `made again twice, it came out as recorded once only (${where})` };
  }
  const { recorded, replayed } = difference;
  return {
    result: "other",
    why: `its journal is not that of case ${subject.planned.case}: made again, event ${recorded.seq} (${recorded.type}) ${
      replayed === undefined ? "does not come" : `comes out otherwise, ${unlike(recorded, replayed)}`
    }`,
  };
}

/** The first place at which two values differ, and what stands there in each. */
function unlike(recorded: unknown, replayed: unknown, place = ""): string {
  const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
  if (isRecord(recorded) && isRecord(replayed)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(replayed)])) {
      const [ours, theirs] = [recorded[key], replayed[key]];
      if (canonicalJson([ours ?? null]) !== canonicalJson([theirs ?? null]))
        return unlike(ours, theirs, place === "" ? key : `${place}.${key}`);
    }
  }
  return `${place}: ${text(recorded)}, and made again ${text(replayed)}`;
}
