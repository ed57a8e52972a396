import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SCENARIOS } from "../../../simulators/world/scenarios.ts";
import type { BenchSession } from "../../bench/bench-session.ts";
import type { Caller } from "../../contract/bench-verbs.ts";
import type { BenchEvent } from "../../contract/events.ts";
import { createSimulatedRun } from "../../evaluation/simulated-run.ts";
import { chainedLine, FIRST_LINK } from "../../store/journal-line.ts";
import { keptFrameIndices, readRun, runIds, type StoredRun } from "../../store/run-folder.ts";
import { offerBenchOfFile } from "../bench-desk.ts";
import { parseBenchFile } from "../bench-file/read-bench-file.ts";
import { fastestFrameLoops } from "../frame-loops.ts";
import { keepRun } from "../keep-run.ts";
import { frameTasksHere } from "../live-chain/frame-tasks.ts";
import { startLiveChain } from "../live-chain/live-chain.ts";
import { programVersion } from "../program-version.ts";
import { replayKeptRun } from "../replay-kept-run.ts";
import { offerSimulatedBench } from "../simulated-bench.ts";
import { KeptFrames } from "./kept-frames.ts";

const caller: Caller = { kind: "operator", name: "operator", id: "window:1" };
const reason = "test";

/** Every frame that the camera of a session gives, by measurement or dark, as it was seen live. */
type Seen = Map<string, Uint16Array[]>;

/** Keeps a copy of every frame of the session's measurements and darks. */
function watch(session: BenchSession): Seen {
  const seen: Seen = new Map();
  let frames: Uint16Array[] = [];
  session.watch((signal) => {
    if (signal.type === "frame" && signal.purpose !== "live") frames.push(signal.frame.samples.slice());
  });
  session.subscribe((event) => {
    if (event.type === "frames_exposed" && event.frames < event.frames_asked) frames = [];
    const id =
      event.type === "measurement_taken"
        ? event.measurement.measurement
        : event.type === "dark_taken"
          ? event.dark.dark
          : undefined;
    if (id === undefined) return;
    seen.set(id, frames);
    frames = [];
  });
  return seen;
}

const measure = (session: BenchSession, z_mm: number, exposure_ms: number, frames: number) =>
  session.verbs.measure_at({ run: session.handle, z_mm, exposure_ms, frames, reason }, { caller });

const takeDark = (session: BenchSession, exposure_ms: number, frames: number) =>
  session.verbs.take_darks({ run: session.handle, exposure_ms, frames, reason }, { caller });

/** The only run below that folder. */
function onlyRun(root: string): StoredRun {
  const [name = ""] = runIds(root);
  return readRun(join(root, name));
}

/** Writes the journal again with other events, each line following from the one before. */
function rewrite(run: StoredRun, change: (event: BenchEvent) => BenchEvent): StoredRun {
  let head = FIRST_LINK;
  const lines = run.events.map((event) => {
    const line = chainedLine(change(event), head);
    head = line.hash;
    return `${line.text}\n`;
  });
  writeFileSync(join(run.directory, "events.jsonl"), lines.join(""));
  return changeRecord(run, (record) => ({ ...record, journal: { events: lines.length, head } }));
}

function changeRecord(run: StoredRun, change: (record: Record<string, unknown>) => Record<string, unknown>): StoredRun {
  const path = join(run.directory, "run.json");
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>)));
  return readRun(run.directory);
}

const newFrames = () => new KeptFrames({ work: frameTasksHere(fastestFrameLoops().kernel) });

describe("a run at 2448 x 2048", () => {
  let root: string;
  let seen: Seen;
  let run: StoredRun;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "large-run-"));
    const session = await offerSimulatedBench({
      bench: "large",
      scenario: SCENARIOS.background_drift,
      seed: 5,
      sensor: "2448x2048",
      keepIn: root,
      keepFrames: true,
      session: { kernel: fastestFrameLoops().kernel },
    }).open();
    seen = watch(session);
    await measure(session, 100, 0.4, 2);
    await measure(session, 130, 0.4, 1);
    await takeDark(session, 0.4, 2);
    await session.close("finished");
    run = onlyRun(root);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test("keeps no raw frame, and every one is what the live run saw", async () => {
    expect(keptFrameIndices(run.directory, "m001")).toEqual([]);
    const frames = newFrames();
    expect([...seen.keys()]).toEqual(["m001", "m002", "d001"]);
    for (const [id, samples] of seen) {
      for (const [index, live] of samples.entries()) {
        const found = await frames.frame(run, id, index);
        expect(found).toMatchObject({ index, count: samples.length, pixelPitch_um: 5.5 });
        expect(found.frame).toMatchObject({ width_px: 2448, height_px: 2048, bitDepth: 12, exposure_ms: 0.4 });
        expect(Buffer.compare(bytesOf(found.frame.samples), bytesOf(live))).toBe(0);
      }
    }
    frames.close();
  });

  test("shows the last frame of a measurement where none is named, as the live run did", async () => {
    const frames = newFrames();
    const { frame, index } = await frames.frame(run, "m001");
    expect(index).toBe(1);
    expect(Buffer.compare(bytesOf(frame.samples), bytesOf(seen.get("m001")?.[1]))).toBe(0);
    // The second look costs nothing.
    expect((await frames.frame(run, "m001")).frame).toBe(frame);
    frames.close();
  });

  test("is the same where the light path and the hash are computed in other threads", async () => {
    const chain = startLiveChain();
    try {
      const frames = new KeptFrames({ work: chain.tasks, openWorld: chain.openWorld });
      const { frame } = await frames.frame(run, "m002");
      expect(Buffer.compare(bytesOf(frame.samples), bytesOf(seen.get("m002")?.[0]))).toBe(0);
      frames.close();
    } finally {
      await chain.close();
    }
  });

  test("can be run again and compared", async () => {
    expect((await replayKeptRun(run)).difference).toBeUndefined();
  });

  test("a call that is called off ends, and the next one works", async () => {
    const frames = newFrames();
    const call = new AbortController();
    const off = frames.frame(run, "m001", 0, call.signal);
    call.abort(new Error("called off"));
    await expect(off).rejects.toThrow("called off");
    expect((await frames.frame(run, "m002")).index).toBe(0);
    frames.close();
  });
});

describe("a run whose record was changed", () => {
  let root: string;
  let run: StoredRun;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "changed-run-"));
    const kept = keepRun(root, { id: "r", bench: "bench-1", simulated: true, by: "t", scenario: "clean", seed: 3 });
    const made = createSimulatedRun({
      ...fastestFrameLoops(),
      scenario: SCENARIOS.clean,
      seed: 3,
      journal: kept.journal,
    });
    const session = await made.offer.open();
    kept.follow(session);
    await measure(session, 120, 1, 2);
    await takeDark(session, 1, 2);
    await session.close("finished");
    run = onlyRun(root);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test("gives its frames as long as it is what it was", async () => {
    expect(await newFrames().frame(run, "m001")).toMatchObject({ index: 1, count: 2 });
    expect(await newFrames().frame(run, "d001")).toMatchObject({ index: 1, count: 2 });
  });

  test("a journal with another hash or place gives the reason and no picture", async () => {
    const hash = rewrite(run, (event) =>
      event.type === "measurement_taken" ? { ...event, frames_sha256: "0".repeat(64) } : event,
    );
    await expect(newFrames().frame(hash, "m001")).rejects.toMatchObject({
      code: "not_reproduced",
      message: expect.stringMatching(
        /frames of m001 .* and 000000000000… is recorded\. Version \S+ of the program made both/,
      ),
    });
    const place = rewrite(run, (event) => (event.type === "frames_exposed" ? { ...event, z_actual_mm: 121 } : event));
    await expect(newFrames().frame(place, "m001", 0)).rejects.toMatchObject({ code: "not_reproduced" });
  });

  test("another seed gives the reason, for darks too", async () => {
    const other = changeRecord(run, (record) => ({ ...record, seed: 4 }));
    await expect(newFrames().frame(other, "m001")).rejects.toMatchObject({ code: "not_reproduced" });
    await expect(newFrames().frame(other, "d001")).rejects.toMatchObject({
      code: "not_reproduced",
      message: expect.stringMatching(/their mean is .* is recorded/),
    });
  });

  test("where another version of the program made the run, both are named", async () => {
    const old = changeRecord(run, (record) => ({ ...record, versions: { caustic: "0.0.1" }, seed: 4 }));
    await expect(newFrames().frame(old, "m001")).rejects.toMatchObject({
      message: expect.stringContaining(
        `Version 0.0.1 of the program made the run, and this is version ${programVersion()}`,
      ),
      hint: "Open the run with version 0.0.1.",
    });
  });

  test("what cannot be made again says why", async () => {
    const frames = newFrames();
    const refusals: [StoredRun, RegExp][] = [
      [changeRecord(run, (record) => ({ ...record, simulated: false })), /real light/],
      [changeRecord(run, (record) => ({ ...record, simulated: true, scenario: "clan" })), /no scenario "clan"/],
      [changeRecord(run, ({ scenario: _, ...record }) => record), /names no scenario/],
    ];
    for (const [changed, why] of refusals) {
      await expect(frames.frame(changed, "m001")).rejects.toMatchObject({
        code: "not_offered",
        message: expect.stringMatching(why),
      });
    }
    await expect(frames.frame(run, "m009")).rejects.toMatchObject({ code: "unknown_id" });
    await expect(frames.frame(run, "m001", 2)).rejects.toMatchObject({
      code: "bad_argument",
      message: "frame 3 of m001: it has 2",
    });
  });
});

describe("other runs", () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), "kept-run-"))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  async function expectSeen(run: StoredRun, seen: Seen): Promise<void> {
    const frames = newFrames();
    for (const [id, samples] of seen) {
      for (const [index, live] of samples.entries()) {
        const { frame } = await frames.frame(run, id, index);
        expect(Buffer.compare(bytesOf(frame.samples), bytesOf(live)), `${id} ${index}`).toBe(0);
      }
    }
    expect(seen.size).toBeGreaterThan(1);
    frames.close();
  }

  test("one of which the first frames were kept gives those, and the others made again", async () => {
    const session = await offerSimulatedBench({
      bench: "small",
      scenario: SCENARIOS.clean,
      seed: 1,
      keepIn: root,
      keepFrames: true,
    }).open();
    const seen = watch(session);
    await measure(session, 100, 1, 3);
    await measure(session, 140, 1, 1);
    await session.close("finished");
    const run = onlyRun(root);
    expect(keptFrameIndices(run.directory, "m001")).toEqual([0]);
    await expectSeen(run, seen);
    // What was kept is shown where the rest cannot be made again.
    const other = changeRecord(run, (record) => ({ ...record, seed: 2 }));
    expect(await newFrames().frame(other, "m001")).toMatchObject({ index: 0, count: 3 });
    await expect(newFrames().frame(other, "m001", 2)).rejects.toMatchObject({ code: "not_reproduced" });
  });

  test("one with faults of light and instruments", async () => {
    const faults = [{ kind: "room_light", counts_per_ms: 2, counts_per_ms_per_measurement: 3 }] as const;
    const instrument_faults = [
      { kind: "camera_drop", on: { calls: [3] } },
      { kind: "stage_overshoot", on: { calls: [0] }, by_mm: 0.004 },
    ] as const;
    const kept = keepRun(root, {
      id: "r",
      bench: "bench-1",
      simulated: true,
      by: "t",
      scenario: "random_scenario",
      seed: 11,
      instruments: { faults, instrument_faults },
    });
    const { randomScenario } = await import("../../../simulators/world/random-scenario.ts");
    const base = randomScenario(11);
    const made = createSimulatedRun({
      ...fastestFrameLoops(),
      scenario: { ...base, faults: [...base.faults, ...faults] },
      seed: 11,
      instrumentFaults: instrument_faults,
      journal: kept.journal,
    });
    const session = await made.offer.open();
    kept.follow(session);
    const seen = watch(session);
    await measure(session, 100, 1, 2);
    // Its second frame is lost: the measurement fails, and the room light has gone on.
    await expect(measure(session, 110, 1, 3)).rejects.toMatchObject({ code: "instrument_failed" });
    await takeDark(session, 1, 2);
    await measure(session, 120, 1, 2);
    await takeDark(session, 1, 1);
    await session.close("finished");
    await expectSeen(onlyRun(root), seen);
  });

  test("one on the bench of a file with a turned camera of another format", async () => {
    const file = parseBenchFile(
      `bench: turned
wavelength_nm: 632.8
instruments:
  stage: { driver: simulated }
  camera: { driver: simulated, scenario: different_waists, seed: 7, sensor: 2448x2048, pixel_format: Mono8 }
  shutter: { driver: simulated }
orientation: { flip_x: true, transpose: true }
`,
      "turned.yaml",
    );
    const bench = offerBenchOfFile(file, { keepIn: root });
    const session = await bench.open();
    const seen = watch(session);
    await measure(session, 100, 1, 1);
    await takeDark(session, 1, 1);
    await session.close("finished");
    await bench.close();
    await expectSeen(onlyRun(root), seen);
  });
});

function bytesOf(samples: Uint16Array | undefined): Buffer {
  if (samples === undefined) throw new Error("no such frame was seen");
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
}
