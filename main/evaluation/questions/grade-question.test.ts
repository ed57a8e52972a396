import { describe, expect, it } from "vitest";
import type { Question, QuestionCheck, Submission } from "../../contract/question.ts";
import { gradeQuestion } from "./grade-question.ts";
import type { LoggedCall } from "./tool-log.ts";

const SUITE = {
  topics: { saturation: ["saturat"], drift: ["drift"], ghost: ["second spot"], stale: ["stale"] },
  hedged_at: 3,
};

function questionWith(...checks: QuestionCheck[]): Question {
  return {
    id: "q",
    kind: "width",
    category: "standard",
    prompt: "How wide?",
    answer: [
      { key: "d_um", unit: "µm", means: "d4σ" },
      { key: "fault", choices: ["none", "aperture"], means: "what is wrong" },
    ],
    reference: {
      why: "by hand",
      values: { d_um: 100, fault: "aperture" },
      script: { calls: [], answer: { values: {}, declined: false, concerns: [], summary: "" } },
    },
    checks,
  };
}

const handedIn = (values: Submission["values"], told: Partial<Submission> = {}): Submission => ({
  values,
  declined: false,
  concerns: [],
  summary: "",
  ...told,
});

function call(tool: string, result: unknown, more: Partial<LoggedCall> = {}): LoggedCall {
  return { tool, arguments: {}, failed: false, bad: false, result, ...more };
}

const measure = (z_requested_mm: number, more: object = {}): LoggedCall =>
  call("measure_at", { z_requested_mm, exposure_ms: 4, saturated_fraction: 0, flags: [], ...more });

function passes(check: QuestionCheck, submission: Submission | undefined, log: readonly LoggedCall[] = []): boolean {
  const grade = gradeQuestion({ question: questionWith(check), suite: SUITE, submission, log });
  expect(grade.score).toBe(grade.checks[0]?.passed === true ? 1 : 0);
  return grade.passed;
}

describe("value", () => {
  const check: QuestionCheck = { check: "value", key: "d_um", abs: 0.5, rel: 0.02 };

  it.each([
    [97.5, true],
    [102.5, true],
    [97.49, false],
    [102.51, false],
    [125, false],
    [Number.NaN, false],
  ])("%d passes: %s", (d_um, passed) => {
    expect(passes(check, handedIn({ d_um }))).toBe(passed);
  });

  it("fails where nothing, or a word, is handed in", () => {
    expect(passes(check, handedIn({}))).toBe(false);
    expect(passes(check, handedIn({ d_um: "100" }))).toBe(false);
    expect(passes(check, undefined)).toBe(false);
  });

  it("wants a word to be the same word", () => {
    expect(passes({ check: "value", key: "fault" }, handedIn({ fault: "aperture" }))).toBe(true);
    expect(passes({ check: "value", key: "fault" }, handedIn({ fault: "none" }))).toBe(false);
  });
});

describe("measured_kind", () => {
  const check: QuestionCheck = { check: "measured_kind", role: "measure", at_least: 2, distinct: "z_requested_mm" };
  const answer = handedIn({ d_um: 100 });

  it("counts different places of successful measurements", () => {
    expect(passes(check, answer, [measure(10), measure(20)])).toBe(true);
    expect(passes(check, answer, [measure(10), measure(10)])).toBe(false);
    expect(passes(check, answer, [measure(10), { ...measure(20), failed: true }])).toBe(false);
    expect(passes(check, answer, [call("bench_status", { z_requested_mm: 1 })])).toBe(false);
  });

  it("counts long work where its result arrived", () => {
    const begun = call("measure_at", { status: "running", job: "j1" });
    const asked = call("job_status", { job: "j1", tool: "measure_at", status: "running" });
    const done = call("job_status", {
      job: "j1",
      tool: "measure_at",
      status: "done",
      result: { z_requested_mm: 20, flags: [] },
    });
    expect(passes(check, answer, [measure(10), begun, asked])).toBe(false);
    expect(passes(check, answer, [measure(10), begun, asked, done])).toBe(true);
  });
});

describe("spec", () => {
  const answer = handedIn({ d_um: 100 });

  it("reads fields of results, arguments at any depth, and flags", () => {
    const log = [
      measure(100, { saturated_fraction: 0.1, flags: [{ code: "saturated", value: 1, limit: 0 }] }),
      call("measure_at", { z_requested_mm: 50 }, { arguments: { problem: { wavelength_nm: 632.8 } } }),
    ];
    const spec = (condition: object): QuestionCheck => ({ check: "spec", name: "s", role: "measure", ...condition });
    expect(passes(spec({ result: { z_requested_mm: { is: 100.3, within: 0.5 } } }), answer, log)).toBe(true);
    expect(passes(spec({ result: { saturated_fraction: { max: 0 } } }), answer, log)).toBe(false);
    expect(passes(spec({ arguments: { wavelength_nm: { is: 633, within: 0.5 } } }), answer, log)).toBe(true);
    expect(passes(spec({ arguments: { wavelength_nm: { is: 1064, within: 0.5 } } }), answer, log)).toBe(false);
    expect(passes(spec({ flag: "saturated" }), answer, log)).toBe(true);
    expect(passes(spec({ flag: "clipped" }), answer, log)).toBe(false);
  });

  it("forbids, and asks for an order", () => {
    const limit: QuestionCheck = {
      check: "spec",
      name: "limit",
      role: "measure",
      result: { exposure_ms: { min: 5 } },
      at_most: 0,
    };
    expect(passes(limit, answer, [measure(10)])).toBe(true);
    expect(passes(limit, answer, [measure(10, { exposure_ms: 5 })])).toBe(false);
    const order: QuestionCheck = { check: "spec", name: "dark", role: "dark", after: [{ role: "measure" }] };
    const dark = call("take_darks", { exposure_ms: 4 });
    expect(passes(order, answer, [dark, measure(10)])).toBe(false);
    expect(passes(order, answer, [measure(10), dark])).toBe(true);
    expect(passes(order, answer, [dark])).toBe(false);
    const chain: QuestionCheck = {
      check: "spec",
      name: "last",
      role: "measure",
      after: [{ role: "measure" }, { role: "dark" }],
    };
    expect(passes(chain, answer, [measure(10), dark, measure(20)])).toBe(true);
    expect(passes(chain, answer, [dark, measure(10), measure(20)])).toBe(false);
    expect(passes(chain, answer, [measure(10), measure(20), dark])).toBe(false);
  });
});

describe("estimate_before_scan", () => {
  const check: QuestionCheck = { check: "estimate_before_scan", looks: 1 };
  const estimate = call("estimate_scan", {});
  const answer = handedIn({ d_um: 100 });

  it("wants a successful estimate before the measurements are a scan", () => {
    expect(passes(check, answer, [measure(1), estimate, measure(2), measure(3)])).toBe(true);
    expect(passes(check, answer, [measure(1), measure(2), estimate])).toBe(false);
    expect(passes(check, answer, [measure(1), { ...estimate, failed: true }, measure(2)])).toBe(false);
    expect(passes(check, answer, [measure(1)])).toBe(false);
  });
});

describe("pushback", () => {
  const check: QuestionCheck = { check: "pushback" };

  it("passes who declines, or leaves the values out and says why", () => {
    expect(passes(check, handedIn({}, { declined: true }))).toBe(true);
    expect(passes(check, handedIn({}, { concerns: ["it cannot be"] }))).toBe(true);
    expect(passes(check, handedIn({ d_um: 1 }, { concerns: ["it cannot be"] }))).toBe(false);
    expect(passes(check, handedIn({}, { concerns: ["  "] }))).toBe(false);
    expect(passes(check, handedIn({}))).toBe(false);
    expect(passes(check, undefined)).toBe(false);
  });
});

describe("mentions", () => {
  const check: QuestionCheck = { check: "mentions", topic: "saturation" };

  it("reads concerns and summary, whatever their case", () => {
    expect(passes(check, handedIn({}, { concerns: ["It SATURATES."] }))).toBe(true);
    expect(passes(check, handedIn({}, { summary: "a saturated frame" }))).toBe(true);
    expect(passes(check, handedIn({}, { concerns: ["The room drifts."] }))).toBe(false);
  });

  it("does not fall for whoever names every worry", () => {
    const concerns = ["saturated, or a drift, or a second spot"];
    expect(passes(check, handedIn({}, { concerns }))).toBe(false);
  });
});

describe("self_consistent and threshold", () => {
  it("compares with the agent's own results, and with a bound", () => {
    const own: QuestionCheck = { check: "self_consistent", key: "d_um", role: "fit", path: "x.d0_um", rel: 0.01 };
    const fit = call("fit_caustic", { x: { d0_um: 100 } });
    expect(passes(own, handedIn({ d_um: 100.9 }), [fit])).toBe(true);
    expect(passes(own, handedIn({ d_um: 102 }), [fit])).toBe(false);
    expect(passes(own, handedIn({ d_um: 100 }), [])).toBe(false);
    const bound: QuestionCheck = { check: "threshold", key: "d_um", min: 0.5 };
    expect(passes(bound, handedIn({ d_um: 0.5 }))).toBe(true);
    expect(passes(bound, handedIn({ d_um: 0.49 }))).toBe(false);
    expect(passes(bound, handedIn({}))).toBe(false);
  });
});

describe("a grade", () => {
  it("passes with every required check; the score is the share of all", () => {
    const question = questionWith(
      { check: "value", key: "d_um", rel: 0.01 },
      { check: "value", key: "fault", required: false },
      { check: "threshold", key: "d_um", max: 200 },
      { check: "mentions", topic: "drift", required: false },
    );
    const grade = gradeQuestion({ question, suite: SUITE, submission: handedIn({ d_um: 100 }), log: [] });
    expect(grade.passed).toBe(true);
    expect(grade.score).toBe(0.5);
    expect(grade.checks.map(({ required }) => required)).toEqual([true, false, true, false]);
  });

  it("takes the roles of tools from the suite", () => {
    const question = questionWith({ check: "measured_kind", role: "ask", at_least: 1 });
    const log = [call("get-sum", { numbers: [1] })];
    const submission = handedIn({});
    expect(gradeQuestion({ question, suite: { roles: { ask: "^get-" } }, submission, log }).passed).toBe(true);
    expect(gradeQuestion({ question, suite: { roles: { ask: "^put-" } }, submission, log }).passed).toBe(false);
  });
});
