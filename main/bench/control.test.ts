import { expect, test } from "vitest";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import { type FakeBench, AGENT, OPERATOR, OTHER, createFakeBench } from "./fake-bench.ts";
import { quiet } from "./fake-instruments.ts";

const text = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const near = (value: number, digits: number): unknown => expect.closeTo(value, digits);

/** A bench on which time stands still, with a move or exposure under way. */
async function underWay(
  start: (bench: FakeBench) => Promise<unknown>,
  advance_ms = 500,
): Promise<{ bench: FakeBench; failure: Promise<unknown> }> {
  const bench = await createFakeBench({ free: false });
  const failure = start(bench).then(
    (value) => value,
    (error: unknown) => error,
  );
  await bench.clock.advance(advance_ms);
  return { bench, failure };
}

test("STOP in the middle of a move stops the stage and answers while time stands still", async () => {
  const { bench, failure } = await underWay((b) => b.call("move_to", { z_mm: 200 }));
  expect(bench.stage.moving).toBe(true);
  const answer = await bench.call("stop", {}, OTHER);
  expect(answer).toMatchObject({ stopped: ["move_to"], z_actual_mm: 10 });
  expect(await failure).toMatchObject({ code: "stopped", message: text(/other/) });
  await bench.clock.advance(60_000);
  expect(bench.stage.position_mm).toBe(10);
  expect(bench.of("move_ended")).toMatchObject([{ outcome: "stopped", z_actual_mm: 10, travel_mm: 10 }]);
  expect(bench.of("instrument_failed")).toEqual([]);
});

test("STOP in the middle of an exposure keeps what was measured before, and the next measurement works", async () => {
  const { bench, failure } = await underWay(async (b) => {
    await b.call("set_exposure", { exposure_ms: 100 });
    await b.call("measure_at", { z_mm: 0 });
    return b.call("measure_at", { z_mm: 0 });
  }, 730);
  await bench.call("stop", {});
  expect(await failure).toMatchObject({ code: "stopped" });
  expect(bench.of("frames_exposed").at(-1)).toMatchObject({ frames: 2, frames_asked: 5 });
  const { measurements } = await bench.call("bench_status", {});
  expect(measurements?.map((one) => one.measurement)).toEqual(["m001"]);
  bench.clock.free = true;
  expect(await bench.call("measure_at", { z_mm: 1 })).toMatchObject({ measurement: "m002" });
});

test("STOP does not wait for a camera that does not listen, and nothing new begins until it has let go", async () => {
  const { bench, failure } = await underWay(async (b) => {
    b.camera.deaf = true;
    await b.call("set_exposure", { exposure_ms: 1000 });
    return b.call("measure_at", { z_mm: 0 });
  });
  await bench.call("stop", {});
  await bench.hostClock.advance(3000);
  expect(await failure).toMatchObject({ code: "stopped" });
  const next = bench.refusal("move_to", { z_mm: 9 });
  await bench.hostClock.advance(3000);
  expect(await next).toMatchObject({ code: "busy" });
  await bench.clock.advance(1000);
  bench.clock.free = true;
  expect(await bench.call("move_to", { z_mm: 9 })).toMatchObject({ z_actual_mm: 9 });
});

test("what waits for a stopped action to let go never begins when it is stopped or cancelled too", async () => {
  const { bench } = await underWay(async (b) => {
    b.camera.deaf = true;
    await b.call("set_exposure", { exposure_ms: 1000 });
    return b.call("measure_at", { z_mm: 0 });
  });
  await bench.call("stop", {});
  const waiting = bench.refusal("move_to", { z_mm: 9 });
  await quiet();
  expect(await bench.call("stop", {}, OTHER)).toMatchObject({ stopped: ["move_to"] });
  const cancel = new AbortController();
  const cancelled = bench.refusal("move_to", { z_mm: 8 }, { caller: AGENT, cancellation: cancel.signal });
  await quiet();
  cancel.abort();
  await bench.clock.advance(1000);
  expect(await waiting).toMatchObject({ code: "stopped" });
  expect(await cancelled).toMatchObject({ code: "stopped" });
  await bench.clock.advance(5000);
  expect(bench.stage.commands).not.toContain("move 9");
  expect(bench.stage.commands).not.toContain("move 8");
});

test("STOP with nothing running still stops the stage, after finish and while paused too", async () => {
  const bench = await createFakeBench({ options: { budgets: { calls: 0 } } });
  bench.session.pause(OPERATOR);
  expect(await bench.call("stop", {})).toMatchObject({ stopped: [] });
  bench.session.resume(OPERATOR);
  await bench.call("finish", { verdict: "measurement_failed", explanation: "no calls" });
  await bench.call("stop", {}, OTHER);
  expect(bench.stage.commands).toEqual(["stop", "stop"]);
});

test("a STOP between two calls of whoever drives is heard at the next act, once", async () => {
  const bench = await createFakeBench();
  await bench.call("move_to", { z_mm: 10 });
  expect(await bench.call("stop", {}, OPERATOR)).toMatchObject({ stopped: [], z_actual_mm: 10 });
  // Looking is no act.
  await bench.call("bench_status", {});
  expect(await bench.refusal("move_to", { z_mm: 20 })).toMatchObject({ code: "stopped", message: text(/operator/) });
  expect(bench.stage.position_mm).toBe(10);
  await bench.call("move_to", { z_mm: 20 });
  expect(bench.stage.position_mm).toBe(20);
});

test("a STOP that was heard by what ran, or that whoever drives pressed, refuses nothing later", async () => {
  const { bench, failure } = await underWay((b) => b.call("move_to", { z_mm: 200 }));
  await bench.call("stop", {}, OTHER);
  expect(await failure).toMatchObject({ code: "stopped" });
  bench.clock.free = true;
  await bench.call("move_to", { z_mm: 11 });
  await bench.call("stop", {});
  await bench.call("move_to", { z_mm: 12 });
  expect(bench.stage.position_mm).toBe(12);
});

test("an act of a window that had not heard of a STOP is refused, however often; one that had is done", async () => {
  const bench = await createFakeBench();
  const heard = (heardEvents: number) => ({ caller: OPERATOR, heardEvents });
  const now = (): number => bench.session.events().length;
  await bench.call("move_to", { z_mm: 10 }, heard(now()));
  const before = now();
  await bench.call("stop", {}, OTHER);
  const stop = bench.of("stopped")[0]?.seq ?? -1;
  for (const late of [before, stop]) {
    expect(await bench.refusal("move_to", { z_mm: 20 }, heard(late))).toMatchObject({
      code: "stopped",
      message: text(/other/),
    });
    expect(await bench.refusal("measure_at", { z_mm: 20, exposure_ms: 1 }, heard(late))).toMatchObject({
      code: "stopped",
    });
    await expect(bench.session.home(OPERATOR, late)).rejects.toMatchObject({ code: "stopped" });
    await bench.call("bench_status", {}, heard(late));
  }
  expect(bench.of("move_started")).toHaveLength(1);
  expect(bench.stage.commands).not.toContain("home");
  await bench.call("move_to", { z_mm: 20 }, heard(stop + 1));
  await bench.session.home(OPERATOR, now());
  expect(bench.of("move_started")).toHaveLength(2);
  expect(bench.of("tool_called").at(-1)?.heard_events).toBe(stop + 1);
});

test("nothing begins before the stage has confirmed a STOP, whoever asks", async () => {
  let confirm: () => void = () => undefined;
  const bench = await createFakeBench({
    prepare: ({ stage }) => {
      const stop = stage.stop.bind(stage);
      stage.stop = async () => {
        await new Promise<void>((resolve) => {
          confirm = resolve;
        });
        return stop();
      };
    },
  });
  const stopped = bench.call("stop", {}, OTHER);
  expect(await bench.refusal("move_to", { z_mm: 20 })).toMatchObject({ code: "stopped", message: text(/carried out/) });
  expect(await bench.refusal("move_to", { z_mm: 20 }, { caller: OPERATOR, heardEvents: 1000 })).toMatchObject({
    code: "stopped",
  });
  await expect(bench.session.home(OPERATOR)).rejects.toMatchObject({ code: "stopped" });
  confirm();
  await stopped;
  expect(bench.of("move_started")).toEqual([]);
  await bench.call("move_to", { z_mm: 20 });
  expect(bench.stage.position_mm).toBe(20);
});

test("a STOP that comes while a measurement asks the stage for its position lets no move begin", async () => {
  const bench = await createFakeBench();
  const read = bench.stage.readState.bind(bench.stage);
  let asked: () => void = () => undefined;
  let goOn: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const answered = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  bench.stage.readState = async () => {
    asked();
    await answered;
    return read();
  };
  const refusal = bench.refusal("move_to", { z_mm: 20 });
  await isAsked;
  const stopped = bench.call("stop", {}, OTHER);
  goOn();
  await stopped;
  expect(await refusal).toMatchObject({ code: "stopped" });
  expect(bench.of("move_started")).toEqual([]);
});

test("a STOP owed to somebody who lost control is not owed to who has it", async () => {
  const bench = await createFakeBench();
  await bench.call("move_to", { z_mm: 10 });
  await bench.call("stop", {}, OTHER);
  await bench.session.takeOver(OPERATOR);
  await bench.call("move_to", { z_mm: 20 }, OPERATOR);
  expect(bench.stage.position_mm).toBe(20);
});

test("a run that is closed in the middle of a move ends with that: the call is answered before", async () => {
  const { bench, failure } = await underWay((b) => b.call("move_to", { z_mm: 200 }));
  await bench.session.close("abandoned");
  expect(await failure).toMatchObject({ code: "stopped" });
  expect(
    bench.session
      .events()
      .slice(-2)
      .map(({ type }) => type),
  ).toEqual(["tool_returned", "run_closed"]);
});

test("nothing begins while a run is being closed", async () => {
  const { bench } = await underWay((b) => b.call("move_to", { z_mm: 200 }));
  const closed = Promise.all([bench.session.close("abandoned"), bench.session.close("finished")]);
  expect(await bench.refusal("move_to", { z_mm: 5 })).toMatchObject({ code: "unknown_run" });
  await closed;
  expect(bench.session.events().at(-1)).toMatchObject({ type: "run_closed" });
  expect(bench.of("move_started")).toHaveLength(1);
  expect(bench.of("run_closed")).toMatchObject([{ why: "abandoned" }]);
});

test("a STOP that cannot reach the stage says so", async () => {
  const bench = await createFakeBench({
    prepare: ({ stage }) => {
      stage.stop = async () => {
        throw new InstrumentError("connection_lost", "Fake stage (stage)", "the cable is out");
      };
    },
  });
  expect(await bench.refusal("stop", {})).toMatchObject({
    code: "instrument_failed",
    message: text(/cable/),
  });
  expect(bench.of("stopped")).toHaveLength(1);
});

test("who acts first drives; others look, and take over only when nobody drives any more", async () => {
  const bench = await createFakeBench();
  await bench.call("bench_status", {}, OTHER);
  expect(bench.of("control_changed")).toEqual([]);
  await bench.call("move_to", { z_mm: 1 });
  for (const [tool, input] of [
    ["move_to", { z_mm: 2 }],
    ["measure_at", { z_mm: 2 }],
    ["set_exposure", { exposure_ms: 2 }],
    ["take_darks", { exposure_ms: 2 }],
    ["finish", { verdict: "measurement_failed", explanation: "mine" }],
  ] as const) {
    expect(await bench.refusal(tool, input as never, OTHER)).toMatchObject({
      code: "control_held",
      message: text(/agent/),
    });
  }
  expect((await bench.call("bench_status", {}, OTHER)).control).toEqual({ holder: "agent", yours: false });
  expect((await bench.call("fit_caustic", {}, OTHER)).x.determined).toBe(false);
  await bench.session.releaseCaller("a");
  await bench.call("move_to", { z_mm: 2 }, OTHER);
  expect(await bench.refusal("move_to", { z_mm: 3 })).toMatchObject({ code: "control_held" });
  expect(bench.of("control_changed").map((event) => [event.holder?.name, event.why])).toEqual([
    ["agent", "taken"],
    [undefined, "caller_left"],
    ["other", "taken"],
  ]);
});

test("callers of one name are told apart by number, and ids stay out of the log", async () => {
  const bench = await createFakeBench();
  await bench.call("move_to", { z_mm: 1 }, { kind: "agent", name: "twin", id: "secret-1" });
  const second = { kind: "agent", name: "twin", id: "secret-2" } as const;
  expect(await bench.refusal("move_to", { z_mm: 2 }, second)).toMatchObject({ code: "control_held" });
  expect(bench.of("tool_called").map((event) => event.caller.number)).toEqual([1, 2]);
  expect(JSON.stringify(bench.events)).not.toContain("secret-");
});

test("an acting call while another action runs is busy, whoever asks", async () => {
  const { bench } = await underWay((b) => b.call("move_to", { z_mm: 200 }));
  expect(await bench.refusal("set_exposure", { exposure_ms: 5 })).toMatchObject({
    code: "busy",
    message: "move_to is running",
  });
  expect(await bench.refusal("view_frame", { live: true }, OTHER)).toMatchObject({ code: "busy" });
  expect((await bench.call("bench_status", {})).running).toEqual({ what: "move_to" });
  expect(bench.session.snapshot().running).toBe("move_to");
  await bench.call("stop", {});
});

test("the operator takes over in the middle of a move; the former driver learns it and gets control back", async () => {
  const { bench, failure } = await underWay((b) => b.call("move_to", { z_mm: 200 }));
  await expect(bench.session.takeOver(OTHER)).rejects.toMatchObject({ code: "control_held" });
  await bench.session.takeOver(OPERATOR);
  expect(await failure).toMatchObject({ code: "control_lost" });
  expect(bench.stage.moving).toBe(false);
  bench.clock.free = true;
  expect(await bench.refusal("move_to", { z_mm: 3 })).toMatchObject({ code: "control_lost" });
  expect(await bench.refusal("move_to", { z_mm: 3 }, OTHER)).toMatchObject({ code: "control_held" });
  await bench.call("move_to", { z_mm: 4 }, OPERATOR);
  bench.session.giveBack(OPERATOR);
  expect(await bench.refusal("move_to", { z_mm: 5 }, OPERATOR)).toMatchObject({ code: "control_held" });
  await bench.call("move_to", { z_mm: 6 });
  expect(() => bench.session.giveBack(OPERATOR)).toThrow("does not hold control");
});

test("the operator's own move goes on when the operator takes over", async () => {
  const { bench, failure } = await underWay((b) => b.call("move_to", { z_mm: 20 }, OPERATOR));
  await bench.session.takeOver(OPERATOR);
  await bench.clock.advance(5000);
  expect(await failure).toMatchObject({ z_actual_mm: 20 });
});

test("a pause lets the running action end and refuses the next, except the operator's", async () => {
  const { bench, failure } = await underWay((b) => b.call("move_to", { z_mm: 20 }));
  bench.session.pause(OPERATOR);
  expect(() => bench.session.pause(AGENT)).toThrow("not the operator");
  await bench.clock.advance(5000);
  expect(await failure).toMatchObject({ z_actual_mm: 20 });
  expect(await bench.refusal("move_to", { z_mm: 1 })).toMatchObject({ code: "paused" });
  expect((await bench.call("bench_status", {})).state).toBe("paused");
  await bench.session.takeOver(OPERATOR);
  bench.clock.free = true;
  await bench.call("move_to", { z_mm: 2 }, OPERATOR);
  bench.session.giveBack(OPERATOR);
  bench.session.resume(OPERATOR);
  await bench.call("move_to", { z_mm: 3 });
});

test("a caller that disconnects in the middle of a move stops the stage and frees the bench", async () => {
  const { bench, failure } = await underWay((b) => b.call("move_to", { z_mm: 200 }));
  await bench.session.releaseCaller("nobody");
  await bench.session.releaseCaller(OTHER.id);
  expect(bench.stage.moving).toBe(true);
  await bench.session.releaseCaller(AGENT.id);
  expect(bench.stage.moving).toBe(false);
  expect(await failure).toMatchObject({ code: "stopped" });
  expect(bench.of("stopped")).toMatchObject([{ why: "caller_left", stopped: ["move_to"] }]);
  bench.clock.free = true;
  await bench.call("move_to", { z_mm: 12 }, OTHER);
});

test("a cancelled call stops the stage; one that was cancelled before moves nothing", async () => {
  const cancel = new AbortController();
  const context = { caller: AGENT, cancellation: cancel.signal };
  const { bench, failure } = await underWay((b) => b.call("measure_at", { z_mm: 200 }, context));
  cancel.abort();
  expect(await failure).toMatchObject({ code: "stopped" });
  await quiet();
  expect(bench.stage.moving).toBe(false);
  expect(bench.of("call_cancelled")).toMatchObject([{ call: 1 }]);
  expect(bench.of("stopped")).toMatchObject([{ why: "call_cancelled" }]);
  expect(await bench.refusal("move_to", { z_mm: 1 }, context)).toMatchObject({ code: "stopped" });
  expect(bench.stage.commands.filter((command) => command.startsWith("move"))).toEqual(["move 200"]);
});

test("cancelling one call leaves another caller's action alone", async () => {
  const cancel = new AbortController();
  const { bench } = await underWay((b) => b.call("move_to", { z_mm: 200 }));
  await bench.call("job_status", { job: "j1" }, { caller: OTHER, cancellation: cancel.signal }).catch(() => undefined);
  cancel.abort();
  await quiet();
  expect(bench.stage.moving).toBe(true);
  await bench.call("stop", {});
});

test("an idle driver loses control to the next who acts, the operator never does", async () => {
  const bench = await createFakeBench({ options: { leaseIdle_s: 60 } });
  await bench.call("move_to", { z_mm: 1 });
  await bench.hostClock.advance(59_000);
  expect(await bench.refusal("move_to", { z_mm: 2 }, OTHER)).toMatchObject({ code: "control_held" });
  await bench.hostClock.advance(2_000);
  await bench.call("move_to", { z_mm: 2 }, OTHER);
  await bench.session.takeOver(OPERATOR);
  await bench.hostClock.advance(600_000);
  expect(await bench.refusal("move_to", { z_mm: 2 })).toMatchObject({ code: "control_held" });
});

test("work beyond the longest call goes on as a job whose result is the tool's own", async () => {
  const bench = await createFakeBench({ free: false, options: { longCall_ms: 45_000 } });
  const started = bench.call("measure_at", { z_mm: 100, idempotency_key: "k" });
  await bench.clock.advance(1000);
  await bench.hostClock.advance(45_000);
  expect(await started).toMatchObject({ status: "running", job: "j001", z_requested_mm: 100 });
  expect((await bench.call("bench_status", {})).running).toEqual({ what: "measure_at", job: "j001" });
  expect(await bench.call("measure_at", { z_mm: 100, idempotency_key: "k" })).toMatchObject({ job: "j001" });
  const running = bench.call("job_status", { job: "j001", wait_s: 30 });
  await bench.clock.advance(1000);
  await bench.hostClock.advance(30_000);
  expect(await running).toMatchObject({ status: "running", progress: near(0.6 * 0.4, 1) });
  const done = bench.call("job_status", { job: "j001", wait_s: 30 });
  await bench.clock.advance(10_000);
  const answer = await done;
  expect(answer).toMatchObject({ status: "done", tool: "measure_at", result: { measurement: "m001", status: "done" } });
  expect(await bench.call("measure_at", { z_mm: 100, idempotency_key: "k" })).toMatchObject({ measurement: "m001" });
  expect(bench.of("measurement_taken")).toHaveLength(1);
  expect(JSON.stringify(bench.events)).not.toContain("secret-handle");
  expect(await bench.refusal("job_status", { job: "j9" })).toMatchObject({ code: "unknown_id" });
});

test("a job is stopped like any action, and says so", async () => {
  const bench = await createFakeBench({ free: false });
  const started = bench.call("move_to", { z_mm: 200 });
  await bench.clock.advance(1000);
  await bench.hostClock.advance(45_000);
  expect(await started).toMatchObject({ status: "running" });
  await bench.call("stop", {});
  expect(await bench.call("job_status", { job: "j001", wait_s: 30 })).toMatchObject({
    status: "failed",
    error: { code: "stopped" },
  });
  expect(bench.of("job_ended")).toMatchObject([{ error: { code: "stopped" } }]);
});

test("a repeated idempotency key exposes nothing, costs nothing and gives the first answer", async () => {
  const bench = await createFakeBench({ options: { budgets: { calls: 2, positions: 2 } } });
  const first = await bench.call("measure_at", { z_mm: 100, idempotency_key: "k" });
  const exposures = bench.camera.labels.length;
  const again = await bench.call("measure_at", { z_mm: 100, idempotency_key: "k", reason: "lost the reply" });
  expect(again).toEqual(first);
  expect(bench.camera.labels).toHaveLength(exposures);
  expect(bench.of("tool_returned").at(-1)).toMatchObject({ repeated: true });
  expect(await bench.refusal("measure_at", { z_mm: 101, idempotency_key: "k" })).toMatchObject({
    code: "bad_argument",
  });
  expect(bench.session.snapshot().budget).toEqual({ calls: 1, positions: 1 });
});

test("a repetition while the first still runs waits for it; a failed first leaves its key free", async () => {
  const bench = await createFakeBench({ free: false });
  const both = [1, 2].map(() => bench.call("measure_at", { z_mm: 20, idempotency_key: "k" }));
  await bench.clock.advance(10_000);
  const [one, two] = await Promise.all(both);
  expect(two).toEqual(one);
  bench.clock.free = true;
  bench.stage.fail = new InstrumentError("timed_out", "Fake stage (stage)", "silent");
  expect(await bench.refusal("measure_at", { z_mm: 30, idempotency_key: "l" })).toMatchObject({
    code: "instrument_failed",
  });
  expect(await bench.call("measure_at", { z_mm: 30, idempotency_key: "l" })).toMatchObject({ measurement: "m002" });
});

test("progress grows and ends at 1, and a caller that cannot take it still gets its answer", async () => {
  const bench = await createFakeBench();
  const fractions: number[] = [];
  await bench.call(
    "measure_at",
    { z_mm: 20 },
    { caller: AGENT, onProgress: ({ fraction }) => fractions.push(fraction) },
  );
  expect(fractions.length).toBeGreaterThan(10);
  expect(fractions).toEqual([...new Set(fractions)].sort((a, b) => a - b));
  expect(fractions.at(-1)).toBe(1);
  const deaf = (): void => {
    throw new Error("stream closed");
  };
  await bench.call("measure_at", { z_mm: 30 }, { caller: AGENT, onProgress: deaf });
});

test("the window's live frames change nothing that is measured and leave no trace", async () => {
  const plain = await createFakeBench();
  const watched = await createFakeBench();
  for (const bench of [plain, watched]) {
    for (const z_mm of [50, 120]) {
      if (bench === watched) expect((await bench.session.liveFrame())?.samples).toHaveLength(32000);
      await bench.call("measure_at", { z_mm });
    }
  }
  const measured = (bench: FakeBench) =>
    bench.of("measurement_taken").map(({ measurement, frames_sha256 }) => ({ measurement, frames_sha256 }));
  expect(measured(watched)).toEqual(measured(plain));
  expect(watched.events.map((event) => event.type)).toEqual(plain.events.map((event) => event.type));
  expect(watched.camera.labels.filter((label) => label.purpose === "live")).toHaveLength(2);
});

test("a live frame gives way to whoever acts, and none is taken while the camera works", async () => {
  const bench = await createFakeBench({ free: false });
  const glance = bench.session.liveFrame();
  const move = bench.call("move_to", { z_mm: 20 });
  await bench.clock.advance(100);
  expect(await glance).toBeUndefined();
  expect(bench.stage.moving).toBe(true);
  expect(await bench.session.liveFrame()).toBeUndefined();
  await bench.clock.advance(5000);
  expect(await move).toMatchObject({ z_actual_mm: 20 });
});

test("closing stops what runs and is the last word", async () => {
  const { bench, failure } = await underWay((b) => b.call("move_to", { z_mm: 200 }));
  await bench.session.close("abandoned");
  await bench.session.close("finished");
  expect(await failure).toMatchObject({ code: "stopped" });
  expect(bench.stage.moving).toBe(false);
  expect(bench.of("run_closed")).toMatchObject([{ why: "abandoned" }]);
  expect(bench.of("stopped")).toMatchObject([{ why: "closing" }]);
});

test("homing and notes are the operator's", async () => {
  const bench = await createFakeBench({ prepare: ({ stage }) => (stage.position_mm = undefined) });
  expect(bench.session.snapshot()).not.toHaveProperty("z_actual_mm");
  await expect(bench.session.home(AGENT)).rejects.toMatchObject({ code: "control_held" });
  await bench.session.home(OPERATOR);
  expect(bench.session.snapshot().z_actual_mm).toBe(0);
  bench.session.note(OPERATOR, "mount removed");
  expect(bench.of("operator_acted").map(({ action, text }) => [action, text])).toEqual([
    ["home", undefined],
    ["note", "mount removed"],
  ]);
});
