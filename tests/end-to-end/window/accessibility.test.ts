import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noBrowser, openPage, type PageHost, pageHost, showView, startBrowser } from "./page-fixture.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const VIEWS = ["Bench", "Caustic", "Agent", "Evaluation", "Runs", "Instruments"] as const;
const title = noBrowser === undefined ? "accessibility" : `accessibility (skipped: ${noBrowser})`;

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

describe.skipIf(noBrowser !== undefined)(title, () => {
  let browser: Browser;
  let host: PageHost;
  beforeAll(async () => {
    browser = await startBrowser();
    host = await pageHost();
  });
  afterAll(async () => {
    await browser.close();
    await host.close();
  });

  test.each(["dark", "light"] as const)("axe finds nothing in any view of the %s theme", async (theme) => {
    const { page } = await openPage(browser, host, { theme });
    const join = page.getByRole("button", { name: /^(Open|Join)$/ }).first();
    if (theme === "dark") {
      // The views are looked at with a finished run in them, not empty.
      await showView(page, "Agent");
      await page.getByRole("button", { name: "Start scripted" }).click();
      await page.locator(".drives").getByText("ended").waitFor();
      await showView(page, "Bench");
    } else if ((await join.count()) > 0) await join.click();
    // The page's policy admits no script from outside its files; the debugger's does not ask it.
    const session = await page.context().newCDPSession(page);
    await session.send("Runtime.evaluate", { expression: AXE });
    const found: string[] = [];
    for (const view of VIEWS) {
      await showView(page, view);
      await page.getByRole("main", { name: view }).waitFor();
      if (view === "Runs" && (await page.locator(".record-main").count()) > 0) {
        await page.locator(".record-main").first().click();
        await page.getByRole("slider", { name: "Event" }).waitFor();
      }
      const { result } = await session.send("Runtime.evaluate", {
        expression: "axe.run(document, { resultTypes: ['violations'] })",
        awaitPromise: true,
        returnByValue: true,
      });
      for (const { id, nodes } of (result.value as AxeResult).violations) {
        found.push(
          `${view}: ${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(" | ")}`,
        );
      }
    }
    expect(found).toEqual([]);
    await page.context().close();
  });
});
