import { setImmediate } from "node:timers/promises";
import { orient, orientedSize } from "../../../drivers/instruments/genicam/orientation.ts";
import type { Cancellation } from "../../../drivers/protocol/cancellation.ts";
import type { Frame } from "../../../drivers/protocol/frame.ts";
import type { OpenWorld } from "../../../simulators/instruments/simulated-bench.ts";
import { type WorldPort, worldHere } from "../../../simulators/instruments/world-port.ts";
import { createSensor } from "../../../simulators/world/sensor.ts";
import { World } from "../../../simulators/world/world.ts";
import type { FrameWork } from "../../bench/frame-work.ts";
import { BenchError } from "../../contract/error-codes.ts";
import type { StoredRun } from "../../store/run-folder.ts";
import { fastestReadout } from "../frame-loops.ts";
import { programVersion } from "../program-version.ts";
import type { RecordedExposures } from "./recorded-exposures.ts";
import { type RecordedLight, recordedLight } from "./recorded-light.ts";

/** Room for six frames of the largest sensor. */
const MOST_KEPT_BYTES = 64 * 2 ** 20;
/** A light path that nobody asks for any more is closed after so long. */
const IDLE_MS = 10_000;

export interface MakingAgainOptions {
  /** What hashes frames and averages darks. */
  readonly work: Pick<FrameWork, "hash" | "averageDark">;
  /** Where the light path is computed. Default: in this thread. */
  readonly openWorld?: OpenWorld;
}

const openWorldHere: OpenWorld = (scenario, sensor, seed) =>
  worldHere(new World(scenario, sensor, seed, fastestReadout().readOut));

interface OpenLight {
  readonly run: StoredRun;
  readonly light: RecordedLight;
  readonly world: WorldPort;
}

interface MadeFrame {
  readonly run: StoredRun;
  readonly id: string;
  readonly index: number;
  readonly frame: Frame;
}

/**
 * Frames of simulated runs that were not kept, made again from what the run's folder tells: a simulated frame is a function of scenario,
 * seed, sensor, place, exposure and the numbers of measurement and frame. None is handed out before all frames of its measurement together
 * had the recorded SHA-256, or the average of its dark the recorded counts and noise.
 */
export class FramesMadeAgain {
  readonly #work: MakingAgainOptions["work"];
  readonly #openWorld: OpenWorld;
  /** The one used last stands at the end. */
  readonly #made: MadeFrame[] = [];
  /** Measurements and darks that came out as recorded. */
  readonly #proven = new WeakMap<StoredRun, Set<string>>();
  #open: OpenLight | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** The request before; one at a time, so that each has the light path for itself. */
  #before: Promise<unknown> = Promise.resolve();

  constructor({ work, openWorld = openWorldHere }: MakingAgainOptions) {
    this.#work = work;
    this.#openWorld = openWorld;
  }

  /**
   * One frame of a measurement or dark. Rejects with BenchError `not_offered` where the run's light cannot be had again, and
   * `not_reproduced` where it gives other frames than were recorded.
   *
   * @param index from 0
   */
  frame(run: StoredRun, exposures: RecordedExposures, index: number, cancellation?: Cancellation): Promise<Frame> {
    const made = this.#before.then(() => this.#frame(run, exposures, index, cancellation));
    this.#before = made.catch(() => undefined);
    return made;
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#open?.world.close();
    this.#open = undefined;
    this.#made.length = 0;
  }

  async #frame(
    run: StoredRun,
    exposures: RecordedExposures,
    index: number,
    cancellation: Cancellation | undefined,
  ): Promise<Frame> {
    if (cancellation?.aborted === true) throw cancellation.reason;
    const { id } = exposures;
    const at = this.#made.findIndex((one) => one.run === run && one.id === id && one.index === index);
    const known = this.#made.splice(at, at === -1 ? 0 : 1)[0];
    const frame = known?.frame ?? (await this.#makeAndProve(run, exposures, index, cancellation));
    this.#made.push({ run, id, index, frame });
    let bytes = this.#made.reduce((sum, one) => sum + one.frame.samples.byteLength, 0);
    while (bytes > MOST_KEPT_BYTES && this.#made.length > 1) bytes -= this.#made.shift()?.frame.samples.byteLength ?? 0;
    return frame;
  }

  async #makeAndProve(
    run: StoredRun,
    exposures: RecordedExposures,
    index: number,
    cancellation: Cancellation | undefined,
  ): Promise<Frame> {
    const { id, count } = exposures;
    const open = this.#lightOf(run, id);
    const proven = this.#proven.get(run) ?? new Set();
    this.#proven.set(run, proven);
    const isProven = proven.has(id);
    const frames: Frame[] = [];
    try {
      for (let number = isProven ? index : 0; number < (isProven ? index + 1 : count); number++) {
        if (cancellation?.aborted === true) throw cancellation.reason;
        frames.push(await expose(open, exposures, number));
        // A light path in this thread lets calls in between.
        await setImmediate();
      }
      const asked = frames[isProven ? 0 : index];
      if (asked === undefined) throw new RangeError(`frame ${index} of ${count}`);
      if (!isProven) {
        const difference = await this.#difference(exposures, frames, cancellation);
        if (difference !== undefined) throw notReproduced(open, id, difference);
        proven.add(id);
      }
      asked.memory?.keep();
      const { memory: _kept, ...frame } = asked;
      return frame;
    } finally {
      for (const { memory } of frames) memory?.release();
      this.#closeWhenIdle();
    }
  }

  /** What of the frames is not as recorded, in words; undefined where all is. */
  async #difference(
    { taken }: RecordedExposures,
    frames: readonly Frame[],
    cancellation: Cancellation | undefined,
  ): Promise<string | undefined> {
    if (taken.type === "measurement_taken") {
      const now = await this.#work.hash(frames, cancellation);
      const then = taken.frames_sha256;
      return now === then ? undefined : `their SHA-256 is ${now.slice(0, 12)}…, and ${then.slice(0, 12)}… is recorded`;
    }
    const { reference, mean_counts } = await this.#work.averageDark(frames, cancellation);
    const { dark } = taken;
    if (mean_counts === dark.mean_counts && reference.noise_counts === dark.noise_counts) return undefined;
    return `their mean is ${mean_counts} counts with a noise of ${reference.noise_counts}, and ${dark.mean_counts} with ${dark.noise_counts} is recorded`;
  }

  #lightOf(run: StoredRun, id: string): OpenLight {
    clearTimeout(this.#idle);
    if (this.#open?.run === run) return this.#open;
    this.#open?.world.close();
    this.#open = undefined;
    const light = recordedLight(run);
    if (light.kind === "none") {
      throw new BenchError(
        "not_offered",
        `the frames of ${id} were not kept and cannot be made again: ${light.why}`,
        "Its numbers are in the table.",
      );
    }
    this.#open = { run, light, world: this.#openWorld(light.scenario, createSensor(light.sensor), light.seed) };
    return this.#open;
  }

  #closeWhenIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#open?.world.close();
      this.#open = undefined;
    }, IDLE_MS);
    this.#idle.unref();
  }
}

async function expose(
  { light, world }: OpenLight,
  { exposure, exposure_ms, t_ms }: RecordedExposures,
  frame: number,
): Promise<Frame> {
  const { width_px: width, height_px: height, bitDepth } = world.sensor;
  const { transpose = false, flip_x = false, flip_y = false } = light.orientation;
  const orientation = { transpose, mirrorColumns: flip_x, mirrorRows: flip_y };
  const { samples, memory } = await world.expose({ ...exposure, frame });
  const turned = orient(samples, width, orientation);
  if (turned !== samples) memory?.release();
  const size = orientedSize({ width, height }, orientation);
  return {
    width_px: size.width,
    height_px: size.height,
    samples: turned,
    bitDepth,
    exposure_ms,
    startedAt_ms: t_ms,
    sequence: frame,
    simulated: true,
    ...(turned === samples && memory !== undefined ? { memory } : {}),
  };
}

/** Says what differs, and which versions of the program made the run and the frames. */
function notReproduced({ run, light }: OpenLight, id: string, difference: string): BenchError {
  const then = run.record.versions["caustic"];
  const isOther = then !== undefined && then !== programVersion();
  return new BenchError(
    "not_reproduced",
    `the frames of ${id} were not kept, and made again they are not the recorded ones: ${difference}. ${whyOther(then, light)}.`,
    isOther ? `Open the run with version ${then}.` : "Its numbers are in the table.",
  );
}

function whyOther(then: string | undefined, { isPlaceExact }: RecordedLight): string {
  const now = programVersion();
  if (then === undefined) return `This is version ${now} of the program, and the run does not say which one made it`;
  if (then !== now) return `Version ${then} of the program made the run, and this is version ${now}`;
  return isPlaceExact
    ? `Version ${now} of the program made both, so its simulator, or the run's scenario, seed or journal, was changed since`
    : "The stage of this bench is not the simulator's own, and may have stood beside the place that it read";
}
