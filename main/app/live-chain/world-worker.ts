import { workerData } from "node:worker_threads";
import type { Scenario } from "../../../simulators/world/scenario.ts";
import type { Sensor } from "../../../simulators/world/sensor.ts";
import { World, type WorldExposure } from "../../../simulators/world/world.ts";
import { fastestReadout } from "../frame-loops.ts";
import { answerRequests } from "./worker-module.ts";

/** What a worker is told of its world as it starts. */
export interface WorldData {
  readonly scenario: Scenario;
  readonly sensor: Sensor;
  readonly seed: number;
}

/** One exposure, and the shared memory that its counts go to. */
export interface WorldRequest {
  readonly exposure: WorldExposure;
  readonly samples: Uint16Array;
}

// A worker that is the light path of one bench.
const { scenario, sensor, seed } = workerData as WorldData;
const world = new World(scenario, sensor, seed, fastestReadout().readOut);
answerRequests<WorldRequest, undefined>(({ exposure, samples }) => {
  world.expose(exposure, samples);
  return undefined;
});
