import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { FrameSurvey, KernelFrame, MomentKernel, Rectangle, RectangleMoments } from "../analysis/kernel.ts";
import { momentOrigin, rectangleRows } from "../analysis/rectangle.ts";

/** The compiled kernel, or why there is none. */
export type NativeKernel =
  | { readonly loaded: true; readonly kernel: MomentKernel }
  | { readonly loaded: false; readonly reason: "not_built" | "not_loadable"; readonly detail: string };

/** Sets of instructions for which the kernel has loops of its own. */
export type InstructionSet = "avx512" | "avx2" | "plain";

type Dark = Float32Array | Float64Array | undefined;

/** What `src/addon.cpp` exports. Throws RangeError for arguments that do not fit together. */
interface Addon {
  moments(
    samples: Uint16Array,
    width_px: number,
    height_px: number,
    dark: Dark,
    saturation_counts: number,
    firstRow: number,
    spans: Float64Array,
    originX_px: number,
    originY_px: number,
    result: Float64Array,
  ): void;
  survey(
    samples: Uint16Array,
    width_px: number,
    height_px: number,
    dark: Dark,
    saturation_counts: number,
    block_px: number,
    blockSums: Float64Array,
    result: Float64Array,
  ): void;
  addCounts(sums: Uint32Array, samples: Uint16Array): number;
  histogram(samples: Uint16Array, fourfold: Uint32Array): number;
  pixelsFrom(samples: Uint16Array, least_counts: number, indices: Uint32Array): number;
  reduce(
    samples: Uint16Array,
    width_px: number,
    left_px: number,
    top_px: number,
    regionWidth_px: number,
    regionHeight_px: number,
    reduction: number,
    reduced: Uint16Array,
  ): void;
  instructionSet(): InstructionSet;
  useInstructionSet(name: string): boolean;
}

const require = createRequire(import.meta.url);
const FOLDER = dirname(fileURLToPath(import.meta.url));

let addon: Addon | Extract<NativeKernel, { readonly loaded: false }> | undefined;

/**
 * The kernel of `src/`, whose results are the TypeScript kernel's to the last bit. Found by node-gyp-build in `build/Release` or
 * `prebuilds/`; nothing is downloaded. `wanted` is for tests: the loops of a lesser set of instructions.
 */
export function loadNativeKernel(wanted?: InstructionSet): NativeKernel {
  addon ??= load();
  if ("loaded" in addon) return addon;
  const { moments, survey, addCounts, histogram, pixelsFrom, instructionSet, useInstructionSet } = addon;
  const best = instructionSet();
  const set = wanted ?? best;
  if (!useInstructionSet(set)) {
    return { loaded: false, reason: "not_loadable", detail: `this machine or this build has no ${set} instructions` };
  }
  useInstructionSet(best);
  /** Runs with the wanted loops and puts the best ones back. */
  const withSet = <T>(work: () => T): T => {
    if (set === best) return work();
    useInstructionSet(set);
    try {
      return work();
    } finally {
      useInstructionSet(best);
    }
  };
  return {
    loaded: true,
    kernel: {
      name: `native ${set}`,
      moments: (frame, rectangle) => withSet(() => callMoments(moments, frame, rectangle)),
      survey: (frame, block_px, memory) => withSet(() => callSurvey(survey, frame, block_px, memory)),
      addCounts: (sums, samples) => withSet(() => addCounts(sums, samples)),
      counting: {
        histogram: (samples) => withSet(() => callHistogram(histogram, samples)),
        pixelsFrom: (samples, least_counts) => withSet(() => callPixelsFrom(pixelsFrom, samples, least_counts)),
      },
    },
  };
}

function load(): NonNullable<typeof addon> {
  try {
    return (require("node-gyp-build") as (folder: string) => Addon)(FOLDER);
  } catch (error) {
    const detail = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    const reason = detail.startsWith("No native build was found") ? "not_built" : "not_loadable";
    return { loaded: false, reason, detail };
  }
}

function callMoments(moments: Addon["moments"], frame: KernelFrame, rectangle: Rectangle): RectangleMoments {
  const { samples, width_px, height_px, dark, saturation_counts } = frame;
  const origin = momentOrigin(rectangle, width_px, height_px);
  const { firstRow, spans } = rectangleRows(rectangle, width_px, height_px);
  const result = new Float64Array(8);
  moments(samples, width_px, height_px, dark, saturation_counts, firstRow, spans, origin.x, origin.y, result);
  const [area_px = 0, s0 = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0, saturated = 0] = result;
  return { originX_px: origin.x, originY_px: origin.y, area_px, s0, sx, sy, sxx, sxy, syy, saturated };
}

function callSurvey(
  survey: Addon["survey"],
  frame: KernelFrame,
  block_px: number,
  memory: Float64Array | undefined,
): FrameSurvey {
  const { samples, width_px, height_px, dark, saturation_counts } = frame;
  const blocksWide = Math.ceil(width_px / block_px);
  const blocksHigh = Math.ceil(height_px / block_px);
  const blockSums = memory ?? new Float64Array(blocksWide * blocksHigh);
  const result = new Float64Array(4);
  survey(samples, width_px, height_px, dark, saturation_counts, block_px, blockSums, result);
  const [total = 0, brightest_counts = 0, saturated = 0, square = 0] = result;
  const saturatedSquare = square === 1;
  return { block_px, blocksWide, blocksHigh, blockSums, total, brightest_counts, saturated, saturatedSquare };
}

const BINS = 65_536;
/** Four histograms, all zeros between two uses. */
let fourfold = new Uint32Array(0);

function callHistogram(histogram: Addon["histogram"], samples: Uint16Array): Uint32Array {
  if (fourfold.length === 0) fourfold = new Uint32Array(4 * BINS);
  const bins = histogram(samples, fourfold);
  const result = fourfold.slice(0, bins);
  fourfold.fill(0, 0, bins);
  return result;
}

let indices = new Uint32Array(0);

function callPixelsFrom(pixelsFrom: Addon["pixelsFrom"], samples: Uint16Array, least_counts: number): Uint32Array {
  if (indices.length === 0) indices = new Uint32Array(BINS);
  let found = pixelsFrom(samples, least_counts, indices);
  if (found > indices.length) {
    indices = new Uint32Array(Math.min(samples.length, 2 * found));
    found = pixelsFrom(samples, least_counts, indices);
  }
  return indices.subarray(0, found);
}

/** As `ReduceLoop` in `main/app/window/reduce-frame.ts`; undefined where there is no compiled kernel. */
export function loadNativeReduction(): Addon["reduce"] | undefined {
  addon ??= load();
  return "loaded" in addon ? undefined : addon.reduce;
}
