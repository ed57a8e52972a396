import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import type { BenchEvent } from "../../../main/contract/events.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { decodeFrameHead, type FrameHeader } from "../../../main/contract/window-frame.ts";
import type { WindowPort } from "../../../main/contract/window-messages.ts";
import { noBrowser, openPage, type PageHost, pageHost, showView, startBrowser } from "./page-fixture.ts";

const title = noBrowser === undefined ? "the page in Chromium" : `the page in Chromium (skipped: ${noBrowser})`;

describe.skipIf(noBrowser !== undefined)(title, () => {
  let browser: Browser;
  const hosts: PageHost[] = [];
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    for (const host of hosts.splice(0)) await host.close();
  });
  async function host(...options: Parameters<typeof pageHost>): Promise<PageHost> {
    const made = await pageHost(...options);
    hosts.push(made);
    return made;
  }
  const openBench = async (page: Page): Promise<void> => {
    await page.getByRole("button", { name: "Open", exact: true }).first().click();
    await page.getByRole("heading", { name: "Exposure" }).waitFor();
  };

  test("a large frame comes as it is shown: the very counts under the pointer, and every pixel of what is zoomed into", async () => {
    const large = await host({ scenario: "clean", seed: 1, sensor: "1280x1024" });
    const sent: { samples: number; header: FrameHeader }[] = [];
    const accept = large.window.host.accept.bind(large.window.host);
    large.window.host.accept = (port: WindowPort): void => {
      const { sendPieces } = port;
      port.sendPieces = (head, samples, left) => {
        sent.push({ samples: samples.length, header: decodeFrameHead(head) });
        sendPieces?.call(port, head, samples, left);
      };
      accept(port);
    };
    const { page } = await openPage(browser, large);
    await openBench(page);
    await expect.poll(() => sent.at(-1)?.header.reduction ?? 1).toBeGreaterThan(1);
    const canvas = page.locator(".frame-canvas");
    const size = await canvas.evaluate((element: HTMLCanvasElement) => element.width * element.height);
    expect(sent.at(-1)?.samples).toBeLessThan(4 * size);
    const box = await canvas.boundingBox();
    if (box === null) throw new Error("the canvas has no place");
    await page.mouse.move(box.x + box.width / 2 + 3, box.y + box.height / 2 + 2);
    const readout = page.getByLabel("Counts under the pointer");
    await expect.poll(() => readout.textContent()).toMatch(/^\d+, \d+ px {2}\d+$/);
    const [column, row, counts] = ((await readout.textContent()) ?? "").match(/\d+/g)?.map(Number) ?? [];
    expect(sent.map(({ header }) => header.pointer)).toContainEqual({ column_px: column, row_px: row, counts });
    for (let step = 0; step < 8; step++) await page.mouse.wheel(0, -500);
    await expect
      .poll(() => sent.at(-1)?.header.region !== undefined && (sent.at(-1)?.header.reduction ?? 1) === 1)
      .toBe(true);
    const region = sent.at(-1)?.header.region;
    expect((region?.left_px ?? 1280) + (region?.width_px ?? 0)).toBeLessThan(1280);
    expect(sent.at(-1)?.samples).toBe((region?.width_px ?? 0) * (region?.height_px ?? 0));
    await page.getByRole("button", { name: "Whole" }).click();
    await expect.poll(() => sent.at(-1)?.header.region).toBeUndefined();
    // Freezing brings every pixel once.
    await page.getByRole("button", { name: "Freeze" }).click();
    await expect.poll(() => sent.at(-1)?.samples).toBe(1280 * 1024);
  });

  test("a first-time operator measures M² from the first page to the finished run", async () => {
    const { page, complaints } = await openPage(browser, await host(), { tour: true });
    const tour = page.getByRole("complementary", { name: "First run" });
    await tour.locator("strong", { hasText: "Open a bench" }).waitFor();
    await openBench(page);
    await tour.locator("strong", { hasText: "Look at the beam" }).waitFor();
    await page.getByText("SIMULATED", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Auto", exact: true }).click();
    await tour.locator("strong", { hasText: "Take a dark" }).waitFor();
    await page.getByRole("button", { name: "Take dark" }).click();
    await tour.locator("strong", { hasText: "Measure once" }).waitFor();
    await page.getByRole("button", { name: "Measure here" }).click();
    await tour.locator("strong", { hasText: "Scan the caustic" }).waitFor();
    await tour.getByRole("button", { name: "Go to the caustic" }).click();
    await page.getByRole("button", { name: "Start the scan" }).click();
    await page.getByText("The scan is complete.").waitFor();
    await tour.locator("strong", { hasText: "Finish" }).waitFor();
    await expect
      .poll(() => page.getByRole("heading", { name: "ISO 11146 positions" }).locator("..").textContent())
      .toContain("complete");
    await page.getByRole("button", { name: "Finish …" }).click();
    const dialog = page.getByRole("dialog", { name: "Finish the run" });
    expect(await dialog.getByLabel("Verdict").inputValue()).toBe("iso_compliant");
    await dialog.getByRole("button", { name: "Finish", exact: true }).click();
    await page.getByText("Measured to ISO 11146").first().waitFor();
    const m2 = await page.locator(".caustic-side .result-m2 .m2").allTextContents();
    expect(Number(m2[0])).toBeCloseTo(1.2, 1);
    expect(Number(m2[1])).toBeCloseTo(1.3, 1);
    await tour.getByRole("button", { name: "Done" }).click();
    expect(await tour.count()).toBe(0);

    const saved = (name: string): Promise<Buffer> => download(page, name);
    const table = (await saved("CSV")).toString("utf8").trim().split("\n");
    expect(table[0]).toContain("z_mm");
    expect(table.length - 1).toBe(await page.locator(".caustic-main .measurements tbody tr").count());

    // Simulated light says so in everything that leaves the window.
    const drawing = (await saved("SVG")).toString("utf8");
    expect(drawing).toContain("SIMULATED");
    expect(drawing).toMatch(/x: M² 1\.[12]\d*\u202f±/);
    expect(drawing).toMatch(/<svg[^>]* viewBox="0 0 688 432"/);
    expect(drawing.match(/<circle/g)?.length).toBeGreaterThanOrEqual(10);
    expect(drawing).not.toMatch(/class="line-x"[^>]*stroke="none"/);
    const picture = await saved("PNG");
    expect(picture.subarray(1, 4).toString("latin1")).toBe("PNG");
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([2064, 1296]);
    const pdf = await saved("PDF");
    expect(pdf.subarray(0, 5).toString("latin1")).toBe("%PDF-");
    expect(pdf.length).toBeGreaterThan(20_000);

    await page.getByRole("button", { name: "Close and open another bench" }).click();
    await showView(page, "Runs");
    await page.locator(".record").filter({ hasText: "Measured to ISO 11146" }).waitFor();
    expect(complaints).toEqual([]);
  });

  /** What a button of the export row saves. */
  const download = async (page: Page, button: string): Promise<Buffer> => {
    const downloading = page.waitForEvent("download");
    await page.getByRole("group", { name: "Export" }).getByRole("button", { name: button, exact: true }).click();
    return readFile(await (await downloading).path());
  };

  test("a click in the table shows the frame and the point of that measurement", async () => {
    const { page } = await openPage(browser, await host());
    await openBench(page);
    await page.getByRole("button", { name: "Measure here" }).click();
    await page.getByText("1 measured").waitFor();
    await showView(page, "Caustic");
    await page.getByRole("rowheader", { name: "m001" }).first().click();
    await page.locator(".still canvas").waitFor();
    expect(await page.locator(".caustic-plot .mark-selected").count()).toBeGreaterThan(0);
    await expect.poll(() => page.locator(".still canvas").getAttribute("aria-label")).toContain("640 by 480 pixels");
  });

  test("a script is watched live and taken over", async () => {
    const made = await host({ scenario: "clean", seed: 5, real_time: true });
    const { page, complaints } = await openPage(browser, made);
    await showView(page, "Agent");
    await page.getByRole("button", { name: "Start scripted" }).click();
    await page.locator(".entry .caller-script").nth(2).waitFor();
    await page.getByRole("banner").getByRole("button", { name: "Take over" }).click();
    await page.getByText("You drive").waitFor();
    await page.locator(".drives").getByText("stopped: the operator took over").waitFor();
    const session = made.window.benches.openRuns()[0];
    expect(session?.events().some((event) => event.type === "control_changed" && event.why === "taken_over")).toBe(
      true,
    );
    expect(complaints).toEqual([]);
  });

  test("Escape stops the stage also while somebody types", async () => {
    const made = await host({ scenario: "clean", seed: 5, real_time: true });
    const { page } = await openPage(browser, made);
    await openBench(page);
    const target = page.getByLabel("Go to position");
    await target.fill("240");
    await target.press("Enter");
    await page.getByText("moving", { exact: true }).waitFor();
    await target.press("Escape");
    await expect
      .poll(() =>
        made.window.benches
          .openRuns()[0]
          ?.events()
          .some((event) => event.type === "stopped" && event.why === "stop"),
      )
      .toBe(true);
    const end = made.window.benches
      .openRuns()[0]
      ?.events()
      .find((event) => event.type === "move_ended");
    expect(end).toMatchObject({ outcome: "stopped" });
  });

  test("STOP ends a scan, whenever it is pressed and in whichever window", async () => {
    const made = await host({ scenario: "clean", seed: 5 });
    const { page } = await openPage(browser, made);
    const { page: other } = await openPage(browser, made);
    await openBench(page);
    await showView(page, "Caustic");
    const events = (): readonly BenchEvent[] => made.window.benches.openRuns()[0]?.events() ?? [];
    const measured = (): number => events().filter((event) => event.type === "measurement_taken").length;
    for (const pressed of [page, other, page, other]) {
      const before = measured();
      await page.getByRole("button", { name: "Start the scan" }).click();
      await expect.poll(measured, { interval: 5 }).toBeGreaterThan(before);
      if (pressed === page) await page.keyboard.press("Escape");
      else await other.getByRole("button", { name: "STOP" }).click();
      await page.getByText(/^The scan was stopped: \d+ of \d+ positions are measured\.$/).waitFor();
      await page.getByRole("button", { name: "Start the scan" }).waitFor();
      const stop = events().findLastIndex((event) => event.type === "stopped" && event.why === "stop");
      const after = events().slice(stop);
      expect(after.filter(({ type }) => type === "move_started" || type === "frames_exposed")).toEqual([]);
      const calls = (): number => events().filter((event) => event.type === "tool_called").length;
      const until = calls();
      await page.waitForTimeout(300);
      expect(calls()).toBe(until);
      await page.getByRole("button", { name: "Dismiss" }).first().click();
    }
    await other.getByText("Another window drives").waitFor();
    await other.getByRole("button", { name: "Take over" }).click();
    await other.getByText("You drive").waitFor();
    await page.getByText("Another window drives").waitFor();
  });

  test("a scan that a reload of the page ended says how far it came, and goes on with the rest", async () => {
    const { page } = await openPage(browser, await host({ scenario: "clean", seed: 5, real_time: true }));
    await openBench(page);
    await showView(page, "Caustic");
    const field = (name: string) => page.getByRole("spinbutton", { name, exact: true });
    await field("to").fill("30");
    await field("positions").fill("4");
    await page.getByLabel("then complete ISO").uncheck();
    await page.getByRole("button", { name: "Start the scan" }).click();
    const rows = page.locator(".caustic-main .measurements tbody tr");
    await rows.getByRole("rowheader").first().waitFor();
    await page.reload();
    await showView(page, "Caustic");
    const said = page.getByText(/The scan ended because the page was reloaded: [123] of 4 positions measured/);
    await said.waitFor();
    await page.getByRole("button", { name: /^Go on with/ }).click();
    await page.getByText("The scan is complete.").waitFor();
    const places = await rows.locator("td:nth-child(2)").allTextContents();
    expect(new Set(places)).toEqual(new Set(["0.000", "10.000", "20.000", "30.000"]));
    expect(await said.count()).toBe(0);
  });

  test("a refusal stands below the view and covers none of it, once however often it came", async () => {
    const { page } = await openPage(browser, await host());
    await openBench(page);
    const target = page.getByLabel("Go to position");
    for (let times = 0; times < 3; times++) {
      await target.fill("900");
      await target.press("Enter");
    }
    const refusal = page.locator(".message").filter({ hasText: "lies outside" });
    await refusal.filter({ hasText: "3 times" }).waitFor();
    expect(await refusal.count()).toBe(1);
    const [message, view] = await Promise.all([refusal.boundingBox(), page.locator("main").boundingBox()]);
    expect((view?.y ?? 0) + (view?.height ?? 0)).toBeLessThanOrEqual((message?.y ?? 0) + 0.5);
    const exposure = page.getByLabel("Exposure time");
    await exposure.fill("1e9");
    await exposure.press("Enter");
    await page.locator(".message").filter({ hasText: "1000000000 ms" }).waitFor();
    // The number was given: keys are the window's again.
    await page.keyboard.press("2");
    await page.getByText("Nothing measured yet").first().waitFor();
  });

  test("STOP can be pressed while a dialog covers the bar", async () => {
    const made = await host({ scenario: "clean", seed: 5, real_time: true });
    const { page } = await openPage(browser, made);
    await openBench(page);
    await page.getByLabel("Go to position").fill("240");
    await page.getByLabel("Go to position").press("Enter");
    await page.getByText("moving", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Keys and help" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "STOP" }).click();
    await page.getByText("at rest").waitFor();
    const end = made.window.benches
      .openRuns()[0]
      ?.events()
      .find((event) => event.type === "move_ended");
    expect(end).toMatchObject({ outcome: "stopped" });
  });

  test("a lost connection says so, comes back by itself, and has missed nothing", async () => {
    const made = await host();
    const { page } = await openPage(browser, made);
    await openBench(page);
    await page.getByRole("button", { name: "Measure here" }).click();
    await page.getByText("1 measured").waitFor();
    const lost = page.getByRole("alert").filter({ hasText: "connection to the bench is lost" });
    const noticed = lost.waitFor();
    made.cut();
    await noticed;
    await page.getByRole("img", { name: "Connected" }).waitFor();
    await page.getByRole("button", { name: "Measure here" }).click();
    await page.getByText("2 measured").waitFor();
    expect(made.window.benches.openRuns()[0]?.snapshot().measurements).toHaveLength(2);
    await expect.poll(() => lost.count()).toBe(0);
  });

  test("a page with a wrong token is told so and sees nothing", async () => {
    const made = await host();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${made.host.origin}/#token=wrong`);
    await page.getByRole("alert").filter({ hasText: "Not admitted" }).waitFor();
    expect(await page.getByRole("button", { name: "Open", exact: true }).count()).toBe(0);
    expect(await page.evaluate("location.href")).not.toContain("token");
  });

  test("a kept run is walked through event by event, with the fit as it was", async () => {
    const made = await host();
    const { page } = await openPage(browser, made);
    await showView(page, "Agent");
    await page.getByRole("button", { name: "Start scripted" }).click();
    await page.locator(".drives").getByText("ended").waitFor();
    await showView(page, "Caustic");
    await page.getByRole("button", { name: "Close and open another bench" }).click();
    await showView(page, "Runs");
    await page.locator(".record-main").first().click();
    const slider = page.getByRole("slider", { name: "Event" });
    await slider.waitFor();
    const rows = page.locator(".replay .measurements tbody tr");
    const all = await rows.count();
    expect(all).toBeGreaterThanOrEqual(10);
    await expect.poll(() => page.locator(".replay .m2").count()).toBe(2);
    await slider.fill("0");
    await expect.poll(() => rows.count()).toBe(0);
    expect(await page.locator(".replay .m2").count()).toBe(0);
    for (let measurement = 1; measurement <= 3; measurement++) {
      await page.getByRole("button", { name: "Next measurement" }).click();
      await expect.poll(() => rows.count()).toBe(measurement);
    }
    // The last of the measurement's frames is shown; those before it were not kept, and are made again.
    const steps = page.getByRole("group", { name: "Frames of the measurement" });
    const step = async () =>
      (await steps.innerText())
        .match(/frame (\d+) of (\d+)/)
        ?.slice(1)
        .map(Number) ?? [];
    await expect.poll(async () => new Set(await step()).size).toBe(1);
    const [count = 0] = await step();
    expect(count).toBeGreaterThan(1);
    await steps.getByRole("button", { name: "Frame before" }).click();
    await expect.poll(step).toEqual([count - 1, count]);
    await page.locator(".replay .still .frame-canvas").waitFor();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText(/^Sound: /).waitFor();
    await page.getByRole("button", { name: "Grade again" }).click();
    const graded = page.getByRole("dialog", { name: "Graded again" });
    await graded.getByText("✓ yes").waitFor();
    await graded.getByRole("button", { name: "Close" }).click();
    // As it was then: three measurements and no more.
    expect((await download(page, "CSV")).toString("utf8").trim().split("\n")).toHaveLength(4);
  });

  test("two kept runs lie in one plot, with the distance of their caustics below", async () => {
    const made = await host();
    const { page, complaints } = await openPage(browser, made);
    for (const contender of ["scripted", "naive"]) {
      await showView(page, "Agent");
      await page.getByLabel("Who").selectOption(contender);
      await page.getByRole("button", { name: `Start ${contender}` }).click();
      await page.locator(".drives").filter({ hasText: contender }).getByText("ended").first().waitFor();
      await showView(page, "Caustic");
      await page.getByRole("button", { name: "Close and open another bench" }).click();
    }
    await showView(page, "Runs");
    await page.locator(".record-main").filter({ hasText: "scripted" }).click();
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByRole("img", { name: "Difference of the two caustics along z" }).waitFor();
    expect(await page.locator(".curves-beside .line-x").count()).toBe(1);
    // Ten places, each with a width along x and one along y.
    expect(await page.locator(".marks-beside .mark").count()).toBe(20);
    const m2 = page.getByRole("row", { name: /^M² x/ });
    expect(await m2.textContent()).toMatch(/1\.\d+\s*±\s*0\.\d+.*%,\s*−?\d+\.\d\s*u/);
    expect(complaints).toEqual([]);
  });
});
