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
  const reference = averaged(frames, kernel, memoryFor);
  let sum = 0;
  for (let i = 0; i < reference.mean.length; i++) sum += reference.mean[i] as number;
  return { reference, mean_counts: sum / reference.mean.length };
}

function averaged(
  frames: readonly Pick<Frame, "samples">[],
  kernel: MomentKernel,
  memoryFor: (pixels: number) => Float32Array,
): DarkReference {
  const first = frames[0];
  if (first === undefined) throw new RangeError("a dark needs at least one frame");
  const pixels = first.samples.length;
  const count = frames.length;
  const mean = memoryFor(pixels);
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
