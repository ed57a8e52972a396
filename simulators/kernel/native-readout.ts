import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { fillOpen, plainReadout, type Readout, type ReadoutLoop } from "../world/exposure.ts";
import { ZIGGURAT_HEIGHTS, ZIGGURAT_LIMITS, ZIGGURAT_STEPS } from "../world/ziggurat.ts";

/** What `src/addon.cpp` exports. Throws RangeError for arguments that do not fit together. */
interface Addon {
  readOut(
    samples: Uint16Array,
    light: Float32Array | undefined,
    numbers: Float64Array,
    limits: Int32Array,
    steps: Float64Array,
    heights: Float64Array,
    open: Uint32Array,
  ): number;
}

const require = createRequire(import.meta.url);
const FOLDER = dirname(fileURLToPath(import.meta.url));

let open = new Uint32Array(0);
const numbers = new Float64Array(7);

/**
 * The compiled loop over the pixels of a simulated frame, found by node-gyp-build in `build/Release` or `prebuilds/`; undefined where
 * there is none. Its counts are those of the plain loop to the last bit.
 */
export function loadNativeReadout(): ReadoutLoop | undefined {
  const addon = load();
  return addon === undefined ? undefined : (readout) => readOut(addon, readout);
}

let loaded: { readonly addon: Addon | undefined } | undefined;

function load(): Addon | undefined {
  if (loaded !== undefined) return loaded.addon;
  try {
    loaded = { addon: (require("node-gyp-build") as (folder: string) => Addon)(FOLDER) };
  } catch {
    loaded = { addon: undefined };
  }
  return loaded.addon;
}

function readOut(addon: Addon, readout: Readout): void {
  const { samples, light, exposure_ms, floor_counts, evenVariance, variancePerCount, fullScale_counts, key } = readout;
  // One draw in four thousand ends in the tail; a thousandth and some more is room that no real frame fills.
  const room = (samples.length >> 10) + 64;
  if (open.length < room) open = new Uint32Array(room);
  numbers[0] = exposure_ms;
  numbers[1] = floor_counts;
  numbers[2] = evenVariance;
  numbers[3] = variancePerCount;
  numbers[4] = fullScale_counts;
  numbers[5] = key.first;
  numbers[6] = key.second;
  const count = addon.readOut(samples, light, numbers, ZIGGURAT_LIMITS, ZIGGURAT_STEPS, ZIGGURAT_HEIGHTS, open);
  if (count < 0) plainReadout(readout);
  else fillOpen(readout, open, count);
}
