import type { BenchSession } from "../bench/bench-session.ts";
import type { Journal } from "../contract/events.ts";
import { createRunFolder, type NewRunRecord } from "../store/run-folder.ts";
import { programVersion } from "./program-version.ts";

/** Where runs are kept unless a command is told otherwise, below the folder in which it was started. */
export const RUNS_FOLDER = "runs";

export interface KeptRun {
  readonly journal: Journal;
  readonly directory: string;
  /** Keeps the pictures, and closes the folder with the run. */
  follow(session: BenchSession): void;
}

/** Begins the folder of a run. */
export function keepRun(root: string, record: Omit<NewRunRecord, "versions">): KeptRun {
  const durability = record.simulated ? "process" : "power";
  const versions = { caustic: programVersion(), node: process.version };
  const folder = createRunFolder(root, { ...record, versions }, { durability });
  return {
    journal: folder.journal,
    directory: folder.directory,
    follow(session) {
      session.subscribe((event) => {
        if (event.type === "view_made") folder.writePicture(event.view, session.picture(event.view));
        if (event.type === "run_closed") folder.close();
      });
    },
  };
}
