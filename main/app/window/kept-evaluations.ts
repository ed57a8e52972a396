import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { BenchError } from "../../contract/error-codes.ts";
import type { ProgressEvent } from "../../contract/evaluation-progress.ts";
import { evaluationResultsSchema } from "../../contract/evaluation-results.ts";
import type { EvaluationRow } from "../../contract/evaluation-row.ts";
import type { EvaluationListing, EvaluationState } from "../../contract/window-evaluation.ts";
import { askedUnits } from "../../evaluation/asked-units.ts";
import { type EvaluationCase, expandPlan } from "../../evaluation/evaluation-case.ts";
import {
  type EvaluationRecord,
  readEvaluationRecord,
  readProgress,
  workingProcess,
} from "../../evaluation/evaluation-folder.ts";
import type { PlannedUnit } from "../../evaluation/select-units.ts";
import { summarise } from "../../evaluation/summarise.ts";
import { type Unit, unitId } from "../../evaluation/unit.ts";
import { EVALUATIONS, evaluationRecordId, evaluationRunFolder } from "./evaluation-records.ts";
import { Notifier } from "./notifier.ts";
import type { EvaluationShelf } from "./shelves.ts";

/** A folder that is written to is told of at most this often. */
const QUIET_MS = 250;

/** Evaluations below the folder of the runs. Nothing but reading: another process runs them, and watching cannot change one. */
export class KeptEvaluations implements EvaluationShelf {
  readonly #root: string;
  readonly #changed = new Notifier<[evaluation: string]>();
  readonly #units = new Map<
    string,
    { readonly cases: readonly EvaluationCase[]; readonly units: readonly PlannedUnit[] }
  >();
  readonly #pending = new Map<string, NodeJS.Timeout>();
  readonly #watcher: { close(): void } | undefined;
  readonly onChange = this.#changed.onChange;

  /** `root` is the folder of the runs. */
  constructor(root: string) {
    this.#root = root;
    const folder = join(root, EVALUATIONS);
    mkdirSync(folder, { recursive: true });
    this.#watcher = watchTree(folder, (path) => {
      const [evaluation = ""] = path.split(/[/\\]/);
      if (evaluation === "" || this.#pending.has(evaluation)) return;
      const timer = setTimeout(() => {
        this.#pending.delete(evaluation);
        this.#changed.tell(evaluation);
      }, QUIET_MS);
      timer.unref();
      this.#pending.set(evaluation, timer);
    });
  }

  async list(): Promise<readonly EvaluationListing[]> {
    const folder = join(this.#root, EVALUATIONS);
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, "evaluation.json")))
      .map((entry) => ({ name: entry.name, changed: statSync(join(folder, entry.name)).mtimeMs }))
      .sort((a, b) => b.changed - a.changed)
      .flatMap(({ name }): EvaluationListing[] => {
        try {
          return [this.#listing(name)];
        } catch {
          // A folder that cannot be read says so when it is opened; the others are listed nevertheless.
          return [{ evaluation: name, plan: name, question: "", state: "stopped", done: 0, total: 0 }];
        }
      });
  }

  async read(evaluation: string): Promise<EvaluationState> {
    const { folder, record, units, rows, progress, working } = this.#parts(evaluation);
    const { plan, freeze } = record;
    const done = new Set(rows.map((row) => unitId(row)));
    const running = runningUnits(progress);
    const open = units
      .filter(({ unit }) => !done.has(unitId(unit)))
      .map(({ unit }) => {
        const isRunning = working && running.has(unitId(unit));
        const id = evaluationRecordId(evaluation, unit);
        const watched = isRunning && evaluationRunFolder(this.#root, id) !== undefined;
        return {
          ...unit,
          state: isRunning ? ("running" as const) : ("waiting" as const),
          ...(watched ? { record: id } : {}),
        };
      });
    const asked = new Set(units.map(({ unit }) => unit.case));
    const contenders = new Set(units.map(({ unit }) => unit.contender));
    const known = rows.flatMap((row) => (row.usd === undefined ? [] : [row.usd]));
    const costs = rows.filter((row) => row.tokens !== undefined);
    const cases = this.#cases(record).filter(({ planned }) => asked.has(planned.case));
    return {
      ...this.#listing(evaluation),
      plan_hash: record.plan_hash,
      registered: record.registered && !record.exploratory,
      why_not_registered: [...record.why_not, ...(record.exploratory ? ["run as exploratory"] : [])],
      ...(freeze === undefined ? {} : { frozen_on: freeze.frozen_on }),
      ...(record.commit === undefined ? {} : { commit: record.commit }),
      deviations: plan.deviations,
      epochs: Math.max(1, ...record.asked.map((selection) => selection.epochs)),
      groups: plan.groups.flatMap((group) => {
        const own = cases.filter((one) => one.group === group.group);
        if (own.length === 0) return [];
        return [
          {
            group: group.group,
            title: group.title,
            question: group.question,
            held_out: group.held_out,
            contenders: [...contenders],
            cases: own.map(({ planned }) => ({
              case: planned.case,
              ...(planned.note === undefined ? {} : { note: planned.note }),
            })),
          },
        ];
      }),
      contenders: [...contenders].map((contender) => {
        const described = plan.contenders.find((one) => one.contender === contender);
        return { contender, what: described?.what ?? contender, reference: described?.reference === true };
      }),
      rows: [...rows],
      open,
      records: Object.fromEntries(
        rows
          .filter((row) => existsSync(join(folder, "runs", unitId(row))))
          .map((row) => [`${row.case}/${row.contender}/${row.epoch}`, evaluationRecordId(evaluation, row)]),
      ),
      summary: summarise(rows, plan).groups,
      stop_rule: plan.stop_rule.how,
      ...(known.length === costs.length ? { usd_spent: known.reduce((sum, usd) => sum + usd, 0) } : {}),
      usd_limit: plan.stop_rule.usd,
    };
  }

  close(): void {
    this.#watcher?.close();
    for (const timer of this.#pending.values()) clearTimeout(timer);
  }

  #listing(evaluation: string): EvaluationListing {
    const { record, units, rows, working } = this.#parts(evaluation);
    const done = rows.filter((row) => row.status !== "not_run").length;
    return {
      evaluation,
      plan: `${record.plan.plan} v${record.plan.version}`,
      question: record.plan.question,
      started: record.started_at,
      state: working ? "running" : done >= units.length ? "complete" : "stopped",
      done,
      total: units.length,
    };
  }

  #parts(evaluation: string): {
    folder: string;
    record: EvaluationRecord;
    units: readonly PlannedUnit[];
    rows: readonly EvaluationRow[];
    progress: readonly ProgressEvent[];
    working: boolean;
  } {
    const folder = join(this.#root, EVALUATIONS, evaluation);
    const record = /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(evaluation) ? readEvaluationRecord(folder) : undefined;
    if (record === undefined) {
      throw new BenchError("unknown_id", `there is no evaluation ${evaluation}`, "Run one with caustic eval.");
    }
    const working = workingProcess(folder) !== undefined;
    const progress = readProgress(folder);
    return { folder, record, units: this.#unitsOf(record), rows: rowsOf(folder, progress, working), progress, working };
  }

  #cases(record: EvaluationRecord): readonly EvaluationCase[] {
    this.#unitsOf(record);
    return this.#units.get(keyOf(record))?.cases ?? [];
  }

  /** Expanding a plan draws beams for its strata, so it is done once. */
  #unitsOf(record: EvaluationRecord): readonly PlannedUnit[] {
    const known = this.#units.get(keyOf(record));
    if (known !== undefined) return known.units;
    const cases = expandPlan(record.plan);
    const units = askedUnits(record.plan, cases, record.asked);
    this.#units.set(keyOf(record), { cases, units });
    return units;
  }
}

const keyOf = ({ plan_hash, asked }: EvaluationRecord): string => `${plan_hash} ${JSON.stringify(asked)}`;

/** Rows of the last results, or, while it runs, of the progress: of each unit the last. */
function rowsOf(folder: string, progress: readonly ProgressEvent[], working: boolean): readonly EvaluationRow[] {
  const path = join(folder, "results.json");
  if (!working && existsSync(path)) {
    const results = evaluationResultsSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (results.success) return results.data.rows;
  }
  const rows = new Map<string, EvaluationRow>();
  for (const event of progress) if (event.type === "unit_ended") rows.set(unitId(event.row), event.row);
  return [...rows.values()];
}

/** Units that began and have not ended. */
function runningUnits(progress: readonly ProgressEvent[]): ReadonlySet<string> {
  const running = new Set<string>();
  for (const event of progress) {
    if (event.type === "evaluation_started") running.clear();
    else if (event.type === "unit_started") running.add(unitId(event satisfies Unit));
    else if (event.type === "unit_ended") running.delete(unitId(event.row));
  }
  return running;
}

/** Calls back with the path of what changes below a folder; undefined where the system cannot watch. */
function watchTree(folder: string, onPath: (path: string) => void): { close(): void } | undefined {
  try {
    const watcher = watch(folder, { recursive: true, persistent: false }, (_, path) => {
      if (path !== null) onPath(path);
    });
    watcher.on("error", () => undefined);
    return watcher;
  } catch {
    return undefined;
  }
}
