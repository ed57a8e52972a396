import type { Frame } from "../../drivers/protocol/frame.ts";
import type { DarkReference } from "../analysis/analyze-frame.ts";
import type { MomentKernel } from "../analysis/kernel.ts";
import { typescriptKernel } from "../analysis/typescript-kernel.ts";
import type { Dark } from "../contract/tools.ts";

/** Two exposures that a camera calls the same differ by less than this share. */
const SAME_EXPOSURE = 1e-4;

interface StoredDark {
  readonly dark: Dark;
  readonly reference: DarkReference;
  /** Measurements taken before this dark. */
  readonly takenAfter: number;
}

/** Darks by applied exposure. A newer dark at the same exposure takes the place of the older one. */
export class DarkLibrary {
  readonly #darks: StoredDark[] = [];
  readonly #kernel: MomentKernel;
  #acquisitions = 0;

  constructor(kernel: MomentKernel = typescriptKernel) {
    this.#kernel = kernel;
  }

  /** Darks in the library, replaced ones included. */
  get taken(): number {
    return this.#darks.length;
  }

  /** Number of the acquisition that begins, from 0; failed ones count. */
  beginAcquisition(): number {
    const acquisition = this.#acquisitions;
    this.#acquisitions += 1;
    return acquisition;
  }

  /** Averages the frames, all of one size, and files them under their exposure. */
  add(frames: readonly Frame[], exposure_ms: number, measurementsSoFar: number): Dark {
    const reference = averageDark(frames, this.#kernel);
    const pixels = reference.mean.length;
    let sum = 0;
    for (let i = 0; i < pixels; i++) sum += reference.mean[i] as number;
    const dark: Dark = {
      dark: `d${String(this.#darks.length + 1).padStart(3, "0")}`,
      exposure_ms,
      frames: frames.length,
      mean_counts: sum / pixels,
      noise_counts: reference.noise_counts,
    };
    this.#darks.push({ dark, reference, takenAfter: measurementsSoFar });
    return dark;
  }

  /** The newest dark at that applied exposure. */
  at(exposure_ms: number): { readonly dark: Dark; readonly reference: DarkReference } | undefined {
    return this.#darks.findLast(
      ({ dark }) => Math.abs(dark.exposure_ms - exposure_ms) <= SAME_EXPOSURE * Math.max(dark.exposure_ms, exposure_ms),
    );
  }

  /** All darks in the order in which they were taken, with their age. */
  list(measurementsSoFar: number): Dark[] {
    return this.#darks.map(({ dark, takenAfter }) => ({ ...dark, measurements_since: measurementsSoFar - takenAfter }));
  }
}

/**
 * Mean of every pixel over the frames, and the noise of one pixel of one frame: the root of the variance over the frames,
 * averaged over the pixels. One frame has no variance in time; there the differences between neighbours in a row stand
 * in for it (their mean absolute value is 2/√π of the standard deviation), which fixed patterns make too large.
 */
function averageDark(frames: readonly Frame[], kernel: MomentKernel): DarkReference {
  const first = frames[0];
  if (first === undefined) throw new RangeError("a dark needs at least one frame");
  const pixels = first.samples.length;
  const count = frames.length;
  const mean = new Float32Array(pixels);
  if (count === 1) {
    mean.set(first.samples);
    let sum = 0;
    for (let i = 1; i < pixels; i++) sum += Math.abs((first.samples[i] as number) - (first.samples[i - 1] as number));
    return { mean, frames: 1, noise_counts: (Math.sqrt(Math.PI) / 2) * (sum / Math.max(1, pixels - 1)) };
  }
  // Frame by frame, since each is one block of memory. Sums of counts and of their squares are whole numbers, and exact.
  const sums = new Uint32Array(pixels);
  let squares = 0;
  for (const { samples } of frames) squares += kernel.addCounts(sums, samples);
  let squaresOfSums = 0;
  for (let i = 0; i < pixels; i++) {
    const sum = sums[i] as number;
    mean[i] = sum / count;
    squaresOfSums += sum * sum;
  }
  const scatter = Math.max(0, squares - squaresOfSums / count);
  return { mean, frames: count, noise_counts: Math.sqrt(scatter / (pixels * (count - 1))) };
}
