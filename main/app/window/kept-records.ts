import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Cancellation } from "../../../drivers/protocol/cancellation.ts";
import { BenchError } from "../../contract/error-codes.ts";
import type { BenchEvent } from "../../contract/events.ts";
import type { PageOutput, RecordSummary } from "../../contract/window-verbs.ts";
import { PlanError } from "../../evaluation/evaluation-case.ts";
import { currentParts } from "../../evaluation/freeze.ts";
import { gradeAgain, gradeChanges } from "../../evaluation/grade-again.ts";
import { readPicture, readRun, runFiles, type StoredRun } from "../../store/run-folder.ts";
import { RunIndex } from "../../store/run-index.ts";
import { type RunSummary, summaryOf } from "../../store/run-summary.ts";
import { type FrameOfRun, KeptFrames } from "../kept-frames/kept-frames.ts";
import type { MakingAgainOptions } from "../kept-frames/frames-made-again.ts";
import { PROJECT_ROOT } from "../plan-file.ts";
import { evaluationRunFolder } from "./evaluation-records.ts";
import { Notifier } from "./notifier.ts";
import type { BenchShelf, RecordShelf } from "./shelves.ts";

/** Runs that stay read: whoever looks at one asks for its events, its fit and its frames one after the other. */
const READ_RUNS = 3;

/** The runs of a folder on disk. */
export class KeptRecords implements RecordShelf {
  readonly #root: string;
  readonly #index: RunIndex;
  readonly #benches: Pick<BenchShelf, "onChange">;
  readonly #frames: KeptFrames;
  readonly #opened = new Notifier();
  /** Runs of folders elsewhere, by the id under which they stand in the list. */
  readonly #elsewhere = new Map<string, string>();
  /** By folder, the one that was read last at the end. */
  readonly #readRuns = new Map<string, { readonly stamp: string; readonly run: StoredRun }>();

  /** `root` has one folder per run; runs come and end when `benches` change. Frames that were not kept are made again with `making`. */
  constructor(root: string, benches: Pick<BenchShelf, "onChange">, making: MakingAgainOptions) {
    this.#root = root;
    this.#frames = new KeptFrames(making);
    this.#benches = benches;
    this.#index = new RunIndex(root);
  }

  onChange(listener: () => void): () => void {
    const ends = [this.#benches.onChange(listener), this.#opened.onChange(listener)];
    return () => {
      for (const end of ends) end();
    };
  }

  async list(): Promise<readonly RecordSummary[]> {
    this.#index.refresh();
    const elsewhere = [...this.#elsewhere].map(([id, directory]) => summaryOf(directory, id));
    return [...elsewhere, ...this.#index.list()].map(toRecordSummary);
  }

  open(folder: string): string {
    const directory = resolve(folder);
    if (!existsSync(join(directory, "run.json"))) {
      throw new BenchError(
        "bad_argument",
        `${directory} holds no run: a run's folder has a run.json and an events.jsonl`,
        "Name the folder of one run.",
      );
    }
    for (const [id, known] of this.#elsewhere) if (known === directory) return id;
    const name =
      basename(directory)
        .replaceAll(/[^A-Za-z0-9._-]/g, "-")
        .replace(/^[^A-Za-z0-9]+/, "") || "run";
    let id = name;
    const isTaken = (): boolean => this.#elsewhere.has(id) || existsSync(join(this.#root, id));
    for (let copy = 2; isTaken(); copy++) id = `${name}.${copy}`;
    this.#elsewhere.set(id, directory);
    this.#opened.tell();
    return id;
  }

  async grade(record: string): Promise<PageOutput<"grade_record">> {
    try {
      const graded = await gradeAgain(this.#directory(record), currentParts(PROJECT_ROOT));
      const { now, then } = graded;
      return { now, ...(then === undefined ? {} : { then }), changed: gradeChanges(graded) };
    } catch (error) {
      if (!(error instanceof PlanError)) throw error;
      throw new BenchError("not_offered", error.message, "Only simulated runs can be held against the truth.");
    }
  }

  async events(record: string): Promise<readonly BenchEvent[]> {
    return this.#read(record).events;
  }

  frame(record: string, id: string, index?: number, cancellation?: Cancellation): Promise<FrameOfRun> {
    return this.#frames.frame(this.#read(record), id, index, cancellation);
  }

  async picture(record: string, view: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const png = readPicture(this.#directory(record), view);
    return png === undefined ? undefined : new Uint8Array(png);
  }

  async verify(record: string): Promise<PageOutput<"verify_record">> {
    try {
      const { events, state, torn_bytes } = readRun(this.#directory(record));
      const torn = torn_bytes > 0 ? `; its writer was cut off in the middle of a line, which is left out` : "";
      return {
        sound: true,
        events: events.length,
        message: `every line follows from the one before (${state})${torn}`,
      };
    } catch (error) {
      if (error instanceof BenchError) throw error;
      return { sound: false, events: 0, message: error instanceof Error ? error.message : String(error) };
    }
  }

  close(): void {
    this.#frames.close();
    this.#index.close();
  }

  #directory(record: string): string {
    const elsewhere = this.#elsewhere.get(record);
    if (elsewhere !== undefined) return elsewhere;
    const ofEvaluation = evaluationRunFolder(this.#root, record);
    if (ofEvaluation !== undefined) return ofEvaluation;
    const directory = join(this.#root, record);
    if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(record) && existsSync(directory)) return directory;
    throw new BenchError("unknown_run", `there is no record ${record}`, "Look at the list of runs.");
  }

  /** Read once and verified, and again when its files have changed. */
  #read(record: string): StoredRun {
    const directory = this.#directory(record);
    const stamp = runFiles(dirname(directory), basename(directory))
      .map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }))
      .map((found) => (found === undefined ? "none" : `${found.size} ${found.mtimeNs}`))
      .join(", ");
    const known = this.#readRuns.get(directory);
    this.#readRuns.delete(directory);
    try {
      const run = known?.stamp === stamp ? known.run : readRun(directory);
      this.#readRuns.set(directory, { stamp, run });
      const [oldest] = this.#readRuns.keys();
      if (this.#readRuns.size > READ_RUNS && oldest !== undefined) this.#readRuns.delete(oldest);
      return run;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new BenchError("internal", `the record cannot be read: ${message}`, "Restore the folder from a copy.");
    }
  }
}

function toRecordSummary(run: RunSummary): RecordSummary {
  return {
    record: run.id,
    bench: run.bench ?? "",
    ...(run.simulated === undefined ? {} : { simulated: run.simulated }),
    ...(run.opened_at === undefined ? {} : { started: run.opened_at }),
    state: run.state,
    drivers: [...run.drivers],
    events: run.events,
    measurements: run.measurements,
    ...(run.verdict === undefined ? {} : { verdict: run.verdict }),
    ...(run.m2_x === undefined ? {} : { m2_x: run.m2_x }),
    ...(run.u_m2_x === undefined ? {} : { u_m2_x: run.u_m2_x }),
    ...(run.m2_y === undefined ? {} : { m2_y: run.m2_y }),
    ...(run.u_m2_y === undefined ? {} : { u_m2_y: run.u_m2_y }),
    ...(run.plan === undefined ? {} : { plan: run.plan }),
    ...(run.case === undefined ? {} : { case: run.case }),
    attempted_violations: run.attempted_violations,
    ...(run.note === undefined ? {} : { note: run.note }),
    ...(run.problem === undefined ? {} : { problem: run.problem }),
  };
}
