/*
 * Prints how the scripted operator does on mystery beams: its verdict against the oracle's, the error of M² and how often the
 * stated uncertainty holds the truth. Usage: node scripts/mystery-beams.ts [first seed] [beams] [scenario, default random_scenario]
 */
import { fastestFrameLoops } from "../main/app/frame-loops.ts";
import { SCRIPTS } from "../main/contenders/index.ts";
import type { BenchEvent } from "../main/contract/events.ts";
import { driveBench } from "../main/evaluation/drive.ts";
import { createSimulatedRun } from "../main/evaluation/simulated-run.ts";
import { oracleVerdict } from "../simulators/world/oracle.ts";
import { randomScenario } from "../simulators/world/random-scenario.ts";
import type { Scenario } from "../simulators/world/scenario.ts";
import { scenarioNamed } from "../simulators/world/scenarios.ts";
import { createSensor } from "../simulators/world/sensor.ts";

const first = Number(process.argv[2] ?? 30_000);
const beams = Number(process.argv[3] ?? 300);
const name = process.argv[4] ?? "random_scenario";
const named = name === "random_scenario" ? undefined : scenarioNamed(name);
if (named === undefined && name !== "random_scenario") throw new Error(`there is no scenario ${name}`);
const scenarioOf = (seed: number): Scenario => named ?? randomScenario(seed);
const { scripted } = SCRIPTS;
if (scripted === undefined) throw new Error("there is no scripted operator");

let right = 0;
const errors: number[] = [];
const pulls: number[] = [];
for (let seed = first; seed < first + beams; seed++) {
  const events: BenchEvent[] = [];
  const run = createSimulatedRun({
    ...fastestFrameLoops(),
    scenario: scenarioOf(seed),
    seed,
    journal: { append: (event) => void events.push(event) },
  });
  let failure = "";
  try {
    await driveBench({ offer: run.offer, contender: scripted });
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  const expected = oracleVerdict(run.truth, { travelMin_mm: 0, travelMax_mm: 250 }, createSensor());
  const finished = events.find((event) => event.type === "finished");
  if (finished?.verdict === expected) right++;
  else
    console.log(
      `seed ${seed}: ${finished?.verdict ?? failure} where ${expected} is expected. ${finished?.explanation ?? ""}`,
    );
  if (finished === undefined || finished.verdict === "waist_not_accessible") continue;
  for (const axis of ["x", "y"] as const) {
    const fit = finished[axis];
    if (!fit.determined) continue;
    errors.push(Math.abs(fit.m2 / run.truth[axis].m2 - 1));
    pulls.push(Math.abs(fit.m2 - run.truth[axis].m2) / fit.u_m2);
  }
}
errors.sort((a, b) => a - b);
const percent = (value: number) => `${(100 * value).toFixed(2)} %`;
const within = (limit: number) => percent(pulls.filter((pull) => pull <= limit).length / pulls.length);
console.log(`verdict as the oracle's: ${right} of ${beams} (${percent(right / beams)})`);
console.log(
  `|M² error|: median ${percent(errors[Math.floor(errors.length / 2)] ?? 0)}, largest ${percent(errors.at(-1) ?? 0)}`,
);
console.log(`truth within ± 1 u: ${within(1)}, within ± 2 u: ${within(2)} of ${pulls.length} axes`);
