import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The desktop's processes, built now: the file that Electron starts. */
export async function builtShell(say: (message: string) => void): Promise<string> {
  const { build } = await import("vite");
  const configFile = join(ROOT, "config", "vite.shell.config.ts");
  await builtPage(say);
  await build({ configFile, logLevel: "warn" });
  await build({ configFile, mode: "preload", logLevel: "warn" });
  return join(ROOT, "out", "electron", "main.js");
}

/**
 * Folder of the built page. In a checkout where nobody has built it, it is built now; where that cannot be done either, the folder
 * is empty and the host serves no page.
 */
export async function builtPage(say: (message: string) => void): Promise<string> {
  const folder = join(ROOT, "out", "page");
  const configFile = join(ROOT, "config", "vite.config.ts");
  if (existsSync(join(folder, "index.html")) || !existsSync(configFile)) return folder;
  try {
    const { build } = await import("vite");
    say("building the page");
    await build({ configFile, logLevel: "warn" });
  } catch (error) {
    say(`the page could not be built: ${error instanceof Error ? error.message : String(error)}`);
  }
  return folder;
}
