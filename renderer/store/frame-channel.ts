import type { FrameHeader, WindowFrame } from "../../main/contract/window-frame.ts";

/** Points of a strip chart that are kept: two minutes at full rate. */
const HISTORY = 1200;

/** What strip charts show, oldest first. */
export interface FrameHistory {
  readonly t_s: readonly number[];
  readonly dx_um: readonly (number | undefined)[];
  readonly dy_um: readonly (number | undefined)[];
  readonly cx_um: readonly (number | undefined)[];
  readonly cy_um: readonly (number | undefined)[];
  readonly power: readonly (number | undefined)[];
}

interface Listener {
  readonly onFrame: (frame: WindowFrame) => void;
}

/** The newest frame for whoever draws it, outside React: thirty frames a second shall not rebuild the page. */
export class FrameChannel {
  readonly #listeners = new Set<Listener>();
  readonly #history: FrameHeader[] = [];
  #latest: WindowFrame | undefined;
  #arrivals: number[] = [];

  get latest(): WindowFrame | undefined {
    return this.#latest;
  }

  /** Frames of the last second. */
  get rate_hz(): number {
    const now = performance.now();
    this.#arrivals = this.#arrivals.filter((time) => now - time < 1000);
    return this.#arrivals.length;
  }

  /** Whether somebody draws it. */
  push(frame: WindowFrame): boolean {
    this.#latest = frame;
    this.#arrivals.push(performance.now());
    const { purpose, sequence, read_sequence = sequence } = frame.header;
    // Numbers that were found in an earlier frame are in the charts already.
    if (purpose !== "dark" && read_sequence === sequence) {
      this.#history.push(frame.header);
      if (this.#history.length > HISTORY) this.#history.splice(0, this.#history.length - HISTORY);
    }
    for (const listener of [...this.#listeners]) listener.onFrame(frame);
    return this.#listeners.size > 0;
  }

  /** Forgets what belonged to another run. */
  clear(): void {
    this.#latest = undefined;
    this.#history.length = 0;
  }

  subscribe(onFrame: (frame: WindowFrame) => void): () => void {
    const listener = { onFrame };
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  history(): FrameHistory {
    const list = this.#history;
    const beam = <Value>(read: (header: FrameHeader) => Value | undefined) =>
      list.map((header) => (header.outline?.indicative === false ? read(header) : undefined));
    return {
      t_s: list.map((header) => header.t_ms / 1000),
      dx_um: beam((header) => header.widths?.d4sigma_x_um),
      dy_um: beam((header) => header.widths?.d4sigma_y_um),
      cx_um: beam((header) => header.outline && header.outline.centroid_x_px * header.pixel_pitch_um),
      cy_um: beam((header) => header.outline && header.outline.centroid_y_px * header.pixel_pitch_um),
      power: beam((header) => header.power_counts_per_ms),
    };
  }
}
