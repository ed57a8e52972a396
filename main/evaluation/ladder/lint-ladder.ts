import { SCENARIO_NAMES } from "../../../simulators/world/scenarios.ts";
import { TOOLS, type ToolName } from "../../contract/tools.ts";
import type { ExpectedCall, LadderCase, LadderGoal, LadderStart, LadderSuite, Pin } from "./ladder-case.ts";
import { quantities } from "./quantities.ts";
import { capability } from "./registry.ts";
import { FLOOR_RUNGS } from "./rungs.ts";

/** What is wrong with a suite, one sentence each, naming case and field; empty where nothing is. */
export function lintLadder(suite: LadderSuite): string[] {
  return [
    ...repeated(suite.cases.map(({ id }) => id)).map((id) => `case ${id}: there are two of that id`),
    ...repeated(suite.goals.map(({ goal }) => goal)).map((goal) => `goal ${goal}: there are two of that id`),
    ...Object.entries(suite.starts).flatMap(([name, start]) =>
      startFaults(start).map((fault) => `start ${name}: ${fault}`),
    ),
    ...suite.goals.flatMap((goal) => goalFaults(goal).map((fault) => `goal ${goal.goal}: ${fault}`)),
    ...suite.cases.flatMap((one) => caseFaults(one, suite).map((fault) => `case ${one.id}: ${fault}`)),
  ];
}

const repeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, place) => names.indexOf(name) !== place)),
];

/** Arguments that only the driver can word. */
const WORDED: ReadonlySet<string> = new Set(["reason", "explanation"]);

function startFaults(start: LadderStart): string[] {
  const faults: string[] = [];
  if (!(SCENARIO_NAMES as readonly string[]).includes(start.scenario))
    faults.push(`there is no scenario ${start.scenario}`);
  for (const [place, { name, input }] of start.prepare.entries()) {
    if (capability(name) === undefined || name === "finish") {
      faults.push(`prepare.${place}: ${name} is no tool that can prepare a case`);
      continue;
    }
    const shape = TOOLS[name as ToolName].input;
    const given = {
      ...("reason" in shape.shape ? { reason: "r" } : {}),
      ...("run" in shape.shape ? { run: "r" } : {}),
      ...input,
    };
    if (!shape.safeParse(given).success)
      faults.push(`prepare.${place}: ${name} does not take ${JSON.stringify(input)}`);
  }
  return faults;
}

function goalFaults(goal: LadderGoal): string[] {
  const variables = new Set(goal.operators.flatMap(({ bind }) => Object.values(bind)));
  return [
    ...goal.operators.flatMap(({ name, bind }, place) => {
      const known = capability(name);
      if (known === undefined) return [`operators.${place}: unregistered tool ${name}`];
      return Object.keys(bind)
        .filter((key) => !known.required.includes(key) && !known.optional.includes(key))
        .map((key) => `operators.${place}: ${name} takes no ${key}`);
    }),
    ...goal.differ
      .flat()
      .filter((name) => !variables.has(name))
      .map((name) => `differ: no operator binds ${name}`),
  ];
}

function caseFaults(one: LadderCase, suite: LadderSuite): string[] {
  const { expect, tools, rung } = one;
  const faults: string[] = [];
  const start = suite.starts[one.start];
  if (start === undefined) faults.push(`start: there is no ${one.start}`);
  if (tools.length === 0 && rung !== "TOOL-9") faults.push("tools: none is declared");
  for (const name of repeated(tools)) faults.push(`tools: ${name} stands there twice`);
  for (const name of tools) if (capability(name) === undefined) faults.push(`tools: unregistered tool ${name}`);

  const recognised = [expect.inferredGoal, expect.reject, expect.ambiguousGoals].filter((value) => value !== undefined);
  if (rung === "TOOL-9") {
    if (one.trace === undefined || one.goals === undefined) faults.push("TOOL-9 needs trace and goals");
    if (recognised.length !== 1) faults.push("TOOL-9 expects exactly one of inferredGoal, reject, ambiguousGoals");
    if (expect.inferredGoal !== undefined && expect.refuse === true)
      faults.push("expect: inferredGoal and refuse exclude each other");
    if (expect.inferredGoal === undefined && expect.refuse !== true)
      faults.push("expect: reject and ambiguousGoals are refusals");
    if (expect.calls !== undefined) faults.push("expect.calls: a recognition calls nothing");
  } else {
    if (one.trace !== undefined || one.goals !== undefined) faults.push("trace and goals belong to TOOL-9");
    if (recognised.length > 0) faults.push("expect: inferredGoal, reject and ambiguousGoals belong to TOOL-9");
    if ((expect.calls === undefined) === (expect.refuse !== true))
      faults.push("expect: exactly one of calls and refuse");
  }
  if (expect.recover !== undefined && expect.refuse === true)
    faults.push("expect: recover and refuse exclude each other");
  if (rung === "TOOL-7" && expect.recover === undefined) faults.push("TOOL-7 needs expect.recover");
  if (FLOOR_RUNGS.includes(rung) && expect.floorExpect === undefined) faults.push("expect.floorExpect is missing");
  if (expect.proof === true && expect.refuse === true) faults.push("expect.proof: a refusal proves nothing");

  const declaredGoals = new Set(suite.goals.map(({ goal }) => goal));
  for (const goal of one.goals ?? []) if (!declaredGoals.has(goal)) faults.push(`goals: there is no goal ${goal}`);
  for (const goal of [
    ...(expect.ambiguousGoals ?? []),
    ...(expect.inferredGoal === undefined ? [] : [expect.inferredGoal]),
  ]) {
    if (one.goals?.includes(goal) !== true) faults.push(`expect: ${goal} is not among the goals of the case`);
  }
  for (const [place, call] of (one.trace ?? []).entries()) {
    if (capability(call.name) === undefined) faults.push(`trace.${place}: unregistered tool ${call.name}`);
  }

  const known = new Set(start === undefined ? [] : [...numbersOf(start)]);
  for (const [place, call] of (expect.calls ?? []).entries()) {
    faults.push(...callFaults(call, tools, place).map((fault) => `expect.calls.${place}: ${fault}`));
    faults.push(...staleLiterals(call, one, known, start).map((fault) => `expect.calls.${place}: ${fault}`));
  }
  for (const [place, call] of (expect.candidateResults ?? []).entries()) {
    faults.push(
      ...callFaults(call, tools, Number.MAX_SAFE_INTEGER).map((fault) => `expect.candidateResults.${place}: ${fault}`),
    );
  }
  for (const name of expect.recover === undefined ? [] : [expect.recover.tool, expect.recover.then]) {
    if (!tools.includes(name)) faults.push(`expect.recover: ${name} is not among the tools of the case`);
  }
  return faults;
}

/** An expected call that no driver could make. */
function callFaults({ name, input }: ExpectedCall, tools: readonly string[], place: number): string[] {
  const known = capability(name);
  if (known === undefined) return [`unregistered tool ${name}`];
  const faults: string[] = [];
  if (!tools.includes(name)) faults.push(`${name} is not among the tools of the case`);
  const shape = TOOLS[known.name].input.shape as Readonly<
    Record<string, { safeParse(value: unknown): { success: boolean } }>
  >;
  for (const [key, pin] of Object.entries(input)) {
    if (!known.required.includes(key) && !known.optional.includes(key)) faults.push(`${name} takes no ${key}`);
    else if (WORDED.has(key)) faults.push(`${key} is the driver's own to word`);
    else if (isLiteral(pin) && shape[key]?.safeParse(pin).success !== true)
      faults.push(`${name} does not take ${key} = ${JSON.stringify(pin)}`);
    if (typeof pin === "object" && !Array.isArray(pin) && "from" in pin && pin.from >= place)
      faults.push(`${key} refers to a later call`);
  }
  return faults;
}

const isLiteral = (pin: Pin): pin is string | number | boolean | (string | number)[] =>
  typeof pin !== "object" || Array.isArray(pin);

const isMeasurement = (value: unknown): value is string => typeof value === "string" && /^m\d{3}$/.test(value);

/** Literals that nothing in the case leads to: neither the request nor the starting state says them, so no driver could know them. */
function staleLiterals(
  call: ExpectedCall,
  { request }: LadderCase,
  known: ReadonlySet<number>,
  start: LadderStart | undefined,
): string[] {
  const said = new Set([
    ...known,
    ...quantities(request).flatMap(({ readings }) => readings.map(({ value }) => value)),
  ]);
  const measured = start?.prepare.filter(({ name }) => name === "measure_at").length ?? 0;
  return Object.entries(call.input).flatMap(([key, pin]): string[] => {
    if (!isLiteral(pin)) return [];
    return [pin].flat().flatMap((value): string[] => {
      if (isMeasurement(value))
        return Number(value.slice(1)) <= measured ? [] : [`${key}: the start has no measurement ${value}`];
      if (typeof value !== "number") return [];
      return [...said].some((other) => Math.abs(other - value) < 1e-9)
        ? []
        : [`${key} = ${value} stands neither in the request nor in the start`];
    });
  });
}

/** Every number of a start, and those that the bench itself has: the ends of its travel. */
function numbersOf(start: LadderStart): number[] {
  const found: number[] = [...TRAVEL_ENDS_mm];
  const visit = (value: unknown): void => {
    if (typeof value === "number") found.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit);
  };
  visit(start.prepare);
  return found;
}

const TRAVEL_ENDS_mm = [0, 250];
