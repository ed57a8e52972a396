import type { ExportedRun } from "./report.tsx";

const COLUMNS = [
  "measurement",
  "z_requested_mm",
  "z_actual_mm",
  "exposure_ms",
  "frames",
  "d4sigma_x_um",
  "u_x_um",
  "d4sigma_y_um",
  "u_y_um",
  "azimuth_deg",
  "ellipticity",
  "centroid_x_px",
  "centroid_y_px",
  "peak_counts",
  "saturated_fraction",
  "grade",
  "use",
] as const;

/** The measurements as a table; columns are named as everywhere, absent values are empty. `caustic fit` reads it. */
export function causticCsv({ state }: Pick<ExportedRun, "state">): string {
  const header = [...COLUMNS, "z_mm", "dx_um", "dy_um", "u_dx_um", "u_dy_um", "simulated"];
  const lines = state.measurements.map((measurement) =>
    [
      ...COLUMNS.map((column) => measurement[column] ?? ""),
      measurement.z_actual_mm,
      measurement.d4sigma_x_um ?? "",
      measurement.d4sigma_y_um ?? "",
      measurement.u_x_um ?? "",
      measurement.u_y_um ?? "",
      state.simulated,
    ].join(","),
  );
  return `${[header.join(","), ...lines].join("\n")}\n`;
}

/** Everything that the window knows of the run, in the names of the wire. */
export function runJson({ state, caustic }: Pick<ExportedRun, "state" | "caustic">): string {
  return `${JSON.stringify(
    {
      simulated: state.simulated,
      bench: state.description,
      measurements: state.measurements,
      darks: state.darks,
      fit:
        caustic === undefined
          ? undefined
          : { x: caustic.x.result, y: caustic.y.result, used: caustic.used, left_out: caustic.left_out },
      verdict: state.finished?.verdict,
      explanation: state.finished?.explanation,
    },
    null,
    2,
  )}\n`;
}
