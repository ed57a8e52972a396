import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runFiles, runIds } from "./run-folder.ts";
import { type RunSummary, summaryOf } from "./run-summary.ts";

const FILE = "index.sqlite";
/** Another number and the file is made anew: it holds nothing that the folders do not. */
const VERSION = 2;

/** Which runs to list; what is absent does not filter. */
export interface RunFilter {
  /** Words that all must occur in id, bench, drivers, scenario, plan, case, note or problem. */
  readonly search?: string;
  readonly state?: RunSummary["state"];
  readonly verdict?: NonNullable<RunSummary["verdict"]>;
  readonly by?: string;
  readonly scenario?: string;
  readonly plan?: string;
  readonly bench?: string;
  readonly simulated?: boolean;
  /** Newest first; default all. */
  readonly limit?: number;
  readonly offset?: number;
}

/**
 * The runs of a folder in an SQLite file beside them, so that thousands can be listed and searched at once. The folders are the
 * truth: the index is brought up to date by `refresh`, which reads only what changed, and can be deleted at any time.
 */
export class RunIndex {
  readonly #root: string;
  readonly #database: DatabaseSync;

  constructor(root: string) {
    this.#root = root;
    this.#database = openDatabase(root);
  }

  /** Reads what is new or changed and forgets what is gone. Returns how many runs were read. */
  refresh(): number {
    const ids = runIds(this.#root).filter((id) => id !== FILE);
    const known = new Map(
      this.#database
        .prepare("SELECT id, stamp, state FROM runs")
        .all()
        .map((row) => [String(row["id"]), { stamp: row["stamp"], state: row["state"] }]),
    );
    let read = 0;
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      for (const id of ids) {
        const stamp = this.#stamp(id);
        const row = known.get(id);
        known.delete(id);
        // An open run turns into an interrupted one without a change of its files.
        if (row?.stamp === stamp && row.state !== "open") continue;
        this.#put(summaryOf(join(this.#root, id), id), stamp);
        read += 1;
      }
      for (const id of known.keys()) this.#database.prepare("DELETE FROM runs WHERE id = ?").run(id);
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
    return read;
  }

  /** Forgets everything and reads all folders. */
  rebuild(): number {
    this.#database.exec("DELETE FROM runs");
    return this.refresh();
  }

  list(filter: RunFilter = {}): RunSummary[] {
    const conditions: string[] = [];
    const values: (string | number)[] = [];
    const equal = (column: string, value: string | number | undefined): void => {
      if (value === undefined) return;
      conditions.push(`${column} = ?`);
      values.push(value);
    };
    equal("state", filter.state);
    equal("verdict", filter.verdict);
    equal("driven_by", filter.by);
    equal("scenario", filter.scenario);
    equal("plan", filter.plan);
    equal("bench", filter.bench);
    equal("simulated", filter.simulated === undefined ? undefined : Number(filter.simulated));
    for (const word of (filter.search ?? "").split(/\s+/).filter((one) => one !== "")) {
      conditions.push("words LIKE ? ESCAPE '\\'");
      values.push(`%${word.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`);
    }
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    return this.#database
      .prepare(`SELECT summary FROM runs ${where} ORDER BY opened_at DESC, id DESC LIMIT ? OFFSET ?`)
      .all(...values, filter.limit ?? -1, filter.offset ?? 0)
      .map((row) => JSON.parse(String(row["summary"])) as RunSummary);
  }

  get(id: string): RunSummary | undefined {
    const row = this.#database.prepare("SELECT summary FROM runs WHERE id = ?").get(id);
    return row === undefined ? undefined : (JSON.parse(String(row["summary"])) as RunSummary);
  }

  close(): void {
    this.#database.close();
  }

  /** Changes whenever a file of the run does. */
  #stamp(id: string): string {
    return runFiles(this.#root, id)
      .map((path) => {
        const found = statSync(path, { throwIfNoEntry: false, bigint: true });
        return found === undefined ? "none" : `${found.size}@${found.mtimeNs}`;
      })
      .join(" ");
  }

  #put(summary: RunSummary, stamp: string): void {
    const { id, state, bench, by, scenario, plan, verdict, opened_at, simulated } = summary;
    const words = [
      id,
      bench,
      by,
      ...summary.drivers,
      scenario,
      plan,
      summary.case,
      summary.note,
      summary.problem,
      verdict,
    ]
      .filter((word) => word !== undefined)
      .join(" ")
      .toLowerCase();
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO runs (id, stamp, state, opened_at, bench, driven_by, scenario, plan, verdict, simulated, words, summary)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        id,
        stamp,
        state,
        opened_at ?? "",
        bench ?? "",
        by ?? "",
        scenario ?? "",
        plan ?? "",
        verdict ?? "",
        simulated === undefined ? -1 : Number(simulated),
        words,
        JSON.stringify(summary),
      );
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const BROKEN: readonly unknown[] = [11, 26];

/** SQLITE_PERM, SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL and SQLITE_CANTOPEN. */
const NOT_WRITABLE: readonly unknown[] = [3, 8, 10, 13, 14];
/** The low byte of an extended result code is its kind. */
const kindOf = (error: unknown): number => Number((error as { errcode?: unknown }).errcode) & 0xff;

/**
 * Opens the file, or makes it anew where it is broken. One that is only busy is left alone. Where nothing can be written, the index is made
 * in memory, and lasts as long as the program.
 */
function openDatabase(root: string): DatabaseSync {
  const path = join(root, FILE);
  try {
    mkdirSync(root, { recursive: true });
  } catch {
    return prepared(":memory:");
  }
  try {
    return prepared(path);
  } catch (error) {
    if (NOT_WRITABLE.includes(kindOf(error))) return prepared(":memory:");
    if (!BROKEN.includes(kindOf(error))) throw error;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    return prepared(path);
  }
}

function prepared(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    // Readers and a writer in different processes do not wait for each other.
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    // A file that may only be read opens all the same.
    database.exec("BEGIN IMMEDIATE; COMMIT;");
    const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
    if (version !== VERSION) database.exec("DROP TABLE IF EXISTS runs");
    database.exec(`CREATE TABLE IF NOT EXISTS runs (
      id TEXT PRIMARY KEY, stamp TEXT, state TEXT, opened_at TEXT, bench TEXT, driven_by TEXT, scenario TEXT, plan TEXT,
      verdict TEXT, simulated INTEGER, words TEXT, summary TEXT) STRICT;
      CREATE INDEX IF NOT EXISTS runs_by_time ON runs (opened_at);
      PRAGMA user_version = ${VERSION};`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
