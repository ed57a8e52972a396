import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SuiteResults } from "../../contract/suite-results.ts";
import { writeSuiteResults } from "../../evaluation/suites/write-suite-results.ts";
import { KeptSuites } from "./kept-suites.ts";

const row = (task: string, change: Partial<SuiteResults["rows"][number]> = {}): SuiteResults["rows"][number] => ({
  task,
  category: "standard",
  group: "TOOL-0",
  contender: "planner",
  status: "graded",
  passed: true,
  score: 1,
  checks: [],
  calls: 1,
  bad_calls: 0,
  ...change,
});
const results = (stamp: string, change: Partial<SuiteResults> = {}): SuiteResults => ({
  suite: "ladder",
  stamp,
  suite_hash: "h",
  grader_version: "1",
  contenders: ["planner"],
  rows: [row("a"), row("b", { passed: false }), row("c", { status: "not_run", passed: false })],
  metrics: [],
  gates: [],
  notes: [],
  ...change,
});

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kept-suites-"));
});
afterEach(() => rmSync(root, { recursive: true }));

describe("results of suites in the folder of the runs", () => {
  it("are listed with what passed of what was graded, wherever a suite puts them", async () => {
    await writeSuiteResults(join(root, "ladder", "s1"), results("s1"));
    await writeSuiteResults(join(root, "questions"), results("q", { suite: "questions" }));
    const listed = new KeptSuites(root).list();
    expect(listed.map((one) => one.suite_run).sort()).toEqual(["ladder/s1", "questions"]);
    expect(listed.find((one) => one.stamp === "s1")).toEqual({
      suite_run: "ladder/s1",
      suite: "ladder",
      stamp: "s1",
      contenders: ["planner"],
      graded: 2,
      passed: 1,
    });
  });

  it("are read again when they have changed", async () => {
    const kept = new KeptSuites(root);
    await writeSuiteResults(join(root, "ladder", "s1"), results("s1"));
    expect(kept.read("ladder/s1").rows).toHaveLength(3);
    await writeSuiteResults(join(root, "ladder", "s1"), results("s1", { rows: [row("a")] }));
    expect(kept.read("ladder/s1").rows).toHaveLength(1);
  });

  it("are not looked for elsewhere, and what is no suite's is passed over", async () => {
    await writeSuiteResults(join(root, "evaluation", "one"), results("hidden"));
    await writeSuiteResults(join(root, "a", "b", "c"), results("too deep"));
    for (const [name, text] of [
      ["evaluation-like", JSON.stringify({ plan: "x" })],
      ["torn", "{"],
    ] as const) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, "results.json"), text);
    }
    const kept = new KeptSuites(join(root));
    expect(kept.list()).toEqual([]);
    for (const name of ["nowhere", "../etc", "torn", "evaluation/one", "a/b/c"]) {
      expect(() => kept.read(name)).toThrow(`there are no results of a suite in ${name}`);
    }
    expect(new KeptSuites(join(root, "not-there")).list()).toEqual([]);
  });
});
