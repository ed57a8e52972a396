import { randomBytes } from "node:crypto";
import type { BenchSession, FrameSink } from "../bench/bench-session.ts";
import type { BenchFile } from "../contract/bench-file.ts";
import type { Journal } from "../contract/events.ts";
import { encodeTiff } from "../files/write-image.ts";
import type { FrameTasks } from "./live-chain/frame-tasks.ts";
import { createRunFolder, type NewRunRecord, type RunFolder } from "../store/run-folder.ts";
import { isSimulatorsOwn } from "./kept-frames/recorded-light.ts";
import { programVersion } from "./program-version.ts";
import { UsageError } from "./usage-error.ts";

/** Where runs are kept unless a command is told otherwise, below the folder in which it was started. */
export const RUNS_FOLDER = "runs";

export interface KeptRun {
  readonly journal: Journal;
  readonly directory: string;
  /** Keeps raw frames, as `frameKeeping` says. */
  frameSink(pixelPitch_um: number, tiff?: FrameTasks["tiff"]): FrameSink;
  /** Keeps the pictures, and closes the folder with the run. */
  follow(session: Pick<BenchSession, "subscribe" | "picture">): void;
  /** The first thing that could not be written, in words; undefined while all could. */
  readonly problem: () => string | undefined;
}

/** Larger frames are not kept where they can be made again. */
const MOST_KEPT_PIXELS = 2e6;

/** Which raw frames of a bench are kept: of real instruments all; of simulated ones the first of each measurement. */
export type FrameKeeping = "all" | "first" | "first unless large";

/** What is kept of a bench. With a file it may have a stage whose exact place no journal tells, so that its frames cannot be made again. */
export function frameKeeping(simulated: boolean, file?: BenchFile): FrameKeeping {
  if (!simulated) return "all";
  return file === undefined || isSimulatorsOwn(file) ? "first unless large" : "first";
}

/** Under which name a run is kept, and when it began by the wall clock. */
export interface KeptAs {
  readonly record: string;
  /** ISO 8601. */
  readonly started: string;
}

const keptAs = new WeakMap<object, KeptAs>();

/** What a run is kept as; undefined where its folder follows no such session. */
export function sessionKeptAs(session: object): KeptAs | undefined {
  return keptAs.get(session);
}

/** Name of the folder of a run on that bench: sorts by time, fits into a file name, and is never there already. */
export function newRunId(bench: string, now = new Date()): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `${stamp}-${bench}-${randomBytes(3).toString("hex")}`;
}

const tiffHere: FrameTasks["tiff"] = (frame, pixelPitch_um, provenance) =>
  encodeTiff([frame], pixelPitch_um, provenance);

/** Keeps raw frames as TIFF. */
export function rawFrameSink(
  write: RunFolder["writeFrame"],
  keeping: FrameKeeping,
  pixelPitch_um: number,
  tiff: FrameTasks["tiff"] = tiffHere,
): FrameSink {
  return async (id, frame, index) => {
    if (index > 0 && keeping !== "all") return;
    if (frame.samples.length > MOST_KEPT_PIXELS && keeping === "first unless large") return;
    const provenance = { program: "caustic", simulated: keeping !== "all", exposure_ms: frame.exposure_ms };
    await write(id, index, await tiff(frame, pixelPitch_um, provenance));
  };
}

/** Begins the folder of a run; `benchFile` is that of its bench, where it has one. Throws UsageError where it cannot be made. */
export function keepRun(
  root: string,
  { benchFile, ...facts }: Omit<NewRunRecord, "versions"> & { readonly benchFile?: BenchFile },
): KeptRun {
  const record = benchFile === undefined ? facts : { ...facts, instruments: { bench_file: benchFile } };
  const durability = record.simulated ? "closing" : "power";
  const versions = { caustic: programVersion(), node: process.version };
  let folder: RunFolder;
  try {
    folder = createRunFolder(root, { ...record, versions }, { durability });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the run cannot be kept in ${root}: ${why}; expected a folder that can be written`);
  }
  let problem: string | undefined;
  // A listener's failure is nobody's business on the bench, and a journal's comes up with the next call, of which there may be none.
  const noting = (what: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      problem ??= `${what}: ${error instanceof Error ? error.message : String(error)}`;
      throw error;
    }
  };
  return {
    journal: { append: (event) => noting("an event could not be written", () => folder.journal.append(event)) },
    problem: () => problem,
    directory: folder.directory,
    frameSink: (pixelPitch_um, tiff) =>
      rawFrameSink(folder.writeFrame, frameKeeping(record.simulated, benchFile), pixelPitch_um, tiff),
    follow(session) {
      keptAs.set(session, { record: folder.id, started: folder.openedAt });
      session.subscribe((event) => {
        if (event.type === "view_made") {
          noting("a picture could not be kept", () => folder.writePicture(event.view, session.picture(event.view)));
        }
        if (event.type === "run_closed") noting("the run could not be closed", () => void folder.close());
      });
    },
  };
}
