import type { DarkReference } from "../analysis/analyze-frame.ts";
import type { Dark } from "../contract/tools.ts";
import type { DarkAverage } from "./average-dark.ts";

/** Two exposures that a camera calls the same differ by less than this share. */
const SAME_EXPOSURE = 1e-4;

interface StoredDark {
  readonly dark: Dark;
  readonly reference: DarkReference;
  /** Measurements taken before this dark. */
  readonly takenAfter: number;
}

/** Darks by applied exposure. A newer dark at the same exposure takes the place of the older one. */
export class DarkLibrary {
  readonly #darks: StoredDark[] = [];
  #acquisitions = 0;

  /** Darks in the library, replaced ones included. */
  get taken(): number {
    return this.#darks.length;
  }

  /** Number of the acquisition that begins, from 0; failed ones count. */
  beginAcquisition(): number {
    const acquisition = this.#acquisitions;
    this.#acquisitions += 1;
    return acquisition;
  }

  /** Files an average under its exposure. */
  add({ reference, mean_counts }: DarkAverage, exposure_ms: number, measurementsSoFar: number): Dark {
    const dark: Dark = {
      dark: `d${String(this.#darks.length + 1).padStart(3, "0")}`,
      exposure_ms,
      frames: reference.frames,
      mean_counts,
      noise_counts: reference.noise_counts,
    };
    this.#darks.push({ dark, reference, takenAfter: measurementsSoFar });
    return dark;
  }

  /** The newest dark at that applied exposure. */
  at(exposure_ms: number): { readonly dark: Dark; readonly reference: DarkReference } | undefined {
    return this.#darks.findLast(
      ({ dark }) => Math.abs(dark.exposure_ms - exposure_ms) <= SAME_EXPOSURE * Math.max(dark.exposure_ms, exposure_ms),
    );
  }

  /** All darks in the order in which they were taken, with their age. */
  list(measurementsSoFar: number): Dark[] {
    return this.#darks.map(({ dark, takenAfter }) => ({ ...dark, measurements_since: measurementsSoFar - takenAfter }));
  }
}
