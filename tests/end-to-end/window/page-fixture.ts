import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import type { MomentKernel } from "../../../main/analysis/kernel.ts";
import { type Host, startHost } from "../../../main/app/host.ts";
import type { LiveChain } from "../../../main/app/live-chain/live-chain.ts";
import { builtPage } from "../../../main/app/window/built-page.ts";
import { createWindow, type WindowBench } from "../../../main/app/window/create-window.ts";
import type { BenchFiles } from "../../../main/app/window/offered-benches.ts";
import type { PageInput } from "../../../main/contract/window-verbs.ts";

export const CHROMIUM = "/usr/bin/chromium";

/** Why the page cannot be tested in a browser here; undefined where it can. */
export const noBrowser: string | undefined = existsSync(CHROMIUM) ? undefined : `${CHROMIUM} is not there`;

/** A running host with the built page, in this process, over a folder of its own. */
export interface PageHost {
  readonly host: Host;
  readonly window: WindowBench;
  readonly runsFolder: string;
  readonly address: string;
  /** Breaks every connection, as a pulled cable does. */
  cut(): void;
  close(): Promise<void>;
}

export async function pageHost(
  simulator: PageInput<"offer_simulator"> | null = { scenario: "clean", seed: 1 },
  options: {
    readonly evaluationsFrom?: string | undefined;
    readonly kernel?: MomentKernel;
    readonly files?: BenchFiles;
    /** Where frames are made and looked at; default: in this thread. Its owner closes it. */
    readonly chain?: LiveChain;
  } = {},
): Promise<PageHost> {
  const runsFolder = mkdtempSync(join(tmpdir(), "caustic-page-"));
  if (options.evaluationsFrom !== undefined) {
    cpSync(join(options.evaluationsFrom, "evaluation"), join(runsFolder, "evaluation"), { recursive: true });
  }
  const folder = await builtPage(() => undefined);
  const token = "token-of-this-test";
  const host = await startHost({ port: 0 });
  const window = createWindow(folder, {
    version: "test",
    desktop: false,
    runsFolder,
    token,
    ...(options.kernel === undefined ? {} : { kernel: options.kernel }),
    ...(options.files === undefined ? {} : { files: options.files }),
    ...(options.chain === undefined ? {} : { chain: options.chain }),
  });
  if (simulator !== null) window.benches.offerSimulator(simulator);
  host.addRoute((request, response) => window.servePage(request, response));
  const sockets = window.acceptSockets(host.server);
  return {
    host,
    window,
    runsFolder,
    address: `${host.origin}/#token=${token}`,
    cut: () => {
      sockets.cut();
    },
    async close() {
      sockets.close();
      await window.close();
      await host.close();
      rmSync(runsFolder, { recursive: true, force: true });
    },
  };
}

export async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
  });
}

export interface OpenedPage {
  readonly page: Page;
  /** What the page complained of: broken policy, thrown errors, failed requests. */
  readonly complaints: string[];
}

/** The page in a tab of its own. `tour` leaves the first-run tour open. */
export async function openPage(
  browser: Browser,
  host: Pick<PageHost, "address">,
  options: {
    readonly tour?: boolean;
    readonly theme?: "dark" | "light";
    readonly width?: number;
    readonly height?: number;
  } = {},
): Promise<OpenedPage> {
  const { tour = false, theme = "dark", width = 1280, height = 720 } = options;
  const context = await browser.newContext({ viewport: { width, height }, acceptDownloads: true });
  // How long something takes says nothing here; the test runner ends what hangs.
  context.setDefaultTimeout(0);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  await page.addInitScript(
    ({ theme: chosen, tourDone }) => {
      if (localStorage.getItem("caustic.preferences") === null) {
        localStorage.setItem("caustic.preferences", JSON.stringify({ theme: chosen, tourDone }));
      }
    },
    { theme, tourDone: !tour },
  );
  await page.goto(host.address);
  await page.getByRole("img", { name: "Connected" }).waitFor();
  return { page, complaints };
}

/** Shows one of the views by its tab. */
export async function showView(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("button", { name, exact: true }).click();
}
