import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { desktopChance } from "../electron-binary.ts";
import { printNote } from "../terminal.ts";
import { builtShell } from "../window/built-page.ts";
import { serve, type ServeOptions, serveOptions } from "./serve.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export function registerOpen(program: Command): void {
  serveOptions(program.command("open"))
    .description("the desktop window; without Electron's binary or a display the same as a page (see serve)")
    .addHelpText(
      "after",
      `
Example:
  $ caustic open
  $ caustic open --scenario random_scenario --seed 7`,
    )
    .action(open);
}

async function open(options: ServeOptions): Promise<void> {
  const chance = desktopChance(join(ROOT, "node_modules", "electron"), {
    platform: process.platform,
    env: process.env,
    userId: process.getuid?.(),
  });
  if ("why" in chance) {
    printNote(`No desktop window: ${chance.why}. The same application is served as a page.`);
    await serve(options);
    return;
  }
  const shell = await builtShell(printNote);
  const child = spawn(chance.binary, [shell], {
    stdio: "inherit",
    env: { ...process.env, CAUSTIC_RUNS: join(process.cwd(), options.out) },
  });
  process.exitCode = await new Promise<number>((resolve) => {
    child.once("exit", (code) => {
      resolve(code ?? 0);
    });
    child.once("error", (error) => {
      printNote(`The desktop window could not be opened: ${error.message}`);
      resolve(1);
    });
  });
}
