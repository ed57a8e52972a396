import { describe, expect, test } from "vitest";
import { InstrumentError } from "../../drivers/protocol/instrument-error.ts";
import type { ControlledStage } from "../../drivers/transport/controlled-stage.ts";
import { MemoryLink } from "../../drivers/transport/memory-link.ts";
import { FaultyLine, type LineFault } from "../../simulators/controllers/faulty-line.ts";
import type { SimulatedClock } from "../../simulators/instruments/clock.ts";
import {
  EMULATED_STAGES,
  type EmulatedStage,
  simulatedClock,
  type TestController,
} from "../support/emulated-stages.ts";

const FAULTS = 10_000;
/** Longest simulated time that any order may take, homing with all its retries included. */
const PATIENCE_ms = 900_000;

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

interface Tally {
  arrived: number;
  failed: Map<string, number>;
  faults: number;
  /** Farthest that the carriage was outside the soft limits while a move was under way. */
  beyond_mm: number;
}

/** Time between two looks at the true position. */
const SAMPLE_ms = 25;

class Session {
  readonly #emulated: EmulatedStage;
  readonly #random: () => number;
  readonly #clock: SimulatedClock = simulatedClock();
  readonly #controller: TestController;
  readonly #line: FaultyLine;
  readonly #link: MemoryLink;
  readonly #softMin_mm: number;
  readonly #softMax_mm: number;
  #stage: ControlledStage | undefined;
  readonly tally: Tally = { arrived: 0, failed: new Map(), faults: 0, beyond_mm: 0 };

  constructor(emulated: EmulatedStage, seed: number) {
    this.#emulated = emulated;
    this.#random = randomFrom(seed);
    this.#controller = emulated.makeController(this.#clock, "brisk");
    this.#line = new FaultyLine(this.#controller, this.#clock);
    this.#link = new MemoryLink(emulated.name, this.#line);
    // In the middle of the shortest of the stages.
    this.#softMin_mm = 8;
    this.#softMax_mm = 18;
  }

  async run(faults: number): Promise<void> {
    while (this.tally.faults < faults) {
      await this.#order();
    }
  }

  #between(low: number, high: number): number {
    return low + this.#random() * (high - low);
  }

  /** One order to the stage with a fault in it; afterwards everything must be as it was said to be. */
  async #order(): Promise<void> {
    const stage = await this.#readyStage();
    const target_mm = Math.round(this.#between(this.#softMin_mm - 0.5, this.#softMax_mm + 0.5) * 100) / 100;
    let ended = false;
    const move = this.#settled(stage.moveTo(target_mm)).finally(() => {
      ended = true;
    });
    const watch = this.#watch(() => ended);
    await this.#clock.wait(this.#between(0, 400));
    const stalls = this.#befall();
    const stopping = this.#random() < 0.1 ? this.#settled(stage.stop()) : undefined;
    const error = await move;
    await stopping;
    await watch;
    this.tally.failed.set(error?.code ?? "none", (this.tally.failed.get(error?.code ?? "none") ?? 0) + 1);
    if (error === undefined) {
      this.tally.arrived += 1;
      // A stage that says that it has arrived has arrived, whatever happened on the way.
      if (!stalls || this.#emulated.noticesStall) {
        expect(Math.abs(this.#controller.position_mm() - target_mm)).toBeLessThan(0.02);
      }
      expect(target_mm).toBeGreaterThanOrEqual(this.#softMin_mm - 0.001);
      expect(target_mm).toBeLessThanOrEqual(this.#softMax_mm + 0.001);
    }
    this.#line.mend();
    this.#controller.carriage.overshoot_mm = 0;
    this.#controller.free();
    this.#link.plug();
  }

  /** Connected and homed over a line without faults: nothing that happened before may prevent it. */
  async #readyStage(): Promise<ControlledStage> {
    // What was late has arrived, and a controller that started anew is there again.
    await this.#clock.wait(5000);
    const { softMin_mm, softMax_mm } = { softMin_mm: this.#softMin_mm, softMax_mm: this.#softMax_mm };
    this.#stage ??= await this.#emulated.open(this.#link, this.#clock, {
      softMin_mm,
      softMax_mm,
      poll_ms: 100,
    });
    const stage = this.#stage;
    await stage.reconnect();
    if (!(await stage.readState()).homed) {
      await stage.home();
    }
    const middle_mm = (softMin_mm + softMax_mm) / 2;
    await stage.moveTo(middle_mm);
    expect(Math.abs(this.#controller.position_mm() - middle_mm)).toBeLessThan(0.02);
    return stage;
  }

  /** Something goes wrong. Says whether it may keep an open-loop stage from moving without a trace. */
  #befall(): boolean {
    this.tally.faults += 1;
    const choice = this.#random();
    if (choice < 0.04) {
      this.#controller.powerCycle();
    } else if (choice < 0.08) {
      this.#link.unplug();
    } else if (choice < 0.12) {
      this.#controller.jam();
      return true;
    } else if (choice < 0.15) {
      this.#controller.carriage.overshoot_mm = this.#between(0.1, 4);
    } else {
      const direction = this.#random() < 0.5 ? "to-host" : "to-controller";
      this.#line.inject(direction, this.#lineFault());
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

  /** The error of an order; anything but an InstrumentError, or no end at all, fails the test. */
  async #settled(order: Promise<unknown>): Promise<InstrumentError | undefined> {
    const patience = new AbortController();
    const hung = this.#clock.wait(PATIENCE_ms, patience.signal).then(() => "hung");
    const outcome = await Promise.race([
      order.then(
        () => undefined,
        (error: unknown) => error,
      ),
      hung,
    ]);
    patience.abort();
    if (outcome !== undefined) {
      expect(outcome).toBeInstanceOf(InstrumentError);
    }
    return outcome as InstrumentError | undefined;
  }

  async #watch(hasEnded: () => boolean): Promise<void> {
    while (!hasEnded()) {
      const place_mm = this.#controller.position_mm();
      const beyond_mm = Math.max(this.#softMin_mm - place_mm, place_mm - this.#softMax_mm);
      this.tally.beyond_mm = Math.max(this.tally.beyond_mm, beyond_mm);
      await this.#clock.wait(SAMPLE_ms);
    }
  }
}

describe(`${FAULTS} random faults on line, plug, mechanics and power`, () => {
  const share = Math.ceil(FAULTS / EMULATED_STAGES.length);
  test.each(EMULATED_STAGES)("$name: no hang, no crash, no false arrival, no limit broken", async (emulated) => {
    const session = new Session(emulated, 20_240_607);
    await session.run(share);
    const { tally } = session;
    expect(tally.faults).toBe(share);
    // The excursion that the watch allows, what passes until it is seen twice, and the way to brake.
    expect(tally.beyond_mm).toBeLessThan(6);
    expect(tally.arrived).toBeGreaterThan(share / 4);
    // Each kind of ending was met.
    const codes = [...tally.failed.keys()];
    expect(codes).toEqual(expect.arrayContaining(["timed_out", "connection_lost", "cancelled", "out_of_range"]));
  });
});
