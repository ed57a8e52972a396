/** How fast two clocks may part from one another: 200 ppm is beyond any quartz. */
const DRIFT = 2e-4;

/** One frame as clocks saw it. */
export interface FrameTimes {
  /** The camera's own stamp: begin or end of the exposure, as the maker pleases. */
  readonly stamp_ms: number;
  /** When its first packet came, on the bench clock. */
  readonly arrived_ms: number;
}

/**
 * Puts the stamps of a camera on the bench clock from the frames alone. A frame cannot arrive before it was stamped, so
 * the shortest way that any frame had bounds the time of every other one from above.
 */
export class FrameTime {
  /** Smallest difference of arrival and stamp; opens with time, since clocks drift. */
  #offset_ms = Number.POSITIVE_INFINITY;
  #known_ms = 0;

  /** Learns from a frame and says at what bench time, at the latest, it was stamped. */
  latest_ms({ stamp_ms, arrived_ms }: FrameTimes): number {
    const allowance_ms = DRIFT * Math.max(0, arrived_ms - this.#known_ms);
    this.#offset_ms = Math.min(this.#offset_ms + allowance_ms, arrived_ms - stamp_ms);
    this.#known_ms = arrived_ms;
    return Math.min(arrived_ms, stamp_ms + this.#offset_ms);
  }
}
