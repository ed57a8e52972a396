import { afterEach, describe, expect, test } from "vitest";
import { SCENARIOS } from "../../../simulators/world/scenarios.ts";
import type { BenchSession } from "../../bench/bench-session.ts";
import type { FrameWork } from "../../bench/frame-work.ts";
import type { Caller } from "../../contract/bench-verbs.ts";
import type { BenchEvent } from "../../contract/events.ts";
import type { ToolInput } from "../../contract/tools.ts";
import { scripted } from "../../contenders/scripted.ts";
import { driveBench } from "../../evaluation/drive.ts";
import { createSimulatedRun, type SimulatedRunOptions } from "../../evaluation/simulated-run.ts";
import { fastestFrameLoops } from "../frame-loops.ts";
import type { FrameRequest } from "./frame-worker.ts";
import { type LiveChain, startLiveChain } from "./live-chain.ts";
import { workerFrameTasks } from "./worker-frame-tasks.ts";
import { WorkerLine } from "./worker-line.ts";
import { WorkerWorld } from "./worker-world.ts";
import type { WorldRequest } from "./world-worker.ts";

const OPERATOR: Caller = { kind: "operator", name: "operator", id: "o" };

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function started(options?: Parameters<typeof startLiveChain>[0]): LiveChain {
  const chain = startLiveChain(options);
  ends.push(() => chain.close());
  return chain;
}

/** A worker whose first thread ends at its first request, and whose later ones run the module. */
function failsOnce<Request, Answer>(module: "frame-worker" | "world-worker", data?: object) {
  const starts = new Int32Array(new SharedArrayBuffer(4));
  const real = JSON.stringify(new URL(`./${module}.ts`, import.meta.url).href);
  const line = new WorkerLine<Request, Answer>({
    name: "the worker of this test",
    module: new URL(
      `data:text/javascript,${encodeURIComponent(`
        import { parentPort, workerData } from "node:worker_threads";
        if (Atomics.add(workerData.starts, 0, 1) === 0) parentPort.on("message", () => process.exit(7));
        else await import(${real});
      `)}`,
    ),
    data: { ...data, starts },
  });
  ends.push(() => line.close());
  return line;
}

interface OpenRun {
  readonly session: BenchSession;
  readonly events: BenchEvent[];
  measure(input?: Partial<ToolInput<"measure_at">>): Promise<unknown>;
}

async function openRun(options: Partial<SimulatedRunOptions>): Promise<OpenRun> {
  const events: BenchEvent[] = [];
  const run = createSimulatedRun({
    scenario: SCENARIOS.clean,
    seed: 1,
    journal: { append: (event) => events.push(event) },
    ...options,
  });
  const session = await run.offer.open();
  ends.push(() => session.close("abandoned"));
  return {
    session,
    events,
    measure: (input) =>
      session.verbs.measure_at(
        { run: session.handle, z_mm: 120, frames: 2, reason: "test", ...input },
        { caller: OPERATOR },
      ),
  };
}

const on = (chain: LiveChain): Partial<SimulatedRunOptions> => ({ frameWork: chain.tasks, openWorld: chain.openWorld });

/** A run by the scripted operator, as the lines of its journal. */
async function journal(where: Partial<SimulatedRunOptions>): Promise<string[]> {
  const lines: string[] = [];
  const run = createSimulatedRun({
    ...fastestFrameLoops(),
    ...where,
    scenario: SCENARIOS.partial_saturation,
    seed: 7,
    findings: "all",
    journal: { append: (event: BenchEvent) => lines.push(JSON.stringify(event)) },
  });
  await driveBench({ offer: run.offer, contender: scripted });
  await run.close();
  return lines;
}

describe("a live chain", () => {
  test("a scripted run writes the same journal, byte for byte, as in one thread", async () => {
    const chain = started();
    const elsewhere = await journal(on(chain));
    expect(elsewhere.length).toBeGreaterThan(50);
    expect(elsewhere).toEqual(await journal({}));
    const { made, dropped } = chain.counts();
    expect(made).toBeGreaterThan(50);
    expect(dropped).toBe(0);
  });

  test("pictures, brightest pixels, readings and TIFFs are the same as in one thread", async () => {
    const chain = started();
    const { session, measure } = await openRun(on(chain));
    await measure();
    const frame = session.frame("m001");
    const { frameTasksHere } = await import("./frame-tasks.ts");
    const here = frameTasksHere();
    const picture = { logScale: true, pixelPitch_um: 5.5, caption: "c", code: "ABCD", simulated: true };
    expect(await chain.tasks.picture(frame, picture)).toEqual(await here.picture(frame, picture));
    expect(await chain.tasks.brightest(frame)).toBe(await here.brightest(frame));
    const provenance = { program: "caustic", simulated: true };
    expect(await chain.tasks.tiff(frame, 5.5, provenance)).toEqual(await here.tiff(frame, 5.5, provenance));
    const { analysis_ms: _there, ...there } = await chain.tasks.read(frame, 5.5);
    const { analysis_ms: _here, ...read } = await here.read(frame, 5.5);
    expect(there).toEqual(read);
  });

  test("STOP is heard while a worker computes, and the next measurement works", async () => {
    const chain = started();
    const computing = Promise.withResolvers<undefined>();
    const frameWork: FrameWork = {
      ...chain.tasks,
      analyze(frames, terms, cancellation) {
        const analysis = chain.tasks.analyze(frames, terms, cancellation);
        computing.resolve(undefined);
        return analysis;
      },
    };
    const { session, events, measure } = await openRun({ ...on(chain), frameWork });
    const measuring = measure();
    const failed = expect(measuring).rejects.toMatchObject({ code: "stopped" });
    await computing.promise;
    await session.verbs.stop({ run: session.handle, reason: "test" }, { caller: OPERATOR });
    await failed;
    expect(events.filter(({ type }) => type === "measurement_taken")).toHaveLength(0);
    await measure();
    expect(session.snapshot().measurements.map(({ measurement }) => measurement)).toEqual(["m001"]);
  });

  test("a worker that dies over an analysis fails that measurement by name; what was measured stays, the next works", async () => {
    const chain = started();
    const line = failsOnce<FrameRequest, unknown>("frame-worker");
    let dying = false;
    const doomed = workerFrameTasks(line);
    const frameWork: FrameWork = {
      ...chain.tasks,
      analyze: (...given) => (dying ? doomed : chain.tasks).analyze(...given),
    };
    const { session, measure } = await openRun({ ...on(chain), frameWork });
    await measure();
    dying = true;
    await expect(measure({ z_mm: 121 })).rejects.toMatchObject({
      code: "internal",
      message: "the worker of this test ended (exit status 7) while the widths were computed",
    });
    await measure({ z_mm: 121 });
    expect(session.snapshot().measurements.map(({ z_requested_mm }) => z_requested_mm)).toEqual([120, 121]);
    expect(line.started).toBe(2);
  });

  test("a worker that dies over an exposure is a camera that fails; a new one exposes the same frames", async () => {
    const opened = await openRun(on(started()));
    await opened.measure();
    const { session, events, measure } = await openRun({
      openWorld(scenario, sensor, seed) {
        const line = failsOnce<WorldRequest, undefined>("world-worker", { scenario, sensor, seed });
        return new WorkerWorld(sensor, line, 4, { made: 0, dropped: 0, besideRing: 0 });
      },
    });
    await expect(measure()).rejects.toMatchObject({ code: "instrument_failed" });
    expect(events.find(({ type }) => type === "instrument_failed")).toMatchObject({
      instrument: "Simulated camera",
      code: "connection_lost",
      message: "Simulated camera: the worker of this test ended (exit status 7)",
    });
    await measure();
    expect(session.frame("m001").samples).toEqual(opened.session.frame("m001").samples);
  });

  test("a live frame without memory is dropped, counted and leaves a gap; measurements never wait for memory", async () => {
    const chain = started({ slots: 2 });
    const { session, measure } = await openRun(on(chain));
    const held = [await session.liveFrame(), await session.liveFrame()];
    await expect(session.liveFrame()).rejects.toMatchObject({ code: "instrument_failed" });
    expect(chain.counts()).toEqual({ made: 2, dropped: 1, besideRing: 0 });
    await measure({ frames: 3 });
    expect(chain.counts()).toEqual({ made: 5, dropped: 1, besideRing: 3 });
    for (const frame of held) frame?.memory?.release();
    const next = await session.liveFrame();
    expect(next?.sequence).toBe(6);
    next?.memory?.release();
  });

  test("whoever works on frames lets go of them: a small ring serves for ever", async () => {
    const chain = started({ slots: 6 });
    const { session, measure } = await openRun(on(chain));
    for (let round = 0; round < 4; round++) {
      const shutter = { run: session.handle, exposure_ms: 1, frames: 5, reason: "test" };
      await session.verbs.take_darks(shutter, { caller: OPERATOR });
      await measure({ frames: 5, z_mm: 120 + round });
      await session.verbs.view_frame({ run: session.handle, live: true, reason: "test" }, { caller: OPERATOR });
    }
    expect(chain.counts()).toMatchObject({ dropped: 0, besideRing: 0 });
    // What is kept for later looks is not overwritten by later frames.
    const first = session.frame("m001").samples;
    expect(first).not.toEqual(session.frame("m002").samples);
  });
});
