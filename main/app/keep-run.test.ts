import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { BenchEvent } from "../contract/events.ts";
import { keepRun } from "./keep-run.ts";

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "keep-run-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const closing = (kept: ReturnType<typeof keepRun>): void => {
  const listeners: ((event: BenchEvent) => void)[] = [];
  kept.follow({
    subscribe: (listener) => {
      listeners.push(listener);
      return () => undefined;
    },
    picture: () => new Uint8Array(),
  });
  const event: BenchEvent = { type: "run_closed", seq: 0, t_ms: 0, why: "finished" };
  kept.journal.append(event);
  for (const listener of listeners) listener(event);
};

it("has no problem where everything could be written", () => {
  const kept = keepRun(root, { id: "whole", bench: "bench-1", simulated: true, by: "scripted" });
  closing(kept);
  expect(kept.problem()).toBeUndefined();
});

it("remembers that the run could not be closed", () => {
  const kept = keepRun(root, { id: "stuck", bench: "bench-1", simulated: true, by: "scripted" });
  // A folder stands where run.json is written before it takes its place, as a full disk would have it.
  mkdirSync(join(kept.directory, `run.json.${process.pid}.new`));
  expect(() => closing(kept)).toThrow();
  expect(kept.problem()).toMatch(/^the run could not be closed: /);
});

it("remembers the first event that could not be written", () => {
  const kept = keepRun(root, { id: "gap", bench: "bench-1", simulated: true, by: "scripted" });
  expect(() => kept.journal.append({ type: "run_closed", seq: 7, t_ms: 0, why: "finished" })).toThrow();
  expect(kept.problem()).toMatch(/^an event could not be written: event 7 came where 0 was due/);
});
