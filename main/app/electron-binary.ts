import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the desktop window can be opened, or why it cannot. */
export type DesktopChance = { readonly binary: string } | { readonly why: string };

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absent where there are no user ids. */
  readonly userId: number | undefined;
}

/**
 * Looks for Electron's binary and a display. The package comes without the binary where it could not be downloaded, so its own lookup, which
 * would try to, is not asked. `packageFolder` is that of the npm package.
 */
export function desktopChance(packageFolder: string, machine: Machine): DesktopChance {
  const { platform, env, userId } = machine;
  const overridden = env["ELECTRON_OVERRIDE_DIST_PATH"];
  const nameFile = join(packageFolder, "path.txt");
  const name = existsSync(nameFile) ? readFileSync(nameFile, "utf8").trim() : PLATFORM_NAMES[platform];
  if (name === undefined) return { why: `there is no Electron for ${platform}` };
  const binary = join(overridden ?? join(packageFolder, "dist"), name);
  if (!existsSync(binary)) return { why: "Electron's binary is not installed (npx install-electron fetches it)" };
  if (platform === "linux" && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"]) return { why: "there is no display" };
  if (platform === "linux" && userId === 0) return { why: "as root the window's sandbox cannot start" };
  return { binary };
}

const PLATFORM_NAMES: Partial<Record<NodeJS.Platform, string>> = {
  linux: "electron",
  win32: "electron.exe",
  darwin: "Electron.app/Contents/MacOS/Electron",
};
