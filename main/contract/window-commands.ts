/** What keys of the page and the menu of the desktop can start in the window. The names cross from the shell to the page. */
export const WINDOW_COMMANDS = [
  "stop",
  "view-bench",
  "view-caustic",
  "view-agent",
  "view-evaluation",
  "view-runs",
  "view-instruments",
  "jog-back",
  "jog-forward",
  "jog-back-far",
  "jog-forward-far",
  "auto-exposure",
  "darks",
  "measure",
  "take-over",
  "log-scale",
  "freeze",
  "theme",
  "help",
] as const;
export type WindowCommand = (typeof WINDOW_COMMANDS)[number];
