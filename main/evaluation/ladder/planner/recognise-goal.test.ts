import { describe, expect, it } from "vitest";
import { ladderGoalSchema } from "../ladder-case.ts";
import { contains, recogniseGoal } from "./recognise-goal.ts";

const goal = (name: string, operators: object[], differ: [string, string][] = []) =>
  ladderGoalSchema.parse({ goal: name, what: "w", operators, differ });
const measure = (z_mm: number) => ({ name: "measure_at", input: { z_mm } });
const at = (variable: string) => ({ name: "measure_at", bind: { z_mm: variable } });

const TWICE = goal("twice", [at("Z"), at("Z")]);
const PAIR = goal("pair", [at("A"), at("B")], [["A", "B"]]);
const THRICE = goal("thrice", [at("Z"), at("Z"), at("Z")]);
const DARK = goal("dark", [{ name: "take_darks" }]);

describe("recognition of goals", () => {
  it("binds a variable alike, backtracks, and lets other calls come between", () => {
    expect(contains([measure(1), measure(2)], TWICE)).toBe(false);
    expect(contains([measure(1), { name: "move_to", input: { z_mm: 1 } }, measure(1)], TWICE)).toBe(true);
    // The first call is a wrong start; only a search that goes back finds the other two.
    expect(contains([measure(1), measure(2), measure(2)], TWICE)).toBe(true);
    expect(contains([measure(1), measure(1)], PAIR)).toBe(false);
    expect(contains([measure(1), measure(1), measure(3)], PAIR)).toBe(true);
    expect(
      contains(
        [
          { name: "measure_at", input: {} },
          { name: "measure_at", input: {} },
        ],
        TWICE,
      ),
    ).toBe(false);
  });

  it("rejects a part of a goal, however much of it is there", () => {
    expect(recogniseGoal([measure(1), measure(1)], [THRICE, DARK])).toEqual({ kind: "reject" });
    expect(recogniseGoal([], [THRICE, DARK])).toEqual({ kind: "reject" });
  });

  it("prefers the goal that holds the other, and names both where neither does", () => {
    const trace = [measure(1), measure(1), measure(1)];
    expect(recogniseGoal(trace, [TWICE, THRICE])).toEqual({ kind: "goal", goal: "thrice" });
    expect(recogniseGoal([...trace, { name: "take_darks", input: {} }], [THRICE, DARK])).toEqual({
      kind: "ambiguous",
      goals: ["dark", "thrice"],
    });
  });

  it("two goals that say the same are tied, whichever comes first", () => {
    const same = goal("same", [at("Q"), at("Q")]);
    for (const goals of [
      [TWICE, same],
      [same, TWICE],
    ]) {
      expect(recogniseGoal([measure(1), measure(1)], goals)).toEqual({ kind: "ambiguous", goals: ["same", "twice"] });
    }
  });
});
