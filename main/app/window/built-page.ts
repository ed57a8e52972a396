import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

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
