import { randomBytes } from "node:crypto";
import type { BenchSession, FrameSink } from "../bench/bench-session.ts";
import type { Journal } from "../contract/events.ts";
import { encodeTiff } from "../files/write-image.ts";
import type { FrameTasks } from "./live-chain/frame-tasks.ts";
import { createRunFolder, type NewRunRecord, type RunFolder } from "../store/run-folder.ts";
import { programVersion } from "./program-version.ts";
import { UsageError } from "./usage-error.ts";

/** Where runs are kept unless a command is told otherwise, below the folder in which it was started. */
export const RUNS_FOLDER = "runs";

export interface KeptRun {
  readonly journal: Journal;
  readonly directory: string;
  /** Keeps raw frames: all of real instruments, the first of each measurement of simulated ones, unless they are large. */
  frameSink(pixelPitch_um: number, tiff?: FrameTasks["tiff"]): FrameSink;
  /** Keeps the pictures, and closes the folder with the run. */
  follow(session: Pick<BenchSession, "subscribe" | "picture">): void;
  /** The first thing that could not be written, in words; undefined while all could. */
  readonly problem: () => string | undefined;
}

/** Larger simulated frames are not kept: the simulator makes them again. */
const MOST_SIMULATED_PIXELS = 2e6;

/** Name of the folder of a run on that bench: sorts by time, fits into a file name, and is never there already. */
export function newRunId(bench: string, now = new Date()): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `${stamp}-${bench}-${randomBytes(3).toString("hex")}`;
}

const tiffHere: FrameTasks["tiff"] = (frame, pixelPitch_um, provenance) =>
  encodeTiff([frame], pixelPitch_um, provenance);

/** Keeps raw frames as TIFF: all of real instruments, the first of each measurement of simulated ones, unless they are large. */
export function rawFrameSink(
  write: RunFolder["writeFrame"],
  simulated: boolean,
  pixelPitch_um: number,
  tiff: FrameTasks["tiff"] = tiffHere,
): FrameSink {
  return async (id, frame, index) => {
    if (simulated && (index > 0 || frame.samples.length > MOST_SIMULATED_PIXELS)) return;
    const provenance = { program: "caustic", simulated, exposure_ms: frame.exposure_ms };
    await write(id, index, await tiff(frame, pixelPitch_um, provenance));
  };
}

/** Begins the folder of a run. Throws UsageError where it cannot be made. */
export function keepRun(root: string, record: Omit<NewRunRecord, "versions">): KeptRun {
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
    frameSink: (pixelPitch_um, tiff) => rawFrameSink(folder.writeFrame, record.simulated, pixelPitch_um, tiff),
    follow(session) {
      session.subscribe((event) => {
        if (event.type === "view_made") {
          noting("a picture could not be kept", () => folder.writePicture(event.view, session.picture(event.view)));
        }
        if (event.type === "run_closed") noting("the run could not be closed", () => void folder.close());
      });
    },
  };
}
