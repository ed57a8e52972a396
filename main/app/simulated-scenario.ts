import { randomScenario } from "../../simulators/world/random-scenario.ts";
import type { Scenario } from "../../simulators/world/scenario.ts";
import { SCENARIO_NAMES, scenarioNamed } from "../../simulators/world/scenarios.ts";
import { UsageError } from "./usage-error.ts";

const RANDOM = "random_scenario";

/**
 * The scenario that a command names; `random_scenario` is drawn from the seed.
 *
 * @throws UsageError with the names on offer when there is none of that name.
 */
export function simulatedScenario(name: string, seed: number): Scenario {
  const scenario = name === RANDOM ? randomScenario(seed) : scenarioNamed(name);
  if (scenario !== undefined) return scenario;
  throw new UsageError(`no scenario "${name}"; expected ${[...SCENARIO_NAMES, RANDOM].join(", ")}`);
}
