import type { BlockMap } from "./block-map.ts";
import type { RectangleMoments } from "./kernel.ts";

/** Below this share of the sensor what is left outside the area is no longer a fair sample, and the corners are used. */
const FAIR_SHARE = 0.02;
/** Sides of the four corner rectangles as a share of the sensor's (ISO/TR 11146-3:2004, 3.4.2: 2 to 5 %). */
const CORNER_SHARE = 0.035;

export interface OutsideMean {
  readonly mean_counts: number;
  readonly pixels: number;
}

/**
 * Mean of the pixels outside an integration area: what the frame holds less what the area holds. Where the area leaves next to
 * nothing of the sensor, the mean of the four corners.
 */
export function outsideMean(map: BlockMap, total_counts: number, sums: RectangleMoments): OutsideMean {
  return restMean(map, total_counts, sums) ?? cornerMean(map);
}

/** Mean of the pixels outside an area; undefined where they are no fair sample of the sensor. */
export function restMean(
  { width_px, height_px }: Pick<BlockMap, "width_px" | "height_px">,
  total_counts: number,
  sums: RectangleMoments,
): OutsideMean | undefined {
  const all = width_px * height_px;
  const pixels = all - sums.area_px;
  return pixels >= FAIR_SHARE * all ? { mean_counts: (total_counts - sums.s0) / pixels, pixels } : undefined;
}

/** Mean of the four corners of the sensor. */
export function cornerMean(map: BlockMap): OutsideMean {
  const wide = Math.max(1, Math.round((CORNER_SHARE * map.width_px) / map.block_px));
  const high = Math.max(1, Math.round((CORNER_SHARE * map.height_px) / map.block_px));
  let sum = 0;
  let pixels = 0;
  for (let row = 0; row < map.blocksHigh; row++) {
    if (row >= high && row < map.blocksHigh - high) continue;
    const tall = Math.min(map.block_px, map.height_px - row * map.block_px);
    for (let column = 0; column < map.blocksWide; column++) {
      if (column >= wide && column < map.blocksWide - wide) continue;
      const area = tall * Math.min(map.block_px, map.width_px - column * map.block_px);
      sum += area * (map.means[row * map.blocksWide + column] as number);
      pixels += area;
    }
  }
  return { mean_counts: sum / pixels, pixels };
}
