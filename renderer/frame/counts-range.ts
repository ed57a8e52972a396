import { sampledSize, type WindowFrame } from "../../main/contract/window-frame.ts";

/** Pixels of the rim that are looked at for the background. */
const RIM_SAMPLES = 400;

/** Counts between which the colours are spread: from the background to the peak. */
export function countsRange({ header, samples }: WindowFrame): {
  readonly low_counts: number;
  readonly high_counts: number;
} {
  const fullScale = 2 ** header.bit_depth - 1;
  const low_counts = header.rim_counts ?? rimMedian(sampledSize(header), samples);
  const peak = header.widths?.peak_counts;
  // Without a peak the picture is spread over little, so that the noise shows rather than a black square.
  const high_counts = peak === undefined || peak < 20 ? low_counts + 40 : Math.min(fullScale, low_counts + peak);
  return { low_counts, high_counts };
}

/** Median along the rim of a whole frame. */
function rimMedian({ width, height }: ReturnType<typeof sampledSize>, samples: Uint16Array): number {
  const rim: number[] = [];
  const step = Math.max(1, Math.floor((2 * (width + height)) / RIM_SAMPLES));
  for (let column = 0; column < width; column += step) {
    rim.push(samples[column] ?? 0, samples[(height - 1) * width + column] ?? 0);
  }
  for (let row = 0; row < height; row += step) {
    rim.push(samples[row * width] ?? 0, samples[row * width + width - 1] ?? 0);
  }
  rim.sort((a, b) => a - b);
  return rim[Math.floor(rim.length / 2)] ?? 0;
}
