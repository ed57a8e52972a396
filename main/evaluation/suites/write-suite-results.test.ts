import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { suiteCheckText } from "../../contract/suite-check-text.ts";
import { type SuiteResults, type SuiteRow, suiteResultsSchema } from "../../contract/suite-results.ts";
import { suiteMarkdown } from "./suite-markdown.ts";
import { suiteMetric } from "./suite-metric.ts";
import { suitePage } from "./suite-page.ts";
import { writeSuiteResults } from "./write-suite-results.ts";

const row = (change: Partial<SuiteRow> & Pick<SuiteRow, "task" | "contender">): SuiteRow => ({
  category: "standard",
  group: "width",
  status: "graded",
  passed: true,
  score: 1,
  checks: [{ code: "value:m2_x", passed: true, required: true }],
  calls: 3,
  bad_calls: 0,
  ...change,
});

const RESULTS: SuiteResults = {
  suite: "questions",
  stamp: "1.0.0",
  suite_hash: "a".repeat(64),
  grader_version: "1",
  contenders: ["oracle", "stub-floor"],
  rows: [
    row({ task: "w1", contender: "oracle" }),
    row({
      task: "w1",
      contender: "stub-floor",
      passed: false,
      score: 0.5,
      bad_calls: 1,
      checks: [
        { code: "value:m2_x", passed: false, required: true, wanted: "1.2 ± 0.05", got: "<b>2.4</b> | & more" },
        { code: "mentions:clipping", passed: false, required: false },
        { code: "spec", passed: true, required: true, wanted: "never shown" },
      ],
    }),
    row({ task: "w2", contender: "oracle", status: "failed", passed: false, score: 0, checks: [], note: "line lost" }),
    row({ task: "w2", contender: "stub-floor", status: "not_run", passed: false, score: 0, checks: [] }),
    row({ task: "c1", contender: "oracle", group: "caustic", tokens: 1200, usd: 0.25, turns: 4 }),
  ],
  metrics: [
    suiteMetric({ name: "completion", group: "width", contender: "oracle", successes: 1, trials: 1 }),
    suiteMetric({ name: "completion", group: "caustic", contender: "stub-floor", successes: 0, trials: 0 }),
  ],
  gates: [{ group: "width", contender: "stub-floor", passed: false, text: "completion 0 % < 50 %" }],
  notes: ["stub-floor is a floor, not a baseline"],
};

let folder: string;
const read = (name: string): string => readFileSync(join(folder, "new", name), "utf8");
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "suite-results-"));
  await writeSuiteResults(join(folder, "new"), RESULTS);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("results of a suite", () => {
  it("are written as JSON that reads back to the same results", () => {
    expect(suiteResultsSchema.parse(JSON.parse(read("results.json")))).toEqual(RESULTS);
  });

  it("are the same bytes again, and nothing else is left in the folder", async () => {
    const before = ["results.json", "results.md", "report.html"].map(read);
    await writeSuiteResults(join(folder, "new"), structuredClone(RESULTS));
    expect(["results.json", "results.md", "report.html"].map(read)).toEqual(before);
  });

  it("are refused where they do not follow the schema, before anything is written", async () => {
    const wrong = { ...RESULTS, rows: [{ ...row({ task: "w1", contender: "oracle" }), score: 2 }] };
    await expect(writeSuiteResults(join(folder, "never"), wrong)).rejects.toThrow(/score/);
    expect(() => readFileSync(join(folder, "never", "results.json"))).toThrow("ENOENT");
  });

  it("are one page without script or anything from elsewhere, whose every element is closed and every link leads somewhere", () => {
    const page = read("report.html");
    expect(page).not.toMatch(/<script|<link|<iframe|<img|<object|<embed|url\(|@import|\son\w+=/i);
    expect(page).not.toMatch(/(?:src|href)="(?!#)|https?:\/\//);
    expect(page).toContain("default-src 'none'");
    for (const element of ["table", "section", "article", "div", "ul", "td", "h3"]) {
      const opened = page.match(new RegExp(`<${element}[ >]`, "g"))?.length ?? 0;
      expect([element, page.match(new RegExp(`</${element}>`, "g"))?.length]).toEqual([element, opened]);
    }
    const targets = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    expect(links).toEqual(["w1--stub-floor", "w2--oracle"]);
    expect(links.filter((link) => !targets.has(link))).toEqual([]);
  });

  it("say what failed in words, with what was wanted and got, and escape what a contender wrote", () => {
    const page = read("report.html");
    expect(page).toContain(
      "<li>value of m2_x: wanted 1.2 ± 0.05, got &lt;b&gt;2.4&lt;/b&gt; | &amp; more</li>\n<li>mentions of clipping: not required</li>",
    );
    expect(page).toContain("2 of 3 checks failed, 1 of 3 calls could not be made");
    expect(page).toContain("says nothing of the contender</li>\n<li>line lost</li>");
    expect(page).not.toContain("never shown");
    expect(read("results.md")).toContain(
      "- **w1**: value of m2_x: wanted 1.2 ± 0.05, got <b>2.4</b> | & more; mentions of clipping: not required",
    );
  });

  it("show matrix, shares with intervals, gates, cost and notes", () => {
    const text = read("results.md");
    expect(text).toContain("| w1 | standard | ✓ passed | ✗ missed (50\u00a0%) |");
    expect(text).toContain("| w2 | standard | ! failed | ○ not run |");
    expect(text).toContain("| c1 | standard | ✓ passed |  |");
    expect(text).toContain("| width | 2 | 1 of 1, 1 without a grade | 0 of 1, 1 without a grade |");
    expect(text).toContain("| completion | width | oracle | 1 of 1 | 100\u00a0% | 21 to 100 |");
    expect(text).toContain("| completion | caustic | stub-floor | 0 of 0 | – | – |");
    expect(text).toContain("| width | stub-floor | no | completion 0 % < 50 % |");
    expect(text).toContain("- stub-floor is a floor, not a baseline");
    expect(text).toMatch(/\| oracle \| 3 \| unknown \| 9 \| unknown \| unknown \|/);
  });

  it("say that nothing went wrong where nothing did", () => {
    const clean = { ...RESULTS, rows: [row({ task: "w1", contender: "oracle" })] };
    expect(suiteMarkdown(clean)).toContain("Nothing did.");
    expect(suitePage(clean)).toContain("<p>Nothing did.</p>");
  });
});

describe("a failed check in words", () => {
  it("is its code alone where nothing else is known", () => {
    expect(suiteCheckText({ code: "self_consistent", passed: false, required: true })).toBe("self consistent");
  });
});
