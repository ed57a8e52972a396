import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import {
  noBrowser,
  openPage,
  type PageHost,
  pageHost,
  showView,
  startBrowser,
} from "../tests/end-to-end/window/page-fixture.ts";

/*
 * Makes the pictures of docs/images: every view in both themes at the smallest and a usual size, from real runs on the simulator.
 * `node scripts/screenshots.ts [--evaluations RUNS-FOLDER-WITH-AN-EVALUATION] [--out FOLDER]`
 */

const { values: options } = parseArgs({ options: { evaluations: { type: "string" }, out: { type: "string" } } });
const OUT = options.out ?? fileURLToPath(new URL("../docs/images", import.meta.url));
const SIZES = [
  [1280, 720],
  [1920, 1080],
] as const;
const THEMES = ["dark", "light"] as const;

if (noBrowser !== undefined) {
  process.stderr.write(`No pictures: ${noBrowser}\n`);
  process.exit(1);
}

/** A scripted run to its end, and a second bench with a beam in view for the live pictures. */
async function prepare(browser: Browser, host: PageHost): Promise<void> {
  const { page } = await openPage(browser, host);
  await showView(page, "Agent");
  await page.getByRole("button", { name: "Start scripted" }).click();
  await page.locator(".drives").getByText("ended").waitFor({ timeout: 180_000 });
  await page.context().close();
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(OUT, `${name}.png`) });
  process.stderr.write(`${name}\n`);
}

const settle = (page: Page, time_ms = 1200): Promise<void> => page.waitForTimeout(time_ms);

const browser = await startBrowser();
const host = await pageHost({ scenario: "different_waists", seed: 3 }, { evaluationsFrom: options.evaluations });
mkdirSync(OUT, { recursive: true });
try {
  await prepare(browser, host);
  // A kept run for the runs view; the run under way goes on as it is for the others.
  const [finished] = host.window.benches.openRuns();
  for (const theme of THEMES) {
    for (const [width, height] of SIZES) {
      const { page } = await openPage(browser, host, { theme, width, height });
      const name = (view: string): string => `${view}-${theme}-${width}x${height}`;
      await showView(page, "Caustic");
      await page.locator(".caustic-main .measurements tbody tr").nth(5).click();
      await settle(page);
      await shoot(page, name("caustic"));
      await showView(page, "Agent");
      await settle(page);
      await shoot(page, name("agent"));
      await showView(page, "Bench");
      await settle(page, 3000);
      await shoot(page, name("bench"));
      await showView(page, "Instruments");
      await settle(page);
      await shoot(page, name("instruments"));
      await showView(page, "Evaluation");
      await settle(page);
      await shoot(page, name("evaluation"));
      await showView(page, "Runs");
      await page.locator(".record-main").first().click();
      await page.getByRole("slider", { name: "Event" }).waitFor();
      await settle(page);
      await page.getByRole("slider", { name: "Event" }).focus();
      for (let step = 0; step < 30; step++) await page.keyboard.press("ArrowLeft");
      await settle(page);
      await shoot(page, name("runs"));
      await page.context().close();
    }
  }
  await finished?.close("finished");
} finally {
  await browser.close();
  await host.close();
}
