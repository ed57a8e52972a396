import type { BackgroundPlane } from "./background-plane.ts";
import { type BlockMap, coarsened } from "./block-map.ts";
import type { Rectangle } from "./kernel.ts";
import { type BackgroundShape, blocksOutside, type RobustBackground, robustBackground } from "./robust-background.ts";
import type { BackgroundEstimate } from "./settle-area.ts";

/** Blocks looked at for a background; finer ones cost time and tell no more. */
const MOST_BLOCKS = 5000;
/** A plane is justified when it leaves this share, or less, of the scatter that a level leaves. */
const PLANE_GAIN = 0.8;
/** Below this share a level is no reasonable choice any more. */
const PLANE_ALONE = 0.5;
/** Outer size of the ring around the area from which a local background is taken, in sizes of the area. */
const RING = 1.5;

/** Change of the area beyond which its background is fitted anew. */
const REFIT_CHANGE = 0.03;

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

  /** The shapes that the blocks outside an area justify, the best first; one alone where the other is out of the question. */
  justifiedShapes(area: Rectangle): readonly BackgroundShape[] {
    const level = this.fit(area, { shape: "level", from: "everywhere" });
    const plane = this.fit(area, { shape: "plane", from: "everywhere" });
    if (level === undefined || plane === undefined) return ["level"];
    const gain = level.scatter_counts > 0 ? plane.scatter_counts / level.scatter_counts : 1;
    if (gain < PLANE_ALONE) return ["plane"];
    return gain < PLANE_GAIN ? ["plane", "level"] : ["level", "plane"];
  }

  /**
   * The estimate in the form that the iteration asks for; `fallback` serves where too little is left outside. Blocks go in and out as
   * wholes, which would keep the iteration from settling, so the background is fitted anew only when the area has changed by more
   * than 3 % of its size since the last fit.
   */
  estimate(choice: BackgroundChoice, fallback: BackgroundEstimate): BackgroundEstimate {
    let fitted: { area: Rectangle; plane: BackgroundPlane } | undefined;
    return (area, sums) => {
      if (fitted !== undefined && areaChange(area, fitted.area) < REFIT_CHANGE) return fitted.plane;
      const plane = this.fit(area, choice)?.plane ?? fallback(area, sums);
      fitted = { area, plane };
      return plane;
    };
  }
}

/** How far an area has moved, grown or turned, as a share of its half sides; the larger of all. */
function areaChange(now: Rectangle, then: Rectangle): number {
  const smaller = Math.min(then.halfLength_px, then.halfBreadth_px);
  const larger = Math.max(then.halfLength_px, then.halfBreadth_px);
  // Turning by an angle moves the rim by that share of the difference between the half sides, at most by that of the larger.
  const turn = (Math.abs(Math.sin(now.angle_rad - then.angle_rad)) * (larger - smaller)) / smaller;
  return Math.max(
    Math.abs(now.centreX_px - then.centreX_px) / smaller,
    Math.abs(now.centreY_px - then.centreY_px) / smaller,
    Math.abs(Math.max(now.halfLength_px, now.halfBreadth_px) / larger - 1),
    Math.abs(Math.min(now.halfLength_px, now.halfBreadth_px) / smaller - 1),
    turn,
  );
}
