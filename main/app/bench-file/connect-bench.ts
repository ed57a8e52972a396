import { setImmediate } from "node:timers/promises";
import type { BeamCamera } from "../../../drivers/protocol/beam-camera.ts";
import type { Clock } from "../../../drivers/protocol/clock.ts";
import { InstrumentError } from "../../../drivers/protocol/instrument-error.ts";
import type { Stage } from "../../../drivers/protocol/stage.ts";
import { SimulatedCamera } from "../../../simulators/instruments/camera.ts";
import { worldHere } from "../../../simulators/instruments/world-port.ts";
import { SimulatedClock } from "../../../simulators/instruments/clock.ts";
import { SimulatedShutter } from "../../../simulators/instruments/shutter.ts";
import { SimulatedStage } from "../../../simulators/instruments/stage.ts";
import { createSensor } from "../../../simulators/world/sensor.ts";
import { World } from "../../../simulators/world/world.ts";
import type {
  BenchFile,
  ControlledStageEntry,
  GenicamCameraEntry,
  SimulatedCameraEntry,
} from "../../contract/bench-file.ts";
import { fastestReadout } from "../frame-loops.ts";
import type { LiveChain } from "../live-chain/live-chain.ts";
import { RealClock } from "../real-clock.ts";
import { simulatedScenario } from "../simulated-scenario.ts";
import { isEmulated, startEmulatedStage } from "./emulated-address.ts";
import { given } from "./given.ts";
import { isEmulatedCamera, openConfiguredCamera, startEmulatedCamera, type Surroundings } from "./open-camera.ts";
import { type OpenStageOptions, openConfiguredStage } from "./open-stage.ts";
import { OrientedCamera } from "./oriented-camera.ts";
import { OperatorShutter, StageShutter, type WatchedShutter } from "./shutters.ts";
import { WatchedStage } from "./watched-stage.ts";

/** The instruments of a bench file, connected. */
export interface ConnectedBench {
  readonly stage: Stage;
  readonly camera: BeamCamera;
  /** Absent where a person blocks the beam and nobody can be asked here. */
  readonly shutter: WatchedShutter | undefined;
  readonly clock: Clock;
  /** True where any instrument is simulated or emulated: nothing measured on such a bench may look real. */
  readonly simulated: boolean;
  /** Tells simulated light that a person has blocked the beam. */
  beamBlockedByHand: boolean;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Asks a person at this terminal; resolves when they say that it is done. */
  readonly ask?: (request: string) => Promise<void>;
  /** All-simulated benches run paced like real ones. */
  readonly realTime?: boolean;
  /** Where frames are looked at, and in whose memory they come. Default: in this thread. */
  readonly chain?: LiveChain;
  /** Takes every exchange with the stage as a line of JSON. */
  readonly record?: (line: string) => void;
}

/** What the file alone tells of that; an emulated camera is known only once it answers. */
export function isSimulatedBench({ instruments }: BenchFile): boolean {
  const { stage, camera } = instruments;
  return camera.driver === "simulated" || stage.driver === "simulated" || isEmulated(stage) || isEmulatedCamera(camera);
}

/** True where nothing that moves or exposes is real, so that time need not pass. */
function isTimeless({ instruments: { stage, camera, shutter } }: BenchFile): boolean {
  return stage.driver === "simulated" && camera.driver === "simulated" && shutter?.driver !== "stage";
}

/**
 * Connects to every instrument of the bench. Nothing moves. What was opened is closed again when one fails.
 *
 * @throws InstrumentError of the instrument that failed; UsageError where the file asks for what there is not.
 */
export async function connectBench(file: BenchFile, options: ConnectOptions = {}): Promise<ConnectedBench> {
  const clock =
    isTimeless(file) && options.realTime !== true ? new SimulatedClock(() => setImmediate()) : new RealClock();
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of opened.splice(0).reverse()) await end().catch(() => undefined);
  };
  try {
    return await new Connecting(file, options, clock, opened).bench(close);
  } catch (error) {
    await close();
    throw error;
  }
}

class Connecting {
  readonly #file: BenchFile;
  readonly #options: ConnectOptions;
  readonly #clock: Clock;
  readonly #opened: (() => Promise<void>)[];

  constructor(file: BenchFile, options: ConnectOptions, clock: Clock, opened: (() => Promise<void>)[]) {
    this.#file = file;
    this.#options = options;
    this.#clock = clock;
    this.#opened = opened;
  }

  async bench(close: () => Promise<void>): Promise<ConnectedBench> {
    const { stage, position_mm } = await this.#stage();
    const shutter = await this.#shutter();
    const surroundings = {
      position_mm,
      beamBlocked: (): boolean => bench.beamBlockedByHand || shutter?.isOpen === false,
    };
    const camera = await this.#camera(surroundings);
    const simulated = isSimulatedBench(this.#file) || stage.info.simulated || camera.info.simulated;
    const bench: ConnectedBench = {
      stage,
      camera,
      shutter,
      clock: this.#clock,
      simulated,
      beamBlockedByHand: false,
      close,
    };
    return bench;
  }

  async #stage(): Promise<{ stage: Stage; position_mm: () => number }> {
    const { instruments, limits, keep_out_zones } = this.#file;
    const entry = instruments.stage;
    if (entry.driver === "simulated") {
      const stage = new SimulatedStage(this.#clock);
      return { stage, position_mm: () => stage.encoder_mm() };
    }
    const { record } = this.#options;
    const { stage, truth_mm } = await this.#controlled(entry, given({ limits, keepOutZones: keep_out_zones, record }));
    if (truth_mm !== undefined) return { stage, position_mm: truth_mm };
    // A simulated camera on a real stage stands where that was last seen.
    const watched = new WatchedStage(stage);
    return { stage: watched, position_mm: () => watched.seen_mm };
  }

  async #controlled(
    entry: ControlledStageEntry,
    options: OpenStageOptions,
  ): Promise<{ stage: Stage; truth_mm?: () => number }> {
    if (!isEmulated(entry)) {
      const stage = await openConfiguredStage(entry, this.#clock, options);
      this.#opened.push(() => stage.close());
      return { stage };
    }
    const line = await startEmulatedStage(entry, this.#clock);
    this.#opened.push(() => line.close());
    const stage = await openConfiguredStage(entry, this.#clock, { ...options, address: line.address });
    this.#opened.push(() => stage.close());
    return { stage, truth_mm: () => line.position_mm() };
  }

  async #shutter(): Promise<WatchedShutter | undefined> {
    const entry = this.#file.instruments.shutter ?? { driver: "operator" };
    switch (entry.driver) {
      case "simulated":
        return new SimulatedShutter(this.#clock);
      case "operator": {
        const { ask } = this.#options;
        return ask === undefined ? undefined : new OperatorShutter(ask);
      }
      case "stage": {
        const { open_mm, closed_mm } = entry;
        const { stage } = await this.#controlled(entry.stage, { role: "shutter" });
        const { travelMin_mm, travelMax_mm, model } = stage.info;
        for (const place_mm of [open_mm, closed_mm]) {
          if (place_mm >= travelMin_mm && place_mm <= travelMax_mm) continue;
          throw new InstrumentError(
            "out_of_range",
            `${model} (shutter)`,
            `${place_mm} mm lies outside its travel of ${travelMin_mm} to ${travelMax_mm} mm`,
            { value: place_mm, unit: "mm" },
            "correct open_mm and closed_mm in the bench file",
          );
        }
        return new StageShutter(stage, { open_mm, closed_mm });
      }
    }
  }

  async #camera(surroundings: Surroundings): Promise<BeamCamera> {
    const { instruments, orientation = {} } = this.#file;
    const entry = instruments.camera;
    const camera =
      entry.driver === "simulated"
        ? new OrientedCamera(this.#simulatedCamera(entry, surroundings), orientation)
        : await this.#genicamCamera(entry, surroundings);
    this.#opened.push(() => camera.close());
    return camera;
  }

  #simulatedCamera(
    { scenario, seed, sensor: size, pixel_format: pixelFormat }: SimulatedCameraEntry,
    surroundings: Surroundings,
  ): BeamCamera {
    const sensor = createSensor(given({ size, pixelFormat }));
    const { chain } = this.#options;
    const light = simulatedScenario(scenario, seed);
    const world =
      chain?.openWorld(light, sensor, seed) ?? worldHere(new World(light, sensor, seed, fastestReadout().readOut));
    return new SimulatedCamera(world, this.#clock, surroundings);
  }

  async #genicamCamera(entry: GenicamCameraEntry, surroundings: Surroundings): Promise<BeamCamera> {
    const { orientation, pixel_pitch_um: pixelPitch_um } = this.#file;
    if (pixelPitch_um === undefined) throw new TypeError("a file without the pitch of its camera passed the schema");
    const room = this.#options.chain?.openRoom();
    const place = { ...given({ orientation, room }), pixelPitch_um, clock: this.#clock };
    if (!isEmulatedCamera(entry)) return openConfiguredCamera(entry, place);
    const server = await startEmulatedCamera(entry.address ?? "", this.#clock, surroundings);
    this.#opened.push(() => server.close());
    return openConfiguredCamera({ ...entry, address: server.address }, place);
  }
}
