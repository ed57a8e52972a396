import type { BeamCamera } from "../../drivers/protocol/beam-camera.ts";
import type { BeamShutter } from "../../drivers/protocol/beam-shutter.ts";
import type { Clock } from "../../drivers/protocol/clock.ts";
import type { Stage } from "../../drivers/protocol/stage.ts";
import type { ReadoutLoop } from "../world/exposure.ts";
import type { BeamFault, Scenario } from "../world/scenario.ts";
import { createSensor, type Sensor, type SensorChoice } from "../world/sensor.ts";
import { type BeamTruth, beamTruth, WAVELENGTH_nm } from "../world/truth.ts";
import { World } from "../world/world.ts";
import { SimulatedCamera } from "./camera.ts";
import { SimulatedShutter } from "./shutter.ts";
import { SimulatedStage } from "./stage.ts";
import { type WorldPort, worldHere } from "./world-port.ts";

export interface SimulatedBenchOptions {
  readonly scenario: Scenario;
  /** Any safe integer; decides every deviate of the bench. */
  readonly seed: number;
  readonly clock: Clock;
  readonly sensor?: SensorChoice;
  /** On top of the scenario's own, as a plan adds a fault to a known scenario. */
  readonly faults?: readonly BeamFault[];
  /** Which loop fills the frames; all give the same counts. Default: the plain one. */
  readonly readOut?: ReadoutLoop;
  /** Where the light path is computed. Default: in this thread. */
  readonly openWorld?: OpenWorld;
}

/** Begins a light path; the arguments are those of `World`. */
export type OpenWorld = (scenario: Scenario, sensor: Sensor, seed: number) => WorldPort;

/** The instruments of one bench over one world. */
export interface SimulatedBench {
  readonly stage: Stage;
  readonly camera: BeamCamera;
  readonly shutter: BeamShutter;
  /** For the bench's description; the operator of a real bench knows it too. */
  readonly wavelength_nm: number;
  /** For graders alone. */
  readonly truth: BeamTruth;
}

/** A stage, a camera on it and a shutter before it, in the light of a scenario. */
export function createSimulatedBench(options: SimulatedBenchOptions): SimulatedBench {
  const { seed, clock, faults = [] } = options;
  const scenario = { ...options.scenario, faults: [...options.scenario.faults, ...faults] };
  const here: OpenWorld = (ofScenario, sensor, ofSeed) =>
    worldHere(new World(ofScenario, sensor, ofSeed, options.readOut));
  const world = (options.openWorld ?? here)(scenario, createSensor(options.sensor), seed);
  const stage = new SimulatedStage(clock);
  const shutter = new SimulatedShutter(clock);
  const camera = new SimulatedCamera(world, clock, {
    position_mm: () => stage.encoder_mm(),
    beamBlocked: () => !shutter.isOpen,
  });
  return { stage, camera, shutter, wavelength_nm: WAVELENGTH_nm, truth: beamTruth(scenario) };
}
