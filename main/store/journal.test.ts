import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { BenchEvent } from "../contract/events.ts";
import { DamagedJournalError, readJournal } from "./journal-reader.ts";
import { JournalWriter } from "./journal-writer.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "journal-"));
  path = join(folder, "events.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const stopped = (seq: number): BenchEvent => ({ seq, t_ms: seq * 1.5, type: "stopped", why: "stop", stopped: ["µ"] });

function write(count: number): JournalWriter {
  const writer = new JournalWriter(path, "process");
  for (let seq = 0; seq < count; seq++) writer.append(stopped(seq));
  return writer;
}

test("what was written is read back, with the hash of its last line", () => {
  const writer = write(20);
  writer.close();
  const journal = readJournal(path);
  expect(journal.events).toEqual(Array.from({ length: 20 }, (_, seq) => stopped(seq)));
  expect(journal.head).toBe(writer.head);
  expect(journal.torn_bytes).toBe(0);
});

test("equal events give equal bytes", () => {
  write(5).close();
  const first = readFileSync(path);
  rmSync(path);
  write(5).close();
  expect(readFileSync(path).equals(first)).toBe(true);
});

test("an event is in the file as soon as append returns", () => {
  const writer = new JournalWriter(path, "power");
  writer.append(stopped(0));
  expect(readJournal(path).events).toHaveLength(1);
  writer.close();
});

test("a line that its writer could not finish is left out, wherever it was cut", () => {
  write(3).close();
  const whole = readFileSync(path);
  const secondEnd = whole.indexOf("\n", whole.indexOf("\n") + 1) + 1;
  for (let size = secondEnd + 1; size < whole.length - 1; size += 7) {
    writeFileSync(path, whole.subarray(0, size));
    const journal = readJournal(path);
    expect(journal.events).toHaveLength(2);
    expect(journal.torn_bytes).toBe(size - secondEnd);
  }
});

test("a last line that lacks nothing but its line feed counts", () => {
  write(3).close();
  truncateSync(path, readFileSync(path).length - 1);
  expect(readJournal(path)).toMatchObject({ torn_bytes: 0, events: { length: 3 } });
});

const damages: readonly [string, (lines: string[]) => string[], number, RegExp][] = [
  ["a changed value", (l) => l.with(3, (l[3] ?? "").replace("4.5", "4.6")), 4, /hash/],
  ["a changed hash", (l) => l.with(3, (l[3] ?? "").replace(/"hash":"./, '"hash":"x')), 4, /hash/],
  ["a line taken out", (l) => l.toSpliced(3, 1), 4, /event 4 stands where event 3 belongs/],
  ["a line put in twice", (l) => l.toSpliced(3, 0, l[3] ?? ""), 5, /event 3 stands where event 4 belongs/],
  ["two lines exchanged", (l) => l.with(3, l[4] ?? "").with(4, l[3] ?? ""), 4, /event 4 stands/],
  ["an empty line", (l) => l.toSpliced(2, 0, ""), 3, /not JSON/],
  ["half a line", (l) => l.with(2, (l[2] ?? "").slice(0, 30)), 3, /not JSON/],
  ["white space", (l) => l.with(2, (l[2] ?? "").replace(",", ", ")), 3, /not in the form/],
  ["an unknown event", (l) => l.with(2, (l[2] ?? "").replace('"type":"stopped"', '"type":"melted"')), 3, /schema/],
];
test.each(damages)("%s is damage, named by its line", (_name, damage, line, message) => {
  write(8).close();
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  writeFileSync(path, `${damage(lines).join("\n")}\n`);
  expect(() => readJournal(path)).toThrow(DamagedJournalError);
  expect(() => readJournal(path)).toThrow(message);
  try {
    readJournal(path);
  } catch (error) {
    expect((error as DamagedJournalError).line).toBe(line);
  }
});

test("a journal is never continued by another writer, and never out of order", () => {
  const writer = write(2);
  expect(() => new JournalWriter(path, "process")).toThrow("EEXIST");
  expect(() => writer.append(stopped(5))).toThrow("event 5 came where 2 was due");
  const sick = { ...stopped(2), t_ms: Number.NaN };
  expect(() => writer.append(sick)).toThrow("NaN");
  writer.append(stopped(2));
  writer.close();
  expect(() => writer.append(stopped(3))).toThrow("closed");
  expect(readJournal(path).events).toHaveLength(3);
});

test("every event that was acknowledged survives kill -9 of the writing process", async () => {
  const script = join(folder, "writer.mjs");
  writeFileSync(
    script,
    `import { writeSync } from "node:fs";
     import { JournalWriter } from ${JSON.stringify(new URL("journal-writer.ts", import.meta.url).href)};
     const writer = new JournalWriter(${JSON.stringify(path)}, "process");
     for (let seq = 0; ; seq++) {
       writer.append({ seq, t_ms: seq, type: "stopped", why: "stop", stopped: ["${"x".repeat(2000)}"] });
       writeSync(1, seq + "\\n");
     }`,
  );
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  let acknowledged = -1;
  const gone = new Promise((resolve) => child.on("exit", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Math.max(acknowledged, Number(line));
    if (acknowledged >= 500) child.kill("SIGKILL");
  }
  await gone;
  expect(child.signalCode).toBe("SIGKILL");
  expect(readJournal(path).events.length).toBeGreaterThan(acknowledged);
  // What a torn write of the same process would have left is tolerated too.
  appendFileSync(path, '{"event":{"seq":');
  expect(readJournal(path).torn_bytes).toBe(16);
});
