import { parseArgs } from "node:util";
import { SENSOR_SIZES } from "../main/contract/window-verbs.ts";
import { type LiveFigures, startLiveRun } from "../main/app/benchmark/live-run.ts";

/*
 * Simulated frames through the whole live chain without a browser: made in a worker, looked at in another, sent to a page's socket.
 * Prints losses, latency and memory at the start, every minute and at the end.
 * The page asks for frames in half of their size along either side, as a window of 1920 × 1080 does at the most; `--reduction 1` sends every pixel.
 * `node scripts/long-run.ts [--minutes 60] [--size 2448x2048] [--rate 30] [--reduction 2]`
 */

const MIB = 2 ** 20;
const WARM_UP_S = 5;

function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function options() {
  try {
    return parseArgs({
      options: {
        minutes: { type: "string", default: "60" },
        size: { type: "string", default: "2448x2048" },
        rate: { type: "string", default: "30" },
        reduction: { type: "string", default: "2" },
      },
    }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

const given = options();
const minutes = Number(given.minutes);
const rate = Number(given.rate);
const reduction = Number(given.reduction);
const size = SENSOR_SIZES.find((known) => known === given.size);
if (!(minutes > 0)) refuse(`--minutes ${given.minutes}: expected a number above 0`);
if (!(rate > 0 && rate <= 1000)) refuse(`--rate ${given.rate}: expected frames per second above 0, up to 1000`);
if (!(Number.isInteger(reduction) && reduction >= 1 && reduction <= 8)) {
  refuse(`--reduction ${given.reduction}: expected a whole number from 1 to 8`);
}
if (size === undefined) refuse(`--size ${given.size}: expected one of ${SENSOR_SIZES.join(", ")}`);

const line = (when: string, { memory, latency, loopDelay, ...figures }: LiveFigures): void => {
  const lost = `${figures.dropped} dropped, ${figures.passedOver} passed over of ${figures.begun}`;
  const times = `latency p50 ${latency.median_ms.toFixed(1)} p99 ${latency.p99_ms.toFixed(1)} ms`;
  const loop = `loop p99 ${loopDelay.p99_ms.toFixed(1)} max ${loopDelay.max_ms.toFixed(1)} ms, own work up to ${figures.longestWork_ms.toFixed(1)} ms`;
  const mib = (bytes: number): string => (bytes / MIB).toFixed(0);
  process.stdout.write(
    `${when.padEnd(9)} ${figures.frames_per_s.toFixed(1)} frames/s, ${lost}; ${times}; ${loop}; RSS ${mib(memory.rss)}, heap ${mib(memory.heapUsed)}, external ${mib(memory.external)} MiB\n`,
  );
};

const run = await startLiveRun({ size, interval_ms: 1000 / rate, reduction });
try {
  line("start", await run.during(WARM_UP_S));
  let dropped = 0;
  let passedOver = 0;
  let begun = 0;
  const medians_ms: number[] = [];
  const worst_ms: number[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    const figures = await run.during(60 * Math.min(1, minutes - minute));
    line(`minute ${minute + 1}`, figures);
    dropped += figures.dropped;
    passedOver += figures.passedOver;
    begun += figures.begun;
    medians_ms.push(figures.latency.median_ms);
    worst_ms.push(figures.latency.p99_ms);
  }
  process.stdout.write(
    `end       ${dropped} dropped and ${passedOver} passed over of ${begun} frames; latency p50 ${Math.min(...medians_ms).toFixed(1)} to ${Math.max(...medians_ms).toFixed(1)} ms, p99 up to ${Math.max(...worst_ms).toFixed(1)} ms\n`,
  );
} finally {
  await run.close();
}
