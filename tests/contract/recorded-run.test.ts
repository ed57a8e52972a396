import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { BenchSession } from "../../main/bench/bench-session.ts";
import { createCanary } from "../../main/bench/canary.ts";
import { recordedOptions, replayRun } from "../../main/bench/replay.ts";
import { createBenchSession } from "../../main/bench/session.ts";
import type { Caller } from "../../main/contract/bench-verbs.ts";
import type { Journal } from "../../main/contract/events.ts";
import { createRunFolder, readRun } from "../../main/store/run-folder.ts";
import { SimulatedClock } from "../../simulators/instruments/clock.ts";
import { createSimulatedBench } from "../../simulators/instruments/simulated-bench.ts";
import { scenarioNamed } from "../../simulators/world/scenarios.ts";

const SCRIPT: Caller = { kind: "script", name: "script", id: "s" };
const OPERATOR: Caller = { kind: "operator", name: "operator", id: "o" };
const KEY = "key of the pictures";

/** Host time that stands: nothing becomes a job. */
const standing: Clock = {
  now_ms: () => 0,
  wait: (_duration_ms, cancellation) =>
    new Promise((resolve) => cancellation?.addEventListener("abort", () => resolve(), { once: true })),
};

function simulated(seed: number) {
  const scenario = scenarioNamed("background_drift");
  if (scenario === undefined) throw new Error("no such scenario");
  const clock = new SimulatedClock(() => new Promise((resolve) => setImmediate(resolve)));
  return { clock, bench: createSimulatedBench({ scenario, seed, clock }) };
}

/** A short run with everything in it: darks, measurements, a picture, a refusal, a STOP in mid-move, a take-over. */
async function drive(session: BenchSession): Promise<void> {
  const { verbs } = session;
  const { handle: run } = session;
  const by = { caller: SCRIPT };
  const reason = "to see whether it comes out the same";
  await verbs.take_darks({ run, exposure_ms: 1, frames: 5, reason }, by);
  for (const z_mm of [110, 125, 130, 150]) await verbs.measure_at({ run, z_mm, exposure_ms: 1, reason }, by);
  await verbs.measure_at({ run, z_mm: 150, exposure_ms: 2, frames: 2, reason }, by);
  await expect(verbs.measure_at({ run, z_mm: 300, reason }, by)).rejects.toThrow("outside");
  await verbs.view_frame({ run, measurement: "m003", log_scale: true, reason }, by);
  const moving = expect(verbs.move_to({ run, z_mm: 20, reason }, by)).rejects.toThrow("STOP");
  await new Promise<void>((resolve) => {
    const end = session.watch((signal) => {
      if (signal.type !== "stage" || signal.z_mm > 100) return;
      end();
      resolve();
    });
  });
  await verbs.stop({ run }, { caller: OPERATOR });
  await moving;
  await session.takeOver(OPERATOR);
  session.giveBack(OPERATOR);
  await verbs.fit_caustic({ run }, by);
  await verbs.finish({ run, verdict: "estimate_not_compliant", explanation: "four positions" }, by);
  await session.close("finished");
}

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "runs-"));
});
afterEach(() => rmSync(root, { recursive: true }));

async function record(id: string, seed: number): Promise<string> {
  const { clock, bench } = simulated(seed);
  const folder = createRunFolder(root, { id, bench: "bench-1", simulated: true, by: "script", seed, versions: {} });
  const session = await createBenchSession({
    bench: "bench-1",
    instruments: bench,
    wavelength_nm: bench.wavelength_nm,
    clock,
    hostClock: standing,
    uZ_mm: 0.002,
    journal: folder.journal,
    newHandle: () => `handle of ${id}`,
    canary: createCanary(KEY),
  });
  await drive(session);
  folder.close();
  return folder.directory;
}

const replayed = (directory: string, seed: number) => {
  const { events } = readRun(directory);
  const [opened] = events;
  if (opened?.type !== "run_opened") throw new Error("the journal has no opening");
  return replayRun(events, async (journal: Journal, hostClock: Clock) => {
    const { clock, bench } = simulated(seed);
    const session = await createBenchSession({
      ...recordedOptions(opened),
      instruments: bench,
      clock,
      hostClock,
      journal,
      newHandle: () => "handle of the replay",
      canary: createCanary(KEY),
    });
    return { session, clock };
  });
};

test("the same seed gives the same bytes in two folders, another seed does not", async () => {
  const journals = [];
  for (const [id, seed] of [
    ["one", 7],
    ["two", 7],
    ["three", 8],
  ] as const) {
    journals.push(readFileSync(join(await record(id, seed), "events.jsonl"), "utf8"));
  }
  expect(journals[0]).toBe(journals[1]);
  expect(journals[0]).not.toBe(journals[2]);
});

test("a kept run replays from its folder to the same events, STOP in mid-move included", async () => {
  const directory = await record("one", 7);
  const { events, state } = readRun(directory);
  expect(state).toBe("finished");
  expect(events.find((event) => event.type === "move_ended" && event.outcome === "stopped")).toMatchObject({
    z_requested_mm: 20,
  });
  expect(await replayed(directory, 7)).toEqual({ agreeing: events.length });
});

test("a replay on another bench names the first event that differs", async () => {
  const directory = await record("one", 7);
  const { difference } = await replayed(directory, 8);
  expect(difference).toMatchObject({ recorded: { type: "dark_taken" }, replayed: { type: "dark_taken" } });
});
