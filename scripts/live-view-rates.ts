import { SENSOR_SIZES } from "../main/contract/window-verbs.ts";
import { chooseKernel } from "../main/app/choose-kernel.ts";
import { noBrowser, openPage, pageHost, startBrowser } from "../tests/end-to-end/window/page-fixture.ts";

/*
 * Prints how fast the live view is on this machine: frames per second on the screen, and the memory of the page, for each size of sensor.
 * The simulator that makes the frames runs in the same process as the host, so large sensors measure it rather than the view.
 * `node scripts/live-view-rates.ts [seconds]`
 */

const SECONDS = Number(process.argv[2] ?? 10);
const MIB = 2 ** 20;

if (noBrowser !== undefined) {
  process.stderr.write(`No figures: ${noBrowser}\n`);
  process.exit(1);
}

const browser = await startBrowser();
try {
  for (const sensor of SENSOR_SIZES) {
    const host = await pageHost({ scenario: "clean", seed: 1, sensor }, { kernel: chooseKernel().kernel });
    const { page } = await openPage(browser, host);
    const session = await page.context().newCDPSession(page);
    const heap = async (): Promise<number> => {
      await session.send("HeapProfiler.collectGarbage");
      const { usedSize } = await session.send("Runtime.getHeapUsage");
      return usedSize / MIB;
    };
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.locator(".frame-facts").waitFor();
    const counted = page.locator(".frame-canvas");
    await counted.waitFor();
    const before = await heap();
    const rates: number[] = [];
    for (let second = 0; second < SECONDS; second++) {
      await page.waitForTimeout(1000);
      const text = (await page.locator(".frame-facts").textContent()) ?? "";
      rates.push(Number(/(\d+) fps/.exec(text)?.[1] ?? 0));
    }
    rates.sort((a, b) => a - b);
    process.stdout.write(
      `${sensor.padEnd(10)} ${rates[Math.floor(rates.length / 2)] ?? 0} frames/s (least ${rates[0] ?? 0}), page memory ${before.toFixed(1)} → ${(await heap()).toFixed(1)} MiB\n`,
    );
    await page.context().close();
    await host.close();
  }
} finally {
  await browser.close();
}
