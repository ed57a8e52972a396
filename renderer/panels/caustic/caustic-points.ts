import type { Measurement } from "../../../main/contract/tools.ts";
import type { CausticDrawing } from "../../../main/contract/window-verbs.ts";
import type { Range } from "../../plot/line-plot.tsx";
import type { RunState } from "../../store/run-state.ts";

export type AxisName = "x" | "y";

export interface CausticPoint {
  readonly measurement: string;
  readonly z_mm: number;
  readonly d_um: number;
  readonly u_um: number | undefined;
  readonly used: boolean;
  readonly normalized: number | undefined;
  readonly residual_um: number | undefined;
}

/** Every measurement that has a width along the axis: those in the fit as the fit saw them, the others as they were measured. */
export function pointsOf(
  axis: AxisName,
  measurements: readonly Measurement[],
  caustic: CausticDrawing | undefined,
): CausticPoint[] {
  const fitted = new Map(caustic?.[axis].points.map((point) => [point.measurement, point]));
  const used = new Set(caustic?.used);
  const leftOut = new Set(caustic?.left_out.map((one) => one.measurement));
  // A measurement that the fit has not seen yet counts as it stands in the log.
  const counts = ({ measurement, use, grade }: Measurement): boolean =>
    used.has(measurement) || (!leftOut.has(measurement) && use === "used" && grade !== "refused");
  return measurements.flatMap((measurement): CausticPoint[] => {
    const inFit = fitted.get(measurement.measurement);
    const d_um = inFit?.d_um ?? (axis === "x" ? measurement.d4sigma_x_um : measurement.d4sigma_y_um);
    if (d_um === undefined) return [];
    return [
      {
        measurement: measurement.measurement,
        z_mm: measurement.z_actual_mm,
        d_um,
        u_um: axis === "x" ? measurement.u_x_um : measurement.u_y_um,
        used: counts(measurement),
        normalized: inFit?.normalized,
        residual_um: inFit?.residual_um,
      },
    ];
  });
}

/** The stretch of the rail that the plot shows: the allowed travel, and farther where somebody measured. */
export function zRange(state: RunState): Range {
  const limits = state.description?.limits_mm ?? { min: 0, max: 1 };
  const places = state.measurements.map((measurement) => measurement.z_actual_mm);
  const from = Math.min(limits.min, ...places);
  const to = Math.max(limits.max, ...places);
  const room = 0.02 * (to - from);
  return { from: from - room, to: to + room };
}

/** The range that covers both. */
export function union(one: Range, other: Range): Range {
  return { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) };
}
