import type { ControlledStage } from "../../drivers/transport/controlled-stage.ts";
import { MemoryLink } from "../../drivers/transport/memory-link.ts";
import type { StageOptions } from "../../drivers/transport/stage-options.ts";
import type { BenchSession } from "../../main/bench/bench-session.ts";
import { createCanary } from "../../main/bench/canary.ts";
import { createBenchSession } from "../../main/bench/session.ts";
import type { Caller } from "../../main/contract/bench-verbs.ts";
import { BenchError } from "../../main/contract/error-codes.ts";
import { type BenchEvent, benchEventSchema } from "../../main/contract/events.ts";
import type { Measurement, ToolOutput } from "../../main/contract/tools.ts";
import { stillClock } from "../../main/evaluation/simulated-run.ts";
import { FaultyLine } from "../../simulators/controllers/faulty-line.ts";
import { SimulatedCamera } from "../../simulators/instruments/camera.ts";
import { worldHere } from "../../simulators/instruments/world-port.ts";
import type { SimulatedClock } from "../../simulators/instruments/clock.ts";
import { SimulatedShutter } from "../../simulators/instruments/shutter.ts";
import { SCENARIOS } from "../../simulators/world/scenarios.ts";
import { createSensor } from "../../simulators/world/sensor.ts";
import { World } from "../../simulators/world/world.ts";
import { TroubledCamera } from "./troubled-camera.ts";
import { type EmulatedStage, simulatedClock, type TestController } from "./emulated-stages.ts";

export const AGENT: Caller = { kind: "agent", name: "agent", id: "a" };
export const OPERATOR: Caller = { kind: "operator", name: "operator", id: "o" };

export interface FaultyBenchOptions {
  readonly pace?: "brisk";
  readonly stage?: StageOptions;
  readonly limits?: { readonly z_min_mm?: number; readonly z_max_mm?: number };
}

/**
 * A bench session over the driver of an emulated stage, with a line, a plug, mechanics and a camera on which things go
 * wrong when they are told to; in simulated time. Bench coordinates are those of the carriage.
 */
export class FaultyBench {
  readonly clock: SimulatedClock = simulatedClock();
  readonly controller: TestController;
  readonly line: FaultyLine;
  readonly link: MemoryLink;
  readonly #light: SimulatedCamera;
  #camera: TroubledCamera | undefined;
  readonly events: BenchEvent[] = [];
  readonly #shutter: SimulatedShutter;
  #stage: ControlledStage | undefined;
  #session: BenchSession | undefined;

  private constructor(emulated: EmulatedStage, pace: FaultyBenchOptions["pace"]) {
    const { clock } = this;
    this.controller = emulated.makeController(clock, pace);
    this.line = new FaultyLine(this.controller, clock);
    this.link = new MemoryLink(emulated.name, this.line);
    this.#shutter = new SimulatedShutter(clock);
    // Wide and slowly divergent, so that its width can be measured anywhere on a rail of any length.
    const axis = { w0_um: 200, m2: 1, z0_mm: 60 };
    const scenario = { ...SCENARIOS.clean, x: axis, y: axis, power_counts_per_ms: 3e5 };
    // Few and large pixels, so that ten thousand frames cost little.
    const world = new World(scenario, { ...createSensor(), width_px: 80, height_px: 64, pixelPitch_um: 20 }, 1);
    this.#light = new SimulatedCamera(worldHere(world), clock, {
      position_mm: () => this.controller.position_mm(),
      beamBlocked: () => !this.#shutter.isOpen,
    });
  }

  static async open(emulated: EmulatedStage, options: FaultyBenchOptions = {}): Promise<FaultyBench> {
    const bench = new FaultyBench(emulated, options.pace);
    bench.#stage = await emulated.open(bench.link, bench.clock, options.stage);
    bench.#camera = await TroubledCamera.open(bench.#light, bench.clock);
    await bench.newRun(options.limits);
    return bench;
  }

  /** Another run on the same instruments. */
  async newRun(limits: FaultyBenchOptions["limits"] = {}): Promise<void> {
    await this.#session?.close("abandoned");
    const { clock, camera, stage } = this;
    this.events.length = 0;
    this.#session = await createBenchSession({
      bench: "bench-1",
      instruments: { stage, camera: camera.driver, shutter: this.#shutter },
      wavelength_nm: 632.8,
      clock,
      hostClock: stillClock,
      limits,
      journal: { append: (event) => void this.events.push(benchEventSchema.parse(JSON.parse(JSON.stringify(event)))) },
      newHandle: () => "handle",
      canary: createCanary("test"),
    });
  }

  get stage(): ControlledStage {
    if (this.#stage === undefined) throw new TypeError("not open");
    return this.#stage;
  }

  get camera(): TroubledCamera {
    if (this.#camera === undefined) throw new TypeError("not open");
    return this.#camera;
  }

  get session(): BenchSession {
    if (this.#session === undefined) throw new TypeError("not open");
    return this.#session;
  }

  /** The operator takes the bench, has it homed, and gives it back. */
  async home(): Promise<void> {
    await this.session.takeOver(OPERATOR);
    await this.session.home(OPERATOR);
    this.session.giveBack(OPERATOR);
  }

  async measure(z_mm: number): Promise<Measurement> {
    const input = { run: this.session.handle, z_mm, exposure_ms: 1, frames: 1, reason: "because" };
    return (await this.session.verbs.measure_at(input, { caller: AGENT })) as ToolOutput<"measure_at"> & Measurement;
  }

  async moveTo(z_mm: number): Promise<void> {
    const input = { run: this.session.handle, z_mm, reason: "because" };
    await this.session.verbs.move_to(input, { caller: AGENT });
  }

  stop(caller = OPERATOR): Promise<ToolOutput<"stop">> {
    return this.session.verbs.stop({ run: this.session.handle, reason: "because" }, { caller });
  }

  /** Everything that was reported and can still be had. */
  async measurements(): Promise<readonly Measurement[]> {
    const status = await this.session.verbs.bench_status({ run: this.session.handle }, { caller: OPERATOR });
    return status.measurements ?? [];
  }

  eventsOf<Type extends BenchEvent["type"]>(type: Type): Extract<BenchEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<BenchEvent, { type: Type }> => event.type === type);
  }
}

/** The refusal of a call; anything else than a `BenchError` is a fault of the program. */
export async function refusalOf(call: Promise<unknown>): Promise<BenchError | undefined> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome === undefined || outcome instanceof BenchError) return outcome;
  throw outcome instanceof Error ? outcome : new TypeError("something that is no error was thrown");
}
