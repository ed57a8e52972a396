import { describe, expect, it } from "vitest";
import type { ProgressEvent } from "../contract/evaluation-progress.ts";
import type { Plan, PlanContender } from "../contract/plan.ts";
import { SuiteBudget } from "./suite-budget.ts";

const plan = { stop_rule: { usd: 2, parallel_runs: 3, how: "" } } as Plan;
const costly = (contender: string, usd_per_suite = 4): PlanContender => ({
  contender,
  what: "costs money",
  limits: { model_calls: 1, tokens: 1, usd_per_run: 0.5, usd_per_suite, views: 0 },
});
const agent = costly("agent");
const unit = (name: string, contender = "agent") => ({ case: name, contender, epoch: 1 });
const at = "2026-12-01T00:00:00Z";
const reserved = (name: string, usd: number): ProgressEvent => ({ type: "usd_reserved", at, ...unit(name), usd });
const settled = (name: string, usd: number): ProgressEvent => ({
  type: "usd_settled",
  at,
  ...unit(name),
  usd,
  known: true,
});

describe("the money of a suite", () => {
  it("holds as many caps at once as the limit has room for", () => {
    const budget = new SuiteBudget(plan, []);
    expect(["A1", "A2", "A3", "A4"].map((name) => budget.reserve(unit(name), agent))).toEqual(
      Array.from({ length: 4 }, () => "reserved"),
    );
    expect(budget.reserve(unit("A5"), agent)).toBe("later");
    expect(budget.spent_usd).toBe(0);
  });

  it("has room again for what runs did not cost, and none for what they did", () => {
    const budget = new SuiteBudget(plan, []);
    for (const name of ["A1", "A2", "A3", "A4"]) budget.reserve(unit(name), agent);
    expect(budget.settle(unit("A1"), 0.4)).toBe(0.4);
    expect(budget.reserve(unit("A5"), agent)).toBe("later");
    budget.settle(unit("A2"), 0.1);
    expect(budget.reserve(unit("A5"), agent)).toBe("reserved");
    expect(budget.settle(unit("A3"), undefined)).toBe(0.5);
    budget.settle(unit("A4"), 0.5);
    budget.settle(unit("A5"), 0.5);
    expect(budget.spent_usd).toBeCloseTo(2, 12);
    expect(budget.reserve(unit("B1"), agent)).toBe("spent");
  });

  it("keeps each contender to its own limit", () => {
    const budget = new SuiteBudget(plan, []);
    const poor = costly("poor", 0.5);
    expect(budget.reserve(unit("A1", "poor"), poor)).toBe("reserved");
    budget.settle(unit("A1", "poor"), 0.2);
    expect(budget.reserve(unit("A2", "poor"), poor)).toBe("spent");
    expect(budget.reserve(unit("A2"), agent)).toBe("reserved");
  });

  it("asks nothing of who costs nothing", () => {
    const budget = new SuiteBudget({ ...plan, stop_rule: { ...plan.stop_rule, usd: 0.01 } }, []);
    expect(budget.reserve(unit("A1", "scripted"), { contender: "scripted", what: "" })).toBe("reserved");
  });

  it("remembers what earlier starts settled, and takes a run that was never settled for its cap", () => {
    const before = [
      reserved("A1", 0.5),
      settled("A1", 0.2),
      reserved("A2", 0.5),
      reserved("A2", 0.5),
      settled("A2", 0.1),
    ];
    const budget = new SuiteBudget(plan, before);
    expect(budget.spent_usd).toBeCloseTo(0.2 + 0.5 + 0.1, 12);
    expect(["A3", "A4", "A5"].map((name) => budget.reserve(unit(name), agent))).toEqual([
      "reserved",
      "reserved",
      "later",
    ]);
  });
});
