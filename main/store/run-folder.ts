import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import type { BenchEvent, Journal } from "../contract/events.ts";
import { DamagedJournalError, type ReadJournal, readJournal } from "./journal-reader.ts";
import { type Durability, JournalWriter } from "./journal-writer.ts";
import { type RunRecord, readRunRecord, writeRunRecord } from "./run-record.ts";

const RECORD = "run.json";
const JOURNAL = "events.jsonl";
const FRAMES = "frames";
const PICTURES = "pictures";

/** Ids become file names. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/;

/** Everything about a run that its folder does not find out by itself. */
export type NewRunRecord = Omit<RunRecord, "format" | "opened_at" | "closed_at" | "writer" | "journal">;

export interface RunFolderOptions {
  /** Default `closing`; `power` where real instruments make a lost event dear. */
  readonly durability?: Durability;
  /** The wall clock; only run.json sees it. */
  readonly now?: () => Date;
}

/** A run that is being written. */
export interface RunFolder {
  readonly directory: string;
  readonly id: string;
  /** Wall clock, ISO 8601. */
  readonly openedAt: string;
  readonly journal: Journal;
  /** Keeps a raw frame, already encoded as a 16-bit TIFF. */
  writeFrame(id: string, index: number, tiff: Uint8Array): Promise<void>;
  writePicture(view: string, png: Uint8Array): void;
  /** Seals the journal and writes its length and last hash into run.json. */
  close(): RunRecord;
}

/** Makes `root/<id>/` with its run.json. Throws where the id is taken or not fit for a file name. */
export function createRunFolder(root: string, record: NewRunRecord, options: RunFolderOptions = {}): RunFolder {
  const { durability = "closing", now = () => new Date() } = options;
  const { id } = record;
  if (!SAFE_ID.test(id)) {
    throw new Error(`run id ${JSON.stringify(id)}: letters, figures, ".", "_" and "-" were expected`);
  }
  mkdirSync(root, { recursive: true });
  const directory = join(root, id);
  mkdirSync(directory);
  const path = join(directory, RECORD);
  const opened: RunRecord = {
    ...record,
    format: 1,
    opened_at: now().toISOString(),
    writer: { pid: process.pid, host: hostname() },
  };
  writeRunRecord(path, opened, durability === "power");
  const journal = new JournalWriter(join(directory, JOURNAL), durability);
  return {
    directory,
    id,
    openedAt: opened.opened_at,
    journal,
    async writeFrame(frame, index, tiff) {
      await mkdir(join(directory, FRAMES), { recursive: true });
      await writeFile(join(directory, FRAMES, `${frame}-${index}.tiff`), tiff);
    },
    writePicture(view, png) {
      mkdirSync(join(directory, PICTURES), { recursive: true });
      writeFileSync(join(directory, PICTURES, `${view}.png`), png);
    },
    close() {
      journal.close();
      const closed = {
        ...opened,
        closed_at: now().toISOString(),
        journal: { events: journal.events, head: journal.head },
      };
      writeRunRecord(path, closed, durability !== "process");
      return closed;
    },
  };
}

/**
 * `open`: its writer is at work. `interrupted`: its writer died; everything up to there is sound. `damaged`: the journal cannot be
 * trusted.
 */
export type RunState = "open" | "finished" | "abandoned" | "expired" | "interrupted" | "damaged";

/** A run as its folder tells it. */
export interface StoredRun extends ReadJournal {
  readonly directory: string;
  readonly record: RunRecord;
  readonly state: Exclude<RunState, "damaged">;
}

/**
 * Reads and verifies a run: every line of its journal, and that the journal is as long as when it was closed.
 *
 * @throws DamagedJournalError naming the line; Error where run.json is missing, unreadable or disagrees with the journal.
 */
export function readRun(directory: string): StoredRun {
  const record = readRunRecord(join(directory, RECORD));
  const path = join(directory, JOURNAL);
  const journal = existsSync(path) ? readJournal(path) : { events: [], head: "", torn_bytes: 0 };
  const sealed = record.journal;
  if (sealed !== undefined && (sealed.events !== journal.events.length || sealed.head !== journal.head)) {
    throw new Error(
      `${path}: it was closed with ${sealed.events} events ending in ${sealed.head.slice(0, 12)}…, and now holds ${journal.events.length} ending in ${journal.head.slice(0, 12)}…`,
    );
  }
  const isClosed = sealed !== undefined || journal.events.at(-1)?.type === "run_closed";
  if (isClosed && journal.torn_bytes > 0) {
    throw new DamagedJournalError(
      path,
      journal.events.length + 1,
      `${journal.torn_bytes} bytes stand after the end of a closed run`,
    );
  }
  return { directory, record, ...journal, state: stateOf(record, journal.events) };
}

function stateOf(record: RunRecord, events: readonly BenchEvent[]): StoredRun["state"] {
  const last = events.at(-1);
  if (last?.type === "run_closed") return last.why;
  return record.journal === undefined && isAlive(record) ? "open" : "interrupted";
}

/** Whether the writing process lives. One on another machine is taken for alive, since nobody here can tell. */
function isAlive({ writer }: RunRecord): boolean {
  if (writer.host !== hostname()) return true;
  try {
    process.kill(writer.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** What a folder of a run may hold; one of them is enough to know that it was one. */
const PARTS: readonly string[] = [RECORD, JOURNAL, FRAMES, PICTURES];

/** Ids of all runs below a folder, in the order of their names. What is left of a damaged run is listed too, even an empty folder. */
export function runIds(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && SAFE_ID.test(entry.name) && isOfRun(join(root, entry.name)))
    .map((entry) => entry.name)
    .sort();
}

/** Holds the evaluations, and may be empty. */
const NO_RUN = "evaluation";

function isOfRun(directory: string): boolean {
  const inside = readdirSync(directory);
  return (inside.length === 0 && basename(directory) !== NO_RUN) || inside.some((name) => PARTS.includes(name));
}

/** Files whose change means that a run has to be read again. */
export function runFiles(root: string, id: string): readonly string[] {
  return [join(root, id, RECORD), join(root, id, JOURNAL)];
}

/** Which raw frames of a measurement or dark were kept, from 0, in order. */
export function keptFrameIndices(directory: string, id: string): readonly number[] {
  const folder = join(directory, FRAMES);
  if (!SAFE_ID.test(id) || !existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => /^(.+)-(\d+)\.tiff$/.exec(name))
    .flatMap((match) => (match?.[1] === id ? [Number(match[2])] : []))
    .sort((a, b) => a - b);
}

/** A raw frame of a measurement or dark as TIFF; undefined where it was not kept. */
export function readFrame(directory: string, id: string, index: number): Buffer | undefined {
  return keptFrameIndices(directory, id).includes(index)
    ? readFileSync(join(directory, FRAMES, `${id}-${index}.tiff`))
    : undefined;
}

/** The picture of a view as PNG; undefined where none was kept. */
export function readPicture(directory: string, view: string): Buffer | undefined {
  const path = join(directory, PICTURES, `${view}.png`);
  return SAFE_ID.test(view) && existsSync(path) ? readFileSync(path) : undefined;
}
