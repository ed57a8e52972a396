import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { browserPrinter } from "../../../main/app/window/pdf-printer.ts";
import type { BenchEvent } from "../../../main/contract/events.ts";
import { readTiff } from "../../../main/files/tiff-image.ts";
import { createRunFolder } from "../../../main/store/run-folder.ts";
import { PageError } from "../../../renderer/host/page-error.ts";
import { type TestHost, type TestPage, testHost, testPage } from "./window-fixture.ts";

const hosts: TestHost[] = [];
const pages: TestPage[] = [];
function host(options: Parameters<typeof testHost>[0] = {}): TestHost {
  const made = testHost(options);
  hosts.push(made);
  return made;
}
function pageOf(made: TestHost, options: Parameters<typeof testPage>[1] = {}): TestPage {
  const page = testPage(made, options);
  pages.push(page);
  return page;
}
afterEach(async () => {
  for (const page of pages.splice(0)) page.connection.close();
  for (const made of hosts.splice(0)) await made.close();
});

const open = (page: TestPage): Promise<void> => page.until(() => page.states.at(-1)?.kind === "open");

async function openRun(page: TestPage, seed = 1): Promise<string> {
  const { bench } = await page.connection.call("offer_simulator", { scenario: "clean", seed });
  const { run } = await page.connection.call("bench_open", { bench, reason: "test" });
  return run;
}

/** Whether two frames have the same counts, told without printing millions of them. */
const same = (a: Uint16Array, b: Uint16Array): boolean =>
  a.length === b.length && a.every((value, place) => value === b[place]);

function follow(page: TestPage, source: string): BenchEvent[] {
  const events: BenchEvent[] = [];
  page.connection.watch(
    source,
    0,
    (arrived) => events.push(...arrived),
    (error) => {
      throw error;
    },
  );
  return events;
}

/** The name of the one run that is kept. */
async function onlyRecord(page: Awaited<ReturnType<typeof pageOf>>): Promise<string> {
  const { records } = await page.connection.call("list_records", {});
  expect(records).toHaveLength(1);
  return records[0]?.record ?? "";
}

test("a page opens a simulated bench, measures, and sees every event of it", async () => {
  const page = pageOf(host());
  await open(page);
  const run = await openRun(page);
  const events = follow(page, `live:${run}`);
  const measured = await page.connection.call("measure_at", { run, z_mm: 60, exposure_ms: 1, reason: "test" });
  expect(measured.d4sigma_x_um).toBeGreaterThan(100);
  await expect.poll(() => events.some((event) => event.type === "measurement_taken")).toBe(true);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index));
  const frame = await page.connection.frame(`live:${run}`, measured.measurement ?? "");
  expect(frame.samples.length).toBe(frame.header.width_px * frame.header.height_px);
  expect(frame.header.outline?.indicative).toBe(false);
  expect(frame.header.profiles?.x.gaussian?.d_um).toBeGreaterThan(100);
});

test("a large frame, which no run keeps, is in the replay what it was in the live run; any of its measurement can be seen and exported", async () => {
  const page = pageOf(host());
  await open(page);
  const { bench } = await page.connection.call("offer_simulator", { scenario: "clean", seed: 2, sensor: "2448x2048" });
  const { run } = await page.connection.call("bench_open", { bench, reason: "test" });
  await page.connection.call("measure_at", { run, z_mm: 100, exposure_ms: 0.4, frames: 2, reason: "test" });
  const live = await page.connection.frame(`live:${run}`, "m001");
  await page.connection.call("close_run", { run });
  const record = await onlyRecord(page);
  const source = `record:${record}`;
  expect(existsSync(join(host0().runsFolder, record, "frames"))).toBe(false);
  const replayed = await page.connection.frame(source, "m001");
  expect(replayed.header).toMatchObject({
    width_px: 2448,
    height_px: 2048,
    exposure_ms: 0.4,
    index: 1,
    count: 2,
    simulated: true,
  });
  expect(same(replayed.samples, live.samples)).toBe(true);
  expect(replayed.header.widths).toEqual(live.header.widths);
  const first = await page.connection.frame(source, "m001", 0);
  expect(first.header.index).toBe(0);
  expect(same(first.samples, live.samples)).toBe(false);
  const { tiff_base64 } = await page.connection.call("frame_tiff", { source, id: "m001" });
  const { samples } = await readTiff("m001.tiff", Buffer.from(tiff_base64, "base64"));
  expect(same(Uint16Array.from(samples), live.samples)).toBe(true);
  await expect(page.connection.frame(source, "m001", 2)).rejects.toMatchObject({ code: "bad_argument" });
});

test("a frame of a changed record is refused with the reason", async () => {
  const page = pageOf(host());
  await open(page);
  const run = await openRun(page);
  await page.connection.call("measure_at", { run, z_mm: 100, exposure_ms: 1, frames: 1, reason: "test" });
  await page.connection.call("close_run", { run });
  const record = await onlyRecord(page);
  const folder = join(host0().runsFolder, record);
  rmSync(join(folder, "frames"), { recursive: true });
  const path = join(folder, "run.json");
  writeFileSync(path, readFileSync(path, "utf8").replace('"seed": 1', '"seed": 2'));
  await expect(page.connection.frame(`record:${record}`, "m001")).rejects.toMatchObject({
    code: "not_reproduced",
    message: expect.stringMatching(/made again they are not the recorded ones: their SHA-256 is/),
  });
  const journal = join(folder, "events.jsonl");
  writeFileSync(journal, readFileSync(journal, "utf8").replace(/"frames_sha256":"./, '"frames_sha256":"x'));
  await expect(page.connection.frame(`record:${record}`, "m001")).rejects.toThrow(/record cannot be read: .*line \d+/);
});

test("a refusal reaches the page with its code, its words and a hint", async () => {
  const page = pageOf(host());
  await open(page);
  const run = await openRun(page);
  const outside = page.connection.call("move_to", { run, z_mm: 9999, reason: "test" });
  await expect(outside).rejects.toMatchObject({ code: "out_of_limits", message: expect.stringContaining("9999") });
  // A number where text is expected: caught at the host, not by types.
  const wrong = page.connection.call("bench_open", { bench: 7 as unknown as string, reason: "test" });
  await expect(wrong).rejects.toMatchObject({ code: "bad_argument" });
  await expect(page.connection.call("no_such_verb" as "stop", { run })).rejects.toBeInstanceOf(PageError);
});

test("a wrong token is refused, and the page does not try again", async () => {
  const page = pageOf(host({ token: "the-right-one" }), { token: "a-wrong-one" });
  const early = page.connection.call("list_records", {});
  await expect(early).rejects.toThrow(/does not admit this page/);
  await page.until(() => page.states.at(-1)?.kind === "refused");
  await expect(page.connection.call("list_records", {})).rejects.toThrow(/does not admit this page/);
  expect(page.overviews).toHaveLength(0);
  const right = pageOf(hosts[0] as TestHost, { token: "the-right-one" });
  await open(right);
});

test("a cut line costs no event and no measurement, and nothing is done twice", async () => {
  const page = pageOf(host());
  await open(page);
  const run = await openRun(page);
  const events = follow(page, `live:${run}`);
  const calls = [20, 60, 100, 140, 180].map((z_mm) =>
    page.connection
      .call("measure_at", { run, z_mm, exposure_ms: 1, frames: 1, reason: `at ${z_mm}` })
      .catch((error: unknown) => error),
  );
  await expect.poll(() => events.some((event) => event.type === "move_started")).toBe(true);
  page.line().cut();
  await page.until(() => page.states.some((state) => state.kind === "lost"));
  await open(page);
  const answers = await Promise.all(calls);
  // One acts at a time, so most of the five calls at once are refused as busy: by the bench, each exactly once.
  const session = host0().window.benches.session(run);
  await expect.poll(() => events.length).toBe(session.events().length);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index));
  const asked = events.filter((event) => event.type === "tool_called" && event.tool === "measure_at");
  expect(asked).toHaveLength(5);
  const measured = answers.filter((answer) => !(answer instanceof Error));
  expect(measured.length).toBe(session.snapshot().measurements.length);
  expect(measured.length).toBeGreaterThanOrEqual(1);
});

test("a call that was swallowed by a dying line is sent again and done once", async () => {
  const page = pageOf(host());
  await open(page);
  const run = await openRun(page);
  page.line().swallow();
  const call = page.connection.call("measure_at", { run, z_mm: 50, exposure_ms: 1, reason: "lost on the way" });
  await new Promise((resolve) => setImmediate(resolve));
  page.line().cut();
  await expect(call).resolves.toMatchObject({ status: "done" });
  expect(host0().window.benches.session(run).snapshot().measurements).toHaveLength(1);
});

test("when the host is another one, calls under way end as lost instead of hanging", async () => {
  const first = host({ grace_ms: 0 });
  const page = pageOf(first);
  await open(page);
  const run = await openRun(page);
  page.line().swallow();
  const call = page.connection.call("move_to", { run, z_mm: 50, reason: "test" });
  // Grace 0: the host forgets the page as soon as the line is gone.
  page.line().cut();
  await expect(call).rejects.toMatchObject({ code: "connection_lost" });
});

test("a page that stays away gives up control, and what it started stops", async () => {
  const made = host({ grace_ms: 20 });
  const page = pageOf(made);
  await open(page);
  const run = await openRun(page);
  await page.connection.call("move_to", { run, z_mm: 10, reason: "test" });
  const session = made.window.benches.session(run);
  expect(session.snapshot().holder?.kind).toBe("operator");
  page.connection.close();
  await expect.poll(() => session.snapshot().holder).toBeUndefined();
  expect(session.events().some((event) => event.type === "caller_left")).toBe(true);
});

test("live frames wait for the page: never more than two are under way, and the newest comes next", async () => {
  const page = pageOf(host());
  await open(page);
  const run = await openRun(page);
  page.connection.setLive(run);
  await page.until(() => page.frames.length >= 2);
  // Nothing was acknowledged: no third frame, however long the page takes.
  await page.connection.call("overview", {});
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(page.frames).toHaveLength(2);
  for (const frame of page.frames) page.connection.frameShown(frame.header.number);
  await page.until(() => page.frames.length >= 4);
  const numbers = page.frames.map((frame) => frame.header.number);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(page.frames.every((frame) => frame.header.simulated)).toBe(true);
  page.connection.setLive(undefined);
});

test("a page that shows a frame smaller than it is gets as much as it shows, and every pixel when it asks for it", async () => {
  const page = pageOf(host());
  await open(page);
  const run = await openRun(page);
  page.connection.setFrameDetail({ reduction: 3, pointer: { column_px: 638, row_px: 470 } });
  page.connection.setLive(run);
  await page.until(() => page.frames.length >= 1);
  const [small] = page.frames;
  expect(small?.header).toMatchObject({ width_px: 640, height_px: 480, reduction: 3 });
  expect(small?.samples).toHaveLength(214 * 160);
  const pointer = small?.header.pointer;
  expect(pointer).toMatchObject({ column_px: 638, row_px: 470 });
  expect(pointer?.counts).toBeLessThanOrEqual(small?.samples[Math.floor(470 / 3) * 214 + Math.floor(638 / 3)] ?? 0);
  // It is remembered over a broken line.
  page.line().cut();
  await page.until(() => page.states.some((state) => state.kind === "lost"));
  await open(page);
  const before = page.frames.length;
  await page.until(() => page.frames.length > before);
  expect(page.frames.at(-1)?.header.reduction).toBe(3);
  const region = { left_px: 300, top_px: 201, width_px: 50, height_px: 40 };
  page.connection.setFrameDetail({ reduction: 1, region });
  for (const frame of page.frames) page.connection.frameShown(frame.header.number);
  await page.until(() => {
    const last = page.frames.at(-1);
    if (last !== undefined) page.connection.frameShown(last.header.number);
    return last?.header.region !== undefined;
  });
  expect(page.frames.at(-1)?.header.region).toEqual(region);
  expect(page.frames.at(-1)?.samples).toHaveLength(50 * 40);
  page.connection.setFrameDetail({ reduction: 1 });
  for (const frame of page.frames) page.connection.frameShown(frame.header.number);
  await page.until(() => {
    const last = page.frames.at(-1);
    if (last !== undefined) page.connection.frameShown(last.header.number);
    return last?.header.reduction === undefined && last?.header.region === undefined;
  });
  expect(page.frames.at(-1)?.samples).toHaveLength(640 * 480);
  page.connection.setLive(undefined);
});

test("looking at live frames changes nothing in the log and nothing that is measured", async () => {
  const measure = async (live: boolean): Promise<unknown> => {
    const page = pageOf(host());
    await open(page);
    const run = await openRun(page, 7);
    if (live) {
      page.connection.setLive(run);
      await page.until(() => page.frames.length >= 2);
    }
    const { d4sigma_x_um, u_x_um, seq } = await page.connection.call("measure_at", {
      run,
      z_mm: 80,
      exposure_ms: 2,
      reason: "test",
    });
    return { d4sigma_x_um, u_x_um, seq };
  };
  expect(await measure(true)).toEqual(await measure(false));
});

test("the automatic exposure ends with a bright frame that does not saturate", async () => {
  const page = pageOf(host());
  await open(page);
  const run = await openRun(page);
  await page.connection.call("set_exposure", { run, exposure_ms: 500, reason: "far too long" });
  const found = await page.connection.call("auto_exposure", { run, reason: "test" });
  expect(found.reached).toBe(true);
  expect(found.peak_share).toBeGreaterThan(0.35);
  expect(found.peak_share).toBeLessThan(0.8);
  expect(Number.isInteger(Math.log2(found.exposure_ms))).toBe(true);
});

test("a script started from the window drives the bench to its end and stands in the records", async () => {
  const page = pageOf(host());
  await open(page);
  const { bench } = await page.connection.call("offer_simulator", { scenario: "clean", seed: 3 });
  await page.connection.call("start_contender", { bench, contender: "scripted" });
  await page.until(() => page.overviews.at(-1)?.drives[0]?.state !== "running");
  expect(page.overviews.at(-1)?.drives[0]).toMatchObject({ state: "ended" });
  const run = page.overviews.at(-1)?.open_runs[0]?.run ?? "";
  const drawing = await page.connection.call("caustic", { source: `live:${run}` });
  expect(drawing.x.result).toMatchObject({ determined: true });
  if (drawing.x.result.determined) expect(Math.abs(drawing.x.result.m2 / 1.2 - 1)).toBeLessThan(0.03);
  expect(drawing.x.curve?.d_um.every((value) => value > 0)).toBe(true);
  await page.connection.call("close_run", { run });
  const { records } = await page.connection.call("list_records", {});
  expect(records[0]).toMatchObject({ state: "finished", drivers: ["scripted"], verdict: "iso_compliant" });
  const record = records[0]?.record ?? "";
  await expect(page.connection.call("verify_record", { record })).resolves.toMatchObject({ sound: true });
  const events = follow(page, `record:${record}`);
  await expect.poll(() => events.at(-1)?.type).toBe("run_closed");
  // The handle is a key to the run and must stand in no event.
  expect(JSON.stringify(events)).not.toContain(run);
});

test("a paused script waits, and goes on to its end when the run is resumed", async () => {
  const page = pageOf(host());
  await open(page);
  const { bench } = await page.connection.call("offer_simulator", { scenario: "clean", seed: 3 });
  await page.connection.call("start_contender", { bench, contender: "scripted" });
  await page.until(() => page.overviews.at(-1)?.open_runs[0]?.holder === "scripted");
  const run = page.overviews.at(-1)?.open_runs[0]?.run ?? "";
  const events = follow(page, `live:${run}`);
  await page.connection.call("pause", { run });
  const refused = (): number =>
    events.filter((event) => event.type === "tool_returned" && event.error?.code === "paused").length;
  await expect.poll(refused).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(page.overviews.at(-1)?.drives[0]).toMatchObject({ state: "running" });
  expect(refused()).toBe(1);
  await page.connection.call("resume", { run });
  await page.until(() => page.overviews.at(-1)?.drives[0]?.state !== "running");
  expect(page.overviews.at(-1)?.drives[0]).toMatchObject({ state: "ended" });
  await expect.poll(() => events.some((event) => event.type === "finished")).toBe(true);
});

test("a paused script can be ended, and taken over from", async () => {
  const page = pageOf(host());
  await open(page);
  for (const [seed, end] of [
    [3, (_run: string) => page.connection.call("stop_contender", { drive: "drive-1" })],
    [4, (run: string) => page.connection.call("take_over", { run })],
  ] as const) {
    const { bench } = await page.connection.call("offer_simulator", { scenario: "clean", seed });
    const { drive } = await page.connection.call("start_contender", { bench, contender: "scripted" });
    const openRun = () => page.overviews.at(-1)?.open_runs.find((one) => one.bench === bench);
    await page.until(() => openRun()?.holder === "scripted");
    const run = openRun()?.run ?? "";
    await page.connection.call("pause", { run });
    await end(run);
    const driven = () => page.overviews.at(-1)?.drives.find((one) => one.drive === drive);
    await page.until(() => driven()?.state !== "running");
    expect(driven()?.state).toBe("stopped");
  }
});

test("the operator takes the bench over from a script, and the script's next call is refused", async () => {
  const page = pageOf(host());
  await open(page);
  const { bench } = await page.connection.call("offer_simulator", { scenario: "clean", seed: 4, real_time: true });
  await page.connection.call("start_contender", { bench, contender: "scripted" });
  await page.until(() => page.overviews.at(-1)?.open_runs[0]?.holder === "scripted");
  const run = page.overviews.at(-1)?.open_runs[0]?.run ?? "";
  await expect(page.connection.call("move_to", { run, z_mm: 5, reason: "mine" })).rejects.toMatchObject({
    code: "control_held",
  });
  await page.connection.call("take_over", { run });
  await page.until(() => page.overviews.at(-1)?.drives[0]?.state !== "running");
  expect(page.overviews.at(-1)?.drives[0]).toMatchObject({
    state: "stopped",
    message: "the operator took over",
  });
  await expect(page.connection.call("set_exposure", { run, exposure_ms: 1, reason: "mine" })).resolves.toMatchObject({
    exposure_ms: 1,
  });
});

test("a kept run without any event is read to its end, too", async () => {
  const page = pageOf(host());
  await open(page);
  const record = "20260101-000000-bench-1-000000";
  const { directory, close } = createRunFolder(mkdtempSync(join(tmpdir(), "caustic-empty-")), {
    id: record,
    bench: "bench-1",
    simulated: true,
    by: "mcp",
    versions: { caustic: "0", node: "0" },
  });
  try {
    close();
    const opened = await page.connection.call("open_record", { folder: directory });
    const ends: number[] = [];
    page.connection.watch(`record:${opened.record}`, 0, (events) => ends.push(events.length), fail);
    await expect.poll(() => ends).toEqual([0]);
  } finally {
    rmSync(dirname(directory), { recursive: true });
  }
});

function fail(error: Error): void {
  throw error;
}

test("a kept run is graded again, and opened from a folder elsewhere as it is from the list", async () => {
  const page = pageOf(host());
  await open(page);
  const { bench } = await page.connection.call("offer_simulator", { scenario: "clean", seed: 3 });
  await page.connection.call("start_contender", { bench, contender: "scripted" });
  await page.until(() => page.overviews.at(-1)?.drives[0]?.state === "ended");
  await page.connection.call("close_run", { run: page.overviews.at(-1)?.open_runs[0]?.run ?? "" });
  const { records } = await page.connection.call("list_records", {});
  const record = records[0]?.record ?? "";
  const graded = await page.connection.call("grade_record", { record });
  expect(graded.now).toMatchObject({ verdict: "iso_compliant", expected: "iso_compliant", correct: true });
  expect(graded.then).toBeUndefined();
  expect(graded.changed).toEqual([]);

  const archive = mkdtempSync(join(tmpdir(), "caustic-archive-"));
  try {
    cpSync(join(host0().runsFolder, record), join(archive, record), { recursive: true });
    const copy = await page.connection.call("open_record", { folder: join(archive, record) });
    // The name is taken by the run that it is a copy of.
    expect(copy.record).not.toBe(record);
    expect(await page.connection.call("open_record", { folder: join(archive, record) })).toEqual(copy);
    const listed = (await page.connection.call("list_records", {})).records;
    expect(listed.map((one) => one.record).sort()).toEqual([copy.record, record].sort());
    await expect(page.connection.call("grade_record", copy)).resolves.toMatchObject({ now: { correct: true } });
    const [theirs, ours] = [follow(page, `record:${copy.record}`), follow(page, `record:${record}`)];
    await expect.poll(() => [theirs.at(-1)?.type, ours.at(-1)?.type]).toEqual(["run_closed", "run_closed"]);
    expect(theirs).toEqual(ours);
    await expect(page.connection.call("open_record", { folder: archive })).rejects.toMatchObject({
      code: "bad_argument",
      message: expect.stringContaining("run.json"),
    });
  } finally {
    rmSync(archive, { recursive: true, force: true });
  }
});

test("a run without a truth to hold it against is not graded, and says why", async () => {
  const made = host();
  const page = pageOf(made);
  await open(page);
  createRunFolder(made.runsFolder, {
    id: "real-run",
    bench: "bench-1",
    simulated: false,
    by: "operator",
    versions: { caustic: "test" },
  }).close();
  await expect(page.connection.call("grade_record", { record: "real-run" })).rejects.toMatchObject({
    code: "not_offered",
    message: expect.stringContaining("scenario"),
  });
});

test("a report is printed under a policy that lets it fetch and run nothing; without a printer the page is told", async () => {
  const printed: string[] = [];
  const page = pageOf(
    host({
      printPdf: async (html) => {
        printed.push(html);
        return new TextEncoder().encode("%PDF");
      },
    }),
  );
  await open(page);
  const { pdf_base64 } = await page.connection.call("print_pdf", { html: "<!DOCTYPE html><p>report</p>" });
  expect(atob(pdf_base64)).toBe("%PDF");
  expect(printed[0]).toMatch(/^<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"/);
  expect(printed[0]).toContain("default-src 'none'");
  expect(printed[0]).not.toContain("<!DOCTYPE");
  expect(browserPrinter({ platform: "linux", env: {}, exists: () => false })).toBeUndefined();
  expect(
    browserPrinter({ platform: "linux", env: { CAUSTIC_BROWSER: "/opt/b" }, exists: (path) => path === "/opt/b" }),
  ).toBeDefined();
});

function host0(): TestHost {
  const [first] = hosts;
  if (first === undefined) throw new Error("no host");
  return first;
}
