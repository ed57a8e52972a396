import { describe, expect, test } from "vitest";
import { BenchError } from "../../main/contract/error-codes.ts";
import type { LineFault } from "../../simulators/controllers/faulty-line.ts";
import { EMULATED_STAGES, type EmulatedStage } from "../support/emulated-stages.ts";
import { FaultyBench } from "../support/faulty-bench.ts";
import type { CameraTrouble } from "../support/troubled-camera.ts";

const FAULTS = 10_000;
/** Longest simulated time that any measurement may take, with all its retries. */
const PATIENCE_ms = 900_000;
/** Orders of one run; the fit after each measurement grows with their number. */
const RUN_ORDERS = 60;
/** In the middle of the shortest of the stages. */
const LIMITS = { z_min_mm: 8, z_max_mm: 18 };
const MIDDLE_mm = 13;
/** Time between two looks at the true position. */
const SAMPLE_ms = 25;

/** Uniform in [0, 1); the same sequence for the same seed (xorshift, 32 bits). */
function randomFrom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}

/** What became of a measurement: "measured", the refusal's code, or the instrument's own code. */
type Ending = string;

interface Tally {
  readonly endings: Map<Ending, number>;
  faults: number;
  /** Farthest that the carriage was outside the limits while somebody measured. */
  beyond_mm: number;
}

const TROUBLES: readonly CameraTrouble[] = [
  "stream stalls",
  "wrong pixel format",
  "frame from before the move",
  "incomplete frame",
];

class Ordeal {
  readonly #emulated: EmulatedStage;
  readonly #bench: FaultyBench;
  readonly #random: () => number;
  /** Measurements of the present run that were reported. */
  readonly #reported: string[] = [];
  readonly tally: Tally = { endings: new Map(), faults: 0, beyond_mm: 0 };

  private constructor(emulated: EmulatedStage, bench: FaultyBench, seed: number) {
    this.#emulated = emulated;
    this.#bench = bench;
    this.#random = randomFrom(seed);
  }

  static async begin(emulated: EmulatedStage, seed: number): Promise<Ordeal> {
    const stage = { softMin_mm: LIMITS.z_min_mm, softMax_mm: LIMITS.z_max_mm, poll_ms: 100 };
    return new Ordeal(emulated, await FaultyBench.open(emulated, { pace: "brisk", stage, limits: LIMITS }), seed);
  }

  async run(faults: number): Promise<void> {
    while (this.tally.faults < faults) {
      for (let order = 0; order < RUN_ORDERS && this.tally.faults < faults; order++) await this.#order();
      await this.#checkNothingIsLost();
      this.#reported.length = 0;
      await this.#bench.newRun(LIMITS);
    }
  }

  #between(low: number, high: number): number {
    return low + this.#random() * (high - low);
  }

  /** One measurement with a fault in it; afterwards everything must be as it was said to be. */
  async #order(): Promise<void> {
    const { controller, clock, camera, line, link } = this.#bench;
    await this.#makeReady();
    const target_mm = Math.round(this.#between(LIMITS.z_min_mm - 0.5, LIMITS.z_max_mm + 0.5) * 100) / 100;
    let ended = false;
    const measuring = this.#ending(this.#bench.measure(target_mm)).finally(() => {
      ended = true;
    });
    const watch = this.#watch(() => ended);
    await clock.wait(this.#between(0, 400));
    const stalls = this.#befall();
    const stopping = this.#random() < 0.1 ? this.#ending(this.#bench.stop()) : undefined;
    const { ending, measurement } = await measuring;
    await stopping;
    await watch;
    this.tally.endings.set(ending, (this.tally.endings.get(ending) ?? 0) + 1);
    if (measurement !== undefined) {
      this.#reported.push(measurement);
      // What was measured was measured there, whatever happened on the way.
      if (!stalls || this.#emulated.noticesStall) {
        expect(Math.abs(controller.position_mm() - target_mm)).toBeLessThan(0.02);
      }
      expect(target_mm).toBeGreaterThanOrEqual(LIMITS.z_min_mm - 0.001);
      expect(target_mm).toBeLessThanOrEqual(LIMITS.z_max_mm + 0.001);
    }
    line.mend();
    camera.trouble = undefined;
    controller.carriage.overshoot_mm = 0;
    controller.free();
    link.plug();
  }

  /** Connected and homed over a line without faults: nothing that happened before may prevent it. */
  async #makeReady(): Promise<void> {
    const { stage, clock, controller, session } = this.#bench;
    // What was late has arrived, and a controller that started anew is there again.
    await clock.wait(5000);
    await stage.reconnect();
    if (!(await stage.readState()).homed) await this.#bench.home();
    // The first act after a STOP that fell between two calls is refused, so that the agent hears of it.
    await this.#bench.moveTo(MIDDLE_mm).catch((error: unknown) => {
      if (!(error instanceof BenchError) || error.code !== "stopped") throw error;
      return this.#bench.moveTo(MIDDLE_mm);
    });
    expect(Math.abs(controller.position_mm() - MIDDLE_mm)).toBeLessThan(0.02);
    expect(session.snapshot()).toMatchObject({ state: "open" });
  }

  async #checkNothingIsLost(): Promise<void> {
    const kept = (await this.#bench.measurements()).map(({ measurement }) => measurement);
    expect(kept).toEqual(this.#reported);
    const logged = this.#bench.eventsOf("measurement_taken").map(({ measurement }) => measurement.measurement);
    expect(logged).toEqual(this.#reported);
    // A call that was made was answered, and its answer is in the log.
    expect(this.#bench.eventsOf("tool_returned")).toHaveLength(this.#bench.eventsOf("tool_called").length);
  }

  /** Something goes wrong. Says whether it may keep an open-loop stage from moving without a trace. */
  #befall(): boolean {
    const { controller, link, line, camera } = this.#bench;
    this.tally.faults += 1;
    const choice = this.#random();
    if (choice < 0.04) {
      controller.powerCycle();
    } else if (choice < 0.08) {
      link.unplug();
    } else if (choice < 0.12) {
      controller.jam();
      return true;
    } else if (choice < 0.15) {
      controller.carriage.overshoot_mm = this.#between(0.1, 4);
    } else if (choice < 0.22) {
      camera.trouble = TROUBLES[Math.floor(this.#random() * TROUBLES.length)];
    } else {
      line.inject(this.#random() < 0.5 ? "to-host" : "to-controller", this.#lineFault());
    }
    return false;
  }

  #lineFault(): LineFault {
    const at = Math.floor(this.#random() * 40);
    const faults: LineFault[] = [
      { kind: "drop", at },
      { kind: "double", at },
      { kind: "garble", at, mask: 1 << Math.floor(this.#random() * 8) },
      { kind: "half" },
      { kind: "silence", duration_ms: this.#between(20, 2500) },
      { kind: "late", duration_ms: this.#between(5, 1500) },
    ];
    return faults[Math.floor(this.#random() * faults.length)] as LineFault;
  }

  /** How a call ends; anything but a BenchError, or no end at all, fails the test. */
  async #ending(call: Promise<object>): Promise<{ ending: Ending; measurement?: string }> {
    const patience = new AbortController();
    const hung = this.#bench.clock.wait(PATIENCE_ms, patience.signal).then(() => "hung");
    const outcome = await Promise.race([
      call.then(
        (answer) => answer,
        (error: unknown) => error,
      ),
      hung,
    ]);
    patience.abort();
    if (outcome instanceof BenchError) {
      if (outcome.code !== "instrument_failed") return { ending: outcome.code };
      return { ending: /\((\w+)\)$/.exec(outcome.message)?.[1] ?? outcome.message };
    }
    expect(outcome).not.toBeInstanceOf(Error);
    expect(outcome).not.toBe("hung");
    const { measurement } = outcome as { measurement?: string };
    return { ending: "measured", ...(measurement === undefined ? {} : { measurement }) };
  }

  async #watch(hasEnded: () => boolean): Promise<void> {
    while (!hasEnded()) {
      const place_mm = this.#bench.controller.position_mm();
      const beyond_mm = Math.max(LIMITS.z_min_mm - place_mm, place_mm - LIMITS.z_max_mm);
      this.tally.beyond_mm = Math.max(this.tally.beyond_mm, beyond_mm);
      await this.#bench.clock.wait(SAMPLE_ms);
    }
  }
}

describe(`${FAULTS} random faults on line, plug, mechanics, power and camera while somebody measures`, () => {
  const share = Math.ceil(FAULTS / EMULATED_STAGES.length);
  test.each(EMULATED_STAGES)(
    "$name: no hang, no crash, no limit broken, no measurement false or lost",
    async (emulated) => {
      const ordeal = await Ordeal.begin(emulated, 20_240_607);
      await ordeal.run(share);
      const { tally } = ordeal;
      expect(tally.faults).toBe(share);
      // The excursion that the watch allows, what passes until it is seen twice, and the way to brake.
      expect(tally.beyond_mm).toBeLessThan(6);
      expect(tally.endings.get("measured")).toBeGreaterThan(share / 4);
      // Each kind of ending was met.
      const endings = [...tally.endings.keys()];
      const expected = ["timed_out", "connection_lost", "stopped", "out_of_limits", "wrong_format", "frame_lost"];
      expect(endings).toEqual(expect.arrayContaining(expected));
    },
  );
});
