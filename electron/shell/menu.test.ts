import { expect, test } from "vitest";
import { WINDOW_COMMANDS } from "../../main/contract/window-commands.ts";
import { menuTemplate } from "./menu.ts";

const nothing = (): void => undefined;

function collect(platform: NodeJS.Platform): { names: string[]; accelerators: string[] } {
  const names: string[] = [];
  const accelerators: string[] = [];
  const actions = { command: (name: string) => void names.push(name), openRunsFolder: nothing, openLogFile: nothing };
  for (const menu of menuTemplate(actions, platform)) {
    const items = Array.isArray(menu.submenu) ? menu.submenu : [];
    for (const item of items) {
      if (typeof item.accelerator === "string") accelerators.push(item.accelerator);
      // Electron's own arguments play no part in it.
      (item.click as (() => void) | undefined)?.();
    }
  }
  return { names, accelerators };
}

test("every item of the menu is a command that the page knows, and every command of the page is in the menu", () => {
  const { names } = collect("linux");
  const known = new Set<string>(WINDOW_COMMANDS);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
  expect([...known].filter((name) => !names.includes(name))).toEqual([]);
});

test.each(["linux", "win32", "darwin"] as const)(
  "on %s no two items share a key, and each takes a modifier",
  (platform) => {
    const { accelerators } = collect(platform);
    expect(new Set(accelerators).size).toBe(accelerators.length);
    for (const accelerator of accelerators) expect(accelerator).toMatch(/^(CommandOrControl|Alt)\+|^F\d+$/);
  },
);
