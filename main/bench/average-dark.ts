import type { Frame } from "../../drivers/protocol/frame.ts";
import type { DarkReference } from "../analysis/analyze-frame.ts";
import type { MomentKernel } from "../analysis/kernel.ts";

/** Dark frames in one. */
export interface DarkAverage {
  readonly reference: DarkReference;
  /** Mean over all pixels. */
  readonly mean_counts: number;
}

/**
 * Mean of every pixel over the frames, and the noise of one pixel of one frame: the root of the variance over the frames,
 * averaged over the pixels. One frame has no variance in time; there the differences between neighbours in a row stand
 * in for it (their mean absolute value is 2/√π of the standard deviation), which fixed patterns make too large.
 *
 * @param frames at least one, all of one size
 * @param memoryFor where the mean goes; default: memory of its own
 */
export function averageDark(
  frames: readonly Pick<Frame, "samples">[],
  kernel: MomentKernel,
  memoryFor: (pixels: number) => Float32Array = (pixels) => new Float32Array(pixels),
): DarkAverage {
  const first = frames[0];
  if (first === undefined) throw new RangeError("a dark needs at least one frame");
  const pixels = first.samples.length;
  return frames.length === 1
    ? ofOneFrame(first.samples, memoryFor(pixels))
    : ofSeveralFrames(frames, kernel, memoryFor(pixels));
}

function ofOneFrame(samples: Uint16Array, mean: Float32Array): DarkAverage {
  const pixels = samples.length;
  mean.set(samples);
  let total = 0;
  for (let i = 0; i < pixels; i++) total += samples[i] as number;
  let differences = 0;
  for (let i = 1; i < pixels; i++) differences += Math.abs((samples[i] as number) - (samples[i - 1] as number));
  const noise_counts = (Math.sqrt(Math.PI) / 2) * (differences / Math.max(1, pixels - 1));
  return { reference: { mean, frames: 1, noise_counts }, mean_counts: total / pixels };
}

let scratch = new Uint32Array(0);

/** Sums at zero. Always the same memory, since an evaluation averages thousands of darks; nobody keeps them. */
function sumsAtZero(pixels: number): Uint32Array {
  if (scratch.length !== pixels) scratch = new Uint32Array(pixels);
  else scratch.fill(0);
  return scratch;
}

function ofSeveralFrames(
  frames: readonly Pick<Frame, "samples">[],
  kernel: MomentKernel,
  mean: Float32Array,
): DarkAverage {
  const pixels = mean.length;
  const count = frames.length;
  // Frame by frame, since each is one block of memory. Sums of counts and of their squares are whole numbers, and exact.
  const sums = sumsAtZero(pixels);
  let squares = 0;
  for (const { samples } of frames) squares += kernel.addCounts(sums, samples);
  let squaresOfSums = 0;
  let total = 0;
  for (let i = 0; i < pixels; i++) {
    const sum = sums[i] as number;
    const average = Math.fround(sum / count);
    mean[i] = average;
    total += average;
    squaresOfSums += sum * sum;
  }
  const scatter = Math.max(0, squares - squaresOfSums / count);
  return {
    reference: { mean, frames: count, noise_counts: Math.sqrt(scatter / (pixels * (count - 1))) },
    mean_counts: total / pixels,
  };
}
