import type { BrowserWindowConstructorOptions } from "electron";
import type { WindowPlace } from "./window-place.ts";

/** Colour of the window before the page has drawn itself: dark, so that a dark lab stays dark. */
const GROUND = "#090b0e";

/** How the window is made. The page has no Node, no other world's objects, no remote content. */
export function windowOptions(preload: string, place: WindowPlace): BrowserWindowConstructorOptions {
  const { bounds } = place;
  return {
    title: "Caustic",
    show: false,
    backgroundColor: GROUND,
    minWidth: 1024,
    minHeight: 640,
    ...bounds,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      // Measurements go on while the window is hidden, and its strip charts with them.
      backgroundThrottling: false,
    },
  };
}
