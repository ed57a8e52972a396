import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { EvaluationResults } from "../../main/contract/evaluation-results.ts";
import type { EvaluationRow } from "../../main/contract/evaluation-row.ts";
import type { Plan } from "../../main/contract/plan.ts";
import { expandPlan } from "../../main/evaluation/evaluation-case.ts";
import { gradeAgain } from "../../main/evaluation/grade-again.ts";
import { reportMarkdown } from "../../main/evaluation/report/report-markdown.ts";
import { reportPage } from "../../main/evaluation/report/report-page.ts";
import type { AssembledRun } from "../../main/evaluation/results.ts";
import { summarise } from "../../main/evaluation/summarise.ts";
import { PLAN } from "./run-case.ts";
import { evaluate, PARTS, smallPlan, temporaryFolder } from "./small-evaluation.ts";

const SMALL = smallPlan(["A5", "C1", "C2"]);

let out: string;
let results: EvaluationResults;
let page: string;
let text: string;

beforeAll(async () => {
  out = join(temporaryFolder(), "out");
  ({ results } = await evaluate(SMALL, out, { by: ["naive", "constant"] }));
  page = readFileSync(join(out, "report.html"), "utf8");
  text = readFileSync(join(out, "results.md"), "utf8");
});

describe("the report", () => {
  it("is one page: no script, nothing from elsewhere", () => {
    expect(page).not.toMatch(/<script|<link|<iframe|<img|<object|<embed|url\(|@import|\son\w+=/i);
    expect(page).not.toMatch(/(?:src|href)="(?!#)/);
    expect(page).not.toMatch(/https?:\/\//);
    expect(page).toContain("default-src 'none'");
  });

  it("is well-formed: every link of the matrix leads to a run, every element is closed", () => {
    const targets = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    expect(links.length).toBeGreaterThan(6);
    expect(links.filter((link) => !targets.has(link ?? ""))).toEqual([]);
    for (const element of ["table", "section", "article", "svg", "details", "div", "ul", "td"]) {
      const opened = page.match(new RegExp(`<${element}[ >]`, "g"))?.length ?? 0;
      expect([element, page.match(new RegExp(`</${element}>`, "g"))?.length ?? 0]).toEqual([element, opened]);
    }
  });

  it("draws the caustic of every run that measured", () => {
    expect(page.match(/<svg class="caustic"/g)).toHaveLength(3);
    expect(page).toContain("polyline");
  });

  it("carries a note for every wrong verdict, in the words of the log", () => {
    const wrong = results.rows.filter((row) => !row.correct);
    expect(wrong.length).toBeGreaterThan(3);
    for (const row of wrong) {
      expect(row.note).toBeTruthy();
      expect(text).toContain(`- **${row.case}, ${row.contender}, epoch 1**: ${row.note ?? ""}`);
    }
    const notes = page.slice(page.indexOf("Notes on every wrong verdict"));
    for (const row of wrong) expect(notes).toContain(`<a href="#${row.case}-${row.contender}-e1">`);
    expect(results.rows.find((row) => row.case === "A5" && row.contender === "naive")?.note).toContain(
      "M² is not determined on both axes.",
    );
    expect(results.rows.filter((row) => row.correct).every((row) => row.note === undefined)).toBe(true);
  });

  it("says how the plan stands, its hash, its deviations and limitations, and that everything is simulated", () => {
    for (const report of [page.replaceAll("&amp;", "&"), text]) {
      expect(report).toContain("EXPLORATORY");
      expect(report).toContain(results.plan_hash);
      expect(report).toContain(PLAN.deviations[0]?.what);
      for (const limitation of PLAN.limitations) expect(report).toContain(limitation.trim());
      expect(report).toContain("All benches of this evaluation are simulated.");
    }
  });

  it("reports the seen case apart and leaves it out of the held-out totals", () => {
    expect(text).toContain("C1 (seen)");
    const held = results.summary.held_out.find((one) => one.contender === "naive");
    expect(held).toMatchObject({ planned: 1, graded: 1 });
    expect(text).toMatch(/## Seen cases[\s\S]*\| C1 \| naive \|/);
  });

  it("puts the caveats of a case next to it", () => {
    const caveat = PLAN.groups.flatMap((group) => group.cases ?? []).find((one) => one.case === "C2")?.caveat;
    expect(text).toContain(`- C2: ${caveat ?? ""}`);
    expect(page).toContain(`C2<div class="caveat">${caveat ?? ""}</div>`);
  });

  it("shows words of a contender as words, whatever they are", () => {
    const hostile = '<script>alert("x")</script> | a & b';
    const rows = results.rows.map((row) => ({ ...row, note: hostile }));
    const forged = { ...results, rows };
    expect(reportPage(forged, SMALL, [])).not.toContain("<script>");
    expect(reportPage(forged, SMALL, [])).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; | a &amp; b");
  });
});

describe("a report of a whole plan", () => {
  /** Rows by rule, so that every part of the report has something to show. */
  const rowsFor = (plan: Plan): EvaluationRow[] =>
    expandPlan(plan).flatMap((subject, i) =>
      subject.contenders.map((contender, j): EvaluationRow => {
        const right = (i + j) % 3 !== 0;
        const costly = contender.startsWith("agent");
        return {
          group: subject.group,
          case: subject.planned.case,
          contender,
          epoch: 1,
          status: (i + j) % 17 === 5 ? "not_run" : "finished",
          verdict: right ? subject.expected : "measurement_failed",
          expected: subject.expected,
          correct: right,
          m2_error_x: 0.01 * Math.sin(i),
          m2_error_y: 0.02 * Math.cos(i),
          m2_pull_x: Math.sin(i),
          m2_pull_y: 2 * Math.cos(i),
          violations: i % 2,
          attempted_violations: 1,
          positions: 10 + j,
          fault_claim: "none",
          images: "not_looked",
          bad_calls: 0,
          calls: 20,
          ...(costly ? { tokens: 1000, usd: 0.05, model_calls: 7 } : {}),
          grades: [],
          seen: subject.planned.case === "C1",
          exploratory: false,
          plan_hash: "0",
          grader_version: "1",
          ...(right ? {} : { note: "what went wrong" }),
        };
      }),
    );
  const rows = rowsFor(PLAN);
  const whole: EvaluationResults = {
    plan: PLAN.plan,
    version: 1,
    plan_hash: "0".repeat(64),
    registered: true,
    registration: {
      registered: true,
      frozen_on: "2026-12-01",
      commit: "c".repeat(40),
      why_not: [],
      changed_parts: ["prompt"],
    },
    grader_version: "1",
    made_with: { simulator: ["a", "b"] },
    rows,
    summary: summarise(rows, PLAN),
    deviations: PLAN.deviations,
  };
  const runs: AssembledRun[] = [];

  it("has a section for every group, and shows large ones by kind of case", () => {
    const report = reportMarkdown(whole, PLAN);
    for (const group of PLAN.groups) expect(report).toContain(`## Group ${group.group}: ${group.title}`);
    expect(report).toMatch(/\| D-ghost-in-range \| iso_compliant \|.* of \d+/);
    expect(report).not.toContain("| D-ghost-in-range-1 |");
    expect(report).toMatch(/\| M, waist_not_accessible \|/);
    expect(reportPage(whole, PLAN, runs)).toContain("agent-noview");
  });

  it("adjusts the plan's primary comparisons together and calls the rest exploratory", () => {
    const primary = whole.summary.paired.filter((one) => !one.exploratory);
    expect(primary.map((one) => `${one.metric}, ${one.first}, ${one.second}, ${one.groups.join("")}`).sort()).toEqual([
      "absolute M² error, agent, scripted, ABC",
      "constraint violations, agent, scripted, B",
      "correct verdict, agent, scripted, ABC",
    ]);
    const raw = primary.map((one) => one.p ?? Number.NaN);
    const adjusted = primary.map((one) => one.p_holm ?? Number.NaN);
    expect(Math.min(...adjusted)).toBeCloseTo(Math.min(1, 3 * Math.min(...raw)), 12);
    expect(adjusted.every((p, i) => p >= (raw[i] ?? 1))).toBe(true);
    expect(whole.summary.paired.filter((one) => one.exploratory).every((one) => one.p_holm === undefined)).toBe(true);
    expect(reportMarkdown(whole, PLAN)).toContain("| primary |");
  });

  it("adds up what money was spent, and says what is mixed or was changed after the freeze", () => {
    const report = reportPage(whole, PLAN, runs);
    const agents = rows.filter((row) => row.contender === "agent" && row.status === "finished").length;
    expect(report).toContain(`<td>${(0.05 * agents).toFixed(4)}</td>`);
    expect(report).toContain("Runs of different states of the program are mixed: simulator.");
    expect(report).toContain("Changed after the freeze: prompt.");
    expect(report).toContain(`Registered: frozen on 2026-12-01, in commit ${"c".repeat(12)}, unchanged since.`);
  });
});

describe("grading a run again", () => {
  it("shows the grade of its day and today's", async () => {
    const { then, now } = await gradeAgain(join(out, "runs", "C2-naive-e1"), PARTS);
    expect(then).toMatchObject({ case: "C2", contender: "naive", expected: "iso_compliant" });
    expect(now).toEqual(then);
  });

  it("needs nothing but the run's own folder", async () => {
    const { cpSync } = await import("node:fs");
    const alone = join(temporaryFolder(), "alone");
    cpSync(join(out, "runs", "C1-constant-e1"), alone, { recursive: true });
    expect((await gradeAgain(alone, PARTS)).now).toMatchObject({
      case: "C1",
      verdict: "iso_compliant",
      correct: false,
    });
  });
});
