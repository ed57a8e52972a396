import type { InstrumentErrorDetail } from "../protocol/instrument-error.ts";
import type { KeepOutZone } from "./stage-options.ts";

/** Why a target is refused. */
export interface TargetRefusal {
  readonly message: string;
  readonly detail: InstrumentErrorDetail;
}

export interface Travel {
  readonly travelMin_mm: number;
  readonly travelMax_mm: number;
  readonly resolution_mm: number;
}

/**
 * Whether a stage may go from one place to another: within its travel, and neither into nor through a keep-out zone.
 * A stage that stands in a zone already may leave it.
 */
export function refuseTarget(
  initial_mm: number,
  target_mm: number,
  travel: Travel,
  keepOut: readonly KeepOutZone[],
): TargetRefusal | undefined {
  const { travelMin_mm, travelMax_mm, resolution_mm } = travel;
  if (!Number.isFinite(target_mm)) {
    return {
      message: `the target ${target_mm} is not a position`,
      detail: { name: "target_mm", value: String(target_mm) },
    };
  }
  // Half a step: a limit that does not lie on the controller's grid can still be reached.
  const slack_mm = resolution_mm / 2;
  if (target_mm < travelMin_mm - slack_mm || target_mm > travelMax_mm + slack_mm) {
    const limit_mm = target_mm < travelMin_mm ? travelMin_mm : travelMax_mm;
    return {
      message: `the target ${target_mm} mm lies outside the travel of ${travelMin_mm} to ${travelMax_mm} mm`,
      detail: { name: "target_mm", value: target_mm, unit: "mm", limit: limit_mm },
    };
  }
  for (const { from_mm, to_mm, reason } of keepOut) {
    const low_mm = Math.min(from_mm, to_mm);
    const high_mm = Math.max(from_mm, to_mm);
    const startsInside = initial_mm > low_mm && initial_mm < high_mm;
    const endsInside = target_mm > low_mm && target_mm < high_mm;
    const crosses = Math.min(initial_mm, target_mm) <= low_mm && Math.max(initial_mm, target_mm) >= high_mm;
    if (endsInside || (!startsInside && crosses)) {
      return {
        message:
          `the way to ${target_mm} mm leads into the keep-out zone of ${low_mm} to ${high_mm} mm` +
          (reason === undefined ? "" : ` (${reason})`),
        detail: { name: "target_mm", value: target_mm, unit: "mm", limit: `${low_mm} to ${high_mm}` },
      };
    }
  }
  return undefined;
}
