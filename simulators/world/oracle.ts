import type { Sensor } from "./sensor.ts";
import { type AxisTruth, type BeamTruth, trueD4sigma_um } from "./truth.ts";

/** What the oracle can expect of a run; a run may also end as `measurement_failed`, which only a fault justifies. */
export type OracleVerdict = "iso_compliant" | "estimate_not_compliant" | "waist_not_accessible";

export interface StageTravel {
  readonly travelMin_mm: number;
  readonly travelMax_mm: number;
}

/** Tighter than the standard's one and two Rayleigh lengths, so that small errors of z0 and zR do not decide. */
const NEAR_rayleigh = 0.9;
const FAR_rayleigh = 2.3;
const SPACING_rayleigh = 0.15;
const POINTS_NEEDED = 5;

/** Positions that a window holds; none where it is empty. */
function room(from_mm: number, to_mm: number, rayleigh_mm: number): number {
  const length_mm = to_mm - from_mm;
  return length_mm < 0 ? 0 : Math.floor(length_mm / (SPACING_rayleigh * rayleigh_mm)) + 1;
}

/** How many near and far positions one axis leaves on the stage. */
function roomOnAxis(axis: AxisTruth, stage: StageTravel, largest_um: number): { near: number; far: number } {
  const { z0_mm, rayleigh_mm, d0_um, divergence_mrad } = axis;
  const clip = (z_mm: number): number => Math.min(stage.travelMax_mm, Math.max(stage.travelMin_mm, z_mm));
  const near_mm = NEAR_rayleigh * rayleigh_mm;
  const near = room(clip(z0_mm - near_mm), clip(z0_mm + near_mm), rayleigh_mm);
  if (trueD4sigma_um(axis, z0_mm) > largest_um) return { near, far: 0 };
  const from_mm = FAR_rayleigh * rayleigh_mm;
  const to_mm = Math.sqrt(largest_um ** 2 - d0_um ** 2) / divergence_mrad;
  const below = room(Math.max(stage.travelMin_mm, z0_mm - to_mm), z0_mm - from_mm, rayleigh_mm);
  const above = room(z0_mm + from_mm, Math.min(stage.travelMax_mm, z0_mm + to_mm), rayleigh_mm);
  return { near, far: below + above };
}

/**
 * The verdict that a faultless run should reach, by the plan's rule: a waist outside the travel is not accessible; room
 * for five near (|z − z0| ≤ 0.9 zR) and five far positions (≥ 2.3 zR, diameter at most half the smaller sensor side)
 * on both axes is ISO compliant; anything else is an estimate. Faults do not change it.
 */
export function oracleVerdict(truth: BeamTruth, stage: StageTravel, sensor: Sensor): OracleVerdict {
  const axes = [truth.x, truth.y];
  if (axes.some(({ z0_mm }) => z0_mm < stage.travelMin_mm || z0_mm > stage.travelMax_mm)) return "waist_not_accessible";
  const largest_um = (Math.min(sensor.width_px, sensor.height_px) * sensor.pixelPitch_um) / 2;
  const enough = axes.every((axis) => {
    const { near, far } = roomOnAxis(axis, stage, largest_um);
    return near >= POINTS_NEEDED && far >= POINTS_NEEDED;
  });
  return enough ? "iso_compliant" : "estimate_not_compliant";
}
