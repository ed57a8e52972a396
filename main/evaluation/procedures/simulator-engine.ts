import { setImmediate } from "node:timers/promises";
import { randomScenario } from "../../../simulators/world/random-scenario.ts";
import type { Scenario } from "../../../simulators/world/scenario.ts";
import { SCENARIO_NAMES, scenarioNamed } from "../../../simulators/world/scenarios.ts";
import { SimulatedClock } from "../../../simulators/instruments/clock.ts";
import { createSimulatedRun, type SimulatedRunOptions, stillClock } from "../simulated-run.ts";
import type { ProcedureEngine, ProcedureWorld } from "./engine.ts";

/** Throws RangeError with the names on offer. */
export function scenarioOf({ scenario, seed }: ProcedureWorld): Scenario {
  const found = scenario === "random_scenario" ? randomScenario(seed) : scenarioNamed(scenario);
  if (found !== undefined) return found;
  throw new RangeError(`no scenario "${scenario}"; expected ${[...SCENARIO_NAMES, "random_scenario"].join(", ")}`);
}

/** The simulated bench, in simulated time. */
export function simulatorEngine(kernel?: SimulatedRunOptions["kernel"]): ProcedureEngine {
  return {
    name: "simulator",
    async open(world) {
      const clock = new SimulatedClock(() => setImmediate());
      const run = createSimulatedRun({
        scenario: scenarioOf(world),
        seed: world.seed,
        clock,
        hostClock: stillClock,
        journal: { append: () => undefined },
        ...(kernel === undefined ? {} : { kernel }),
      });
      const session = await run.offer.open();
      return { session, now_ms: () => clock.now_ms(), close: () => run.close() };
    },
  };
}
