import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { BenchEvent } from "../contract/events.ts";
import {
  type NewRunRecord,
  createRunFolder,
  keptFrameIndices,
  readFrame,
  readPicture,
  readRun,
  runIds,
} from "./run-folder.ts";
import { RunIndex } from "./run-index.ts";
import { readRunRecord, writeRunRecord } from "./run-record.ts";

const text = (pattern: RegExp): unknown => expect.stringMatching(pattern);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "runs-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const about = (id: string, more: Partial<NewRunRecord> = {}): NewRunRecord => ({
  id,
  bench: "bench-1",
  simulated: true,
  by: "scripted",
  scenario: "clean",
  seed: 100,
  versions: { caustic: "0.1.0" },
  ...more,
});
const caller = { number: 1, kind: "script", name: "scripted operator" } as const;
const called = (seq: number): BenchEvent => ({ seq, t_ms: seq, type: "tool_called", tool: "stop", caller, input: {} });
const closed = (seq: number, why: "finished" | "abandoned"): BenchEvent => ({
  seq,
  t_ms: seq,
  type: "run_closed",
  why,
});
const axis = { determined: false, why: "two positions", near: 0, far: 0, positions: 2, flags: [] } as const;

function wholeRun(id: string, more: Partial<NewRunRecord> = {}, opened = "2027-01-01T00:00:00.000Z"): void {
  const run = createRunFolder(root, about(id, more), { now: () => new Date(opened) });
  run.journal.append(called(0));
  run.journal.append({
    seq: 1,
    t_ms: 1,
    type: "finished",
    call: 0,
    verdict: "measurement_failed",
    explanation: "nothing to see",
    x: { ...axis, flags: [] },
    y: { ...axis, flags: [] },
    measurements: 0,
    darks: 0,
    images: "not_looked",
    budget: {},
  });
  run.journal.append(closed(2, "finished"));
  run.close();
}

test("a closed run is read back whole and sealed", () => {
  wholeRun("r1");
  const run = readRun(join(root, "r1"));
  expect(run.state).toBe("finished");
  expect(run.events).toHaveLength(3);
  expect(run.record).toMatchObject({ id: "r1", seed: 100, journal: { events: 3, head: run.head } });
  expect(readFileSync(join(root, "r1", "events.jsonl"), "utf8")).not.toContain("clean");
});

test("an end that was cut off a closed run is noticed although every line left is sound", () => {
  wholeRun("r1");
  const path = join(root, "r1", "events.jsonl");
  writeFileSync(path, `${readFileSync(path, "utf8").split("\n").slice(0, 2).join("\n")}\n`);
  expect(() => readRun(join(root, "r1"))).toThrow(/closed with 3 events .* now holds 2/);
});

test("a run is open while its writer lives and interrupted afterwards, with everything up to there", () => {
  const run = createRunFolder(root, about("r1"));
  run.journal.append(called(0));
  expect(readRun(run.directory).state).toBe("open");
  const path = join(run.directory, "run.json");
  // No process has this number: it lies above the largest that Linux gives.
  writeRunRecord(path, { ...readRunRecord(path), writer: { ...readRunRecord(path).writer, pid: 2 ** 30 } }, false);
  expect(readRun(run.directory)).toMatchObject({ state: "interrupted", events: { length: 1 } });
  run.close();
});

test("ids that are taken or leave the folder are refused", () => {
  wholeRun("r1");
  expect(() => createRunFolder(root, about("r1"))).toThrow("EEXIST");
  for (const id of ["../r2", "", ".hidden", "a/b", "a\0b"])
    expect(() => createRunFolder(root, about(id))).toThrow("run id");
});

test("a broken run.json is named with its field", () => {
  wholeRun("r1");
  writeFileSync(join(root, "r1", "run.json"), '{"format":2}');
  expect(() => readRun(join(root, "r1"))).toThrow(/run\.json: format/);
});

test("frames and pictures are kept beside the journal; frames are found by measurement and number", async () => {
  const run = createRunFolder(root, about("r1"));
  await run.writeFrame("m001", 9, new Uint8Array([9]));
  await run.writeFrame("m001", 10, new Uint8Array([10]));
  run.writePicture("v001", new Uint8Array([7]));
  expect(keptFrameIndices(run.directory, "m001")).toEqual([9, 10]);
  expect(readFrame(run.directory, "m001", 10)).toEqual(Buffer.from([10]));
  expect(readFrame(run.directory, "m001", 8)).toBeUndefined();
  expect(readFrame(run.directory, "m002", 9)).toBeUndefined();
  expect(keptFrameIndices(run.directory, "../run")).toEqual([]);
  expect(readPicture(run.directory, "v001")).toEqual(Buffer.from([7]));
  expect(readPicture(run.directory, "../../x")).toBeUndefined();
  run.close();
});

test("the index lists newest first, filters and searches", () => {
  wholeRun(
    "a",
    { by: "scripted", plan: { name: "beam-quality", sha256: "0", registered: true }, case: "A1" },
    "2027-01-01T00:00:00Z",
  );
  wholeRun("b", { by: "naive", scenario: "ghost_everywhere", note: "50 % of the_power" }, "2027-01-03T00:00:00Z");
  wholeRun("c", { by: "operator", simulated: false }, "2027-01-02T00:00:00Z");
  const index = new RunIndex(root);
  expect(index.refresh()).toBe(3);
  const ids = (filter?: Parameters<RunIndex["list"]>[0]) => index.list(filter).map((run) => run.id);
  expect(ids()).toEqual(["b", "c", "a"]);
  expect(ids({ limit: 1, offset: 1 })).toEqual(["c"]);
  expect(ids({ by: "naive" })).toEqual(["b"]);
  expect(ids({ simulated: false })).toEqual(["c"]);
  expect(ids({ plan: "beam-quality", verdict: "measurement_failed", state: "finished" })).toEqual(["a"]);
  expect(ids({ search: "GHOST power" })).toEqual(["b"]);
  expect(ids({ search: "50 %" })).toEqual(["b"]);
  expect(ids({ search: "the_power" })).toEqual(["b"]);
  expect(ids({ search: "theXpower" })).toEqual([]);
  expect(ids({ search: "'; DROP TABLE runs" })).toEqual([]);
  expect(index.get("a")).toMatchObject({ verdict: "measurement_failed", calls: 1, drivers: ["scripted operator"] });
  index.close();
});

test("refreshing reads only what changed and forgets what is gone", () => {
  wholeRun("a");
  wholeRun("b");
  const index = new RunIndex(root);
  expect(index.refresh()).toBe(2);
  expect(index.refresh()).toBe(0);
  const open = createRunFolder(root, about("c"));
  open.journal.append(called(0));
  expect(index.refresh()).toBe(1);
  expect(index.get("c")).toMatchObject({ state: "open", events: 1 });
  open.journal.append(closed(1, "abandoned"));
  open.close();
  rmSync(join(root, "a"), { recursive: true });
  expect(index.refresh()).toBe(1);
  expect(index.get("a")).toBeUndefined();
  expect(index.get("c")).toMatchObject({ state: "abandoned", events: 2 });
  index.close();
});

test("a damaged run stands in the list with what is wrong", () => {
  wholeRun("a");
  const path = join(root, "a", "events.jsonl");
  writeFileSync(path, readFileSync(path, "utf8").replace('"stop"', '"stip"'));
  const index = new RunIndex(root);
  index.refresh();
  expect(index.get("a")).toMatchObject({ state: "damaged", problem: text(/line 1: its hash/) });
  index.close();
});

test("the index can be deleted, or be something else altogether, and comes back from the folders", () => {
  wholeRun("a");
  wholeRun("b");
  const first = new RunIndex(root);
  first.refresh();
  const before = first.list();
  first.close();
  const path = join(root, "index.sqlite");
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
  writeFileSync(path, "this is no database, and long enough to be read as one".repeat(100));
  const second = new RunIndex(root);
  expect(second.refresh()).toBe(2);
  expect(second.list()).toEqual(before);
  expect(second.rebuild()).toBe(2);
  expect(second.list()).toEqual(before);
  second.close();
  expect(runIds(root)).toEqual(["a", "b"]);
  expect(existsSync(path)).toBe(true);
});

test("where no index can be written, it is made in memory", () => {
  wholeRun("a");
  // A folder stands in the place of the file.
  mkdirSync(join(root, "index.sqlite"));
  const index = new RunIndex(root);
  expect(index.refresh()).toBe(1);
  expect(index.list().map((run) => run.id)).toEqual(["a"]);
  index.close();
  const nowhere = new RunIndex(join(root, "a", "run.json", "below-a-file"));
  expect([nowhere.refresh(), nowhere.list()]).toEqual([0, []]);
  nowhere.close();
});

test("bytes after the end of a closed run are damage, also where run.json does not know that it is closed", () => {
  wholeRun("a");
  const path = join(root, "a", "events.jsonl");
  appendFileSync(path, '{"event":{"seq":99');
  expect(() => readRun(join(root, "a"))).toThrow(
    /events\.jsonl, line \d+: 18 bytes stand after the end of a closed run/,
  );
  const record = join(root, "a", "run.json");
  const { journal: _, ...open } = JSON.parse(readFileSync(record, "utf8")) as { journal: unknown };
  writeFileSync(record, JSON.stringify(open));
  expect(() => readRun(join(root, "a"))).toThrow(/after the end of a closed run/);
});
