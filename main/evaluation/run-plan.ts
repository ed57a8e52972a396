import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProgressEvent } from "../contract/evaluation-progress.ts";
import type { EvaluationResults } from "../contract/evaluation-results.ts";
import type { EvaluationRow } from "../contract/evaluation-row.ts";
import type { Plan } from "../contract/plan.ts";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import { askedUnits } from "./asked-units.ts";
import { COMPUTING, longestFirst } from "./computing-contenders.ts";
import type { Driver } from "./driver.ts";
import type { EvaluationBench } from "./evaluation-bench.ts";
import { type EvaluationCase, expandPlan, PlanError } from "./evaluation-case.ts";
import {
  appendProgress,
  FAILED,
  mendProgress,
  readEvaluationRecord,
  readProgress,
  takeFolder,
  UNFINISHED,
  writeEvaluationRecord,
} from "./evaluation-folder.ts";
import type { Parts } from "./freeze.ts";
import { readAnswers } from "./read-answers.ts";
import type { Registration } from "./registration.ts";
import { writeReport } from "./report/write-report.ts";
import { type AssembledRun, assembleResults, assembleRuns } from "./results.ts";
import { type RunDigest, rowNotRun } from "./run-digest.ts";
import { readOutcome, type RunUnitOptions, unfinishedFolder, unitFolder } from "./run-unit.ts";
import { isGraded } from "./is-graded.ts";
import { Places } from "./places.ts";
import { type PlannedUnit, type Selection, selectUnits } from "./select-units.ts";
import type { FrameLoops } from "./simulated-run.ts";
import { startsOf } from "./started-again.ts";
import { SuiteBudget } from "./suite-budget.ts";
import { type Unit, unitId } from "./unit.ts";
import { isSeen } from "./unit-reading.ts";
import { computingDriver, UnitWork } from "./unit-work.ts";
import type { WorkerSetup } from "./worker-messages.ts";
import { type TaskEnd, WorkerPool } from "./worker-pool.ts";
import { WorkerProcesses } from "./worker-processes.ts";

/** A worker that is there wherever this file is. */
const USUAL_WORKER = fileURLToPath(new URL("./unit-worker.ts", import.meta.url));

/** A contender that waits for somebody else, a model or a person: it runs in this process. */
export interface WaitingContender {
  /** Why it cannot run here; its units are then rows that were not run. */
  readonly unavailable?: string;
  /** How many of its runs may go at a time. */
  readonly parallel: number;
  readonly driver: Driver;
}

export interface RunPlanOptions {
  readonly plan: Plan;
  readonly planPath: string;
  readonly registration: Registration;
  readonly parts: Parts;
  readonly selection: Selection;
  /** The evaluation's folder. */
  readonly out: string;
  readonly jobs: number;
  /** Runs whatever the registration says, and stamps every row. */
  readonly exploratory: boolean;
  readonly versions: Readonly<Record<string, string>>;
  /** File or folder of calls for the contender `recorded`. */
  readonly answers?: string;
  /** Where worker processes come from; the run ends those that it did not need. Default: units with the loops that are always there. */
  readonly workers?: WorkerProcesses;
  /** Connects the bench on which the cases run. Without it they run in simulated worlds. What it throws is thrown. */
  readonly openBench?: () => Promise<EvaluationBench>;
  /** For contenders that run in this process. */
  readonly loops?: FrameLoops;
  /** Contenders beside those that only compute, by name. */
  readonly waiting?: Readonly<Record<string, WaitingContender>>;
  readonly onProgress?: (event: ProgressEvent) => void;
  /** Calls the evaluation off: what runs is broken off, what is finished stays. */
  readonly signal?: AbortSignal;
  /** The wall clock; results do not see it. */
  readonly now?: () => Date;
}

export interface PlanRun {
  /** Of the units that were asked for. The files in the folder cover everything that was ever asked of it. */
  readonly results: EvaluationResults;
  readonly complete: boolean;
}

type NewProgress = ProgressEvent extends infer Event
  ? Event extends ProgressEvent
    ? Omit<Event, "at">
    : never
  : never;

/**
 * Runs what is asked for of a plan. Units whose runs are in the folder are not run again, interrupted ones are run from their beginning, so
 * killing an evaluation at any moment and starting it again gives the results of an undisturbed one.
 *
 * @throws PlanError where the plan is not registered and the run is not exploratory, where the folder holds another plan, or
 * where `recorded` has no answers that it can use.
 */
export async function runPlan(options: RunPlanOptions): Promise<PlanRun> {
  const { plan, registration, selection, out, exploratory } = options;
  if (!registration.registered && !exploratory) {
    throw new PlanError(
      `plan ${plan.plan} is not registered: ${registration.why.join("; ")}; freeze it with "caustic plan freeze", commit plan and freeze, or run it with --exploratory, which stamps every row`,
    );
  }
  const cases = expandPlan(plan);
  const units = selectUnits(plan, cases, selection);
  for (const { unit } of units) if (unit.contender === "recorded") checkAnswers(options.answers, unit);
  checkPlaces(units, options.openBench !== undefined);
  const giveBack = takeFolder(out);
  try {
    const bench = await options.openBench?.();
    try {
      return await new EvaluationRun(options, cases, units, bench).run();
    } finally {
      await bench?.close();
    }
  } finally {
    giveBack();
  }
}

/** Every unit that is asked for has to be where the evaluation runs: on the bench that is given, or in a simulated world. */
function checkPlaces(units: readonly PlannedUnit[], onBench: boolean): void {
  for (const { subject } of units) {
    const { planned } = subject;
    if (subject.on === "simulator" && onBench) {
      throw new PlanError(
        `--bench: case ${planned.case} of group ${subject.group} names the simulated scenario "${subject.planned.scenario}", whose truth decides its grade, and the beam of a bench is another one; expected cases under bench_cases, or --group with groups that hold such cases alone`,
      );
    }
    if (subject.on === "bench" && !onBench) {
      throw new PlanError(
        `case ${planned.case} of group ${subject.group} stands on a bench and names no simulated scenario; expected --bench with the file of a bench, or --group with other groups`,
      );
    }
  }
}

/** Answers that cannot be used are the caller's mistake; nothing is begun with them. */
function checkAnswers(answers: string | undefined, unit: Unit): void {
  try {
    readAnswers(answers, unit);
  } catch (error) {
    throw new PlanError(`--answers: ${error instanceof Error ? error.message : String(error)}`);
  }
}

class EvaluationRun {
  readonly #options: RunPlanOptions;
  readonly #cases: readonly EvaluationCase[];
  readonly #units: readonly PlannedUnit[];
  readonly #setup: WorkerSetup;
  readonly #pool: WorkerPool;
  readonly #budget: SuiteBudget;
  readonly #bench: EvaluationBench | undefined;
  /** Of earlier starts of the same evaluation. */
  readonly #starts: ReadonlyMap<string, number>;
  readonly #digests = new Map<string, RunDigest>();
  readonly #rows = new Map<string, EvaluationRow>();
  readonly #settled: (() => void)[] = [];
  #damage: Error | undefined;

  constructor(
    options: RunPlanOptions,
    cases: readonly EvaluationCase[],
    units: readonly PlannedUnit[],
    bench: EvaluationBench | undefined,
  ) {
    const { plan, registration, parts, versions, out, answers, exploratory, jobs } = options;
    this.#options = options;
    this.#cases = cases;
    this.#units = units;
    this.#bench = bench;
    this.#setup = {
      plan,
      plan_hash: registration.plan_hash,
      ...(registration.freeze === undefined ? {} : { freeze: registration.freeze }),
      registered: registration.registered && !exploratory,
      parts,
      versions,
      out,
      ...(answers === undefined ? {} : { answers }),
      ...(bench === undefined ? {} : { bench_sha256: bench.facts.file_sha256 }),
    };
    this.#pool = new WorkerPool(this.#setup, jobs, options.workers ?? new WorkerProcesses(USUAL_WORKER));
    mendProgress(out);
    const before = readProgress(out);
    this.#budget = new SuiteBudget(plan, before);
    this.#starts = startsOf(before);
  }

  async run(): Promise<PlanRun> {
    const { plan, planPath, registration, out, selection, jobs, exploratory, signal } = this.#options;
    const before = readEvaluationRecord(out);
    if (before !== undefined && before.plan_hash !== registration.plan_hash) {
      throw new PlanError(
        `${out} holds an evaluation of another plan (${before.plan_hash.slice(0, 12)}…); expected another --out`,
      );
    }
    if (before !== undefined && before.bench?.file_sha256 !== this.#bench?.facts.file_sha256) {
      const where =
        before.bench === undefined ? "in simulated worlds" : `on the bench ${before.bench.bench}, as its file was then`;
      throw new PlanError(`${out} holds an evaluation ${where}; expected another --out`);
    }
    clearUnfinished(out);
    const record = writeEvaluationRecord(
      out,
      {
        plan,
        plan_hash: registration.plan_hash,
        plan_path: planPath,
        ...(registration.freeze === undefined ? {} : { freeze: registration.freeze }),
        registered: registration.registered && !exploratory,
        exploratory,
        ...(registration.commit === undefined ? {} : { commit: registration.commit.commit }),
        why_not: [...registration.why],
        ...(registration.history.incomplete === undefined ? {} : { history: registration.history.incomplete }),
        ...(this.#bench === undefined ? {} : { bench: this.#bench.facts }),
        now: this.#now(),
      },
      selection,
    );
    const everything = askedUnits(plan, this.#cases, record.asked);
    const kept = everything.filter(({ unit }) => readOutcome(unitFolder(out, unit)) !== undefined);
    const keptIds = new Set(kept.map(({ unit }) => unitId(unit)));
    const todo = this.#units.filter(({ unit }) => !keptIds.has(unitId(unit)));
    this.#tell({
      type: "evaluation_started",
      plan: plan.plan,
      plan_hash: registration.plan_hash,
      units: this.#units.length,
      kept: this.#units.length - todo.length,
      jobs: this.#bench === undefined ? jobs : 1,
      exploratory,
    });
    const stop = (): void => void this.#pool.close();
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
    try {
      await Promise.all([
        ...kept.map((planned) => this.#read(planned)),
        ...(this.#bench === undefined
          ? [
              ...longestFirst(todo.filter(({ unit }) => COMPUTING.has(unit.contender))).map((planned) =>
                this.#compute(planned),
              ),
              ...this.#waitingContenders(todo),
            ]
          : [this.#allOnBench(this.#bench, todo)]),
      ]);
    } finally {
      signal?.removeEventListener("abort", stop);
      await this.#pool.close();
    }
    if (this.#damage !== undefined) throw this.#damage;
    clearUnfinished(out);
    return this.#finish(record, everything);
  }

  #finish(record: ReturnType<typeof writeEvaluationRecord>, everything: readonly PlannedUnit[]): PlanRun {
    const { out } = this.#options;
    const ordered = (units: readonly PlannedUnit[]): AssembledRun[] =>
      assembleRuns(
        units,
        ({ unit }) => this.#digests.get(unitId(unit)),
        (planned) =>
          this.#rows.get(unitId(planned.unit)) ?? this.#notRun(planned, "it was asked for earlier and did not run"),
      );
    const all = ordered(everything);
    const progress = readProgress(out);
    writeReport(out, record, assembleResults(record, all, progress), all);
    const asked = ordered(this.#units);
    const complete = asked.every(({ row }) => isGraded(row));
    this.#tell({ type: "evaluation_ended", state: complete ? "complete" : "stopped", usd: this.#budget.spent_usd });
    return { results: assembleResults(record, asked, progress), complete };
  }

  // ---- one unit ----

  async #read(planned: PlannedUnit): Promise<void> {
    const end = await this.#pool.do({ type: "read", unit: planned.unit });
    if (end.type === "done") this.#digests.set(unitId(planned.unit), end.digest);
    else if (end.type === "called_off") this.#rows.set(unitId(planned.unit), this.#notRun(planned, CALLED_OFF));
    // A run that cannot be trusted is no reason to make another one in its place in silence.
    else this.#damage ??= new Error(end.message);
  }

  async #compute(planned: PlannedUnit): Promise<void> {
    const { unit } = planned;
    const attempt = this.#attemptOf(unit);
    const end = await this.#pool.do({ type: "run", unit, attempt }, () =>
      this.#tell({ type: "unit_started", ...unit, attempt }),
    );
    this.#end(planned, attempt, end);
  }

  #end(planned: PlannedUnit, attempt: number, end: TaskEnd): void {
    const { out } = this.#options;
    const id = unitId(planned.unit);
    if (end.type === "called_off") {
      this.#rows.set(id, this.#notRun(planned, CALLED_OFF));
      return;
    }
    const row = end.type === "done" ? end.digest.row : this.#failed(planned, end.message);
    if (end.type === "done" && row.status !== "failed" && row.status !== "not_run") this.#digests.set(id, end.digest);
    else if (row.status === "not_run") this.#rows.set(id, row);
    else {
      this.#rows.set(id, row);
      setAside(out, id, attempt);
    }
    this.#tell({ type: "unit_ended", row });
  }

  // ---- on a bench ----

  /** One unit after the other, whoever drives: a bench has one beam. */
  async #allOnBench(bench: EvaluationBench, todo: readonly PlannedUnit[]): Promise<void> {
    const { waiting = {}, answers, loops, signal } = this.#options;
    const work = new UnitWork(this.#setup, loops);
    let gone: string | undefined;
    for (const planned of todo) {
      const { unit, subject } = planned;
      const contender = waiting[unit.contender];
      if (this.#calledOff()) {
        this.#rows.set(unitId(unit), this.#notRun(planned, CALLED_OFF));
        continue;
      }
      if (gone !== undefined) {
        this.#skip(planned, gone);
        continue;
      }
      const computes = COMPUTING.has(unit.contender);
      if (!computes && (contender === undefined || contender.unavailable !== undefined)) {
        this.#skip(planned, contender?.unavailable ?? "nobody of that name can be started here");
        continue;
      }
      const driver = computes || contender === undefined ? computingDriver(unit, answers) : contender.driver;
      try {
        const start = subject.on === "bench" ? subject.planned.start_travel_fraction : 0;
        const { start_z_mm } = await bench.makeReady(start, signal);
        await this.#drive(work, planned, driver, { bench, start_z_mm });
      } catch (error) {
        if (!(error instanceof InstrumentError)) throw error;
        if (this.#calledOff()) this.#rows.set(unitId(unit), this.#notRun(planned, CALLED_OFF));
        else {
          gone = `the bench is not ready: ${error.message}${error.hint === undefined ? "" : ` (${error.hint})`}`;
          this.#skip(planned, gone);
        }
      }
    }
  }

  // ---- contenders that wait for a model or a person ----

  #waitingContenders(todo: readonly PlannedUnit[]): Promise<void>[] {
    const { waiting = {} } = this.#options;
    const others = todo.filter(({ unit }) => !COMPUTING.has(unit.contender));
    const available = new Map<Driver, { readonly parallel: number; readonly units: PlannedUnit[] }>();
    for (const planned of others) {
      const contender = waiting[planned.unit.contender];
      if (contender === undefined || contender.unavailable !== undefined) {
        const why = contender?.unavailable ?? "nobody of that name can be started here";
        this.#skip(planned, why);
        continue;
      }
      const queue = available.get(contender.driver) ?? { parallel: contender.parallel, units: [] };
      queue.units.push(planned);
      available.set(contender.driver, queue);
    }
    if (available.size === 0) return [];
    const work = new UnitWork(this.#setup, this.#options.loops);
    const places = new Places(this.#options.jobs);
    return [...available].flatMap(([driver, { parallel, units }]) => {
      const queue = [...units];
      return Array.from({ length: Math.min(parallel, units.length) }, async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          await places.take();
          try {
            await this.#drive(work, next, driver);
          } finally {
            places.giveBack();
          }
        }
      });
    });
  }

  async #drive(work: UnitWork, planned: PlannedUnit, driver: Driver, bench?: RunUnitOptions["bench"]): Promise<void> {
    const { signal } = this.#options;
    const { unit, contender } = planned;
    for (;;) {
      if (this.#calledOff()) {
        this.#rows.set(unitId(unit), this.#notRun(planned, CALLED_OFF));
        return;
      }
      const answer = this.#budget.reserve(unit, contender);
      if (answer === "reserved") break;
      if (answer === "spent") {
        this.#skip(planned, "the stop rule: its cap does not fit into what is left of the money");
        return;
      }
      await new Promise<void>((resolve) => void this.#settled.push(resolve));
    }
    const cap_usd = SuiteBudget.cap_usd(contender);
    if (cap_usd !== undefined) this.#tell({ type: "usd_reserved", ...unit, usd: cap_usd });
    const attempt = this.#attemptOf(unit);
    this.#tell({ type: "unit_started", ...unit, attempt });
    let end: TaskEnd;
    try {
      const digest = await work.run(planned, driver, attempt, {
        ...(signal === undefined ? {} : { signal }),
        ...(bench === undefined ? {} : { bench }),
        offered: (address) => this.#tell({ type: "unit_offered", ...unit, address }),
      });
      end = { type: "done", digest };
    } catch (error) {
      end = { type: "broken", message: error instanceof Error ? error.message : String(error) };
    }
    if (cap_usd !== undefined) {
      const row = end.type === "done" ? end.digest.row : undefined;
      const usd = row?.status === "not_run" ? 0 : row?.usd;
      this.#tell({ type: "usd_settled", ...unit, usd: this.#budget.settle(unit, usd), known: usd !== undefined });
      for (const wake of this.#settled.splice(0)) wake();
    }
    this.#end(planned, attempt, this.#calledOff() ? { type: "called_off" } : end);
  }

  // ---- rows without a run ----

  #skip(planned: PlannedUnit, why: string): void {
    const row = this.#notRun(planned, why);
    this.#rows.set(unitId(planned.unit), row);
    this.#tell({ type: "unit_ended", row });
  }

  #notRun(planned: PlannedUnit, note: string): EvaluationRow {
    return rowNotRun(planned, this.#facts(planned), "not_run", note);
  }

  #failed(planned: PlannedUnit, message: string): EvaluationRow {
    return rowNotRun(planned, this.#facts(planned), "failed", `the infrastructure failed: ${message}`);
  }

  #facts(planned: PlannedUnit): Parameters<typeof rowNotRun>[1] {
    const { plan, freeze, parts, registered, plan_hash } = this.#setup;
    return {
      seen: isSeen(planned, plan, freeze, parts),
      exploratory: !registered || planned.outsidePlan,
      plan_hash,
    };
  }

  /** Number of the next attempt at a unit: one more than it was ever started, whatever became of it. */
  #attemptOf(unit: Unit): number {
    return freeAttempt(this.#options.out, unit, (this.#starts.get(unitId(unit)) ?? 0) + 1);
  }

  #calledOff(): boolean {
    return this.#options.signal?.aborted === true;
  }

  #now(): string {
    return (this.#options.now?.() ?? new Date()).toISOString();
  }

  #tell(event: NewProgress): void {
    const { out, onProgress } = this.#options;
    const stamped: ProgressEvent = { ...event, at: this.#now() };
    appendProgress(out, stamped);
    onProgress?.(stamped);
  }
}

const CALLED_OFF = "the evaluation was called off";

/** Removes what processes that are gone have left unfinished. */
function clearUnfinished(out: string): void {
  const folder = join(out, UNFINISHED);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (!isAlive(Number(name))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Number of the next attempt that has no folder among the broken ones; at least the given one. */
function freeAttempt(out: string, unit: Unit, least: number): number {
  let attempt = least;
  while (existsSync(join(out, FAILED, `${unitId(unit)}-${attempt}`))) attempt++;
  return attempt;
}

/** Keeps a broken attempt apart from the runs. */
function setAside(out: string, id: string, attempt: number): void {
  const folder = join(out, UNFINISHED);
  if (!existsSync(folder)) return;
  const from = readdirSync(folder)
    .map((pid) => join(unfinishedFolder(out, Number(pid)), id))
    .find((path) => existsSync(path));
  if (from === undefined) return;
  mkdirSync(join(out, FAILED), { recursive: true });
  renameSync(from, join(out, FAILED, `${id}-${attempt}`));
}
