import { create } from "zustand";
import { COLOUR_MAP_NAMES, type ColourMapName } from "../plot/colour-maps.ts";

export type Theme = "dark" | "light";

export interface Overlays {
  readonly ellipse: boolean;
  readonly area: boolean;
  readonly axes: boolean;
  readonly cross: boolean;
  readonly saturation: boolean;
}

/** How a person likes to look at things; kept in the browser, not in the bench. */
export interface Preferences {
  readonly theme: Theme;
  readonly colourMap: ColourMapName;
  readonly logScale: boolean;
  readonly overlays: Overlays;
  readonly tourDone: boolean;
}

interface PreferenceStore extends Preferences {
  readonly change: (change: Partial<Preferences>) => void;
}

const KEY = "caustic.preferences";
const DEFAULTS: Preferences = {
  theme: "dark",
  colourMap: "inferno",
  logScale: false,
  overlays: { ellipse: true, area: false, axes: true, cross: false, saturation: true },
  tourDone: false,
};

function read(): Preferences {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    if (typeof kept !== "object" || kept === null) return DEFAULTS;
    const known = kept as Partial<Preferences>;
    return {
      theme: known.theme === "light" ? "light" : DEFAULTS.theme,
      colourMap: COLOUR_MAP_NAMES.find((name) => name === known.colourMap) ?? DEFAULTS.colourMap,
      logScale: known.logScale === true,
      overlays: { ...DEFAULTS.overlays, ...known.overlays },
      tourDone: known.tourDone === true,
    };
  } catch {
    // What cannot be read is as good as nothing kept: only looks are in it.
    return DEFAULTS;
  }
}

export const usePreferences = create<PreferenceStore>()((set, get) => ({
  ...read(),
  change(change) {
    set(change);
    const { theme, colourMap, logScale, overlays, tourDone } = get();
    localStorage.setItem(KEY, JSON.stringify({ theme, colourMap, logScale, overlays, tourDone }));
  },
}));
