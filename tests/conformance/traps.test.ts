import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { ManualClock, SimulatedClock } from "../../simulators/instruments/clock.ts";
import { createSimulatedBench } from "../../simulators/instruments/simulated-bench.ts";
import { SCENARIOS } from "../../simulators/world/scenarios.ts";
import { type Benches, createBenches } from "../../main/bench/benches.ts";
import { createCanary } from "../../main/bench/canary.ts";
import { createBenchSession } from "../../main/bench/session.ts";
import type { BenchEvent } from "../../main/contract/events.ts";
import { createBenchServer } from "../../main/mcp/bench-server.ts";
import { createHttpEndpoint } from "../../main/mcp/http-endpoint.ts";
import { newRunHandle } from "../../main/mcp/run-handle.ts";
import { type AnyClient, connect, connectHttp, ERAS, type Era, refusalIn } from "./clients.ts";
import { listen } from "./http-server.ts";

/*
 * What is known to go wrong between agents and the tools that they drive, on the real bench over simulated instruments.
 */

const ANY_NUMBER: unknown = expect.any(Number);
const ANY_STRING: unknown = expect.any(String);

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** For what happens by itself, on a machine that has other things to do. */
const PATIENT = { timeout: 30_000 };

const KEY = "key of the pictures' codes";

interface Bench {
  readonly clock: ManualClock;
  readonly hostClock: ManualClock;
  readonly benches: Benches;
  readonly events: BenchEvent[];
  readonly client: (name?: string) => Promise<AnyClient>;
}

/** A bench whose time stands still until the test moves it (or runs as fast as it can). */
async function bench(era: Era, way: "memory" | "http", quick = false): Promise<Bench> {
  const clock = new ManualClock();
  const hostClock = new ManualClock();
  const events: BenchEvent[] = [];
  const time = quick ? new SimulatedClock() : clock;
  const { stage, camera, shutter, wavelength_nm } = createSimulatedBench({
    scenario: SCENARIOS.clean,
    seed: 5,
    clock: time,
  });
  const benches = createBenches([
    {
      bench: "bench-1",
      description: "A bench",
      simulated: true,
      open: () =>
        createBenchSession({
          bench: "bench-1",
          instruments: { stage, camera, shutter },
          wavelength_nm,
          clock: time,
          hostClock,
          journal: { append: (event) => void events.push(event) },
          newHandle: newRunHandle,
          canary: createCanary(KEY),
        }),
    },
  ]);
  const server = createBenchServer({ benches });
  ends.push(() => passing(clock, server.close()));
  if (way === "memory") return { clock, hostClock, benches, events, client: (name) => connect(server, era, name) };
  const http = await listen(createHttpEndpoint({ factory: server.factory }));
  ends.push(() => http.close());
  return { clock, hostClock, benches, events, client: (name) => connectHttp(http.url, era, "", name) };
}

async function open(client: AnyClient): Promise<string> {
  const answer = await client.callTool({ name: "bench_open", arguments: { bench: "bench-1", reason: "to measure" } });
  return String(answer.structuredContent?.["run"]);
}

/** Lets time pass until something has come about. */
async function passing<Result>(clock: ManualClock, awaited: Promise<Result>, step_ms = 1000): Promise<Result> {
  let settled = false;
  const settle = (): void => {
    settled = true;
  };
  awaited.then(settle, settle);
  while (!settled) {
    await clock.advance(step_ms);
    await nextTurn();
  }
  return awaited;
}

const types = (events: readonly BenchEvent[]): string[] => events.map(({ type }) => type);

describe.each(ERAS.flatMap((era) => [[era, "memory"] as const, [era, "http"] as const]))("%s over %s", (era, way) => {
  it("a client that drops pictures has the numbers, and its run is marked", async () => {
    const { client, events } = await bench(era, way, true);
    const one = await client();
    const run = await open(one);
    await one.callTool({ name: "measure_at", arguments: { run, z_mm: 60, exposure_ms: 0.5, reason: "r" } });
    const seen = await one.callTool({ name: "view_frame", arguments: { run, measurement: "m001", reason: "r" } });
    // What such a client passes on: the text alone.
    const numbers = JSON.parse(seen.content.find(({ type }) => type === "text")?.text ?? "") as Record<string, unknown>;
    expect(numbers).toMatchObject({ measurement: "m001", maximum_counts: ANY_NUMBER });
    await one.callTool({
      name: "finish",
      arguments: { run, verdict: "measurement_failed", explanation: "I could not see anything." },
    });
    expect(events.find(({ type }) => type === "finished")).toMatchObject({ images: "image_not_confirmed" });
  });

  it("a picture is a PNG of at most 100 kB, and its code confirms that it arrived", async () => {
    const { client, events } = await bench(era, way, true);
    const one = await client();
    const run = await open(one);
    const seen = await one.callTool({ name: "view_frame", arguments: { run, live: true, reason: "r" } });
    const picture = Buffer.from(String(seen.content.find(({ type }) => type === "image")?.["data"]), "base64");
    expect(picture.subarray(1, 4).toString()).toBe("PNG");
    expect(picture.length).toBeLessThanOrEqual(100_000);
    const made = events.find(({ type }) => type === "view_made");
    const code = createCanary(KEY)(made?.seq ?? -1);
    expect(JSON.stringify(seen.structuredContent)).not.toContain(code);
    await one.callTool({ name: "set_exposure", arguments: { run, exposure_ms: 1, reason: "r", image_code: code } });
    expect(types(events)).toContain("image_confirmed");
  });

  it("a call answers before a client gives up after 60 s, and the work goes on as a job", async () => {
    const { client, clock, hostClock, events } = await bench(era, way);
    const one = await client();
    const run = await open(one);
    const call = one.callTool(
      { name: "measure_at", arguments: { run, z_mm: 200, frames: 2, exposure_ms: 1000, reason: "long" } },
      { timeout: 60_000 },
    );
    await expect.poll(() => types(events), PATIENT).toContain("move_started");
    await hostClock.advance(45_001);
    const first = (await call).structuredContent;
    expect(first).toMatchObject({ status: "running", job: ANY_STRING });
    const waiting = one.callTool({ name: "job_status", arguments: { run, job: first?.["job"], wait_s: 30 } });
    expect((await passing(hostClock, waiting)).structuredContent).toMatchObject({ status: "running" });
    const ended = one.callTool({ name: "job_status", arguments: { run, job: first?.["job"], wait_s: 30 } });
    const { status, result } = (await passing(clock, ended)).structuredContent ?? {};
    expect(status).toBe("done");
    expect(result).toMatchObject({ run, status: "done", measurement: "m001", z_requested_mm: 200 });
  });

  it("a measurement whose reply was lost is asked for again and exposes nothing", async () => {
    const { client, events } = await bench(era, way, true);
    const one = await client();
    const run = await open(one);
    const call = {
      name: "measure_at",
      arguments: { run, z_mm: 60, exposure_ms: 0.5, idempotency_key: "third point", reason: "r" },
    };
    const first = (await one.callTool(call)).structuredContent;
    const again = (await one.callTool(call)).structuredContent;
    expect(again?.["measurement"]).toBe(first?.["measurement"]);
    expect(types(events).filter((type) => type === "frames_exposed")).toHaveLength(1);
    const status = await one.callTool({ name: "bench_status", arguments: { run } });
    expect(status.structuredContent?.["measurements"]).toHaveLength(1);
  });

  it("a client that closes its stream in the middle of a move stops the stage", async () => {
    const { client, clock, events } = await bench(era, way);
    const one = await client();
    const other = await client();
    const run = await open(one);
    const call = one.callTool({ name: "move_to", arguments: { run, z_mm: 200, reason: "far" } });
    const settled = call.catch(() => undefined);
    await expect.poll(() => types(events), PATIENT).toContain("move_started");
    await clock.advance(2000);
    await one.close();
    await settled;
    await expect
      .poll(async () => {
        await clock.advance(100);
        return types(events);
      }, PATIENT)
      .toContain("move_ended");
    const ended = events.find((event) => event.type === "move_ended");
    expect(ended).toMatchObject({ outcome: "stopped", z_requested_mm: 200 });
    const status = await other.callTool({ name: "bench_status", arguments: { run } });
    const z_mm = Number(status.structuredContent?.["z_actual_mm"]);
    expect(z_mm).toBeGreaterThan(1);
    expect(z_mm).toBeLessThan(100);
  });

  it("of two that want control one drives, the other looks, and STOP works for both", async () => {
    const { client, clock, events } = await bench(era, way);
    const [one, two] = [await client("twin"), await client("twin")];
    const [mine, theirs] = [await open(one), await open(two)];
    const move = one.callTool({ name: "move_to", arguments: { run: mine, z_mm: 200, reason: "far" } });
    await expect.poll(() => types(events), PATIENT).toContain("move_started");
    await clock.advance(1000);
    const refused = await two.callTool({ name: "move_to", arguments: { run: theirs, z_mm: 0, reason: "mine" } });
    expect(refusalIn(refused).code).toBe("control_held");
    const looked = await two.callTool({ name: "bench_status", arguments: { run: theirs } });
    expect(looked.structuredContent).toMatchObject({
      control: { yours: false },
      running: { what: ANY_STRING },
    });
    const stopping = two.callTool({ name: "stop", arguments: { run: theirs, reason: "danger" } });
    expect((await passing(clock, stopping, 100)).isError).toBeFalsy();
    expect(refusalIn(await move).code).toBe("stopped");
  });
});
