import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { noBrowser, openPage, pageHost, showView, startBrowser } from "./page-fixture.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const title =
  noBrowser === undefined ? "an evaluation in Chromium" : `an evaluation in Chromium (skipped: ${noBrowser})`;

/** Hashes of all logs below a folder. */
function journals(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith("events.jsonl"))
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex"),
      ]),
  );
}

describe.skipIf(noBrowser !== undefined)(title, () => {
  test("hides whose a result is until its group is complete, and does not open runs that would tell", async () => {
    const browser = await startBrowser();
    const host = await pageHost();
    try {
      // One of two contenders was run; a second selection asks for the other one, which is never started here.
      const out = join(host.runsFolder, "evaluation", "half");
      const cases = ["bin/caustic.mjs", "eval", "tasks/plans/beam-quality.yaml", "--case", "A1,A5", "--exploratory"];
      const running = spawn(process.execPath, [...cases, "--by", "constant", "--jobs", "1", "--out", out], {
        cwd: ROOT,
      });
      await new Promise((resolve) => running.once("exit", resolve));
      const path = join(out, "evaluation.json");
      const record = JSON.parse(readFileSync(path, "utf8")) as { asked: { by: string[] }[] };
      for (const selection of record.asked) selection.by.push("naive");
      writeFileSync(path, JSON.stringify(record));
      const { page } = await openPage(browser, host);
      await showView(page, "Evaluation");
      await page.locator(".evaluation-progress").getByText("2/4").waitFor();
      await page.getByRole("columnheader", { name: "constant" }).waitFor();
      expect(await page.locator(".matrix button").count()).toBe(2);
      await page.getByRole("button", { name: "Blind" }).click();
      await page
        .getByRole("columnheader", { name: /^Contender/ })
        .first()
        .waitFor();
      const view = page.getByRole("main", { name: "Evaluation" });
      expect(await view.textContent()).not.toMatch(/constant|naive/);
      expect(await view.innerHTML()).not.toMatch(/constant|naive/);
      expect(await page.locator(".matrix button").count()).toBe(0);
    } finally {
      await browser.close();
      await host.close();
    }
  });

  test("is watched live, opened run by run, and not changed by it", async () => {
    const browser = await startBrowser();
    const host = await pageHost();
    try {
      const { page, complaints } = await openPage(browser, host);
      await showView(page, "Evaluation");
      await page.getByText("No evaluation yet").waitFor();
      const out = join(host.runsFolder, "evaluation", "watched");
      const args = [
        "bin/caustic.mjs",
        "eval",
        "tasks/plans/beam-quality.yaml",
        "--case",
        "A1,A5",
        "--by",
        "naive,constant",
      ];
      const running = spawn(process.execPath, [...args, "--exploratory", "--jobs", "1", "--out", out], { cwd: ROOT });
      const ended = new Promise((resolve) => running.once("exit", resolve));
      await page.getByText("NOT REGISTERED").waitFor();
      await page.getByRole("button", { name: "Blind" }).click();
      await ended;
      await page.locator(".evaluation-progress").getByText("4/4").waitFor();
      // Blinded until the group is complete, and then no longer.
      await page.getByRole("columnheader", { name: "naive" }).waitFor();
      expect(await page.locator(".cell-right").count()).toBe(1);
      expect(await page.locator(".cell-wrong").count()).toBe(3);
      const before = journals(out);
      expect(Object.keys(before)).toHaveLength(4);
      await page.locator(".matrix").getByRole("button").last().click();
      await page.getByRole("slider", { name: "Event" }).waitFor();
      expect(journals(out)).toEqual(before);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      await host.close();
    }
  });
});
