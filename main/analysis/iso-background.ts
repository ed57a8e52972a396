import { type BlockMap, coarsened } from "./block-map.ts";
import type { Rectangle } from "./kernel.ts";
import { type BackgroundShape, blocksOutside, type RobustBackground, robustBackground } from "./robust-background.ts";
import type { BackgroundEstimate } from "./settle-area.ts";

/** Blocks looked at for a background; finer ones cost time and tell no more. */
const MOST_BLOCKS = 5000;
/** A plane is justified when it leaves this share, or less, of the scatter that a level leaves. */
const PLANE_GAIN = 0.8;
/** Outer size of the ring around the area from which a local background is taken, in sizes of the area. */
const RING = 1.5;

/** Where a background is taken from and what shape it may have. */
export interface BackgroundChoice {
  readonly shape: BackgroundShape;
  readonly from: "everywhere" | "ring";
}

/** Backgrounds of frames without a dark. */
export class IsoBackground {
  readonly coarse: BlockMap;

  constructor(map: BlockMap) {
    this.coarse = coarsened(map, MOST_BLOCKS);
  }

  fit(area: Rectangle, choice: BackgroundChoice): RobustBackground | undefined {
    const ring = {
      ...area,
      halfLength_px: area.halfLength_px * RING,
      halfBreadth_px: area.halfBreadth_px * RING,
    };
    const points = blocksOutside(this.coarse, area, choice.from === "ring" ? ring : undefined);
    return robustBackground(points, choice.shape);
  }

  /** Level or plane, whichever the blocks outside an area justify. */
  justifiedShape(area: Rectangle): BackgroundShape {
    const level = this.fit(area, { shape: "level", from: "everywhere" });
    const plane = this.fit(area, { shape: "plane", from: "everywhere" });
    if (level === undefined || plane === undefined) return "level";
    return plane.scatter_counts < PLANE_GAIN * level.scatter_counts ? "plane" : "level";
  }

  /** The estimate in the form that the iteration asks for; `fallback` serves where too little is left outside. */
  estimate(choice: BackgroundChoice, fallback: BackgroundEstimate): BackgroundEstimate {
    return (area, sums) => this.fit(area, choice)?.plane ?? fallback(area, sums);
  }
}
