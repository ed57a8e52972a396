import { type BlockMap, blockCentreX_px, blockCentreY_px, outsideTest } from "./block-map.ts";
import type { Rectangle } from "./kernel.ts";

/** How unlike the four sides of an integration area are. */
export interface ZoneSpread {
  /** Standard deviation of the sides' means beyond what the noise explains, counts; 0 unless significant. */
  readonly excess_counts: number;
}

/** χ² per degree of freedom (1 to 3 of them) beyond which the sides differ for more than noise: less than one frame in 1000. */
const SIGNIFICANT_CHI2 = 7;

/**
 * Means of the blocks outside an area, by the side they lie on (right, below, left, above). A background that is flat, as the offset
 * correction assumes, gives the same on all sides.
 */
export function zoneSpread(
  map: BlockMap,
  area: Rectangle,
  background: (column: number, row: number) => number,
  pixelVariance: number,
): ZoneSpread {
  const isOutside = outsideTest(map, area);
  const sums = [0, 0, 0, 0];
  const pixels = [0, 0, 0, 0];
  for (let row = 0; row < map.blocksHigh; row++)
    for (let column = 0; column < map.blocksWide; column++) {
      if (!isOutside(column, row)) continue;
      const x = blockCentreX_px(map, column);
      const y = blockCentreY_px(map, row);
      const dx = x - area.centreX_px;
      const dy = y - area.centreY_px;
      const side = Math.abs(dx) > Math.abs(dy) ? (dx > 0 ? 0 : 2) : dy > 0 ? 1 : 3;
      const wide = Math.min(map.block_px, map.width_px - column * map.block_px);
      const tall = Math.min(map.block_px, map.height_px - row * map.block_px);
      const value = (map.means[row * map.blocksWide + column] as number) - background(x, y);
      sums[side] = (sums[side] as number) + value * wide * tall;
      pixels[side] = (pixels[side] as number) + wide * tall;
    }
  const sides = pixels
    .map((count, side) => ({ mean: (sums[side] as number) / count, variance: pixelVariance / count, count }))
    .filter((side) => side.count > 0);
  if (sides.length < 2) return { excess_counts: 0 };
  const weights = sides.reduce((sum, side) => sum + side.count, 0);
  const mean = sides.reduce((sum, side) => sum + side.mean * side.count, 0) / weights;
  const freedom = sides.length - 1;
  const chi2 = sides.reduce((sum, side) => sum + (side.mean - mean) ** 2 / side.variance, 0) / freedom;
  if (!(chi2 > SIGNIFICANT_CHI2)) return { excess_counts: 0 };
  const spread = sides.reduce((sum, side) => sum + (side.mean - mean) ** 2, 0) / freedom;
  return { excess_counts: Math.sqrt(spread * (1 - 1 / chi2)) };
}
