import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Cancellation } from "../../../drivers/protocol/cancellation.ts";

/** Makes A4 pages of a self-contained HTML document. Rejects with what the browser said, or when it was called off. */
export type PdfPrinter = (html: string, cancellation?: Cancellation) => Promise<Uint8Array>;

/** Printing a page takes a second or two; a browser that takes longer hangs. */
const LONGEST_MS = 60_000;

const BROWSERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/usr/bin/google-chrome-stable",
    "/usr/bin/microsoft-edge",
    "/snap/bin/chromium",
  ],
  darwin: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  ],
  win32: [
    String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
    String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
    String.raw`C:\Program Files\Microsoft\Edge\Application\msedge.exe`,
  ],
};

/** Nothing is fetched and nothing runs, whatever the document says. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:";

/** The document under a policy of its own, which must come before anything else in it. */
export function printable(html: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">${html.replace(/^\s*<!doctype[^>]*>/i, "")}`;
}

/** Prints with the browser that this machine has; undefined where it has none. CAUSTIC_BROWSER names another one. */
export function browserPrinter(
  surroundings: {
    readonly platform: NodeJS.Platform;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly exists: (path: string) => boolean;
  } = { platform: process.platform, env: process.env, exists: existsSync },
): PdfPrinter | undefined {
  const { platform, env, exists } = surroundings;
  const named = env["CAUSTIC_BROWSER"];
  const browser = [...(named === undefined ? [] : [named]), ...(BROWSERS[platform] ?? [])].find(exists);
  return browser === undefined ? undefined : (html, cancellation) => printWith(browser, html, cancellation);
}

async function printWith(browser: string, html: string, cancellation: Cancellation | undefined): Promise<Uint8Array> {
  const ended = new AbortController();
  const end = (): void => {
    ended.abort();
  };
  cancellation?.addEventListener("abort", end, { once: true });
  if (cancellation?.aborted === true) end();
  const folder = mkdtempSync(join(tmpdir(), "caustic-print-"));
  try {
    const page = join(folder, "report.html");
    const pdf = join(folder, "report.pdf");
    writeFileSync(page, html);
    // A browser does not sandbox itself for the superuser, and says so instead of printing.
    const asSuperuser = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const args = ["--headless=new", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer", ...asSuperuser];
    await promisify(execFile)(
      browser,
      [...args, `--user-data-dir=${join(folder, "profile")}`, `--print-to-pdf=${pdf}`, pathToFileURL(page).href],
      { timeout: LONGEST_MS, signal: ended.signal },
    );
    return readFileSync(pdf);
  } finally {
    cancellation?.removeEventListener("abort", end);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
