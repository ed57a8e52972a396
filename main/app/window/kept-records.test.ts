import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { frameWorkHere } from "../../bench/frame-work.ts";
import { createRunFolder } from "../../store/run-folder.ts";
import { KeptRecords } from "./kept-records.ts";

let root: string;
let records: KeptRecords;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "caustic-records-"));
  records = new KeptRecords(root, { onChange: () => () => undefined }, { work: frameWorkHere() });
});

afterEach(() => {
  records.close();
  rmSync(root, { recursive: true, force: true });
});

/** A simulated run of so many events. */
function keep(id: string, events = 2): void {
  const folder = createRunFolder(root, { id, bench: "bench-1", simulated: true, by: "mcp", versions: {} });
  for (let seq = 0; seq < events; seq++) {
    folder.journal.append({ seq, t_ms: seq, type: "stopped", why: "stop", stopped: [] });
  }
  folder.close();
}

const listed = async (id: string) => (await records.list()).find((one) => one.record === id);

test("a run whose events are damaged is what its run.json says, and one without any record of it is of unknown origin", async () => {
  keep("sound");
  keep("line");
  const journal = join(root, "line", "events.jsonl");
  writeFileSync(journal, readFileSync(journal, "utf8").replace('"stop"', '"caller_left"'));
  keep("junk");
  writeFileSync(join(root, "junk", "run.json"), "{ no");
  expect(await listed("sound")).toMatchObject({ simulated: true, events: 2 });
  expect(await listed("line")).toMatchObject({ state: "damaged", simulated: true, bench: "bench-1" });
  const junk = await listed("junk");
  expect(junk).toMatchObject({ state: "damaged" });
  expect(junk).not.toHaveProperty("simulated");
});

test("a folder without run.json and an empty one are listed with what is missing; folders of other things are not", async () => {
  keep("headless");
  rmSync(join(root, "headless", "run.json"));
  mkdirSync(join(root, "empty"));
  mkdirSync(join(root, "evaluation"));
  mkdirSync(join(root, "procedures", "plans"), { recursive: true });
  const list = await records.list();
  expect(list.map((one) => one.record).sort()).toEqual(["empty", "headless"]);
  expect((await listed("headless"))?.problem).toMatch(/run\.json is missing/);
  expect((await listed("empty"))?.problem).toMatch(/is empty/);
});

test("a run that goes on is read again, and one that was damaged meanwhile is refused", async () => {
  keep("run");
  expect(await records.events("run")).toHaveLength(2);
  expect(await records.events("run")).toBe(await records.events("run"));
  appendFileSync(join(root, "run", "events.jsonl"), "no event\n");
  await expect(records.events("run")).rejects.toThrow(/line 3/);
});
