import type { BenchCase, Plan, PlanCase, PlanGroup } from "../contract/plan.ts";
import type { Verdict } from "../contract/vocabulary.ts";
import { oracleVerdict } from "../../simulators/world/oracle.ts";
import { randomScenario } from "../../simulators/world/random-scenario.ts";
import type { BeamFault, Scenario } from "../../simulators/world/scenario.ts";
import { scenarioNamed } from "../../simulators/world/scenarios.ts";
import { createSensor } from "../../simulators/world/sensor.ts";
import { type BeamTruth, beamTruth } from "../../simulators/world/truth.ts";
import { planProblems } from "./plan-problems.ts";

/** The rail that the oracle judges by; the simulated stage has the same. */
const STAGE = { travelMin_mm: 0, travelMax_mm: 250 };

/** How many seeds are tried for a stratum before the plan is called impossible. */
const MOST_DRAWS = 100_000;

interface AnyCase {
  readonly group: string;
  readonly held_out: boolean;
  readonly contenders: readonly string[];
}

/** A case in a simulated world: its light, its truth and what is expected of it. */
export interface SimulatedCase extends AnyCase {
  readonly on: "simulator";
  readonly planned: PlanCase;
  readonly scenario: Scenario;
  readonly truth: BeamTruth;
  /** What the geometry alone allows; a fault may change what is expected. */
  readonly oracle: Verdict;
  readonly expected: Verdict;
}

/** A case on whatever bench is given: of its beam nobody knows more than the plan's reference says, where there is one. */
export interface CaseOnBench extends AnyCase {
  readonly on: "bench";
  readonly planned: BenchCase;
  /** Undefined where nothing says which verdict is right. */
  readonly expected: Verdict | undefined;
}

/** A case ready to run. */
export type EvaluationCase = SimulatedCase | CaseOnBench;

/** A plan that cannot be carried out as written; the message names the case and what is wrong. */
export class PlanError extends Error {
  override readonly name = "PlanError";
}

function scenarioOf(planned: PlanCase): Scenario {
  const base = planned.scenario === "random_scenario" ? randomScenario(planned.seed) : scenarioNamed(planned.scenario);
  if (base === undefined) {
    throw new PlanError(`case ${planned.case}: there is no scenario "${planned.scenario}"`);
  }
  const faults: BeamFault[] = [...base.faults, ...((planned.faults ?? []) as BeamFault[])];
  return { ...base, faults };
}

/** A case with its world and its truth. Throws `PlanError` where there is no such scenario. */
export function makeCase(
  group: Pick<PlanGroup, "group" | "held_out" | "contenders">,
  planned: PlanCase,
): SimulatedCase {
  const scenario = scenarioOf(planned);
  const truth = beamTruth(scenario);
  const oracle = oracleVerdict(truth, STAGE, createSensor());
  const expected = planned.expected ?? oracle;
  return {
    on: "simulator",
    group: group.group,
    held_out: group.held_out,
    contenders: group.contenders,
    planned,
    scenario,
    truth,
    oracle,
    expected,
  };
}

/** A case on a bench. */
export function makeCaseOnBench(
  { group, held_out, contenders }: Pick<PlanGroup, "group" | "held_out" | "contenders">,
  planned: BenchCase,
): CaseOnBench {
  return { on: "bench", group, held_out, contenders, planned, expected: planned.expected };
}

function gridCases(group: PlanGroup): PlanCase[] {
  const { grid } = group;
  if (grid === undefined) return [];
  return grid.variants.flatMap(({ name, ...variant }, place) =>
    Array.from({ length: grid.seeds }, (_, i) => ({
      ...variant,
      case: `${group.group}-${name}-${i + 1}`,
      scenario: grid.scenario,
      seed: grid.first_seed + place * grid.seeds + i,
    })),
  );
}

/** Draws random beams in the order of their seeds and keeps each verdict's first ones until its quota is full. */
function strataCases(group: PlanGroup): PlanCase[] {
  const { strata } = group;
  if (strata === undefined) return [];
  const wanted = new Map(Object.entries(strata.quota) as [Verdict, number][]);
  const cases: PlanCase[] = [];
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    if ([...wanted.values()].every((left) => left === 0)) return cases;
    const seed = strata.first_seed + draw;
    const verdict = oracleVerdict(beamTruth(randomScenario(seed)), STAGE, createSensor());
    const left = wanted.get(verdict) ?? 0;
    if (left === 0) continue;
    wanted.set(verdict, left - 1);
    cases.push({ case: `${group.group}-${seed}`, scenario: "random_scenario", seed });
  }
  throw new PlanError(`group ${group.group}: ${MOST_DRAWS} beams do not fill the quota`);
}

/** Every case of the plan in the order in which it is written. Throws `PlanError`. */
export function expandPlan(plan: Plan): EvaluationCase[] {
  const [problem] = planProblems(plan);
  if (problem !== undefined) throw new PlanError(`${problem.path.join(".")}: ${problem.message}`);
  const cases = plan.groups.flatMap((group): EvaluationCase[] => [
    ...[...(group.cases ?? []), ...gridCases(group), ...strataCases(group)].map((planned) => makeCase(group, planned)),
    ...(group.bench_cases ?? []).map((planned) => makeCaseOnBench(group, planned)),
  ]);
  const names = new Set(cases.map(({ planned }) => planned.case));
  for (const name of plan.deviations.flatMap((deviation) => deviation.marks_seen ?? [])) {
    if (!names.has(name)) throw new PlanError(`a deviation marks case ${name} as seen, and there is no such case`);
  }
  if (names.size < cases.length) throw new PlanError("two drawn cases have one name; expected groups of other names");
  return cases;
}
