import { parseArgs } from "node:util";
import type { BeamCamera } from "../drivers/protocol/beam-camera.ts";
import type { Frame } from "../drivers/protocol/frame.ts";
import { chooseKernel } from "../main/app/choose-kernel.ts";
import { startLiveChain } from "../main/app/live-chain/live-chain.ts";
import { RealClock } from "../main/app/real-clock.ts";
import { createCanary } from "../main/bench/canary.ts";
import type { BenchOffer } from "../main/bench/benches.ts";
import { createBenchSession } from "../main/bench/session.ts";
import { decodeFrameHead } from "../main/contract/window-frame.ts";
import type { WindowPort } from "../main/contract/window-messages.ts";
import { newRunHandle } from "../main/mcp/run-handle.ts";
import { createSimulatedBench } from "../simulators/instruments/simulated-bench.ts";
import type { SensorSize } from "../simulators/world/sensor.ts";
import { SCENARIOS } from "../simulators/world/scenarios.ts";
import { CHROMIUM, noBrowser, type PageHost, pageHost } from "../tests/end-to-end/window/page-fixture.ts";
import { openQuietPage } from "./quiet-page.ts";

/*
 * Prints how fast the live view is on this machine, for the smallest and the largest sensor: frames per second on the screen, the time
 * from a frame in memory to its pixels, the processor time that a frame takes on both sides, and the memory of page and host. The camera gives frames that were made before, so that the
 * view is measured and not the simulator; with --simulator the simulated camera is measured too, whose frames are made one by one.
 * `node scripts/live-view-rates.ts [--seconds N] [--simulator] [--json]`
 */

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    simulator: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const SECONDS = Number(options.seconds);
const SIZES: readonly SensorSize[] = ["640x480", "2448x2048"];
const WINDOW_SIZE = "1280,720";
const READY_FRAMES = 4;
const MIB = 2 ** 20;

if (noBrowser !== undefined) {
  process.stderr.write(`No figures: ${noBrowser}\n`);
  process.exit(1);
}

/** A bench whose camera hands out a few frames in turn, as a real one does that has them in memory already. */
function readyMadeBench(size: SensorSize, tookAt: Map<number, number>): BenchOffer {
  return {
    bench: "ready-made",
    description: "Frames that were made before",
    simulated: true,
    async open() {
      const clock = new RealClock();
      const made = createSimulatedBench({ scenario: SCENARIOS.clean, seed: 1, clock, sensor: { size } });
      const frames: Frame[] = [];
      await made.camera.setExposure(1);
      for (let frame = 0; frame < READY_FRAMES; frame++) {
        const taken = await made.camera.acquire({ label: { purpose: "live", acquisition: 0, frame } });
        const samples = new Uint16Array(new SharedArrayBuffer(taken.samples.byteLength));
        samples.set(taken.samples);
        const { memory: _usedAgain, ...rest } = taken;
        frames.push({ ...rest, samples });
      }
      let sequence = 0;
      const camera: BeamCamera = {
        info: made.camera.info,
        setExposure: (exposure_ms) => made.camera.setExposure(exposure_ms),
        readExposure: () => made.camera.readExposure(),
        acquire: async () => {
          const frame = frames[sequence % frames.length];
          if (frame === undefined) throw new Error("no frame was made");
          tookAt.set(sequence, performance.now());
          return { ...frame, sequence: sequence++, startedAt_ms: clock.now_ms() };
        },
        close: () => made.camera.close(),
      };
      return createBenchSession({
        bench: "ready-made",
        instruments: { stage: made.stage, camera, shutter: made.shutter },
        wavelength_nm: made.wavelength_nm,
        clock,
        hostClock: clock,
        journal: { append: () => undefined },
        newHandle: newRunHandle,
        canary: createCanary("live view"),
      });
    },
  };
}

interface Shown {
  frames: number;
  /** From the camera's frame to the page's word that it is drawn. */
  delays_ms: number[];
  /** Of the frame that was sent last. */
  samples: number;
}

/** Counts the frames that the page says are drawn. */
function watchFrames(host: PageHost, tookAt: ReadonlyMap<number, number>): Shown {
  const counted: Shown = { frames: 0, delays_ms: [], samples: 0 };
  const { host: windowHost } = host.window;
  const accept = windowHost.accept.bind(windowHost);
  windowHost.accept = (port: WindowPort): void => {
    const sequences = new Map<number, number>();
    accept({
      send: (message) => {
        port.send(message);
      },
      sendPieces: (head, samples, left) => {
        const { number, sequence } = decodeFrameHead(head);
        counted.samples = samples.length;
        sequences.set(number, sequence);
        port.sendPieces?.(head, samples, left);
      },
      receive: (onMessage, onClose) => {
        port.receive((message) => {
          const shown = typeof message === "string" ? /"frame_shown","number":(\d+)/.exec(message)?.[1] : undefined;
          const took_ms = tookAt.get(sequences.get(Number(shown)) ?? -1);
          if (shown !== undefined) counted.frames++;
          if (took_ms !== undefined) counted.delays_ms.push(performance.now() - took_ms);
          onMessage(message);
        }, onClose);
      },
      get backlog_bytes() {
        return port.backlog_bytes;
      },
      close: () => {
        port.close();
      },
    });
  };
  return counted;
}

interface Figures {
  readonly camera: "ready-made" | "simulated";
  readonly sensor: SensorSize;
  /** Of a frame as it is sent. */
  readonly sent_px: number;
  readonly frames_per_s: number;
  readonly slowest_second: number;
  readonly to_pixels_median_ms?: number;
  readonly to_pixels_p95_ms?: number;
  /** With everything else that the process does meanwhile. */
  readonly host_processor_ms_per_frame: number;
  readonly browser_processor_ms_per_frame: number;
  readonly page_heap_MiB: readonly [before: number, after: number];
  readonly page_process_MiB?: number;
  readonly host_process_MiB: number;
}

async function measure(camera: Figures["camera"], sensor: SensorSize): Promise<Figures> {
  const { kernel } = chooseKernel();
  const simulator = camera === "simulated" ? ({ scenario: "clean", seed: 1, sensor } as const) : null;
  const chain = startLiveChain();
  const host = await pageHost(simulator, { kernel, chain });
  const tookAt = new Map<number, number>();
  if (simulator === null) host.window.benches.offer(readyMadeBench(sensor, tookAt));
  const shown = watchFrames(host, tookAt);
  const page = await openQuietPage(CHROMIUM, host.address, WINDOW_SIZE);
  try {
    await page.until("document.querySelector('.offer button')");
    await page.evaluate("document.querySelector('.offer button').click()");
    await page.until("document.querySelector('.frame-facts')");
    await wait(1500);
    const before = await page.heap_bytes();
    shown.frames = 0;
    shown.delays_ms = [];
    const host_us = process.cpuUsage();
    const browser_s = await page.processor_s();
    const rates: number[] = [];
    for (let second = 0; second < SECONDS; second++) {
      await wait(1000);
      const text = String(await page.evaluate("document.querySelector('.frame-facts')?.textContent"));
      rates.push(Number(/(\d+) fps/.exec(text)?.[1] ?? 0));
    }
    const { user, system } = process.cpuUsage(host_us);
    const browserTook_s = (await page.processor_s()) - browser_s;
    const frames = Math.max(1, shown.frames);
    const sorted = shown.delays_ms.toSorted((a, b) => a - b);
    const at = (share: number): number | undefined => sorted[Math.floor(share * (sorted.length - 1))];
    const [median, p95] = [at(0.5), at(0.95)];
    const process_bytes = await page.process_bytes();
    return {
      camera,
      sensor,
      sent_px: shown.samples,
      frames_per_s: rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0,
      slowest_second: Math.min(...rates),
      ...(median === undefined ? {} : { to_pixels_median_ms: round(median) }),
      ...(p95 === undefined ? {} : { to_pixels_p95_ms: round(p95) }),
      host_processor_ms_per_frame: round((user + system) / 1000 / frames),
      browser_processor_ms_per_frame: round((1000 * browserTook_s) / frames),
      page_heap_MiB: [round(before / MIB), round((await page.heap_bytes()) / MIB)],
      ...(process_bytes === undefined ? {} : { page_process_MiB: round(process_bytes / MIB) }),
      host_process_MiB: round(process.memoryUsage().rss / MIB),
    };
  } finally {
    await page.close();
    await host.close();
    await chain.close();
  }
}

const wait = (time_ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time_ms));
const round = (value: number): number => Math.round(value * 10) / 10;

function line(figures: Figures): string {
  const { camera, sensor, frames_per_s, slowest_second, to_pixels_median_ms, to_pixels_p95_ms } = figures;
  const delay =
    to_pixels_median_ms === undefined
      ? ""
      : `, frame to pixels ${to_pixels_median_ms} ms (95 %: ${to_pixels_p95_ms} ms)`;
  const [before, after] = figures.page_heap_MiB;
  const process_MiB = figures.page_process_MiB === undefined ? "" : `, its process ${figures.page_process_MiB} MiB`;
  return `${camera.padEnd(10)} ${sensor.padEnd(9)} ${(figures.sent_px / 1e6).toFixed(2)} Mpx sent, ${frames_per_s} frames/s (slowest second ${slowest_second})${delay}; processor time per frame: host ${figures.host_processor_ms_per_frame} ms, browser ${figures.browser_processor_ms_per_frame} ms; page ${before} → ${after} MiB${process_MiB}, host ${figures.host_process_MiB} MiB\n`;
}

const all: Figures[] = [];
for (const camera of options.simulator ? (["ready-made", "simulated"] as const) : (["ready-made"] as const)) {
  for (const sensor of SIZES) {
    const figures = await measure(camera, sensor);
    all.push(figures);
    if (!options.json) process.stdout.write(line(figures));
  }
}
if (options.json) process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
