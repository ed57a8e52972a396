import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ladderCaseSchema, type LadderSuite, ladderGoalSchema, ladderStartSchema } from "./ladder-case.ts";
import { lintLadder } from "./lint-ladder.ts";
import { quantities } from "./quantities.ts";
import { LadderError, readLadder } from "./read-ladder.ts";
import { bindingFault } from "./registry.ts";

const GOOD = {
  id: "one",
  rung: "TOOL-0",
  request: "Move to 150 mm.",
  tools: ["move_to"],
  expect: { calls: [{ name: "move_to", input: { z_mm: 150 } }], terminates: true, floorExpect: "pass" },
};

const suiteOf = (...cases: object[]): LadderSuite => ({
  starts: {
    fresh: ladderStartSchema.parse({ scenario: "clean", seed: 1 }),
    measured: ladderStartSchema.parse({
      scenario: "clean",
      seed: 1,
      prepare: [{ name: "measure_at", input: { z_mm: 77 } }],
    }),
  },
  goals: [
    ladderGoalSchema.parse({ goal: "scan", what: "w", operators: [{ name: "measure_at" }] }),
    ladderGoalSchema.parse({ goal: "end", what: "w", operators: [{ name: "finish" }] }),
  ],
  cases: cases.map((one) => ladderCaseSchema.parse(one)),
});
const faults = (change: object): string => lintLadder(suiteOf({ ...GOOD, ...change })).join("; ");
const withExpect = (change: object): string => faults({ expect: { ...GOOD.expect, ...change } });
const withCall = (name: string, input: object, more: object = {}): string =>
  faults({ tools: [name], ...more, expect: { ...GOOD.expect, calls: [{ name, input }] } });

describe("the lint of cases", () => {
  it("has nothing against a good case", () => {
    expect(faults({})).toBe("");
  });

  it("names two cases of one id", () => {
    expect(lintLadder(suiteOf(GOOD, GOOD))).toEqual(["case one: there are two of that id"]);
  });

  it("refuses unregistered and undeclared tools", () => {
    expect(faults({ tools: ["move_to", "fly_to"] })).toBe("case one: tools: unregistered tool fly_to");
    expect(faults({ tools: ["move_to", "view_frame"] })).toContain("unregistered tool view_frame");
    expect(faults({ tools: ["measure_at"] })).toContain("move_to is not among the tools of the case");
    expect(faults({ tools: [] })).toContain("none is declared");
    expect(faults({ tools: ["move_to", "move_to"] })).toContain("move_to stands there twice");
  });

  it("refuses expected calls that nobody could make", () => {
    expect(withCall("move_to", { z_cm: 15 })).toContain("move_to takes no z_cm");
    expect(withCall("move_to", { run: "r" })).toContain("move_to takes no run");
    expect(withCall("move_to", { z_mm: "150" })).toContain('move_to does not take z_mm = "150"');
    expect(withCall("move_to", { reason: "150" })).toContain("the driver's own to word");
    expect(withCall("move_to", { z_mm: { from: 0, path: "x" } })).toContain("refers to a later call");
  });

  it("refuses stale literals, which neither request nor start leads to", () => {
    expect(withCall("move_to", { z_mm: 151 })).toContain("z_mm = 151 stands neither in the request nor in the start");
    expect(withCall("move_to", { z_mm: 77 })).toContain("z_mm = 77");
    expect(withCall("move_to", { z_mm: 77 }, { start: "measured" })).toBe("");
    expect(withCall("reject_measurement", { measurement: "m002" }, { start: "measured" })).toContain(
      "the start has no measurement m002",
    );
    expect(withCall("reject_measurement", { measurement: "m001" }, { start: "measured" })).toBe("");
    expect(withCall("move_to", { z_mm: 250 }, { request: "Move to the upper end." })).toBe("");
  });

  it("wants exactly one outcome", () => {
    expect(withExpect({ refuse: true })).toContain("exactly one of calls and refuse");
    expect(faults({ expect: { terminates: true, floorExpect: "pass" } })).toContain("exactly one of calls and refuse");
    expect(withExpect({ inferredGoal: "scan" })).toContain("belong to TOOL-9");
    expect(withExpect({ floorExpect: undefined })).toContain("expect.floorExpect is missing");
    expect(withExpect({ recover: { tool: "fit_caustic", sees: "x", then: "move_to" } })).toContain(
      "fit_caustic is not among the tools",
    );
  });

  it("wants a trace, goals and one answer of a recognition", () => {
    const nine = {
      ...GOOD,
      rung: "TOOL-9",
      tools: [],
      trace: [{ name: "measure_at", input: {} }],
      goals: ["scan", "end"],
    };
    const of = (change: object): string => lintLadder(suiteOf({ ...nine, ...change })).join("; ");
    expect(of({ expect: { inferredGoal: "scan", terminates: true } })).toBe("");
    expect(of({ expect: { refuse: true, ambiguousGoals: ["scan", "end"], terminates: true } })).toBe("");
    expect(of({ expect: { inferredGoal: "scan", refuse: true, terminates: true } })).toContain("exclude each other");
    expect(of({ expect: { reject: true, terminates: true } })).toContain("are refusals");
    expect(of({ expect: { inferredGoal: "other", terminates: true } })).toContain("other is not among the goals");
    expect(of({ goals: ["scan", "none"], expect: { inferredGoal: "scan", terminates: true } })).toContain(
      "there is no goal none",
    );
    expect(of({ trace: [{ name: "fly", input: {} }], expect: { inferredGoal: "scan", terminates: true } })).toContain(
      "unregistered tool fly",
    );
    expect(of({ trace: undefined, expect: { inferredGoal: "scan", terminates: true } })).toContain(
      "needs trace and goals",
    );
  });

  it("looks into starts and goals", () => {
    const suite = suiteOf(GOOD);
    const start = ladderStartSchema.parse({
      scenario: "dusty",
      seed: 1,
      prepare: [
        { name: "measure_at", input: { z_cm: 7 } },
        { name: "finish", input: {} },
      ],
    });
    expect(lintLadder({ ...suite, starts: { ...suite.starts, bad: start } })).toEqual([
      "start bad: there is no scenario dusty",
      'start bad: prepare.0: measure_at does not take {"z_cm":7}',
      "start bad: prepare.1: finish is no tool that can prepare a case",
    ]);
    const goal = ladderGoalSchema.parse({
      goal: "bad",
      what: "w",
      operators: [{ name: "fly" }, { name: "move_to", bind: { z_cm: "Z" } }],
      differ: [["Z", "Y"]],
    });
    expect(lintLadder({ ...suite, goals: [...suite.goals, goal] })).toEqual([
      "goal bad: operators.0: unregistered tool fly",
      "goal bad: operators.1: move_to takes no z_cm",
      "goal bad: differ: no operator binds Y",
    ]);
  });
});

describe("the closed world", () => {
  it.each([
    ["fly_to", {}, "unknown-tool"],
    ["view_frame", { live: true, reason: "r" }, "unknown-tool"],
    ["measure_at", { z_mm: 1, reason: "r" }, "undeclared-tool"],
    ["move_to", { z_mm: 1, reason: "r", image_code: "a" }, "unknown-argument"],
    ["move_to", { reason: "r" }, "unbound-argument: move_to needs z_mm"],
    ["move_to", { z_mm: 1 }, "unbound-argument: move_to needs reason"],
    ["move_to", { z_mm: "far", reason: "r" }, "bad-argument: move_to: z_mm"],
    ["move_to", undefined, "bad-arguments"],
    ["move_to", [1], "bad-arguments"],
  ])("%s %j is %s", (name, input, why) => {
    expect(bindingFault(name, input, ["move_to"])).toContain(why);
  });

  it("takes what binds, also what the bench will refuse", () => {
    expect(bindingFault("move_to", { z_mm: 4000, reason: "r" }, ["move_to"])).toBeUndefined();
  });
});

describe("numbers in words", () => {
  const read = (text: string) =>
    quantities(text).flatMap(({ readings }) => readings.map(({ kind, value }) => `${value} ${kind}`));
  it("come out in the bench's units", () => {
    expect(read("at 7.5 cm, 0.16 m or 250 µm")).toEqual(["75 length_mm", "160 length_mm", "0.25 length_mm"]);
    expect(read("800 µs, 2 ms and 0.5 s")).toEqual(["0.8 time_ms", "2 time_ms", "500 time_ms"]);
    expect(read("Three places of m002 in M²")).toEqual(["3 plain"]);
  });
  it("share the unit at the end of their list, and no other", () => {
    expect(read("60, 120 and 180 mm")).toEqual(["60 length_mm", "120 length_mm", "180 length_mm"]);
    expect(read("take 8 frames at 2 ms")).toEqual(["8 plain", "2 time_ms"]);
  });
});

describe("reading a suite", () => {
  const folder = mkdtempSync(join(tmpdir(), "ladder-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const complaint = (): string => {
    try {
      readLadder(folder);
    } catch (error) {
      expect(error).toBeInstanceOf(LadderError);
      return (error as Error).message;
    }
    return "";
  };

  it("names the file, the case and the field", () => {
    expect(complaint()).toContain("starts.yaml cannot be read");
    write("starts.yaml", "fresh: { scenario: clean, seed: 1 }\n");
    write("goals.yaml", "[]\n");
    const good = JSON.stringify(GOOD);
    write("TOOL-0.yaml", `[${good}]`);
    expect(complaint()).toBe("");
    expect(readLadder(folder).cases[0]).toMatchObject({ id: "one", start: "fresh" });
    write("TOOL-0.yaml", `[${good}, ${JSON.stringify({ ...GOOD, id: "two", expect: { terminates: false } })}]`);
    expect(complaint()).toMatch(/TOOL-0\.yaml: 1\.expect\.terminates \(two\): /);
    write("TOOL-0.yaml", `[${JSON.stringify({ ...GOOD, rung: "TOOL-1" })}]`);
    expect(complaint()).toContain("case one is of rung TOOL-1, expected TOOL-0");
    write("TOOL-0.yaml", `[${JSON.stringify({ ...GOOD, start: "nowhere" })}]`);
    expect(complaint()).toContain("case one: start: there is no nowhere");
    write("TOOL-0.yaml", "[{ id: one");
    expect(complaint()).toContain("TOOL-0.yaml: ");
    write("TOOL-0.yaml", `[${good}]`);
    write("TOOL-10.yaml", "[]");
    expect(complaint()).toContain("TOOL-10.yaml: expected starts.yaml");
  });
});
