import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { BenchSession } from "../bench/bench-session.ts";
import type { BenchOffer } from "../bench/benches.ts";
import type { BenchEvent } from "../contract/events.ts";
import { type EvaluationRow, evaluationRowSchema } from "../contract/evaluation-row.ts";
import {
  benchCaseSchema,
  type Plan,
  type PlanContender,
  planCaseSchema,
  planContenderSchema,
} from "../contract/plan.ts";
import { TOOL_NAMES, type ToolName } from "../contract/tools.ts";
import type { Durability } from "../store/journal-writer.ts";
import { createRunFolder, type NewRunRecord, type RunFolder } from "../store/run-folder.ts";
import type { Driver } from "./driver.ts";
import { benchTrouble, isOperatorStop } from "./bench-trouble.ts";
import { COMPUTING } from "./computing-contenders.ts";
import type { BenchUnitOptions, EvaluationBench } from "./evaluation-bench.ts";
import { type EvaluationCase, PlanError, type SimulatedCase } from "./evaluation-case.ts";
import { RUNS, UNFINISHED } from "./evaluation-folder.ts";
import type { RunDigest } from "./run-digest.ts";
import { createSimulatedRun, type FrameLoops } from "./simulated-run.ts";
import { type Unit, type UnitOutcome, unitId, unitOutcomeSchema } from "./unit.ts";

const OUTCOME = "outcome.json";
/** What a model answered, one line an answer. */
const TURNS = "turns.jsonl";
/** What the grader of the day said. Grading again reads the journal and shows both. */
const GRADE = "grade.json";

export interface RunUnitOptions extends FrameLoops {
  readonly plan: Plan;
  readonly plan_hash: string;
  /** SHA-256 of the plan's freeze, where it has one. */
  readonly freeze_sha256?: string;
  /** The plan is registered and names this contender for this case. */
  readonly registered: boolean;
  readonly subject: EvaluationCase;
  readonly contender: PlanContender;
  readonly driver: Driver;
  readonly unit: Unit;
  /** Counts from 1; higher where the infrastructure broke earlier ones. */
  readonly attempt?: number;
  /** The evaluation's folder. */
  readonly out: string;
  readonly versions: Readonly<Record<string, string>>;
  /** SHA-256 of what the result depends on. */
  readonly parts?: Readonly<Record<string, string>>;
  /** Default: simulated time that lets pending input in at every jump. */
  readonly clock?: Clock;
  /** Default: the machine's, for contenders that think in real time. */
  readonly hostClock?: Clock;
  readonly signal?: AbortSignal;
  /** The bench of a case on one, made ready, with the place where its stage stands. */
  readonly bench?: { readonly bench: EvaluationBench; readonly start_z_mm: number };
  readonly offered?: (address: string) => void;
  /** Grades the run before it is put away, so that it carries its first grade along. */
  readonly grade: (run: UnitRun) => RunDigest;
}

/** A unit that was brought to its end, with its events as they stand in its journal. */
export interface UnitRun {
  readonly outcome: UnitOutcome;
  readonly events: readonly BenchEvent[];
}

/** Where the finished run of a unit lies. */
export function unitFolder(out: string, unit: Unit): string {
  return join(out, RUNS, unitId(unit));
}

/** Where a process makes its runs before they are whole. */
export function unfinishedFolder(out: string, pid: number): string {
  return join(out, UNFINISHED, String(pid));
}

/** How a run ended that lies in a folder; undefined where it was not run to its end. Throws naming the file where it is damaged. */
export function readOutcome(folder: string): UnitOutcome | undefined {
  const read = readChecked(join(folder, OUTCOME), unitOutcomeSchema);
  if (typeof read === "string") throw new Error(read);
  return read;
}

/**
 * The grade that a run was given when it was made; undefined where it has none. It is a memory: where its file is damaged, that is told,
 * and the run is graded from its journal as ever.
 */
export function readFirstGrade(
  folder: string,
): { readonly row?: EvaluationRow; readonly damaged?: string } | undefined {
  const read = readChecked(join(folder, GRADE), evaluationRowSchema);
  return read === undefined ? undefined : typeof read === "string" ? { damaged: read } : { row: read };
}

/** A file as its schema says; undefined where there is none, a sentence that names it where it is damaged. */
function readChecked<Value extends object>(path: string, schema: z.ZodType<Value>): Value | string | undefined {
  if (!existsSync(path)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return `${path} is damaged: not JSON`;
  }
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  return `${path} is damaged: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "does not fit the schema"}`;
}

/** All that grading needs beside the journal, kept with the run so that it can be graded where its plan is not at hand. */
export const gradingContextSchema = z.object({
  group: z.string(),
  held_out: z.boolean(),
  planned: z.union([planCaseSchema, benchCaseSchema]),
  contender: planContenderSchema,
  keywords: z.record(z.string(), z.array(z.string())),
});
export type GradingContext = z.infer<typeof gradingContextSchema>;

function gradingContext({ subject, contender, plan }: RunUnitOptions): GradingContext {
  const { group, held_out, planned } = subject;
  return { group, held_out, planned, contender, keywords: plan.keywords };
}

/** The tools that a contender has in this plan. Suggestions are off: planning is what is measured. */
function toolsFor(contender: PlanContender): ToolName[] {
  const without = new Set(["suggest_positions", ...(contender.without ?? [])]);
  return TOOL_NAMES.filter((name) => !without.has(name));
}

/**
 * Runs one unit. Its folder appears under `runs/` in one step, when everything in it is written: whatever is there is whole, and a unit
 * that was killed is run again from its beginning. The state of a bench in mid-run cannot be resumed. A run that the infrastructure
 * broke, or that was called off, stays where it was made.
 */
export async function runUnit(options: RunUnitOptions): Promise<RunDigest> {
  const { plan, subject, contender, unit, out, attempt = 1, signal } = options;
  const place = subject.on === "bench" ? placeOnBench(options) : simulatedPlace(subject, options);
  const { note } = place;
  const id = unitId(unit);
  const unfinished = unfinishedFolder(out, process.pid);
  rmSync(join(unfinished, id), { recursive: true, force: true });
  const folder = createRunFolder(
    unfinished,
    {
      id,
      ...place.record,
      by: unit.contender,
      plan: {
        name: plan.plan,
        sha256: options.plan_hash,
        registered: options.registered,
        ...(options.freeze_sha256 === undefined ? {} : { freeze_sha256: options.freeze_sha256 }),
      },
      case: unit.case,
      epoch: unit.epoch,
      ...(attempt === 1 ? {} : { attempt }),
      ...(note === undefined ? {} : { note }),
      versions: { ...options.versions },
      ...(options.parts === undefined ? {} : { hashes: { ...options.parts } }),
      more: { ...place.record.more, grading: gradingContext(options) satisfies GradingContext },
    },
    { durability: durabilityOf(options, place.record.simulated) },
  );
  const { calls, positions } = plan.budgets;
  const tools = toolsFor(contender);
  const events: BenchEvent[] = [];
  const stopped = new AbortController();
  const run = place.open({
    budgets: { calls, positions, views: contender.limits?.views ?? plan.budgets.views },
    ...(note === undefined ? {} : { operatorNote: note }),
    tools,
    folder,
    journal: {
      append(event) {
        folder.journal.append(event);
        events.push(event);
        if (subject.on === "bench" && isOperatorStop(event)) stopped.abort(new Error("the operator pressed STOP"));
      },
    },
    opened: (session) => {
      session.subscribe((event) => {
        if (event.type === "view_made") folder.writePicture(event.view, session.picture(event.view));
      });
    },
  });
  const driven = await options.driver({
    offer: run.offer,
    tools,
    ...(note === undefined ? {} : { note }),
    unit,
    plan,
    contender,
    signal: signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal]),
    onTurn: (turn) => appendFileSync(join(folder.directory, TURNS), `${JSON.stringify(turn)}\n`),
    offered: options.offered ?? (() => undefined),
  });
  await run.close();
  folder.close();
  const trouble = subject.on === "bench" ? benchTrouble(events) : undefined;
  const outcome: UnitOutcome = trouble === undefined ? driven : { ...driven, status: "failed", message: trouble };
  const digest = options.grade({ outcome, events });
  if (signal?.aborted === true) return digest;
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(folder.directory, name), `${JSON.stringify(value, undefined, 2)}\n`);
  write(GRADE, digest.row);
  write(OUTCOME, outcome);
  if (outcome.status === "completed") keep(folder.directory, out, unit);
  return digest;
}

/** What a power cut takes of a simulated unit whose contender only computes can be made again, to the byte. */
function durabilityOf({ subject, unit }: RunUnitOptions, simulated: boolean): Durability {
  if (!simulated) return "power";
  return subject.on === "simulator" && COMPUTING.has(unit.contender) ? "process" : "closing";
}

type OpenOptions = Pick<BenchUnitOptions, "journal" | "budgets" | "operatorNote" | "tools" | "opened"> & {
  readonly folder: RunFolder;
};

/** Where a unit runs: what its run.json says of the place, and how the bench there is put on offer. */
interface Place {
  readonly note: string | undefined;
  readonly record: Pick<NewRunRecord, "bench" | "simulated" | "scenario" | "seed" | "instruments" | "more">;
  open(options: OpenOptions): { readonly offer: BenchOffer; close(): Promise<void> };
}

function simulatedPlace({ planned, scenario }: SimulatedCase, options: RunUnitOptions): Place {
  const { note, seed, instrument_faults } = planned;
  return {
    note,
    record: {
      bench: "bench-1",
      simulated: true,
      scenario: planned.scenario,
      seed,
      instruments: { faults: planned.faults ?? [], instrument_faults: instrument_faults ?? [] },
    },
    open: ({ folder: _folder, ...more }) =>
      createSimulatedRun({
        ...more,
        scenario,
        seed,
        ...(instrument_faults === undefined ? {} : { instrumentFaults: instrument_faults }),
        ...(options.clock === undefined ? {} : { clock: options.clock }),
        ...(options.hostClock === undefined ? {} : { hostClock: options.hostClock }),
        ...(options.kernel === undefined ? {} : { kernel: options.kernel }),
        ...(options.readOut === undefined ? {} : { readOut: options.readOut }),
      }),
  };
}

function placeOnBench({ subject, bench: given }: RunUnitOptions): Place {
  if (given === undefined) throw new PlanError(`case ${subject.planned.case} stands on a bench, and none is given`);
  const { bench, start_z_mm } = given;
  const canaryKey = randomBytes(16).toString("hex");
  return {
    // What the plan says of the bench in its file's place; without a word of its own the file's note stays.
    note: subject.planned.note ?? bench.operatorNote,
    record: {
      bench: bench.facts.bench,
      simulated: bench.facts.kind === "emulated",
      instruments: { bench_file: bench.file, bench_file_sha256: bench.facts.file_sha256, start_z_mm },
      more: { canary_key: canaryKey },
    },
    open({ folder, opened, ...more }) {
      let session: BenchSession | undefined;
      const offer = bench.offer({
        ...more,
        canaryKey,
        writeFrame: (id, index, tiff) => folder.writeFrame(id, index, tiff),
        opened(made) {
          session = made;
          opened(made);
        },
      });
      return { offer, close: async () => session?.close("finished") };
    },
  };
}

/** Puts the whole run where runs are. One that is there already was made by a process that nobody waits for any more. */
function keep(directory: string, out: string, unit: Unit): void {
  mkdirSync(join(out, RUNS), { recursive: true });
  try {
    renameSync(directory, unitFolder(out, unit));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    rmSync(directory, { recursive: true, force: true });
  }
}
