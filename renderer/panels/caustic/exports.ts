import type { AxisResult } from "../../../main/contract/axis-result.ts";
import { plusMinus } from "../../store/format.ts";
import { VERDICT_WORDS } from "../../store/words.ts";
import type { ExportedRun } from "./report.tsx";

/** Columns by their name on the wire, or by another one where `caustic fit` looks for it. */
const COLUMNS = {
  measurement: "measurement",
  z_requested_mm: "z_requested_mm",
  z_actual_mm: "z_mm",
  exposure_ms: "exposure_ms",
  frames: "frames",
  d4sigma_x_um: "dx_um",
  u_x_um: "u_dx_um",
  d4sigma_y_um: "dy_um",
  u_y_um: "u_dy_um",
  azimuth_deg: "azimuth_deg",
  ellipticity: "ellipticity",
  centroid_x_px: "centroid_x_px",
  centroid_y_px: "centroid_y_px",
  peak_counts: "peak_counts",
  saturated_fraction: "saturated_fraction",
  grade: "grade",
  use: "use",
} as const;

/** Far more digits than any width is known to. */
const DIGITS = 8;

/** The measurements as a table that `caustic fit` reads; absent values are empty. */
export function causticCsv({ state }: Pick<ExportedRun, "state">): string {
  const fields = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
  const header = [...fields.map((field) => COLUMNS[field]), "simulated"];
  const lines = state.measurements.map((measurement) =>
    [...fields.map((field) => cell(measurement[field])), state.simulated].join(","),
  );
  return `${[header.join(","), ...lines].join("\n")}\n`;
}

function cell(value: string | number | undefined): string | number {
  return typeof value === "number" ? Number(value.toPrecision(DIGITS)) : (value ?? "");
}

/** Everything that the window knows of the run, in the names of the wire. */
export function runJson({ kept, state, caustic }: Pick<ExportedRun, "kept" | "state" | "caustic">): string {
  return `${JSON.stringify(
    {
      run: kept?.record,
      started: kept?.started,
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

/** What a picture of the plot says of itself, so that it can be read without the window. */
export interface PlotCaption {
  readonly title: string;
  /** Whether the light was real, and the verdict. */
  readonly status: string;
  /** The result of each axis, in the order x, y. */
  readonly x: string;
  readonly y: string;
}

export function plotCaption({ state, caustic }: Pick<ExportedRun, "state" | "caustic">, name: string): PlotCaption {
  const { description, finished, simulated } = state;
  const parts = [`Caustic: ${name}`, ...(description === undefined ? [] : [`${description.wavelength_nm} nm`])];
  const status = [
    finished === undefined ? "Without a verdict" : VERDICT_WORDS[finished.verdict],
    ...(simulated ? ["simulated, no real beam"] : []),
  ];
  return {
    title: parts.join(", "),
    status: status.join("; "),
    x: resultWords(caustic?.x.result),
    y: resultWords(caustic?.y.result),
  };
}

function resultWords(axis: AxisResult | undefined): string {
  if (axis === undefined) return "not measured";
  if (!axis.determined) return `not determined (${axis.why})`;
  const { m2, u_m2, z0_mm, u_z0_mm, d0_um, u_d0_um, rayleigh_mm, u_rayleigh_mm } = axis;
  return `M² ${plusMinus(m2, u_m2)}, waist ${plusMinus(d0_um, u_d0_um)} µm at ${plusMinus(z0_mm, u_z0_mm)} mm, zR ${plusMinus(rayleigh_mm, u_rayleigh_mm)} mm`;
}
