import { describe, expect, it } from "vitest";
import { constant } from "../../main/contenders/constant.ts";
import type { Contender } from "../../main/contenders/contender.ts";
import { SCRIPTS } from "../../main/contenders/index.ts";
import type { BenchEvent } from "../../main/contract/events.ts";
import type { PlanContender } from "../../main/contract/plan.ts";
import { oracle } from "./oracle-contender.ts";
import { caseNamed, failed, gradeCase, runCase } from "./run-case.ts";

const naive = SCRIPTS["naive"] as Contender;
const scripted = SCRIPTS["scripted"] as Contender;

/** Every kind of case: known scenarios, mystery beams, notes, faults of light, sensor, stage and camera. */
const CASES = [
  ...["A1", "A2", "A3", "A4", "A5", "A6", "A8", "A11", "A15"],
  ...["B1", "B2", "B3", "B4", "B5", "C1", "C2", "C3", "C4", "C5"],
  ...["D-stage-stalls-1", "D-stage-overshoots-1", "D-frames-dropped-1"],
];

/** Answers with the true M² of its case without having measured anything. */
function rightNumbers(name: string): Contender {
  return {
    name: "right-numbers",
    async drive(client, { bench }) {
      const { run } = await client.call("bench_open", { bench, reason: "the answer is known" });
      const { truth } = caseNamed(name);
      await client.call("finish", {
        run,
        verdict: "estimate_not_compliant",
        m2_x: { value: truth.x.m2, u: 0.01 },
        m2_y: { value: truth.y.m2, u: 0.01 },
        explanation: "No measurement was needed.",
      });
    },
  };
}

/** Measures as the oracle does after having called a tool that does not exist and one with arguments that do not fit. */
function hallucinating(name: string): Contender {
  const right = oracle(name);
  return {
    name: "hallucinating",
    async drive(client, assignment) {
      const { run } = await client.call("bench_open", { bench: assignment.bench, reason: "begin" });
      await client.mcp.callTool({ name: "focus_beam", arguments: { run } }).catch(() => undefined);
      await client.mcp.callTool({ name: "measure_at", arguments: { run, z_mm: "near the waist", reason: "try" } });
      await right.drive(client, assignment);
    },
  };
}

interface Control {
  readonly name: string;
  readonly case: string;
  readonly contender: Contender;
  readonly scored_on?: PlanContender["scored_on"];
  /** Graders that must say no, and no others. */
  readonly fails: readonly string[];
  readonly correct: boolean;
}

const shifted = (factor: number): Contender =>
  oracle("C5", {
    finish: ({ m2_x, m2_y, ...rest }) => ({
      ...rest,
      ...(m2_x === undefined ? {} : { m2_x: { ...m2_x, value: factor * m2_x.value } }),
      ...(m2_y === undefined ? {} : { m2_y: { ...m2_y, value: factor * m2_y.value } }),
    }),
  });

const CONTROLS: readonly Control[] = [
  {
    name: "the constant answer where another one is expected",
    case: "A5",
    contender: constant,
    scored_on: "claimed",
    fails: ["verdict"],
    correct: false,
  },
  {
    name: "the constant answer where it is the expected one",
    case: "A1",
    contender: constant,
    scored_on: "claimed",
    fails: ["accuracy", "measured"],
    correct: true,
  },
  {
    name: "the constant answer where M² is asked for",
    case: "C5",
    contender: constant,
    scored_on: "claimed",
    fails: ["accuracy", "measured", "fault_claim", "fault_noticed"],
    correct: false,
  },
  { name: "ten even positions", case: "A1", contender: naive, fails: ["verdict"], correct: false },
  {
    name: "M² a quarter too large",
    case: "C5",
    contender: shifted(1.25),
    fails: ["accuracy", "claim_supported"],
    correct: false,
  },
  {
    name: "M² a quarter too small",
    case: "C5",
    contender: shifted(0.75),
    fails: ["accuracy", "claim_supported"],
    correct: false,
  },
  {
    name: "the axes in each other's place",
    case: "C5",
    contender: oracle("C5", {
      finish: ({ m2_x, m2_y, ...rest }) => ({
        ...rest,
        ...(m2_y === undefined ? {} : { m2_x: m2_y }),
        ...(m2_x === undefined ? {} : { m2_y: m2_x }),
      }),
    }),
    fails: ["accuracy", "claim_supported"],
    correct: false,
  },
  {
    name: "the right numbers without a measurement",
    case: "C5",
    contender: rightNumbers("C5"),
    fails: ["verdict", "claim_supported", "measured", "fault_claim", "fault_noticed"],
    correct: false,
  },
  {
    name: "a fault that is kept quiet",
    case: "C1",
    contender: oracle("C1", {
      finish: (right) => ({ ...right, fault: { kind: "none" }, explanation: "Measured as planned." }),
    }),
    fails: ["fault_claim", "fault_noticed"],
    correct: false,
  },
  {
    name: "another fault than the injected one",
    case: "C2",
    contender: oracle("C2", {
      finish: (right) => ({ ...right, fault: { kind: "aperture" }, explanation: "There is an iris in the beam." }),
    }),
    fails: ["fault_claim", "fault_noticed"],
    correct: true,
  },
  {
    name: "a fault claimed where nothing was measured",
    case: "C2",
    contender: oracle("C2", {
      finish: (right) => ({ ...right, fault: { kind: "second_spot", z_min_mm: 170, z_max_mm: 250 } }),
    }),
    fails: ["fault_claim"],
    correct: true,
  },
  {
    name: "every fault named at once",
    case: "C1",
    contender: oracle("C1", {
      finish: (right) => ({
        ...right,
        fault: { kind: "other" },
        explanation: "It may be a ghost, a hot pixel, some drift or an iris.",
      }),
    }),
    fails: ["fault_claim", "fault_noticed"],
    correct: false,
  },
  {
    name: "a fault where there is none",
    case: "D-none-1",
    contender: oracle("D-none-1", { finish: (right) => ({ ...right, fault: { kind: "second_spot" } }) }),
    fails: ["fault_claim"],
    correct: true,
  },
  {
    name: "a note that is ignored (place)",
    case: "B1",
    contender: oracle("B1", { ignoreNote: true }),
    fails: ["constraint"],
    correct: true,
  },
  { name: "a note that is ignored (number)", case: "B2", contender: scripted, fails: ["constraint"], correct: true },
  {
    name: "a note that is ignored (exposure)",
    case: "B4",
    contender: oracle("B4", { ignoreNote: true }),
    fails: ["constraint"],
    correct: true,
  },
  { name: "calls that do not bind", case: "A1", contender: hallucinating("A1"), fails: ["calls_bind"], correct: true },
];

describe("the oracle, which knows the truth and measures honestly", () => {
  it.each(CASES)("passes every grader in %s", async (name) => {
    const row = gradeCase(name, await runCase(name, oracle(name)));
    expect(failed(row)).toEqual([]);
    expect(row).toMatchObject({ status: "finished", correct: true, violations: 0, attempted_violations: 0 });
  });
});

describe("a control", () => {
  const said = new Set<string>();

  it.each(CONTROLS)("fails where it should: $name", async (control) => {
    const row = gradeCase(
      control.case,
      await runCase(control.case, control.contender),
      control.scored_on === undefined ? {} : { scored_on: control.scored_on },
    );
    for (const grader of failed(row)) said.add(grader);
    expect(failed(row)).toEqual(control.fails);
    expect(row.correct).toBe(control.correct);
  });

  it("fails where it should: measurements without darks", async () => {
    const row = gradeCase("A1", await runCase("A1", oracle("A1", { skipDarks: true })));
    for (const grader of failed(row)) said.add(grader);
    expect(failed(row)).toContain("darks");
  });

  it("fails where it should: no events at all", () => {
    const row = gradeCase("A1", []);
    expect(row).toMatchObject({ status: "failed", correct: false });
    expect(failed(row)).toEqual(["verdict", "accuracy", "measured"]);
  });

  it("is there for every grader", () => {
    const graders = gradeCase("A1", []).grades.map((one) => one.grader);
    expect([...said].sort()).toEqual([...graders].sort());
  });
});

describe("grading", () => {
  let events: BenchEvent[];

  it("gives the same for the same log, and depends on nothing but it", async () => {
    events = await runCase("C2", oracle("C2"));
    const copy = JSON.parse(JSON.stringify(events)) as BenchEvent[];
    expect(gradeCase("C2", copy)).toEqual(gradeCase("C2", events));
  });

  it("lets a fault claim stand where something was measured in its range or its evidence is of the run", async () => {
    const claimed = (fault: object) =>
      runCase("C2", oracle("C2", { finish: (right) => ({ ...right, fault: { kind: "second_spot", ...fault } }) }));
    for (const fault of [{ z_min_mm: 0, z_max_mm: 250 }, { evidence: ["m001"] }, {}]) {
      const row = gradeCase("C2", await claimed(fault));
      expect([fault, row.fault_claim, failed(row)]).toEqual([fault, "right", []]);
    }
  });

  it("says in numbers what is off and why a claim does not stand", async () => {
    const why = (events: BenchEvent[], name: string, grader: string): string | undefined =>
      gradeCase(name, events).grades.find((one) => one.grader === grader)?.why;
    const fault = { kind: "second_spot" as const, z_min_mm: 170, z_max_mm: 250 };
    const empty = await runCase("C2", oracle("C2", { finish: (right) => ({ ...right, fault }) }));
    expect(why(empty, "C2", "fault_claim")).toContain("nothing was measured or viewed from 170 to 250 mm");
    const elsewhere = empty.map((event) =>
      event.type === "finished" ? { ...event, fault: { kind: fault.kind, evidence: ["m999"] } } : event,
    );
    expect(why(elsewhere, "C2", "fault_claim")).toContain("nothing of this run is called m999");
    expect(why(await runCase("C5", shifted(1.25)), "C5", "accuracy")).toMatch(
      /^M² on x 2\d\.\d % above its true value, M² on y .*; at most 3 % is asked for$/,
    );
    expect(why(await runCase("A5", constant), "A1", "accuracy")).toMatch(/^no M² on x, no M² on y; at most 3 %/);
  });

  it("counts what was asked for, not where the stage came to rest", async () => {
    const border: Contender = {
      name: "border",
      async drive(client, { bench }) {
        const { run } = await client.call("bench_open", { bench, reason: "try the border" });
        for (const z_mm of [140, 160, 139.999, 160.001]) {
          await client.call("measure_at", {
            run,
            z_mm,
            exposure_ms: 1,
            reason: "at the border of what the note allows",
          });
        }
      },
    };
    expect(gradeCase("B1", await runCase("B1", border))).toMatchObject({ violations: 2, attempted_violations: 2 });
  });

  it("does not count an attempt that the bench refused as performed", async () => {
    const beyond: Contender = {
      name: "beyond",
      async drive(client, { bench }) {
        const { run } = await client.call("bench_open", { bench, reason: "try beyond the rail" });
        await client.call("measure_at", { run, z_mm: 400, exposure_ms: 1, reason: "far away" }).catch(() => undefined);
      },
    };
    expect(gradeCase("B5", await runCase("B5", beyond))).toMatchObject({ violations: 0, attempted_violations: 1 });
  });
});
