import { toAxisResult } from "../../analysis/caustic-axis-result.ts";
import { fitBothAxes } from "../../analysis/caustic-both-axes.ts";
import { toWidthRecord } from "../../analysis/caustic-measurements.ts";
import { predictDiameter } from "../../analysis/caustic-predict.ts";
import type { CausticFit } from "../../analysis/caustic-types.ts";
import type { BenchEvent } from "../../contract/events.ts";
import type { Measurement } from "../../contract/tools.ts";
import type { CausticDrawing } from "../../contract/window-verbs.ts";

const CURVE_POINTS = 161;

/** The fit and its curve from the measurements of a run as they were at event `seq`, from the events alone. */
export function causticDrawing(events: readonly BenchEvent[], seq = Number.POSITIVE_INFINITY): CausticDrawing {
  const measurements = new Map<string, Measurement>();
  let wavelength_nm = 0;
  let travel = { min: 0, max: 0 };
  for (const event of events) {
    if (event.seq > seq) break;
    if (event.type === "run_opened") {
      wavelength_nm = event.description.wavelength_nm;
      travel = event.description.stage_travel_mm;
    } else if (event.type === "measurement_taken") {
      measurements.set(event.measurement.measurement, event.measurement);
    } else if (event.type === "measurement_use_changed") {
      const measurement = measurements.get(event.measurement);
      if (measurement !== undefined) measurements.set(event.measurement, { ...measurement, use: event.use });
    }
  }
  const list = [...measurements.values()];
  const caustic = fitBothAxes(
    list.map((measurement) => toWidthRecord(measurement)),
    { wavelength_nm },
  );
  const grid = causticGrid(list, travel);
  const axis = (fit: CausticFit) => ({
    result: toAxisResult(fit, caustic.flags),
    ...(fit.determined ? { curve: curveOf(fit, grid) } : {}),
    points: fit.determined
      ? fit.residuals.map((residual, index) => ({
          measurement: caustic.used[index] ?? "",
          z_mm: residual.z_mm,
          d_um: residual.d_um,
          residual_um: residual.residual_um,
          ...(residual.normalized === undefined ? {} : { normalized: residual.normalized }),
        }))
      : [],
  });
  return {
    x: axis(caustic.x),
    y: axis(caustic.y),
    used: [...caustic.used],
    left_out: caustic.leftOut.map(({ id, why }) => ({ measurement: id, why })),
  };
}

/** From one end of the travel to the other, and farther where somebody measured there. */
function causticGrid(measurements: readonly Measurement[], travel: { min: number; max: number }): number[] {
  const places = measurements.map((measurement) => measurement.z_actual_mm);
  const from_mm = Math.min(travel.min, ...places);
  const to_mm = Math.max(travel.max, ...places);
  return Array.from({ length: CURVE_POINTS }, (_, index) => from_mm + ((to_mm - from_mm) * index) / (CURVE_POINTS - 1));
}

function curveOf(fit: Extract<CausticFit, { determined: true }>, z_mm: number[]) {
  const widths = z_mm.map((z) => predictDiameter(fit, z));
  return { z_mm, d_um: widths.map((width) => width.d_um), u_um: widths.map((width) => width.u_um) };
}
