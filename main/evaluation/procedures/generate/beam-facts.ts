import { SCENARIOS, type ScenarioName } from "../../../../simulators/world/scenarios.ts";
import { createSensor } from "../../../../simulators/world/sensor.ts";
import { type BeamTruth, beamTruth, trueD4sigma_um } from "../../../../simulators/world/truth.ts";

/** What a family knows of the beam that its task is set in. A program has to find it out. */
export interface BeamFacts {
  readonly truth: BeamTruth;
  /** True d4σ diameter in µm. */
  width_um(axis: "x" | "y", z_mm: number): number;
  /** Peak above black of an unflawed Gaussian beam in counts, however far above full scale. */
  peak_counts(z_mm: number, exposure_ms: number): number;
}

const { pixelPitch_um, fullScale_counts, blackLevel_counts } = createSensor();
/** Full scale of the simulated camera in counts. */
export const FULL_SCALE = fullScale_counts;
/** A peak above black from here on is cut off. */
export const SATURATION = fullScale_counts - blackLevel_counts;

export function beamFacts(scenario: ScenarioName): BeamFacts {
  const { power_counts_per_ms } = SCENARIOS[scenario];
  const truth = beamTruth(SCENARIOS[scenario]);
  const width_um = (axis: "x" | "y", z_mm: number): number => trueD4sigma_um(truth[axis], z_mm);
  return {
    truth,
    width_um,
    // With σ = d4σ / 4, the peak of a Gaussian is its power over 2π σx σy.
    peak_counts: (z_mm, exposure_ms) =>
      (16 * power_counts_per_ms * exposure_ms * pixelPitch_um ** 2) /
      (2 * Math.PI * width_um("x", z_mm) * width_um("y", z_mm)),
  };
}
