import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { AxisResult } from "../contract/axis-result.ts";
import type { BenchEvent, BenchEventOf } from "../contract/events.ts";
import type { Verdict } from "../contract/vocabulary.ts";
import { readRun, type RunState, type StoredRun } from "./run-folder.ts";
import { readRunRecord } from "./run-record.ts";

/** A run in one row. Fields that the run does not have are absent. */
export interface RunSummary {
  readonly id: string;
  readonly state: RunState;
  readonly opened_at?: string;
  readonly closed_at?: string;
  readonly bench?: string;
  readonly simulated?: boolean;
  readonly by?: string;
  /** Those who called a tool, in order of appearance. */
  readonly drivers: readonly string[];
  readonly scenario?: string;
  readonly seed?: number;
  readonly plan?: string;
  readonly case?: string;
  readonly epoch?: number;
  readonly note?: string;
  readonly verdict?: Verdict;
  /** The bench's own fit, the last of the run. */
  readonly m2_x?: number;
  readonly u_m2_x?: number;
  readonly m2_y?: number;
  readonly u_m2_y?: number;
  readonly events: number;
  readonly calls: number;
  readonly measurements: number;
  readonly darks: number;
  readonly attempted_violations: number;
  /** Why the run cannot be trusted. */
  readonly problem?: string;
}

const isOf =
  <Type extends BenchEvent["type"]>(type: Type) =>
  (event: BenchEvent): event is BenchEventOf<Type> =>
    event.type === type;

const m2Of = (axis: AxisResult | undefined): readonly [number, number] | undefined =>
  axis?.determined === true ? [axis.m2, axis.u_m2] : undefined;

function summarizeRun(run: StoredRun): RunSummary {
  const { record, events, state } = run;
  const fit = events.findLast(isOf("caustic_fitted"));
  const finished = events.findLast(isOf("finished"));
  const called = events.filter(isOf("tool_called"));
  const x = m2Of(fit?.x);
  const y = m2Of(fit?.y);
  return {
    id: record.id,
    state,
    opened_at: record.opened_at,
    ...(record.closed_at === undefined ? {} : { closed_at: record.closed_at }),
    bench: record.bench,
    simulated: record.simulated,
    by: record.by,
    drivers: [...new Set(called.map((event) => event.caller.name))],
    ...(record.scenario === undefined ? {} : { scenario: record.scenario }),
    ...(record.seed === undefined ? {} : { seed: record.seed }),
    ...(record.plan === undefined ? {} : { plan: record.plan.name }),
    ...(record.case === undefined ? {} : { case: record.case }),
    ...(record.epoch === undefined ? {} : { epoch: record.epoch }),
    ...(record.note === undefined ? {} : { note: record.note }),
    ...(finished === undefined ? {} : { verdict: finished.verdict }),
    ...(x === undefined ? {} : { m2_x: x[0], u_m2_x: x[1] }),
    ...(y === undefined ? {} : { m2_y: y[0], u_m2_y: y[1] }),
    events: events.length,
    calls: called.length,
    measurements: events.filter(isOf("measurement_taken")).length,
    darks: events.filter(isOf("dark_taken")).length,
    attempted_violations: events.filter(isOf("limit_refused")).length,
  };
}

/** The run of a folder in one row, also where it cannot be trusted: then with the reason, and what run.json still says. */
export function summaryOf(directory: string, id = basename(directory)): RunSummary {
  try {
    // A folder that was renamed is found under its present name.
    return { ...summarizeRun(readRun(directory)), id };
  } catch (error) {
    return damagedSummary(directory, id, error instanceof Error ? error.message : "unreadable");
  }
}

function damagedSummary(directory: string, id: string, problem: string): RunSummary {
  const isEmpty = existsSync(directory) && readdirSync(directory).length === 0;
  return {
    ...recordLeft(directory),
    id,
    state: "damaged",
    drivers: [],
    events: 0,
    calls: 0,
    measurements: 0,
    darks: 0,
    attempted_violations: 0,
    problem: isEmpty ? `${directory} is empty` : problem,
  };
}

/** What run.json says of a run whose events cannot be trusted. */
function recordLeft(directory: string): Pick<RunSummary, "opened_at" | "bench" | "simulated" | "by"> {
  try {
    const { opened_at, bench, simulated, by } = readRunRecord(join(directory, "run.json"));
    return { opened_at, bench, simulated, by };
  } catch {
    return {};
  }
}
