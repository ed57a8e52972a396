import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { BenchEvent } from "../contract/events.ts";
import type { BenchFile } from "../contract/bench-file.ts";
import { frameKeeping, keepRun, rawFrameSink } from "./keep-run.ts";

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

const frame = (pixels: number) => ({
  width_px: pixels,
  height_px: 1,
  samples: new Uint16Array(pixels),
  bitDepth: 12,
  exposure_ms: 1,
  startedAt_ms: 0,
  sequence: 0,
  simulated: true,
});

const benchOf = (stage: string, camera: string) =>
  ({ bench: "b", instruments: { stage: { driver: stage }, camera: { driver: camera } } }) as unknown as BenchFile;

it.each([
  ["real instruments", false, benchOf("grbl", "genicam"), ["m001-0", "m001-1", "m002-0"]],
  ["the simulator's own instruments", true, benchOf("simulated", "simulated"), ["m001-0"]],
  ["a simulated run without a file", true, undefined, ["m001-0"]],
  ["an emulated stage, whose exact place nobody notes", true, benchOf("grbl", "simulated"), ["m001-0", "m002-0"]],
  ["an emulated camera", true, benchOf("simulated", "genicam"), ["m001-0", "m002-0"]],
])("keeps of %s the raw frames that cannot be made again", async (_what, simulated, file, expected) => {
  const kept: string[] = [];
  const write = async (id: string, index: number): Promise<void> => void kept.push(`${id}-${index}`);
  const sink = rawFrameSink(write, frameKeeping(simulated, file), 5.5, async () => new Uint8Array());
  await sink("m001", frame(4), 0);
  await sink("m001", frame(4), 1);
  await sink("m002", frame(2_000_001), 0);
  expect(kept).toEqual(expected);
});
