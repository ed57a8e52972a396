import type { LadderGoal } from "../ladder-case.ts";
import type { LadderCall, Recognition } from "../ladder-driver.ts";

type Binding = Readonly<Record<string, unknown>>;

/** Extends a binding by a call that is read as an operator; undefined where it cannot be. */
function boundBy(
  { name, bind }: LadderGoal["operators"][number],
  call: LadderCall,
  binding: Binding,
): Binding | undefined {
  if (call.name !== name) return undefined;
  let extended = binding;
  for (const [key, variable] of Object.entries(bind)) {
    const value = call.input[key];
    if (value === undefined || (variable in extended && extended[variable] !== value)) return undefined;
    extended = { ...extended, [variable]: value };
  }
  return extended;
}

/** Whether a trace contains the operators of a goal in their order, each variable bound alike, other calls between them allowed. */
export function contains(trace: readonly LadderCall[], goal: LadderGoal): boolean {
  const search = (operator: number, from: number, binding: Binding): boolean => {
    const next = goal.operators[operator];
    if (next === undefined) return goal.differ.every(([a, b]) => binding[a] !== binding[b]);
    for (let place = from; place < trace.length; place++) {
      const call = trace[place];
      const extended = call === undefined ? undefined : boundBy(next, call, binding);
      if (extended !== undefined && search(operator + 1, place + 1, extended)) return true;
    }
    return false;
  };
  return search(0, 0, {});
}

/** Whether every trace of one goal holds the other as well, which then says less: its tools are a part of those of the first. */
function subsumes(larger: LadderGoal, smaller: LadderGoal): boolean {
  if (larger === smaller || larger.operators.length < smaller.operators.length) return false;
  const example = larger.operators.map(({ name, bind }) => ({ name, input: bind }));
  return (
    contains(example, smaller) &&
    !(larger.operators.length === smaller.operators.length && contains(exampleOf(smaller), larger))
  );
}

/** A goal's own operators as a trace, in which each variable stands for itself. */
const exampleOf = ({ operators }: LadderGoal): LadderCall[] =>
  operators.map(({ name, bind }) => ({ name, input: bind }));

/**
 * The goal that a trace was for. Containment decides, never a score: a goal whose operators the trace does not hold to the last is not
 * recognised, however much of it is there. Of two goals of which one holds the other, the larger counts; where several are left, the
 * trace fits all of them.
 */
export function recogniseGoal(trace: readonly LadderCall[], goals: readonly LadderGoal[]): Recognition {
  const held = goals.filter((goal) => contains(trace, goal));
  const left = held.filter((goal) => !held.some((other) => subsumes(other, goal)));
  const [only, ...others] = left.map(({ goal }) => goal);
  if (only === undefined) return { kind: "reject" };
  return others.length === 0 ? { kind: "goal", goal: only } : { kind: "ambiguous", goals: [only, ...others].sort() };
}
