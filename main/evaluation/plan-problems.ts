import type { BenchCase, Constraint, Plan, PlanCase } from "../contract/plan.ts";
import type { FaultKind } from "../contract/vocabulary.ts";
import type { BeamFault } from "../../simulators/world/scenario.ts";
import { randomScenario } from "../../simulators/world/random-scenario.ts";
import { readPrimaryMetric } from "./primary-metric.ts";
import { scenarioNamed } from "../../simulators/world/scenarios.ts";
import { createSensor } from "../../simulators/world/sensor.ts";

/** Something in a plan that fits its schema and makes no sense. */
export interface PlanProblem {
  /** Where in the plan: names and indices from its root. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type Path = PlanProblem["path"];
type Definition = Omit<PlanCase, "case" | "scenario" | "seed">;

/** What an honest contender would claim of each fault. */
const CLAIM_OF: Readonly<Record<BeamFault["kind"], FaultKind>> = {
  ghost: "second_spot",
  aperture: "aperture",
  hot_pixels: "defective_pixels",
  pointing_drift: "pointing_drift",
  room_light: "background",
};
/** Claims that name no single fault of the list above. */
const FREE_CLAIMS: readonly FaultKind[] = ["saturation", "other"];

/** Everything in a plan that its schema lets pass and that could not be carried out, or not as it is meant; in its order. */
export function planProblems(plan: Plan): PlanProblem[] {
  const problems: PlanProblem[] = [];
  const add = (path: Path, message: string): void => void problems.push({ path, message });
  const twice = (names: readonly string[], path: (index: number) => Path, what: string): void => {
    for (const [i, name] of names.entries())
      if (names.indexOf(name) < i) add(path(i), `${what} ${name} is there twice`);
  };
  const groupNames = plan.groups.map((one) => one.group);
  const contenders = plan.contenders.map((one) => one.contender);
  twice(contenders, (i) => ["contenders", i, "contender"], "contender");
  twice(groupNames, (i) => ["groups", i, "group"], "group");
  const cases = new Set<string>();
  const takeName = (name: string, path: Path): void => {
    if (cases.has(name)) add(path, `case ${name} is there twice`);
    cases.add(name);
  };
  for (const [g, group] of plan.groups.entries()) {
    const at: Path = ["groups", g];
    for (const [i, name] of group.contenders.entries()) {
      if (!contenders.includes(name))
        add([...at, "contenders", i], `group ${group.group}: contender "${name}" is not described`);
    }
    const drawn = Object.values(group.strata?.quota ?? {}).some((quota) => quota > 0);
    const benchCases = group.bench_cases ?? [];
    if ((group.cases ?? []).length === 0 && benchCases.length === 0 && group.grid === undefined && !drawn) {
      add(at, `group ${group.group} has no case; expected cases, bench_cases, a grid or strata with a quota above 0`);
    }
    for (const [i, one] of benchCases.entries()) {
      const path = [...at, "bench_cases", i];
      takeName(one.case, [...path, "case"]);
      problems.push(...benchCaseProblems(one, path));
    }
    for (const [i, one] of (group.cases ?? []).entries()) {
      const path = [...at, "cases", i];
      takeName(one.case, [...path, "case"]);
      const scenario = one.scenario === "random_scenario" ? randomScenario(one.seed) : scenarioNamed(one.scenario);
      if (scenario === undefined)
        add([...path, "scenario"], `case ${one.case}: there is no scenario "${one.scenario}"`);
      problems.push(...definitionProblems(one, `case ${one.case}`, path, scenario?.faults ?? [], plan));
    }
    const { grid } = group;
    if (grid !== undefined) {
      const seeds = Array.from({ length: grid.seeds * grid.variants.length }, (_, i) => grid.first_seed + i);
      const scenarios =
        grid.scenario === "random_scenario" ? seeds.map(randomScenario) : [scenarioNamed(grid.scenario)];
      const built = scenarios.flatMap((scenario) => scenario?.faults ?? []);
      if (scenarios.includes(undefined))
        add([...at, "grid", "scenario"], `group ${group.group}: there is no scenario "${grid.scenario}"`);
      for (const [i, variant] of grid.variants.entries()) {
        const path = [...at, "grid", "variants", i];
        for (let seed = 1; seed <= grid.seeds; seed++)
          takeName(`${group.group}-${variant.name}-${seed}`, [...path, "name"]);
        problems.push(...definitionProblems(variant, `variant ${variant.name}`, path, built, plan));
      }
    }
  }
  for (const [i, text] of plan.primary_metrics.entries()) {
    const read = readPrimaryMetric(text, plan);
    if (typeof read === "string") add(["primary_metrics", i], read);
  }
  // Names of drawn cases are made from their seeds, and are not known before they are drawn.
  const drawn = plan.groups.filter((one) => one.strata !== undefined).map((one) => `${one.group}-`);
  for (const [d, deviation] of plan.deviations.entries()) {
    for (const [i, name] of (deviation.marks_seen ?? []).entries()) {
      if (!cases.has(name) && !drawn.some((prefix) => name.startsWith(prefix)))
        add(["deviations", d, "marks_seen", i], `a deviation marks case ${name} as seen, and there is no such case`);
    }
  }
  return problems;
}

function definitionProblems(
  one: Definition,
  name: string,
  path: Path,
  built: readonly BeamFault[],
  plan: Plan,
): PlanProblem[] {
  const problems: PlanProblem[] = [];
  const add = (field: readonly (string | number)[], message: string): void =>
    void problems.push({ path: [...path, ...field], message: `${name}: ${message}` });
  const constraint = one.constraint === undefined ? undefined : constraintProblem(one.constraint);
  if (constraint !== undefined) add(["constraint"], constraint);
  const faults = one.faults ?? [];
  for (const [i, fault] of faults.entries()) {
    const wrong = faultProblem(fault as BeamFault);
    if (wrong !== undefined) add(["faults", i, ...wrong.field], wrong.message);
  }
  const { fault_kind } = one;
  const claims = faults.map((fault) => CLAIM_OF[fault.kind]);
  const possible = [...claims, ...built.map((fault) => CLAIM_OF[fault.kind])];
  if (faults.length > 0 && (fault_kind === undefined || fault_kind === "none")) {
    add(
      fault_kind === undefined ? [] : ["fault_kind"],
      `it has faults; expected fault_kind ${claims.join(" or ")}, the claim that would be right`,
    );
  } else if (fault_kind !== undefined && fault_kind !== "none" && !possible.includes(fault_kind)) {
    if (possible.length === 0 && fault_kind !== "saturation")
      add(["fault_kind"], `fault_kind is ${fault_kind}, and it has no fault`);
    else if (!FREE_CLAIMS.includes(fault_kind))
      add(["fault_kind"], `fault_kind is ${fault_kind}, and its faults are ${possible.join(" and ")}`);
  }
  if (one.keywords !== undefined && plan.keywords[one.keywords] === undefined)
    add(["keywords"], `there is no keyword list "${one.keywords}"`);
  if (one.fault_must_be_named === true && one.keywords === undefined)
    add(["fault_must_be_named"], "the fault must be named, and no keywords decide whether it was");
  return problems;
}

/** What is asked of M² on a bench must be said against something. */
function benchCaseProblems(one: BenchCase, path: Path): PlanProblem[] {
  const { constraint, expected, m2_within, reference, scored_axes = ["x", "y"] } = one;
  const problems: PlanProblem[] = [];
  const add = (field: string, message: string): void =>
    void problems.push({ path: [...path, field], message: `case ${one.case}: ${message}` });
  const wrong = constraint === undefined ? undefined : constraintProblem(constraint);
  if (wrong !== undefined) add("constraint", wrong);
  if (m2_within === undefined) return problems;
  const missing = scored_axes.filter((axis) => reference?.[`m2_${axis}`] === undefined);
  if (missing.length > 0)
    add("m2_within", `it asks how far M² on ${missing.join(" and ")} is off, and no reference gives that`);
  if (expected === undefined) add("m2_within", "it narrows an expected verdict, and none is expected");
  return problems;
}

function constraintProblem(constraint: Constraint): string | undefined {
  if (constraint.kind !== "no_measurement_between" || constraint.from_mm <= constraint.to_mm) return undefined;
  return `from_mm is ${constraint.from_mm} and to_mm ${constraint.to_mm}; expected from_mm to be the smaller one`;
}

function faultProblem(fault: BeamFault): { readonly field: readonly string[]; readonly message: string } | undefined {
  if (fault.kind === "hot_pixels") {
    const { width_px, height_px } = createSensor();
    for (const [field, most] of [
      ["rows", height_px],
      ["columns", width_px],
    ] as const) {
      const off = fault[field].find((pixel) => pixel < 0 || pixel >= most);
      if (off !== undefined) {
        return { field: [field], message: `${off} is not on the sensor; expected ${field} from 0 to ${most - 1}` };
      }
    }
  }
  if ((fault.kind === "ghost" || fault.kind === "aperture") && fault.z_min_m !== undefined) {
    const { z_min_m, z_max_m = Number.POSITIVE_INFINITY } = fault;
    if (z_min_m > z_max_m)
      return {
        field: ["z_min_m"],
        message: `z_min_m is ${z_min_m} and z_max_m ${z_max_m}; expected z_min_m to be the smaller one`,
      };
  }
  return undefined;
}
