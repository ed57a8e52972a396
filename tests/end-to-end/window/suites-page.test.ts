import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SuiteResults, SuiteRow } from "../../../main/contract/suite-results.ts";
import { suiteMetric } from "../../../main/evaluation/suites/suite-metric.ts";
import { writeSuiteResults } from "../../../main/evaluation/suites/write-suite-results.ts";
import { noBrowser, openPage, pageHost, showView, startBrowser } from "./page-fixture.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const title =
  noBrowser === undefined ? "results of a suite in Chromium" : `results of a suite in Chromium (skipped: ${noBrowser})`;

const row = (task: string, contender: string, passed: boolean): SuiteRow => ({
  task,
  category: "direct dispatch",
  group: "TOOL-0",
  contender,
  status: "graded",
  passed,
  score: passed ? 1 : 0.5,
  checks: passed
    ? []
    : [{ code: "outcome:calls", passed: false, required: true, wanted: "move_to{z_mm: 150}", got: "<b>no call</b>" }],
  calls: 1,
  bad_calls: 0,
});

const RESULTS: SuiteResults = {
  suite: "ladder",
  stamp: "seen",
  suite_hash: "c0ffee".repeat(10),
  grader_version: "1",
  contenders: ["planner", "stub-floor"],
  rows: [row("t0-move", "planner", true), row("t0-move", "stub-floor", false)],
  metrics: [suiteMetric({ name: "completion", group: "TOOL-0", contender: "planner", successes: 1, trials: 1 })],
  gates: [{ group: "TOOL-0", contender: "stub-floor", passed: false, text: "TOOL-0 completion 0 % < 50 %" }],
  notes: ["The stub is a floor."],
};

describe.skipIf(noBrowser !== undefined)(title, () => {
  test("are shown beside the evaluations: matrix, gates, shares, and what failed in words, and are not changed by it", async () => {
    const browser = await startBrowser();
    const host = await pageHost();
    const folder = join(host.runsFolder, "ladder", "seen");
    try {
      await writeSuiteResults(folder, RESULTS);
      const before = readFileSync(join(folder, "results.json"), "utf8");
      const { page, complaints } = await openPage(browser, host);
      await showView(page, "Evaluation");
      await page.getByText("No evaluation yet").waitFor();
      await page
        .getByRole("combobox", { name: "What is shown" })
        .selectOption({ label: "Tool ladder, seen (1 of 2 passed)" });
      await page.getByText("The stub is a floor.").waitFor();
      expect(await page.locator(".cell-right").count()).toBe(1);
      await page.getByText("TOOL-0 completion 0 % < 50 %").waitFor();
      await page.getByRole("button", { name: "t0-move, stub-floor. Show why" }).click();
      await page.getByText("outcome of calls: wanted move_to{z_mm: 150}, got <b>no call</b>").waitFor();
      expect(await page.locator(".rates").getByText("1/1").count()).toBe(1);
      const session = await page.context().newCDPSession(page);
      // The page's policy admits no script from outside its files; the debugger's does not ask it.
      await session.send("Runtime.evaluate", { expression: AXE });
      const { result } = await session.send("Runtime.evaluate", {
        expression: "axe.run(document).then(({ violations }) => violations.map(({ id }) => id).join())",
        awaitPromise: true,
        returnByValue: true,
      });
      expect(result.value).toBe("");
      await page.getByRole("combobox", { name: "What is shown" }).selectOption({ label: "Evaluation by plan" });
      await page.getByText("No evaluation yet").waitFor();
      expect(readFileSync(join(folder, "results.json"), "utf8")).toBe(before);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      await host.close();
    }
  });
});
