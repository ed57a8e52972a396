import { type BlockMap, blockNoise_counts, rimLevel_counts, SMOOTHED_NOISE_SHARE, smoothed } from "./block-map.ts";
import type { Rectangle } from "./kernel.ts";

/** How far the brightest smoothed block must rise above the rim, in deviations of a smoothed block, to count as light. */
const DETECTION_SIGMAS = 6;

/** Where the iteration begins, or the figures that say that there is nothing to begin with. */
export type StartArea =
  | { readonly found: true; readonly rectangle: Rectangle; readonly smoothedPeak_counts: number }
  | { readonly found: false; readonly smoothedPeak_counts: number; readonly limit_counts: number };

/**
 * The first integration area: the connected region around the brightest smoothed block that lies above 1/e² of the peak, its
 * bounding box, three times as large. Smoothing over blocks keeps hot pixels from being taken for the beam.
 */
export function startArea(map: BlockMap): StartArea {
  const smooth = smoothed(map);
  const level = rimLevel_counts(map);
  const noise = blockNoise_counts(map) * SMOOTHED_NOISE_SHARE;
  let brightest = 0;
  for (let index = 1; index < smooth.means.length; index++)
    if ((smooth.means[index] as number) > (smooth.means[brightest] as number)) brightest = index;
  const peak = (smooth.means[brightest] as number) - level;
  const limit = DETECTION_SIGMAS * noise;
  // Rounding of the block means must not look like light in a constant frame.
  const rounding = 1e-9 * (Math.abs(level) + 1);
  if (!(peak > Math.max(limit, rounding))) {
    return { found: false, smoothedPeak_counts: Math.max(peak, 0), limit_counts: limit };
  }
  const box = regionAround(smooth, brightest, level + peak * Math.exp(-2));
  const left = box.left * map.block_px - 0.5;
  const right = Math.min((box.right + 1) * map.block_px, map.width_px) - 0.5;
  const top = box.top * map.block_px - 0.5;
  const bottom = Math.min((box.bottom + 1) * map.block_px, map.height_px) - 0.5;
  return {
    found: true,
    smoothedPeak_counts: peak,
    rectangle: {
      centreX_px: (left + right) / 2,
      centreY_px: (top + bottom) / 2,
      halfLength_px: (3 * (right - left)) / 2,
      halfBreadth_px: (3 * (bottom - top)) / 2,
      angle_rad: 0,
    },
  };
}

/** Bounding box, in blocks, of the connected region above a threshold that holds the seed. */
export function regionAround(
  map: BlockMap,
  seed: number,
  threshold: number,
): { left: number; right: number; top: number; bottom: number; blocks: number[] } {
  const { blocksWide, blocksHigh, means } = map;
  const visited = new Uint8Array(means.length);
  const blocks = [seed];
  visited[seed] = 1;
  let left = seed % blocksWide;
  let right = left;
  let top = Math.floor(seed / blocksWide);
  let bottom = top;
  for (let next = 0; next < blocks.length; next++) {
    const index = blocks[next] as number;
    const column = index % blocksWide;
    const row = Math.floor(index / blocksWide);
    left = Math.min(left, column);
    right = Math.max(right, column);
    top = Math.min(top, row);
    bottom = Math.max(bottom, row);
    const visit = (neighbour: number): void => {
      if (visited[neighbour] === 1 || !((means[neighbour] as number) > threshold)) return;
      visited[neighbour] = 1;
      blocks.push(neighbour);
    };
    if (column > 0) visit(index - 1);
    if (column < blocksWide - 1) visit(index + 1);
    if (row > 0) visit(index - blocksWide);
    if (row < blocksHigh - 1) visit(index + blocksWide);
  }
  return { left, right, top, bottom, blocks };
}
