import type { Cancellation } from "../../../drivers/protocol/cancellation.ts";
import type { BenchSession } from "../../bench/bench-session.ts";
import type { BenchVerbs } from "../../contract/bench-verbs.ts";
import type { BenchEvent } from "../../contract/events.ts";
import type { SuiteResults } from "../../contract/suite-results.ts";
import type { EvaluationState, EvaluationListing } from "../../contract/window-evaluation.ts";
import type { SuiteListing } from "../../contract/window-suites.ts";
import type {
  ContenderOffer,
  Drive,
  Overview,
  PageInput,
  PageOutput,
  RecordSummary,
  ScenarioOffer,
} from "../../contract/window-verbs.ts";
import type { FrameOfRun } from "../kept-frames/kept-frames.ts";

/** Something that a window shows and that changes by itself. `onChange` returns the function that ends the calls. */
interface Changing {
  onChange(listener: () => void): () => void;
}

/** The benches on offer and the runs that are open on them. */
export interface BenchShelf extends Changing {
  readonly verbs: BenchVerbs;
  /** Throws `unknown_run`. */
  session(run: string): BenchSession;
  offers(): Overview["benches"];
  openRuns(): readonly BenchSession[];
  scenarios(): readonly ScenarioOffer[];
  offerSimulator(input: PageInput<"offer_simulator">): string;
  benchFiles(): Overview["bench_files"];
  offerBenchFile(file: string): string;
  saveBenchFile(file: string, text: string): void;
  /** The text after the change. */
  editBenchFile(file: string, edits: PageInput<"edit_bench_file">["edits"]): string;
  testBench(bench: string): Promise<PageOutput<"test_bench">>;
}

/** Kept runs. */
export interface RecordShelf extends Changing {
  list(): Promise<readonly RecordSummary[]>;
  /** Throws `unknown_run` where there is none, `internal` where it cannot be read. */
  events(record: string): Promise<readonly BenchEvent[]>;
  /**
   * A raw frame of a measurement or dark, kept or made again: that of the index, from 0, or the last one. Throws `unknown_id`,
   * `bad_argument`, `not_offered` and `not_reproduced`.
   */
  frame(record: string, id: string, index?: number, cancellation?: Cancellation): Promise<FrameOfRun>;
  picture(record: string, view: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  verify(record: string): Promise<PageOutput<"verify_record">>;
  /** Throws `not_offered` where nothing says what the run is to be held against. */
  grade(record: string): Promise<PageOutput<"grade_record">>;
  /** The record of a run in a folder elsewhere. Throws `bad_argument`. */
  open(folder: string): string;
}

/** Scripts and agents that can be started from here. */
export interface ContenderDesk extends Changing {
  offers(): readonly ContenderOffer[];
  drives(): readonly Drive[];
  start(input: PageInput<"start_contender">): Promise<Drive>;
  stop(drive: string): Promise<Drive>;
}

/** Folders of evaluations. */
export interface EvaluationShelf {
  list(): Promise<readonly EvaluationListing[]>;
  /** Throws `unknown_id`. */
  read(evaluation: string): Promise<EvaluationState>;
  onChange(listener: (evaluation: string) => void): () => void;
}

/** Results of suites below the folder of the runs. Nothing but reading. */
export interface SuiteShelf {
  list(): readonly SuiteListing[];
  /** Throws `unknown_id` where there are none, `internal` where they do not follow their schema. */
  read(suiteRun: string): SuiteResults;
}

/** Everything that a window shows. */
export interface WindowShelves {
  readonly benches: BenchShelf;
  readonly records: RecordShelf;
  readonly contenders: ContenderDesk;
  readonly evaluations: EvaluationShelf;
  readonly suites: SuiteShelf;
}
