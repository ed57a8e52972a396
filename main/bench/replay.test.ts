import { expect, test } from "vitest";
import type { BenchEvent, Journal } from "../contract/events.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import { AGENT, type FakeBench, OPERATOR, OTHER, createFakeBench } from "./fake-bench.ts";
import { quiet } from "./fake-instruments.ts";
import { recordedOptions, replayRun } from "./replay.ts";

/** Replays on a fresh fake bench whose time runs freely. */
function again(
  recorded: readonly BenchEvent[],
  prepare?: (bench: Pick<FakeBench, "stage" | "camera" | "shutter">) => void,
) {
  const [opened] = recorded;
  if (opened?.type !== "run_opened") throw new Error("no opening");
  return replayRun(recorded, async (journal: Journal, hostClock: Clock) => {
    const { session, clock } = await createFakeBench({
      ...(prepare === undefined ? {} : { prepare }),
      options: { ...recordedOptions(opened), journal, hostClock, newHandle: () => "another handle" },
    });
    return { session, clock };
  });
}

test("a run with darks, measurements, pictures, refusals and a verdict comes out the same", async () => {
  const bench = await createFakeBench({
    options: {
      limits: { z_max_mm: 240 },
      keepOutZones: [{ from_mm: 30, to_mm: 35, passing: "allowed" }],
      budgets: { positions: 5, calls: 40 },
      rules: ["be kind"],
      operatorNote: "mind the mount",
      findings: "all",
      defaultFrames: 3,
      uZ_mm: 0.5,
      calibration: { stageScale: 0.1 },
    },
  });
  await bench.call("bench_open", { bench: "bench-1" });
  await bench.call("take_darks", { exposure_ms: 1 });
  for (const z_mm of [20, 80, 120, 160, 220])
    await bench.call("measure_at", { z_mm, exposure_ms: 1, idempotency_key: `k${z_mm}` });
  await bench.call("measure_at", { z_mm: 220, exposure_ms: 1, idempotency_key: "k220" });
  await bench.refusal("measure_at", { z_mm: 241 });
  await bench.refusal("measure_at", { z_mm: 5 });
  await bench.refusal("move_to", { z_mm: Number.NaN });
  bench.session.callRejected("measure_everything", AGENT, "there is no such tool");
  await bench.call("view_frame", { measurement: "m003", log_scale: true });
  await bench.call("reject_measurement", {
    measurement: "m002",
    image_code: bench.code(bench.of("view_made")[0]?.seq ?? 0),
  });
  await bench.refusal("move_to", { z_mm: 3 }, OTHER);
  await bench.session.takeOver(OPERATOR);
  bench.session.note(OPERATOR, "let me see");
  await bench.call("move_to", { z_mm: 3 }, OPERATOR);
  bench.session.giveBack(OPERATOR);
  bench.session.pause(OPERATOR);
  await bench.refusal("move_to", { z_mm: 3 });
  bench.session.resume(OPERATOR);
  await bench.call("estimate_scan", { positions_mm: [10, 20] });
  await bench.call("suggest_positions", { count: 4 });
  await bench.session.releaseCaller(OTHER.id);
  await bench.call("finish", { verdict: "estimate_not_compliant", explanation: "few positions" });
  await bench.session.close("finished");
  expect(bench.of("image_confirmed")).toHaveLength(1);
  expect(await again(bench.events)).toEqual({ agreeing: bench.events.length });
});

test("a STOP in the middle of a move and one in the middle of an exposure come in the middle again", async () => {
  const bench = await createFakeBench({ free: false });
  const move = bench.refusal("move_to", { z_mm: 200 });
  await bench.clock.advance(513);
  await bench.call("stop", {}, OTHER);
  await move;
  const measure = bench.refusal("measure_at", { z_mm: bench.stage.position_mm ?? 0, exposure_ms: 100 });
  await bench.clock.advance(200);
  await bench.call("stop", {});
  await measure;
  const cancel = new AbortController();
  const cancelled = bench.refusal("move_to", { z_mm: 0 }, { caller: AGENT, cancellation: cancel.signal });
  await bench.clock.advance(100);
  cancel.abort();
  await cancelled;
  await bench.refusal("move_to", { z_mm: 1 }, { caller: AGENT, cancellation: cancel.signal });
  const left = bench.refusal("move_to", { z_mm: 0 });
  await bench.clock.advance(100);
  await bench.session.releaseCaller(AGENT.id);
  await left;
  await quiet();
  expect(bench.of("frames_exposed")).toMatchObject([{ frames: 2, frames_asked: 5 }]);
  expect(bench.of("stopped").map((event) => event.why)).toEqual(["stop", "stop", "call_cancelled", "caller_left"]);
  expect(await again(bench.events)).toEqual({ agreeing: bench.events.length });
});

test("an act of a window that had not heard of a STOP is refused again", async () => {
  const bench = await createFakeBench();
  const heard = { caller: OPERATOR, heardEvents: bench.events.length };
  await bench.call("move_to", { z_mm: 10 }, heard);
  await bench.call("stop", {}, OTHER);
  await bench.refusal("move_to", { z_mm: 20 }, heard);
  await expect(bench.session.home(OPERATOR, heard.heardEvents)).rejects.toMatchObject({ code: "stopped" });
  await bench.call("move_to", { z_mm: 30 }, { caller: OPERATOR, heardEvents: bench.events.length });
  expect(bench.of("move_started")).toHaveLength(2);
  expect(await again(bench.events)).toEqual({ agreeing: bench.events.length });
});

test("a call that became a job becomes one again", async () => {
  const bench = await createFakeBench({ free: false });
  const started = bench.call("move_to", { z_mm: 100 });
  await bench.clock.advance(1000);
  await bench.hostClock.advance(45_000);
  await started;
  const waiting = bench.call("job_status", { job: "j001", wait_s: 30 });
  await bench.clock.advance(1000);
  await bench.hostClock.advance(30_000);
  await waiting;
  await bench.clock.advance(10_000);
  await bench.call("job_status", { job: "j001", wait_s: 30 });
  expect(bench.of("job_ended")).toHaveLength(1);
  expect(await again(bench.events)).toEqual({ agreeing: bench.events.length });
});

test("a run that was interrupted replays as far as it went", async () => {
  const bench = await createFakeBench();
  await bench.call("measure_at", { z_mm: 20 });
  await bench.call("measure_at", { z_mm: 40 });
  const cut = bench.events.slice(0, -3);
  expect(await again(cut)).toEqual({ agreeing: cut.length });
});

test("the first event that comes out otherwise is named with both sides", async () => {
  const bench = await createFakeBench();
  await bench.call("measure_at", { z_mm: 20 });
  await bench.call("measure_at", { z_mm: 40 });
  await bench.session.close("abandoned");
  const at = bench.of("measurement_taken")[1]?.seq ?? -1;
  const changed = bench.events.map((event) =>
    event.seq === at && event.type === "measurement_taken" ? { ...event, frames_sha256: "0" } : event,
  );
  expect(await again(changed)).toMatchObject({
    agreeing: at,
    difference: { seq: at, recorded: { frames_sha256: "0" }, replayed: { type: "measurement_taken" } },
  });
  // Another world: brighter frames from the second measurement on.
  const other = await again(bench.events, ({ camera }) => {
    camera.distort = (frame) => ({
      ...frame,
      samples: frame.samples.map((counts) => counts + (camera.labels.length > 5 ? 1 : 0)),
    });
  });
  expect(other.difference).toMatchObject({ seq: at, recorded: { type: "measurement_taken" } });
});

test("an event that the replay does not make, and one that it makes beyond the record, are differences", async () => {
  const bench = await createFakeBench();
  await bench.call("move_to", { z_mm: 2 });
  const invented: BenchEvent = {
    seq: bench.events.length,
    t_ms: bench.clock.now_ms(),
    type: "stopped",
    why: "stop",
    stopped: [],
  };
  expect(await again([...bench.events, invented])).toEqual({
    agreeing: invented.seq,
    difference: { seq: invented.seq, recorded: invented },
  });
  const short = bench.events.filter((event) => event.type !== "move_ended").map((event, seq) => ({ ...event, seq }));
  expect((await again(short)).difference?.replayed).toMatchObject({ type: "move_ended" });
});
