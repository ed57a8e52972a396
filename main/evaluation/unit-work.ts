import { SCRIPTS } from "../contenders/index.ts";
import { recorded } from "../contenders/recorded.ts";
import { contenderDriver, type Driver } from "./driver.ts";
import { type EvaluationCase, expandPlan } from "./evaluation-case.ts";
import { freezeHash } from "./freeze.ts";
import { readAnswers } from "./read-answers.ts";
import { digestRun, type RunDigest } from "./run-digest.ts";
import { runUnit, type RunUnitOptions } from "./run-unit.ts";
import { planUnit, type PlannedUnit } from "./select-units.ts";
import { type FrameLoops, stillClock, uninterruptedClock } from "./simulated-run.ts";
import { type Unit, unitId } from "./unit.ts";
import { isSeen, readUnit } from "./unit-reading.ts";
import type { WorkerSetup, WorkerTask } from "./worker-messages.ts";

/** Runs and grades units. One per process. */
export class UnitWork {
  readonly #setup: WorkerSetup;
  readonly #loops: FrameLoops;
  readonly #cases: ReadonlyMap<string, EvaluationCase>;

  constructor(setup: WorkerSetup, loops: FrameLoops = {}) {
    this.#setup = setup;
    this.#loops = loops;
    this.#cases = new Map(expandPlan(setup.plan).map((one) => [one.planned.case, one]));
  }

  /** Does one task. Throws where the program or the disk fails. */
  async do(task: WorkerTask): Promise<RunDigest> {
    const planned = this.#planned(task.unit);
    if (task.type === "run")
      return this.run(planned, this.#driverOf(task.unit), task.attempt, {
        clock: uninterruptedClock(),
        hostClock: stillClock,
      });
    const digest = await readUnit(planned, { ...this.#setup, current: this.#setup.parts });
    if (digest === undefined) throw new Error(`${unitId(task.unit)} was not run to its end`);
    return digest;
  }

  /** Runs a unit from its beginning and grades it from the events that went into its journal. */
  async run(
    planned: PlannedUnit,
    driver: Driver,
    attempt: number,
    more: Pick<RunUnitOptions, "clock" | "hostClock" | "signal" | "offered" | "bench"> = {},
  ): Promise<RunDigest> {
    const { plan, plan_hash, out, versions, parts, freeze } = this.#setup;
    const registered = this.#setup.registered && !planned.outsidePlan;
    return runUnit({
      plan,
      plan_hash,
      ...(freeze === undefined ? {} : { freeze_sha256: freezeHash(freeze) }),
      registered,
      subject: planned.subject,
      contender: planned.contender,
      driver,
      unit: planned.unit,
      attempt,
      out,
      versions,
      parts,
      grade: ({ outcome, events }) =>
        digestRun(events, planned, plan.keywords, {
          outcome,
          seen: isSeen(planned, plan, freeze, parts),
          exploratory: !registered,
          plan_hash,
          parts,
        }),
      ...this.#loops,
      ...more,
    });
  }

  #planned(unit: Unit): PlannedUnit {
    const subject = this.#cases.get(unit.case);
    const planned = subject && planUnit(this.#setup.plan, subject, unit.contender, unit.epoch);
    if (planned === undefined) throw new Error(`the plan has no unit ${unitId(unit)}`);
    return planned;
  }

  #driverOf(unit: Unit): Driver {
    return computingDriver(unit, this.#setup.answers);
  }
}

/** Drives a unit by a contender that only computes. `answers`: file or folder of calls for the contender `recorded`. */
export function computingDriver(unit: Unit, answers: string | undefined): Driver {
  return contenderDriver(() => {
    if (unit.contender === "recorded") return recorded(readAnswers(answers, unit));
    const script = SCRIPTS[unit.contender];
    if (script === undefined) throw new Error(`there is no contender ${unit.contender} that runs by itself`);
    return script;
  });
}
