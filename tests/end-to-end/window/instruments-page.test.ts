import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { offerBenchOfFile } from "../../../main/app/bench-desk.ts";
import { BenchFileFolder } from "../../../main/app/bench-file/bench-file-folder.ts";
import { noBrowser, openPage, pageHost, showView, startBrowser } from "./page-fixture.ts";

const FILE = `bench: mine
wavelength_nm: 632.8
instruments:
  stage:
    driver: zaber-ascii
    address: emulated://zaber-ascii
    microstep_um: 0.047625
    calibration: { zero_mm: 60 } # by a ruler
  camera: { driver: simulated, scenario: clean, seed: 1 }
  shutter: { driver: simulated }
limits: { z_min_mm: 65, z_max_mm: 200 } # the wall
`;

const title = `a bench file is edited, tested and opened in the Instruments view${noBrowser === undefined ? "" : ` (skipped: ${noBrowser})`}`;

test.skipIf(noBrowser !== undefined)(title, async () => {
  const folder = mkdtempSync(join(tmpdir(), "caustic-files-"));
  const path = join(folder, "mine.yaml");
  writeFileSync(path, FILE);
  const files = new BenchFileFolder(folder, (file) => offerBenchOfFile(file, { keepIn: join(folder, "runs") }));
  const host = await pageHost(null, { files });
  const browser = await startBrowser();
  try {
    const { page, complaints } = await openPage(browser, host);
    await showView(page, "Instruments");
    await page.getByRole("button", { name: "mine.yaml" }).click();
    const form = page.getByRole("form", { name: "Settings of mine.yaml" });
    expect(await form.getByLabel("Lowest position").inputValue()).toBe("65");
    await form.getByLabel("Lowest position").fill("70");
    await form.getByLabel("Direction").selectOption("-1");
    await form.getByLabel("Zero").fill("210");
    // A number is taken away figure by figure before another one is typed.
    const wavelength = form.getByLabel("Wavelength");
    await wavelength.focus();
    await page.keyboard.press("End");
    for (const _figure of "632.8") await page.keyboard.press("Backspace");
    await page.keyboard.type("1064");
    expect(await wavelength.inputValue()).toBe("1064");
    await form.getByRole("button", { name: "Add a zone" }).click();
    await form.getByLabel("From, zone 1").fill("90");
    await form.getByLabel("To, zone 1").fill("96");
    await form.getByLabel("Why, zone 1").fill("lens mount");
    await form.getByRole("button", { name: "Save settings" }).click();
    await expect.poll(() => readFileSync(path, "utf8")).toContain("lens mount");
    const kept = readFileSync(path, "utf8");
    expect(kept).toContain("wavelength_nm: 1064");
    expect(kept).toContain("calibration: { zero_mm: 210, direction: -1 } # by a ruler");
    expect(kept).toContain("limits: { z_min_mm: 70, z_max_mm: 200 } # the wall");
    await expect.poll(() => page.getByLabel("Content").inputValue()).toBe(kept);

    // A mistake is named with its line, and nothing is changed.
    await form.getByLabel("Highest position").fill("3");
    await form.getByRole("button", { name: "Save settings" }).click();
    await page
      .getByText(/limits\.z_max_mm: expected more than z_min_mm/)
      .first()
      .waitFor();
    expect(readFileSync(path, "utf8")).toBe(kept);

    await page.getByRole("button", { name: "Offer", exact: true }).click();
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText(/✓ stage: .*serial 54321/).waitFor();
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("heading", { name: "Exposure" }).waitFor();
    await page.getByText("SIMULATED", { exact: true }).first().waitFor();
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test.skipIf(noBrowser !== undefined)(
  "what is written into a bench file is neither lost nor laid over another",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "caustic-files-"));
    writeFileSync(join(folder, "mine.yaml"), FILE);
    writeFileSync(join(folder, "my-bench.yaml"), FILE);
    const files = new BenchFileFolder(folder, (file) => offerBenchOfFile(file, { keepIn: join(folder, "runs") }));
    const host = await pageHost(null, { files });
    const browser = await startBrowser();
    try {
      const { page } = await openPage(browser, host);
      await showView(page, "Instruments");
      await page.getByRole("button", { name: "New file" }).click();
      expect(await page.getByLabel("File name").inputValue()).toBe("my-bench-2.yaml");
      const content = page.getByLabel("Content");
      const written = FILE.replace("the wall", "the other wall");
      await content.fill(written);
      // Neither another view nor another file takes it away.
      await showView(page, "Runs");
      await showView(page, "Instruments");
      expect(await content.inputValue()).toBe(written);
      await page.getByRole("button", { name: "mine.yaml", exact: true }).click();
      await page.getByText(/my-bench-2\.yaml has changes that are not kept/).waitFor();
      expect(await content.inputValue()).toBe(written);
      for (const [name, refusal] of [
        ["mine.yaml", /There is another file mine\.yaml/],
        ["wall", /before an ending \.yaml/],
      ] as const) {
        await page.getByLabel("File name").fill(name);
        await page.getByRole("button", { name: "Keep", exact: true }).click();
        await page.getByRole("alert").filter({ hasText: refusal }).waitFor();
      }
      expect(readFileSync(join(folder, "mine.yaml"), "utf8")).toBe(FILE);
      await page.getByLabel("File name").fill("wall.yaml");
      await page.getByRole("button", { name: "Keep", exact: true }).click();
      await page.getByRole("form", { name: "Settings of wall.yaml" }).waitFor();
      expect(readFileSync(join(folder, "wall.yaml"), "utf8")).toBe(written);
      await page.getByRole("button", { name: "mine.yaml", exact: true }).click();
      await expect.poll(() => content.inputValue()).toBe(FILE);
    } finally {
      await browser.close();
      await host.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
