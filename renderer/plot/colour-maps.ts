/** Colours in equal steps from the fewest counts to the most; in between they are mixed. */
interface ColourMap {
  readonly stops: readonly string[];
  /** Pixels at full scale: a colour that the map itself does not have. */
  readonly saturated: string;
}

export const COLOUR_MAPS = {
  inferno: {
    stops: [
      "#000004",
      "#1b0c41",
      "#4a0c6b",
      "#781c6d",
      "#a52c60",
      "#cf4446",
      "#ed6925",
      "#fb9b06",
      "#f7d13d",
      "#fcffa4",
    ],
    saturated: "#00e5ff",
  },
  viridis: {
    stops: [
      "#440154",
      "#482878",
      "#3e4989",
      "#31688e",
      "#26828e",
      "#1f9e89",
      "#35b779",
      "#6ece58",
      "#b5de2b",
      "#fde725",
    ],
    saturated: "#ff2bd6",
  },
  grey: { stops: ["#000000", "#ffffff"], saturated: "#ff3b30" },
  thermal: {
    stops: ["#000004", "#1c0f6b", "#5a12a0", "#a01a8c", "#d63a4f", "#f3712b", "#fdb01f", "#fde25d", "#fffbe0"],
    saturated: "#00e5ff",
  },
} as const satisfies Readonly<Record<string, ColourMap>>;

export type ColourMapName = keyof typeof COLOUR_MAPS;
export const COLOUR_MAP_NAMES = Object.keys(COLOUR_MAPS) as ColourMapName[];

export const TABLE_LEVELS = 256;

function channels(colour: string): [number, number, number] {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** The map as `TABLE_LEVELS` opaque RGBA colours, bytes in that order. */
export function colourTable(name: ColourMapName): Uint8Array<ArrayBuffer> {
  const stops = COLOUR_MAPS[name].stops.map(channels);
  const table = new Uint8Array(TABLE_LEVELS * 4);
  for (let level = 0; level < TABLE_LEVELS; level++) {
    const place = (level / (TABLE_LEVELS - 1)) * (stops.length - 1);
    const below = Math.min(stops.length - 2, Math.floor(place));
    const from = stops[below] ?? [0, 0, 0];
    const to = stops[below + 1] ?? from;
    for (let channel = 0; channel < 3; channel++) {
      const start = from[channel] ?? 0;
      table[level * 4 + channel] = Math.round(start + (place - below) * ((to[channel] ?? 0) - start));
    }
    table[level * 4 + 3] = 255;
  }
  return table;
}

/** Colour of saturated pixels, 0…255 each. */
export const saturatedColour = (name: ColourMapName): [number, number, number] => channels(COLOUR_MAPS[name].saturated);
