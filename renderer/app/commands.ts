import type { WindowCommand } from "../../main/contract/window-commands.ts";
import { pressStop } from "../controls/stop-button.tsx";
import { PageError } from "../host/page-error.ts";
import type { Desk } from "../store/desk.ts";
import { usePreferences } from "../store/preferences.ts";
import { useWindow, VIEWS } from "../store/window-store.ts";

/** Something that a key or a menu of the desktop starts. */
export interface Command {
  readonly name: Exclude<WindowCommand, "stop">;
  readonly words: string;
  /** As `KeyboardEvent.key` says it, with `Shift+` before it where it needs that. */
  readonly key: string;
  readonly run: (desk: Desk) => void;
}

const VIEW_WORDS = ["Bench", "Caustic", "Agent", "Evaluation", "Runs", "Instruments"];

/** What is asked for now is not done later, when the connection comes back. */
async function reaching(work: () => Promise<unknown>): Promise<void> {
  if (useWindow.getState().connection.kind !== "open") {
    throw new PageError(
      "connection_lost",
      "There is no connection to the bench: nothing was done.",
      "Ask again when the connection is back.",
    );
  }
  await work();
}

function jog(desk: Desk, step_mm: number): void {
  const { run, followed } = useWindow.getState();
  const { description, zActual_mm } = followed?.state ?? {};
  if (run === undefined || description === undefined || zActual_mm === undefined) return;
  const { min, max } = description.limits_mm;
  const z_mm = Number(Math.min(max, Math.max(min, zActual_mm + step_mm)).toFixed(3));
  void desk.attempt(() => reaching(() => desk.call("move_to", { run, z_mm, reason: "Jog." })));
}

function withRun(work: (desk: Desk, run: string) => Promise<unknown>): (desk: Desk) => void {
  return (desk) => {
    const { run } = useWindow.getState();
    if (run !== undefined) void desk.attempt(() => reaching(() => work(desk, run)));
  };
}

/** Every command with a key. STOP on Escape is apart: it works everywhere, also while a person types. */
export const COMMANDS: readonly Command[] = [
  ...VIEWS.map(
    (view, index): Command => ({
      name: `view-${view}`,
      words: `${VIEW_WORDS[index] ?? view} view`,
      key: String(index + 1),
      run: (desk) => {
        desk.show(view);
      },
    }),
  ),
  {
    name: "jog-back",
    words: "Stage 1 mm back",
    key: "ArrowLeft",
    run: (desk) => {
      jog(desk, -1);
    },
  },
  {
    name: "jog-forward",
    words: "Stage 1 mm forward",
    key: "ArrowRight",
    run: (desk) => {
      jog(desk, 1);
    },
  },
  {
    name: "jog-back-far",
    words: "Stage 10 mm back",
    key: "Shift+ArrowLeft",
    run: (desk) => {
      jog(desk, -10);
    },
  },
  {
    name: "jog-forward-far",
    words: "Stage 10 mm forward",
    key: "Shift+ArrowRight",
    run: (desk) => {
      jog(desk, 10);
    },
  },
  {
    name: "auto-exposure",
    words: "Find the exposure",
    key: "a",
    run: withRun((desk, run) => desk.call("auto_exposure", { run, reason: "The operator asked for it." })),
  },
  {
    name: "darks",
    words: "Take darks at the present exposure",
    key: "d",
    run: withRun(async (desk, run) => {
      const exposure_ms = useWindow.getState().followed?.state.exposure_ms;
      if (exposure_ms !== undefined)
        await desk.call("take_darks", { run, exposure_ms, reason: "The operator asked for it." });
    }),
  },
  {
    name: "measure",
    words: "Measure here",
    key: "m",
    run: withRun(async (desk, run) => {
      const z_mm = useWindow.getState().followed?.state.zActual_mm;
      if (z_mm !== undefined) await desk.call("measure_at", { run, z_mm, reason: "The operator measures here." });
    }),
  },
  { name: "take-over", words: "Take control", key: "t", run: withRun((desk, run) => desk.call("take_over", { run })) },
  {
    name: "pause",
    words: "Pause or resume who drives",
    key: "p",
    run: withRun((desk, run) =>
      desk.call(useWindow.getState().followed?.state.paused === true ? "resume" : "pause", { run }),
    ),
  },
  {
    name: "open-record",
    words: "Open the folder of a run",
    key: "o",
    run: (desk) => {
      void desk.openRecord();
    },
  },
  {
    name: "log-scale",
    words: "Logarithmic colours",
    key: "l",
    run: () => {
      const { logScale, change } = usePreferences.getState();
      change({ logScale: !logScale });
    },
  },
  {
    name: "freeze",
    words: "Freeze the live frame",
    key: " ",
    run: (desk) => {
      desk.freeze(!useWindow.getState().frozen);
    },
  },
  {
    name: "theme",
    words: "Dark or light",
    key: "Shift+T",
    run: () => {
      const { theme, change } = usePreferences.getState();
      change({ theme: theme === "dark" ? "light" : "dark" });
    },
  },
  {
    name: "help",
    words: "Keys and help",
    key: "?",
    run: () => {
      useWindow.setState(({ help }) => ({ help: !help }));
    },
  },
];

/** Whether a key belongs to what has the focus rather than to the window. */
function belongsToFocus(event: KeyboardEvent): boolean {
  const target = event.target instanceof HTMLElement ? event.target : undefined;
  if (target === undefined) return false;
  if (target.closest("input, select, textarea, dialog, [contenteditable]") !== null) return true;
  // Space and arrows work the control that has the focus.
  const moves = event.key === " " || event.key.startsWith("Arrow");
  return moves && target.closest("button, a, summary, [role=slider], [tabindex='0']") !== null;
}

/** Carries out what a key means. STOP comes before everything else. */
export function handleKey(event: KeyboardEvent, desk: Desk): void {
  if (event.key === "Escape") {
    void pressStop(desk);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || belongsToFocus(event)) return;
  const shifted = event.shiftKey && event.key !== "?" ? `Shift+${event.key}` : event.key;
  const command = COMMANDS.find(({ key }) => key === shifted);
  if (command === undefined) return;
  event.preventDefault();
  command.run(desk);
}

/** A key as it stands on the keyboard. */
export function keyWords(key: string): readonly string[] {
  const names: Readonly<Record<string, string>> = { " ": "Space", ArrowLeft: "←", ArrowRight: "→" };
  return key.split("+").map((part) => names[part] ?? part.toUpperCase());
}
