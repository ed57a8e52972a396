import { expect, test } from "vitest";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import { createFakeBench } from "./fake-bench.ts";
import { FAKE_M2 } from "./fake-instruments.ts";

const text = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const near = (value: number, digits: number): unknown => expect.closeTo(value, digits);

const SCAN_MM = [10, 20, 30, 90, 105, 120, 135, 150, 210, 220, 230, 240];

test("a whole run gives the true M² within its uncertainty and may call itself compliant", async () => {
  const bench = await createFakeBench();
  await bench.call("take_darks", { exposure_ms: 1 });
  for (const z_mm of SCAN_MM) await bench.call("measure_at", { z_mm, exposure_ms: 1 });
  const fit = await bench.call("fit_caustic", {});
  for (const axis of [fit.x, fit.y]) {
    if (!axis.determined) throw new Error(axis.why);
    expect(axis.iso_coverage).toBe(true);
    expect(Math.abs(axis.m2 - FAKE_M2)).toBeLessThan(Math.max(4 * axis.u_m2, 0.01));
  }
  const done = await bench.call("finish", {
    verdict: "iso_compliant",
    explanation: "all there",
    m2_x: { value: 9, u: 1 },
  });
  expect(done.accepted).toBe(true);
  // What the caller claims stands beside what the bench found.
  expect(bench.of("finished")[0]).toMatchObject({ m2_x: { value: 9, u: 1 }, x: { m2: near(FAKE_M2, 1) } });
  await bench.session.close("finished");
  expect(bench.events.at(-1)).toMatchObject({ type: "run_closed", why: "finished" });
  expect(bench.events.map((event) => event.seq)).toEqual(bench.events.map((_, index) => index));
});

test("neither the run handle nor a code of a picture stands in the log, and a result names the event that recorded it", async () => {
  const bench = await createFakeBench();
  const measured = await bench.call("measure_at", { z_mm: 100 });
  const view = await bench.call("view_frame", { measurement: "m001" });
  expect(view.frame_uri).toBe("bench://run/secret-handle/frame/m001");
  const log = JSON.stringify(bench.events);
  expect(log).not.toContain("secret-handle");
  expect(log).not.toContain(bench.code(bench.of("view_made")[0]?.seq ?? -1));
  expect(bench.events[measured.seq]).toMatchObject({ type: "tool_returned", output: { measurement: "m001" } });
});

test("equal calls give equal logs", async () => {
  const logs: string[] = [];
  for (const handle of ["one", "two"]) {
    const bench = await createFakeBench({ options: { newHandle: () => handle } });
    await bench.call("take_darks", { exposure_ms: 1 });
    for (const z_mm of [20, 120, 220]) await bench.call("measure_at", { z_mm });
    await bench.call("view_frame", { live: true });
    await bench.call("finish", { verdict: "measurement_failed", explanation: "enough" });
    logs.push(JSON.stringify(bench.events));
  }
  expect(logs[0]).toBe(logs[1]);
});

test("requested and actual position and exposure are told apart", async () => {
  const bench = await createFakeBench();
  bench.stage.endsAt_mm = 100.004;
  const measured = await bench.call("measure_at", { z_mm: 100, exposure_ms: 1.234567 });
  expect(measured).toMatchObject({ z_requested_mm: 100, z_actual_mm: 100.004, exposure_ms: 1.23 });
  const set = await bench.call("set_exposure", { exposure_ms: 2.345678 });
  expect(set).toMatchObject({ exposure_requested_ms: 2.345678, exposure_ms: 2.35 });
  const moved = await bench.call("move_to", { z_mm: 250 });
  expect(moved).toMatchObject({ z_requested_mm: 250, z_actual_mm: 250, limit_state: "at_upper_limit" });
});

test("the fit uses the places where the stage stood, and leaves out what is rejected, refused or excluded", async () => {
  const bench = await createFakeBench();
  await bench.call("take_darks", { exposure_ms: 1 });
  for (const z_mm of SCAN_MM) {
    bench.stage.endsAt_mm = z_mm + 0.05;
    await bench.call("measure_at", { z_mm });
  }
  const { x } = await bench.call("fit_caustic", {});
  if (!x.determined) throw new Error(x.why);
  // Requested positions would put the waist 0.05 mm lower.
  expect(Math.abs(x.z0_mm - 120)).toBeLessThan(0.05);
  bench.shutter.open = false;
  const blind = await bench.call("measure_at", { z_mm: 125 });
  expect(blind.grade).toBe("refused");
  expect(blind.d4sigma_x_um).toBeUndefined();
  const list = await bench.call("reject_measurement", { measurement: "m002" });
  expect(list.measurements[1]).toMatchObject({ measurement: "m002", use: "rejected" });
  const fit = await bench.call("fit_caustic", { exclude: ["m003"] });
  expect(fit.used).not.toEqual(expect.arrayContaining(["m002"]));
  expect(Object.fromEntries(fit.left_out.map(({ measurement, why }) => [measurement, why]))).toMatchObject({
    m002: "rejected",
    m003: text(/excluded/),
    m013: text(/refused/),
  });
  await bench.call("restore_measurement", { measurement: "m002" });
  expect((await bench.call("fit_caustic", {})).used).toContain("m002");
  expect(await bench.refusal("fit_caustic", { exclude: ["m099"] })).toMatchObject({ code: "unknown_id" });
  expect(bench.of("measurement_use_changed").map((event) => event.use)).toEqual(["rejected", "used"]);
});

test("a measurement subtracts the newest dark of its own exposure and says when there is none", async () => {
  const bench = await createFakeBench();
  const none = await bench.call("measure_at", { z_mm: 100, exposure_ms: 1 });
  expect(none.dark).toBeUndefined();
  expect(none.background).toBe("iso (no dark at this exposure)");
  const first = await bench.call("take_darks", { exposure_ms: 1, frames: 4 });
  expect(first).toMatchObject({ dark: "d001", frames: 4, mean_counts: near(64, 0) });
  // Uniform noise of width 8 has a standard deviation of 8/√12 = 2.31; rounding to counts adds 1/12.
  expect(first.noise_counts).toBeCloseTo(2.33, 1);
  await bench.call("take_darks", { exposure_ms: 2, frames: 1 });
  await bench.call("take_darks", { exposure_ms: 1 });
  const one = await bench.call("measure_at", { z_mm: 100, exposure_ms: 1 });
  expect(one).toMatchObject({ dark: "d003", background: "dark" });
  expect(await bench.call("measure_at", { z_mm: 100, exposure_ms: 2 })).toMatchObject({ dark: "d002" });
  expect(await bench.call("measure_at", { z_mm: 100, exposure_ms: 3 })).not.toHaveProperty("dark");
  const { darks } = await bench.call("bench_status", {});
  expect(darks?.map((dark) => dark.measurements_since)).toEqual([3, 3, 3]);
  expect(bench.camera.labels.filter((label) => label.purpose === "dark" && label.frame === 0)).toMatchObject([
    { acquisition: 0 },
    { acquisition: 1 },
    { acquisition: 2 },
  ]);
});

test("without a shutter only the operator's word makes a dark, and no measurement is taken of a blocked beam", async () => {
  const bench = await createFakeBench({ withShutter: false });
  expect(await bench.refusal("take_darks", { exposure_ms: 1 })).toMatchObject({ code: "beam_not_blocked" });
  expect(bench.camera.labels).toHaveLength(0);
  const operator = { kind: "operator", name: "operator", id: "o" } as const;
  bench.session.setBeamBlocked(operator, true);
  bench.shutter.open = false;
  await bench.call("take_darks", { exposure_ms: 1, frames: 2 });
  expect(await bench.refusal("measure_at", { z_mm: 10 })).toMatchObject({ code: "paused" });
  bench.session.setBeamBlocked(operator, false);
  bench.shutter.open = true;
  await bench.call("measure_at", { z_mm: 10 });
});

test("a shutter that stuck closed is opened before the next measurement", async () => {
  const bench = await createFakeBench();
  bench.shutter.fail = new InstrumentError("timed_out", "Fake shutter (shutter)", "it did not answer");
  expect(await bench.refusal("take_darks", { exposure_ms: 1 })).toMatchObject({ code: "instrument_failed" });
  expect(bench.shutter.open).toBe(false);
  expect((await bench.call("measure_at", { z_mm: 100 })).grade).not.toBe("refused");
  expect(bench.shutter.open).toBe(true);
});

test("a failing instrument fails the measurement under way, by name, and the session lives on", async () => {
  const bench = await createFakeBench();
  bench.stage.fail = new InstrumentError(
    "position_lost",
    "Fake stage (stage)",
    "the controller was reset",
    {},
    "Home it.",
  );
  const lost = await bench.refusal("measure_at", { z_mm: 50 });
  expect(lost).toMatchObject({
    code: "instrument_failed",
    message: text(/Fake stage.*position_lost/),
    hint: "Home it.",
  });
  bench.stage.endsAt_mm = 48;
  expect((await bench.refusal("measure_at", { z_mm: 50 })).message).toMatch(/ended at 48 mm/);
  const spoil: [RegExp, NonNullable<typeof bench.camera.distort>][] = [
    [/wrong_format/, (frame) => ({ ...frame, width_px: 199 })],
    [/wrong_format/, (frame) => ({ ...frame, samples: frame.samples.subarray(1) })],
    [/wrong_format/, (frame) => ({ ...frame, bitDepth: 8 })],
    [/frame_lost/, (frame) => ({ ...frame, startedAt_ms: frame.startedAt_ms - 0.5 })],
    [/frame_lost/, (frame) => ({ ...frame, startedAt_ms: Number.NaN })],
    [/frame_lost/, (frame) => ({ ...frame, sequence: 7 })],
    [/bad_reply/, (frame) => ({ ...frame, exposure_ms: 2 })],
  ];
  for (const [message, distort] of spoil) {
    bench.camera.distort = distort;
    expect((await bench.refusal("measure_at", { z_mm: 50 })).message).toMatch(message);
  }
  bench.camera.distort = undefined;
  expect(await bench.call("measure_at", { z_mm: 50 })).toMatchObject({ measurement: "m001" });
  expect(bench.of("instrument_failed")).toHaveLength(2 + spoil.length);
  expect(bench.of("measurement_taken")).toHaveLength(1);
});

test("a driver's NaN becomes an error, not a position or an exposure", async () => {
  const bench = await createFakeBench();
  bench.stage.endsAt_mm = Number.NaN;
  expect((await bench.refusal("move_to", { z_mm: 10 })).message).toMatch(/position reads NaN/);
  expect(bench.of("move_ended")[0]).not.toHaveProperty("z_actual_mm");
  await expect(
    createFakeBench({ prepare: ({ camera }) => (camera.readExposure = async () => Number.NaN) }),
  ).rejects.toThrow(/exposure reads NaN/);
});

test("arguments that do not fit are refused before anything happens, and stand in the log", async () => {
  const bench = await createFakeBench();
  const bad: unknown[] = [Number.NaN, Number.POSITIVE_INFINITY, "100", undefined, null];
  for (const z_mm of bad) {
    const refused = await bench.refusal("measure_at", { z_mm: z_mm as number });
    expect(refused).toMatchObject({ code: "bad_argument", message: text(/z_mm/) });
  }
  expect(await bench.refusal("measure_at", { z_mm: 10, frames: 0 })).toMatchObject({ code: "bad_argument" });
  expect(await bench.refusal("measure_at", { z_mm: 10, frames: 1e9 })).toMatchObject({ code: "bad_argument" });
  expect(await bench.refusal("measure_at", { z_mm: 10, exposure_ms: -1 })).toMatchObject({ code: "bad_argument" });
  expect(await bench.refusal("measure_at", { z_mm: 10, reason: " " })).toMatchObject({ code: "bad_argument" });
  expect(await bench.refusal("measure_at", { z_mm: 10, speed: 1 } as never)).toMatchObject({ code: "bad_argument" });
  expect(bench.of("call_rejected")).toHaveLength(bad.length + 5);
  expect(bench.stage.commands).toEqual([]);
  expect(await bench.refusal("move_to", { z_mm: 1e308 })).toMatchObject({ code: "out_of_limits" });
  expect(bench.stage.commands).toEqual([]);
});

test("another run's handle opens nothing and is not logged here", async () => {
  const bench = await createFakeBench();
  const before = bench.events.length;
  await expect(
    bench.session.verbs.bench_status({ run: "guess" }, { caller: { kind: "agent", name: "a", id: "a" } }),
  ).rejects.toMatchObject({ code: "unknown_run" });
  expect(bench.events).toHaveLength(before);
});

test("tools that are not on offer are refused", async () => {
  const bench = await createFakeBench({ options: { tools: ["bench_open", "measure_at", "finish"] } });
  expect(await bench.refusal("suggest_positions", { count: 3 })).toMatchObject({ code: "not_offered" });
  expect(bench.of("call_rejected")).toHaveLength(1);
});

test("findings are for the operator unless the run shows them all", async () => {
  const standard = await createFakeBench({ prepare: ({ shutter }) => (shutter.open = false) });
  const shown = await standard.call("measure_at", { z_mm: 10 });
  expect(shown.flags?.map((flag) => flag.code)).not.toContain("no_signal");
  const all = await createFakeBench({ options: { findings: "all" }, prepare: ({ shutter }) => (shutter.open = false) });
  expect((await all.call("measure_at", { z_mm: 10 })).flags?.map((flag) => flag.code)).toContain("no_signal");
});

test("a width off the caustic of the others is a finding", async () => {
  const bench = await createFakeBench({ options: { findings: "all" } });
  await bench.call("take_darks", { exposure_ms: 1 });
  for (const z_mm of [20, 80, 110, 130, 160, 220]) {
    expect((await bench.call("measure_at", { z_mm })).flags?.map((flag) => flag.code)).not.toContain("caustic_outlier");
  }
  // The camera sees the beam of another place.
  const { stage, camera } = bench;
  const acquire = camera.acquire.bind(camera);
  camera.acquire = async (options) => {
    const position_mm = stage.position_mm;
    stage.position_mm = 190;
    try {
      return await acquire(options);
    } finally {
      stage.position_mm = position_mm;
    }
  };
  const odd = await bench.call("measure_at", { z_mm: 140 });
  expect(odd.flags).toContainEqual({ code: "caustic_outlier", value: expect.any(Number) as number, limit: 4 });
});

test("iso_compliant is refused while an axis lacks coverage, and the answer says what is missing", async () => {
  const bench = await createFakeBench();
  const early = await bench.refusal("finish", { verdict: "iso_compliant", explanation: "sure" });
  expect(early).toMatchObject({
    code: "finish_refused",
    message: text(/axis x: M² is not determined/),
  });
  await bench.call("take_darks", { exposure_ms: 1 });
  for (const z_mm of [90, 105, 120, 135, 150, 210, 220, 230, 240]) await bench.call("measure_at", { z_mm });
  const late = await bench.refusal("finish", { verdict: "iso_compliant", explanation: "sure" });
  expect(late.message).toMatch(/axis x: 1 more beyond two Rayleigh lengths/);
  expect(late.message).toMatch(/axis y/);
  expect(
    await bench.refusal("finish", {
      verdict: "measurement_failed",
      explanation: "e",
      fault: { kind: "other", evidence: ["m077"] },
    }),
  ).toMatchObject({ code: "unknown_id" });
  expect(
    await bench.refusal("finish", {
      verdict: "measurement_failed",
      explanation: "e",
      fault: { kind: "other", z_min_mm: 9, z_max_mm: 3 },
    }),
  ).toMatchObject({ code: "bad_argument" });
  await bench.call("finish", { verdict: "estimate_not_compliant", explanation: "nine positions" });
  for (const [tool, input] of [
    ["move_to", { z_mm: 1 }],
    ["measure_at", { z_mm: 1 }],
    ["set_exposure", { exposure_ms: 1 }],
    ["take_darks", { exposure_ms: 1 }],
    ["reject_measurement", { measurement: "m001" }],
    ["view_frame", { live: true }],
    ["finish", { verdict: "iso_compliant", explanation: "again" }],
  ] as const) {
    expect(await bench.refusal(tool, input as never)).toMatchObject({ code: "run_finished" });
  }
  expect((await bench.call("bench_status", {})).state).toBe("finished");
  expect((await bench.call("fit_caustic", {})).x.determined).toBe(true);
  await bench.session.close("finished");
  expect(await bench.refusal("bench_status", {})).toMatchObject({ code: "unknown_run" });
});

test("a handle expires after its lifetime without a call", async () => {
  const bench = await createFakeBench({ options: { handleLifetime_s: 60 } });
  await bench.hostClock.advance(59_000);
  await bench.call("bench_status", {});
  await bench.hostClock.advance(59_000);
  expect(bench.session.expired).toBe(false);
  await bench.hostClock.advance(2_000);
  expect(bench.session.expired).toBe(true);
  expect(await bench.refusal("bench_status", {})).toMatchObject({ code: "unknown_run" });
});

test("a listener that throws, now or later, disturbs nobody", async () => {
  const bench = await createFakeBench();
  const seen: number[] = [];
  bench.session.subscribe(() => {
    throw new Error("window gone");
  });
  bench.session.subscribe(() => Promise.reject(new Error("window gone later")) as unknown as undefined);
  bench.session.watch(() => {
    throw new Error("window gone");
  });
  const end = bench.session.subscribe((event) => seen.push(event.seq));
  await bench.call("measure_at", { z_mm: 10 });
  expect(seen).toEqual(bench.events.slice(1).map((event) => event.seq));
  end();
  await bench.call("bench_status", {});
  expect(seen.at(-1)).toBeLessThan(bench.events.length - 1);
});

test("without a log nothing acts, but STOP still works", async () => {
  let full = false;
  const bench = await createFakeBench({
    options: {
      journal: {
        append() {
          if (full) throw new Error("no space left on device");
        },
      },
    },
  });
  await bench.call("move_to", { z_mm: 5 });
  full = true;
  const refused = await bench.refusal("bench_status", {});
  expect(refused.message).toMatch(/no space left on device/);
  const commands = bench.stage.commands.length;
  expect(await bench.refusal("move_to", { z_mm: 9 })).toMatchObject({ code: "internal" });
  expect(bench.stage.commands).toHaveLength(commands);
  await bench.call("stop", {}).catch(() => undefined);
  expect(bench.stage.commands.at(-1)).toBe("stop");
});

test("raw frames go to whoever keeps them, whose failure is recorded and harms nothing", async () => {
  const kept: string[] = [];
  const bench = await createFakeBench({
    options: {
      frameSink(id, frame, index) {
        if (index === 1) throw new Error("disk full");
        kept.push(`${id}-${index} ${frame.samples.length}`);
      },
    },
  });
  await bench.call("take_darks", { exposure_ms: 1, frames: 1 });
  await bench.call("measure_at", { z_mm: 10, frames: 3 });
  expect(kept).toEqual(["d001-0 32000", "m001-0 32000", "m001-2 32000"]);
  expect(bench.of("frame_not_kept")).toMatchObject([{ id: "m001", index: 1, why: "disk full" }]);
  expect(bench.session.frame("m001").samples).toHaveLength(32000);
  expect(() => bench.session.frame("m002")).toThrow("no frame");
});
