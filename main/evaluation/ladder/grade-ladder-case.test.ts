import { describe, expect, it } from "vitest";
import { gradeLadderCase, proofFaults, sights } from "./grade-ladder-case.ts";
import { type LadderCase, ladderCaseSchema } from "./ladder-case.ts";
import type { LoopResult, ProofStep } from "./ladder-driver.ts";
import type { LadderRecord, SeenCall } from "./run-ladder-case.ts";

const BENCH = {
  limits_mm: { min: 0, max: 250 },
  exposure_range_ms: { min: 0.02, max: 1000 },
  keep_out_zones: [],
} as unknown as LadderRecord["bench"];

const ok = (name: string, input: object, answer: unknown = {}): SeenCall => ({
  name,
  input: { ...input },
  outcome: { ok: true, answer },
});
const failed = (name: string, input: object, code: string): SeenCall => ({
  name,
  input: { ...input },
  outcome: { ok: false, code, message: code },
});

const record = (
  seen: readonly SeenCall[],
  result: Partial<LoopResult> = {},
  change: Partial<LadderRecord> = {},
): LadderRecord => ({
  seen,
  terminated: true,
  result: { refused: false, proof: [], goals: [], ...result },
  startFacts: ["exists(m001)", "used(m001)", "exists(m002)", "used(m002)"],
  endFacts: [],
  bench: BENCH,
  startZ_mm: 0,
  ...change,
});

const subject = (expectation: object): LadderCase =>
  ladderCaseSchema.parse({
    id: "a-case",
    rung: "TOOL-3",
    request: "whatever",
    tools: ["move_to", "measure_at", "fit_caustic"],
    expect: { terminates: true, ...expectation },
  });

const wrong = (one: LadderCase, of: LadderRecord): string[] =>
  gradeLadderCase(one, of)
    .checks.filter((check) => !check.passed)
    .map(({ code }) => code);

const step = (call: number, change: Partial<ProofStep> = {}): ProofStep => ({
  call,
  needs: [],
  gives: [],
  uses: [],
  ...change,
});
const reachable = (z_mm: number) => ({ fact: `reachable(${z_mm})`, by: "start" as const, ok: true });

describe("grading a case", () => {
  it("looks at nothing else once a call is hallucinated, however right the rest is", () => {
    const one = subject({ calls: [{ name: "move_to", input: { z_mm: 10 } }], proof: true });
    const seen = [ok("move_to", { z_mm: 10 }), failed("fly_to", {}, "hallucination")];
    const grade = gradeLadderCase(one, record(seen));
    expect(grade).toMatchObject({ passed: false, hallucinated: 1, plan: false, result: false });
    expect(grade.checks.map(({ code }) => code)).toEqual(["hallucination", "termination"]);
  });

  it("tells the plan from its result: the right call that the bench refused is half of it", () => {
    const one = subject({ calls: [{ name: "move_to", input: { z_mm: 10 } }] });
    expect(gradeLadderCase(one, record([failed("move_to", { z_mm: 10 }, "busy")]))).toMatchObject({
      plan: true,
      result: false,
      passed: false,
    });
    const facts = subject({ calls: [{ name: "move_to", input: { z_mm: 10 } }], facts: ["at(10)"] });
    expect(wrong(facts, record([ok("move_to", { z_mm: 10 })]))).toEqual(["result"]);
    expect(wrong(facts, record([ok("move_to", { z_mm: 10 })], {}, { endFacts: ["at(10)"] }))).toEqual([]);
  });

  it("takes pinned arguments as a lower bound, in numbers, ranges, choices, lists and references", () => {
    const fits = (pin: unknown, z_mm: unknown): boolean =>
      wrong(
        subject({ calls: [{ name: "measure_at", input: { z_mm: pin } }] }),
        record([ok("measure_at", { z_mm, frames: 3 })]),
      ).length === 0;
    expect([fits(10, 10), fits(10, 10.01), fits(10, "10"), fits(10, undefined)]).toEqual([true, false, false, false]);
    expect([fits({ least: 1, most: 2 }, 2), fits({ least: 1, most: 2 }, 2.1)]).toEqual([true, false]);
    expect([fits({ one_of: [1, 3] }, 3), fits({ one_of: [1, 3] }, 2)]).toEqual([true, false]);
    expect([fits([1, 2], [1, 2]), fits([1, 2], [2, 1]), fits([1, 2], [1])]).toEqual([true, false, false]);

    const threaded = subject({
      calls: [
        { name: "fit_caustic" },
        { name: "measure_at", input: { z_mm: { from: 0, path: ["x.z0_mm", "x.rayleigh_mm"], within: 0.1 } } },
      ],
    });
    const fit = ok("fit_caustic", {}, { x: { z0_mm: 100, rayleigh_mm: 20 } });
    expect(wrong(threaded, record([fit, ok("measure_at", { z_mm: 120.05 })]))).toEqual([]);
    expect(wrong(threaded, record([fit, ok("measure_at", { z_mm: 100 })]))).toEqual(["outcome:calls"]);
    expect(wrong(threaded, record([ok("measure_at", { z_mm: 120 }), fit]))).toEqual(["outcome:calls"]);
    expect(wrong(threaded, record([failed("fit_caustic", {}, "busy"), ok("measure_at", { z_mm: 120 })]))).toContain(
      "outcome:calls",
    );
  });

  it("counts repetitions between their bounds, and goes on from the first of them", () => {
    const one = subject({ calls: [{ name: "measure_at", times: { least: 2, most: 3 } }, { name: "fit_caustic" }] });
    const measured = (count: number): SeenCall[] =>
      Array.from({ length: count }, (_, i) => ok("measure_at", { z_mm: i }));
    const fit = ok("fit_caustic", {});
    expect([1, 2, 3, 4].map((count) => wrong(one, record([...measured(count), fit])).length)).toEqual([1, 0, 0, 1]);
    expect(wrong(one, record(measured(3)))).toEqual(["outcome:calls"]);
    const none = subject({ calls: [{ name: "fit_caustic" }, { name: "measure_at", times: { least: 0, most: 2 } }] });
    expect(wrong(none, record([fit]))).toEqual([]);
    expect(wrong(none, record([fit, ...measured(1)]))).toEqual([]);
  });

  it("a refusal is none where something was done, and a look does not count as doing", () => {
    const one = subject({ refuse: true });
    expect(wrong(one, record([], { refused: true }))).toEqual([]);
    expect(wrong(one, record([ok("fit_caustic", {})], { refused: true }))).toEqual([]);
    expect(wrong(one, record([ok("move_to", { z_mm: 1 })], { refused: true }))).toEqual(["outcome:calls"]);
    expect(wrong(one, record([], { refused: false }))).toEqual(["outcome:refusal"]);
    const todo = subject({ calls: [{ name: "fit_caustic" }], proof: true });
    expect(wrong(todo, record([], { refused: true }))).toEqual(["outcome:refusal"]);
  });

  it("a recovery must be seen to fail first and to go on after that", () => {
    const one = subject({
      calls: [{ name: "move_to" }, { name: "move_to" }],
      recover: { tool: "move_to", sees: "instrument_failed", then: "move_to" },
    });
    const bad = failed("move_to", { z_mm: 1 }, "instrument_failed");
    const good = ok("move_to", { z_mm: 1 });
    expect(wrong(one, record([bad, good]))).toEqual([]);
    expect(wrong(one, record([good, bad]))).toEqual(["recovery"]);
    expect(wrong(one, record([good, good]))).toEqual(["recovery"]);
    expect(wrong(one, record([bad, bad]))).toEqual(["recovery"]);
    expect(wrong(one, record([failed("move_to", { z_mm: 1 }, "busy"), good]))).toEqual(["recovery", "result"]);
  });

  it("tied readings must be all of them and no others", () => {
    const one = subject({
      refuse: true,
      candidateResults: [
        { name: "move_to", input: { z_mm: 0 } },
        { name: "move_to", input: { z_mm: 250 } },
      ],
    });
    const reading = (z_mm: number) => ({ name: "move_to", input: { z_mm } });
    const with_ = (...all: number[]): string[] =>
      wrong(one, record([], { refused: true, candidates: all.map(reading) }));
    expect(with_(250, 0)).toEqual([]);
    expect(with_(0)).toEqual(["tied_readings"]);
    expect(with_(0, 250, 10)).toEqual(["tied_readings"]);
    expect(with_(0, 10)).toEqual(["tied_readings"]);
    expect(with_()).toEqual(["tied_readings"]);
    expect(
      wrong(one, record([ok("move_to", { z_mm: 0 })], { refused: false, candidates: [reading(0), reading(250)] })),
    ).toEqual(["outcome:refusal", "outcome:calls"]);
  });

  it("a goal is recognised, tied or rejected, and neither of these stands for another", () => {
    const goal = subject({ inferredGoal: "scan" });
    const tied = subject({ refuse: true, ambiguousGoals: ["scan", "search"] });
    const none = subject({ refuse: true, reject: true });
    const said = [
      { kind: "goal", goal: "scan" },
      { kind: "ambiguous", goals: ["search", "scan"] },
      { kind: "reject" },
      { kind: "goal", goal: "search" },
    ] as const;
    for (const [place, one] of [goal, tied, none].entries()) {
      expect(said.map((recognition) => wrong(one, record([], { recognition })).length === 0)).toEqual(
        said.map((_, i) => i === place),
      );
      expect(wrong(one, record([]))).toEqual(["recognition"]);
    }
  });
});

describe("a chain of reasons", () => {
  const seen = [
    ok("fit_caustic", {}),
    ok("measure_at", { z_mm: 120 }, { measurement: "m003" }),
    ok("reject_measurement", { measurement: "m003" }),
  ];
  const proof: readonly ProofStep[] = [
    step(0, { gives: ["fitted"] }),
    step(1, { needs: [reachable(120)], gives: ["measured(120)", "exists(m003)"], uses: [0] }),
    step(2, { needs: [{ fact: "exists(m003)", by: 1, ok: true }], gives: ["rejected(m003)"] }),
  ];
  const goals = ["rejected(m003)"];
  const faults = (change: (steps: ProofStep[]) => ProofStep[], other: Partial<LoopResult> = {}): string =>
    proofFaults(record(seen, { proof: change(structuredClone<ProofStep[]>([...proof])), goals, ...other })).join("; ");
  const changed = (place: number, change: Partial<ProofStep>) => (steps: ProofStep[]) =>
    steps.map((one, i) => (i === place ? { ...one, ...change } : one));

  it("holds where every step is needed and every need is met", () => {
    expect(faults((steps) => steps)).toBe("");
  });

  it.each([
    ["no step", () => [], "there is no chain"],
    ["a call without a step", (steps: ProofStep[]) => steps.slice(1), "2 steps for 3 calls"],
    ["a need left out", changed(1, { needs: [] }), "names other preconditions than reachable(120)"],
    [
      "a need that does not hold",
      changed(2, { needs: [{ fact: "exists(m003)", by: 1, ok: false }] }),
      "exists(m003) does not hold",
    ],
    [
      "a need from the start that was not so",
      changed(2, { needs: [{ fact: "exists(m003)", by: "start", ok: true }] }),
      "does not hold by the start",
    ],
    [
      "a need by a step that did not give it",
      changed(2, { needs: [{ fact: "exists(m003)", by: 0, ok: true }] }),
      "does not hold by step 0",
    ],
    [
      "an effect that did not come",
      changed(1, { gives: ["measured(120)", "exists(m003)", "determined"] }),
      "did not give determined",
    ],
    ["a use of what came later", changed(0, { uses: [1] }), "uses what came later"],
    ["a step that serves nothing", changed(1, { uses: [] }), "step 0 serves nothing"],
  ] as const)("is broken by %s", (_what, change, why) => {
    expect(faults(change)).toContain(why);
  });

  it("needs a goal, and one that came true", () => {
    expect(faults((steps) => steps, { goals: [] })).toContain("no goal is named");
    expect(faults((steps) => steps, { goals: ["rejected(m003)", "at(7)"] })).toContain("at(7) did not come true");
  });

  it("a need is not met by what has been ended since", () => {
    const moved = [ok("reject_measurement", { measurement: "m001" }), ok("move_to", { z_mm: 300 })];
    const steps = [
      step(0, { needs: [{ fact: "exists(m001)", by: "start", ok: true }], gives: ["rejected(m001)"] }),
      step(1, { needs: [{ fact: "reachable(300)", by: "start", ok: true }], gives: ["at(300)"] }),
    ];
    expect(proofFaults(record(moved, { proof: steps, goals: ["rejected(m001)", "at(300)"] })).join()).toContain(
      "reachable(300) does not hold by the start",
    );
  });
});

describe("what can be seen of a call", () => {
  it("is its code, its flags and grade, or that a fit is undetermined", () => {
    expect(sights(failed("move_to", {}, "busy"))).toEqual(["busy"]);
    expect(sights(ok("measure_at", {}, { flags: [{ code: "saturated" }], grade: "refused" }))).toEqual([
      "saturated",
      "refused",
    ]);
    expect(sights(ok("fit_caustic", {}, { x: { determined: true }, y: { determined: false } }))).toEqual([
      "undetermined",
    ]);
    expect(sights(ok("stop", {}, undefined))).toEqual([]);
  });
});
