import type { Measurement } from "../contract/tools.ts";

/** Peak that an exposure aims at, as a share of full scale: bright, with room for shot noise and a moving beam. */
const TARGET_PEAK_SHARE = 0.75;

/** Largest step of a blind search for light, in exposures of the ladder. */
const BLIND_FACTOR = 8;

interface ExposureRange {
  readonly min: number;
  readonly max: number;
}

/**
 * Exposures in powers of two, so that a handful of dark frames serves a whole caustic: within one step of the ladder
 * the peak stays between 37 % and 75 % of full scale.
 */
export function ladderStep(wanted_ms: number, range: ExposureRange): number {
  const step = 2 ** Math.floor(Math.log2(wanted_ms));
  return Math.min(Math.max(step, range.min), range.max);
}

/** Counts × area per exposure time: constant along an undisturbed beam. µm² · counts / ms. */
export function brightness(measurement: Measurement): number | undefined {
  const { d4sigma_x_um: dx, d4sigma_y_um: dy, peak_counts, exposure_ms } = measurement;
  if (dx === undefined || dy === undefined || measurement.saturated_fraction > 0) return undefined;
  if (measurement.flags.some((flag) => flag.code === "too_few_pixels" || flag.code === "not_converged"))
    return undefined;
  return (peak_counts * dx * dy) / exposure_ms;
}

/** The exposure for a beam of these widths, given the brightness seen so far. */
export function exposureFor(
  brightness_countsUm2PerMs: number,
  dx_um: number,
  dy_um: number,
  fullScale_counts: number,
  range: ExposureRange,
): number {
  return ladderStep((TARGET_PEAK_SHARE * fullScale_counts * dx_um * dy_um) / brightness_countsUm2PerMs, range);
}

/** A better exposure than the one of this measurement, or undefined where it is right or cannot be better. */
export function correctedExposure(
  measurement: Measurement,
  fullScale_counts: number,
  range: ExposureRange,
): number | undefined {
  const has = (code: string) => measurement.flags.some((flag) => flag.code === code);
  const target_counts = TARGET_PEAK_SHARE * fullScale_counts;
  let wanted_ms: number;
  if (has("saturated")) wanted_ms = measurement.exposure_ms / BLIND_FACTOR;
  else if (has("low_signal") || measurement.peak_counts < 0.1 * fullScale_counts) {
    const gain = measurement.peak_counts > 0 ? target_counts / measurement.peak_counts : BLIND_FACTOR;
    // A faint peak is mostly noise and says little about the light: go up in bounded steps.
    const trusted = measurement.peak_counts > 0.01 * fullScale_counts ? gain : BLIND_FACTOR;
    wanted_ms = measurement.exposure_ms * Math.min(trusted, 8 * BLIND_FACTOR);
  } else return undefined;
  const step = ladderStep(wanted_ms, range);
  return step === measurement.exposure_ms ? undefined : step;
}
