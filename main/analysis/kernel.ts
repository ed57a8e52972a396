/**
 * The inner loops of the width analysis behind one small interface, so that a compiled kernel can take their place. Every
 * implementation works on one Uint16 frame and an optional dark (mean of dark frames, same size), subtracts the dark in
 * signed arithmetic (nothing is clipped at zero) and allocates nothing per pixel.
 *
 * Pixel convention of `Frame`: pixel (column i, row j) covers [i − ½, i + ½] × [j − ½, j + ½], row 0 at the top. Angles here
 * are in radians in these image axes (x to the right, y downwards), so a positive angle looks clockwise on the screen.
 */
export interface MomentKernel {
  /** Shown in reports: "typescript", "reference", "native avx2". */
  readonly name: string;
  /** Whole-frame figures, one pass over every pixel. `memory`: takes the block sums, whatever it holds; exactly as many. */
  survey(frame: KernelFrame, block_px: number, memory?: Float64Array): FrameSurvey;
  /** Weighted sums over a turned rectangle cut to the sensor. */
  moments(frame: KernelFrame, rectangle: Rectangle): RectangleMoments;
  /**
   * Adds the counts of a frame to the sums of its pixels, as many, and returns the sum of the squares of its counts: exact over
   * stretches of `SQUARES_px`, whose sums are added in their order. The sums hold 65 537 frames of 16 bits.
   */
  addCounts(sums: Uint32Array, samples: Uint16Array): number;
  /** Loops over counts alone, where the kernel has faster ones than the language; their results are whole numbers and the same. */
  readonly counting?: CountingLoops;
}

/** Loops over the counts of one frame, whatever its shape. */
export interface CountingLoops {
  /** How often each count occurs, from 0 up to the largest that does. */
  histogram(samples: Uint16Array): Uint32Array;
  /** Indices, in their order, of the pixels with at least so many counts (0 to 65 535). Valid until the next call. */
  pixelsFrom(samples: Uint16Array, least_counts: number): Uint32Array;
}

/** Pixels whose squares of 16-bit counts add up below 2⁵³, where doubles are still exact. */
export const SQUARES_px = 2 ** 20;

export interface KernelFrame {
  /** `width_px * height_px` counts, row-major. */
  readonly samples: Uint16Array;
  readonly width_px: number;
  readonly height_px: number;
  /** Subtracted pixel by pixel. Finite everywhere: the caller has checked. */
  readonly dark?: Float64Array | Float32Array;
  /** Counts at or above this are saturated. Compared with the raw sample, not with the difference. */
  readonly saturation_counts: number;
}

/**
 * An integration area: all points whose distance from the centre is at most `halfLength_px` along the direction
 * (cos angle, sin angle) and at most `halfBreadth_px` at right angles to it.
 */
export interface Rectangle {
  readonly centreX_px: number;
  readonly centreY_px: number;
  readonly halfLength_px: number;
  readonly halfBreadth_px: number;
  readonly angle_rad: number;
}

/**
 * Sums over the rectangle, with E = sample − dark, X = column − originX_px, Y = row − originY_px and a weight w per pixel.
 * The origin is the pixel nearest to the rectangle's centre (Math.round of either coordinate, kept inside the sensor), so the
 * sums are central enough to lose no digits.
 *
 * Weights: a row j crosses the rectangle in an interval [left, right] of column coordinates, taken along the row's centre line
 * y = j; a pixel's weight is the length of its overlap with that interval, times the overlap of the row [j − ½, j + ½] with the
 * rectangle's extent in y (1 except in the topmost and lowest row). For an unturned rectangle this is the exact covered area.
 * `rowSpan` in rectangle.ts computes the interval for every implementation.
 */
export interface RectangleMoments {
  readonly originX_px: number;
  readonly originY_px: number;
  /** Σ w: area of the rectangle on the sensor. */
  readonly area_px: number;
  readonly s0: number;
  readonly sx: number;
  readonly sy: number;
  readonly sxx: number;
  readonly sxy: number;
  readonly syy: number;
  /** Pixels with w > 0 whose raw sample is saturated. */
  readonly saturated: number;
}

/** The frame in numbers, and as sums over square blocks (the last column and row of blocks may be narrower). */
export interface FrameSurvey {
  readonly block_px: number;
  readonly blocksWide: number;
  readonly blocksHigh: number;
  /** Σ E over each block, row-major, `blocksWide * blocksHigh`. */
  readonly blockSums: Float64Array;
  /** Σ E over the frame. */
  readonly total: number;
  /** Largest E: the brightest pixel above its dark, or the largest sample where there is no dark. */
  readonly brightest_counts: number;
  /** Number of saturated pixels. */
  readonly saturated: number;
  /** Whether any 2 × 2 block of neighbours is saturated. */
  readonly saturatedSquare: boolean;
}
