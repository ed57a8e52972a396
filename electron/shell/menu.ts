import type { MenuItemConstructorOptions } from "electron";
import type { WindowCommand } from "../../main/contract/window-commands.ts";

/** What the menu does, given by the shell. */
export interface MenuActions {
  /** Sends a command of the page by its name. */
  readonly command: (name: WindowCommand) => void;
  readonly openRunsFolder: () => void;
  readonly openLogFile: () => void;
}

/**
 * The window's menu. STOP has a key that works while a menu is open; everything else the page's own keys do too. Accelerators
 * take a modifier, so that typing into a field never starts anything.
 */
export function menuTemplate(actions: MenuActions, platform: NodeJS.Platform): MenuItemConstructorOptions[] {
  const item = (label: string, name: WindowCommand, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    ...(accelerator === undefined ? {} : { accelerator }),
    click: () => {
      actions.command(name);
    },
  });
  const mac: MenuItemConstructorOptions[] = platform === "darwin" ? [{ role: "appMenu" }] : [];
  return [
    ...mac,
    {
      label: "&File",
      submenu: [
        item("Open the folder of a run …", "open-record", "CommandOrControl+O"),
        { type: "separator" },
        { label: "Open the folder of the runs", click: actions.openRunsFolder },
        { label: "Open the log file", click: actions.openLogFile },
        { type: "separator" },
        platform === "darwin" ? { role: "close" } : { role: "quit" },
      ],
    },
    { role: "editMenu" },
    {
      label: "&Bench",
      submenu: [
        item("STOP", "stop", "CommandOrControl+."),
        { type: "separator" },
        item("Take control", "take-over", "CommandOrControl+T"),
        item("Pause or resume who drives", "pause", "CommandOrControl+P"),
        { type: "separator" },
        item("Find the exposure", "auto-exposure", "CommandOrControl+E"),
        item("Take darks", "darks", "CommandOrControl+D"),
        item("Measure here", "measure", "CommandOrControl+M"),
        { type: "separator" },
        item("Stage 1 mm back", "jog-back", "Alt+Left"),
        item("Stage 1 mm forward", "jog-forward", "Alt+Right"),
        item("Stage 10 mm back", "jog-back-far", "Alt+Shift+Left"),
        item("Stage 10 mm forward", "jog-forward-far", "Alt+Shift+Right"),
      ],
    },
    {
      label: "&View",
      submenu: [
        item("Bench", "view-bench", "CommandOrControl+1"),
        item("Caustic", "view-caustic", "CommandOrControl+2"),
        item("Agent", "view-agent", "CommandOrControl+3"),
        item("Evaluation", "view-evaluation", "CommandOrControl+4"),
        item("Runs", "view-runs", "CommandOrControl+5"),
        item("Instruments", "view-instruments", "CommandOrControl+6"),
        { type: "separator" },
        item("Logarithmic colours", "log-scale", "CommandOrControl+L"),
        item("Freeze the live frame", "freeze"),
        item("Dark or light", "theme"),
        { type: "separator" },
        { role: "resetZoom" },
        { role: "zoomIn" },
        { role: "zoomOut" },
        { role: "togglefullscreen" },
      ],
    },
    { label: "&Help", role: "help", submenu: [item("Keys and help", "help", "F1")] },
  ];
}
