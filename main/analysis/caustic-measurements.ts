import type { Measurement } from "../contract/tools.ts";
import type { WidthRecord } from "./caustic-both-axes.ts";

/**
 * A measurement of the wire as the caustic fit takes it: at the place where the stage really stood, with the dark that it
 * shares with others. Rejected measurements and refused frames take no part; `excluded` says why a further one does not.
 */
export function toWidthRecord(measurement: Measurement, excluded?: string): WidthRecord {
  const refused = whyLeftOut(measurement) ?? excluded;
  const { dark, d4sigma_x_um, d4sigma_y_um, u_x_um, u_y_um, u_x_dark_um, u_y_dark_um } = measurement;
  const { azimuth_deg, ellipticity } = measurement;
  return {
    id: measurement.measurement,
    z_mm: measurement.z_actual_mm,
    ...(d4sigma_x_um === undefined ? {} : { d4sigmaX_um: d4sigma_x_um }),
    ...(d4sigma_y_um === undefined ? {} : { d4sigmaY_um: d4sigma_y_um }),
    ...(u_x_um === undefined ? {} : { uX_um: u_x_um }),
    ...(u_y_um === undefined ? {} : { uY_um: u_y_um }),
    ...(dark === undefined ? {} : { dark }),
    ...(u_x_dark_um === undefined ? {} : { uDarkX_um: u_x_dark_um }),
    ...(u_y_dark_um === undefined ? {} : { uDarkY_um: u_y_dark_um }),
    ...(azimuth_deg === undefined ? {} : { azimuth_deg }),
    ...(ellipticity === undefined ? {} : { ellipticity }),
    ...(refused === undefined ? {} : { refused }),
  };
}

function whyLeftOut(measurement: Measurement): string | undefined {
  if (measurement.use === "rejected") return "rejected";
  if (measurement.grade !== "refused") return undefined;
  return measurement.reasons.length === 0 ? "refused" : `refused: ${measurement.reasons.join("; ")}`;
}
