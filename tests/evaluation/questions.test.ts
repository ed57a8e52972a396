import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { QUESTION_CATEGORIES, QUESTION_KINDS, type Question, type Submission } from "../../main/contract/question.ts";
import type { SuiteResults } from "../../main/contract/suite-results.ts";
import { differences } from "../../main/evaluation/questions/generate-questions.ts";
import { gradeQuestion } from "../../main/evaluation/questions/grade-question.ts";
import { openingOf } from "../../main/evaluation/questions/model-agent.ts";
import { agentsNamed, QUESTIONS, readSuite, recorded, runSuite, scratch } from "./question-run.ts";

const suite = readSuite();
const folder = scratch();
afterAll(() => folder.remove());

describe("the question files", () => {
  it("are as the definitions and the simulator's truth make them", () => {
    expect(differences(QUESTIONS)).toEqual([]);
  });

  it("are at least sixty, of every kind and category", () => {
    expect(suite.questions.length).toBeGreaterThanOrEqual(60);
    for (const kind of QUESTION_KINDS) {
      expect(suite.questions.filter((question) => question.kind === kind).length, kind).toBeGreaterThanOrEqual(8);
    }
    for (const category of QUESTION_CATEGORIES) {
      expect(
        suite.questions.filter((question) => question.category === category).length,
        category,
      ).toBeGreaterThanOrEqual(8);
    }
    expect(suite.questions.filter((question) => question.naive === undefined)).toEqual([]);
  });

  it.each(suite.questions.map((question) => [question.id, question] as const))(
    "%s keeps its solution to itself",
    (_id, question) => {
      const told = openingOf(question, "bench-1");
      expect(told).toContain(question.prompt.trim());
      const { x, y } = question.world?.scenario ?? { x: {}, y: {} };
      const hidden = [...Object.values(question.reference.values), ...Object.values(x), ...Object.values(y)];
      // Round numbers stand in prompts by chance; those with digits of their own may not.
      const telling = hidden.filter(
        (value) => typeof value === "number" && String(value).replace(/\D/g, "").length > 3,
      );
      for (const value of telling) expect(told).not.toContain(String(value));
      expect(told).not.toContain(question.naive?.why ?? "=");
    },
  );
});

describe("the agents that need no model, over stdio", () => {
  let results: SuiteResults;
  beforeAll(async () => {
    results = await runSuite(suite, agentsNamed("oracle", "naive", "refusing", "silent", "guessing"), folder.path);
  });

  const rowsOf = (contender: string) => results.rows.filter((row) => row.contender === contender);
  const passedBy = (contender: string): string[] =>
    rowsOf(contender)
      .filter(({ passed }) => passed)
      .map(({ task }) => task);
  const pushbacks = suite.questions.filter(({ category }) => category === "pushback").map(({ id }) => id);

  it("were all graded", () => {
    expect(results.rows.filter(({ status }) => status !== "graded")).toEqual([]);
    expect(results.rows.length).toBe(5 * suite.questions.length);
  });

  it("oracle passes everything without a failed call", () => {
    const missed = rowsOf("oracle").filter(({ score }) => score < 1);
    expect(missed.map(({ task, checks }) => [task, checks.filter(({ passed }) => !passed)])).toEqual([]);
    for (const question of suite.questions) {
      const failed = recorded(folder.path, "oracle", question).log.filter(({ failed: one }) => one);
      expect(failed, question.id).toEqual([]);
    }
    expect(results.gates.find(({ contender }) => contender === "oracle")?.passed).toBe(true);
  });

  it.each(["naive", "refusing", "silent"])("%s passes nothing", (contender) => {
    expect(passedBy(contender)).toEqual([]);
  });

  it("hedging passes nothing, although it names what the tools warn of", async () => {
    const selected = suite.questions.filter(({ category }) => category === "warning");
    const { rows } = await runSuite(suite, agentsNamed("hedging"), join(folder.path, "hedging"), { selected });
    expect(rows.filter(({ passed }) => passed)).toEqual([]);
    // Nothing but the mentions is wrong with these answers.
    const failed = rows.flatMap(({ checks }) =>
      checks.filter(({ passed }) => !passed).map(({ code }) => code.split(":")[0]),
    );
    expect(failed.filter((code) => code === "mentions").length).toBe(rows.length);
  });

  it("guessing, right numbers without a measurement, passes no question that has an answer", () => {
    const numbers = passedBy("guessing").filter((task) => !pushbacks.includes(task));
    expect(numbers).toEqual([]);
  });

  it("counts every share with its Wilson interval", () => {
    const all = results.metrics.find(({ contender, group }) => contender === "oracle" && group === "all");
    expect(all).toMatchObject({ successes: suite.questions.length, trials: suite.questions.length });
    expect(all?.high).toBeCloseTo(1, 12);
    // (n + z²/2)/(n + z²) − z²/2/(n + z²) for n of n.
    expect(all?.low).toBeCloseTo(suite.questions.length / (suite.questions.length + 3.8415), 3);
  });

  describe("a recorded good answer, spoilt", () => {
    const regrade = (
      question: Question,
      change: (answer: Submission) => Submission | undefined,
      keep = (_tool: string) => true,
    ): boolean => {
      const { log, submission } = recorded(folder.path, "oracle", question);
      if (submission === undefined) throw new Error(`${question.id} has no answer`);
      return gradeQuestion({
        question,
        suite: suite.head,
        submission: change(submission),
        log: log.filter(({ tool }) => keep(tool)),
      }).passed;
    };
    const spoilt = (chosen: readonly Question[], passes: (question: Question) => boolean): string[] =>
      chosen.filter(passes).map(({ id }) => id);
    const having = (check: string) => suite.questions.filter(({ checks }) => checks.some((one) => one.check === check));
    const numeric = suite.questions.filter(
      ({ checks, reference }) =>
        checks.some(({ check }) => check === "value" || check === "self_consistent") &&
        !Object.values(reference.values).some((value) => typeof value === "string"),
    );

    it("passes as it was", () => {
      expect(spoilt(suite.questions, (question) => !regrade(question, (answer) => answer))).toEqual([]);
    });

    it.each([1.25, 0.75])("fails with numbers times %d", (factor) => {
      expect(numeric.length).toBeGreaterThan(45);
      const off = (answer: Submission): Submission => ({
        ...answer,
        values: Object.fromEntries(
          Object.entries(answer.values).map(([key, value]) => [
            key,
            typeof value === "number" ? value * factor : value,
          ]),
        ),
      });
      expect(spoilt(numeric, (question) => regrade(question, off))).toEqual([]);
    });

    it("fails with another word than the right one", () => {
      const worded = suite.questions.filter(({ answer }) => answer.some(({ choices }) => choices !== undefined));
      expect(worded.length).toBeGreaterThanOrEqual(6);
      expect(
        spoilt(worded, (question) => regrade(question, (answer) => ({ ...answer, values: { fault: "other" } }))),
      ).toEqual([]);
    });

    it("fails where it was never handed in", () => {
      expect(spoilt(suite.questions, (question) => regrade(question, () => undefined))).toEqual([]);
    });

    it("fails without its estimates", () => {
      const planned = suite.questions.filter(({ checks }) =>
        checks.some((one) => one.check === "estimate_before_scan" || ("role" in one && one.role === "estimate")),
      );
      expect(planned.length).toBeGreaterThanOrEqual(4);
      const keep = (tool: string): boolean => !tool.includes("estimate");
      expect(spoilt(planned, (question) => regrade(question, (answer) => answer, keep))).toEqual([]);
    });

    it("fails without its concerns", () => {
      const warned = having("mentions");
      expect(warned.length).toBeGreaterThanOrEqual(16);
      const mute = (answer: Submission): Submission => ({ ...answer, concerns: [], summary: "" });
      expect(spoilt(warned, (question) => regrade(question, mute))).toEqual([]);
    });

    it("fails without its measurements", () => {
      const measured = having("measured_kind");
      expect(measured.length).toBeGreaterThan(55);
      const keep = (): boolean => false;
      expect(spoilt(measured, (question) => regrade(question, (answer) => answer, keep))).toEqual([]);
    });

    it("fails with an answer to what cannot be answered", () => {
      const asked = having("pushback");
      expect(asked.length).toBeGreaterThanOrEqual(8);
      const yes = ({ concerns }: Submission, question: Question): Submission => ({
        values: Object.fromEntries(question.answer.map(({ key }) => [key, 1])),
        declined: false,
        concerns,
        summary: "",
      });
      expect(spoilt(asked, (question) => regrade(question, (answer) => yes(answer, question)))).toEqual([]);
    });
  });

  describe("a server of its own for each question", () => {
    const chosen = QUESTION_KINDS.flatMap((kind) => suite.questions.find((question) => question.kind === kind) ?? []);

    it("gives the same bytes as one server for all", async () => {
      const [own, shared] = [join(folder.path, "own"), join(folder.path, "shared")];
      const agents = agentsNamed("oracle");
      await runSuite(suite, agents, own, { selected: chosen, sharedServer: false });
      await runSuite(suite, agents, shared, { selected: chosen, jobs: 1 });
      const bytes = readFileSync(join(own, "results.json"));
      expect(bytes.equals(readFileSync(join(shared, "results.json")))).toBe(true);
      expect(bytes.toString()).toContain('"passed": true');
    });
  });
});
