import { type NormalisedProfile, profileOf } from "./profile.ts";
import type { Aperture, Ghost, Scenario } from "./scenario.ts";
import type { Sensor } from "./sensor.ts";
import { beamRadius_um } from "./truth.ts";

/** Rates below this are not drawn: at the longest exposure they are a millionth of a count. */
const NEGLIGIBLE_counts_per_ms = 1e-9;

/** One copy of the beam on the sensor: centre in pixels, directions of the principal axes, radii. */
interface Spot {
  readonly column: number;
  readonly row: number;
  /** Change of u = x′/w_x and v = y′/w_y from one column to the next, and from one row to the next. */
  readonly uPerColumn: number;
  readonly uPerRow: number;
  readonly vPerColumn: number;
  readonly vPerRow: number;
  /** Counts per ms of a pixel where the normalised density is 1. */
  readonly rate_counts_per_ms: number;
}

/** Whether a fault with an optional range of stage positions acts at `z_mm`; the ends belong to the range. */
function actsAt({ z_min_m, z_max_m }: Ghost | Aperture, z_mm: number): boolean {
  // A nanometre of slack: 0.17 m and 170 mm are not the same double.
  const slack_mm = 1e-6;
  return z_mm >= (z_min_m ?? -Infinity) * 1000 - slack_mm && z_mm <= (z_max_m ?? Infinity) * 1000 + slack_mm;
}

/** Displacement of the beam's centre after so many measurements, in µm along the sensor's columns and rows. */
function drift_um(scenario: Scenario, measurements: number): { x_um: number; y_um: number } {
  let x_um = 0;
  let y_um = 0;
  for (const fault of scenario.faults) {
    if (fault.kind === "pointing_drift") {
      x_um += fault.x_um_per_measurement * measurements;
      y_um += fault.y_um_per_measurement * measurements;
    }
  }
  return { x_um, y_um };
}

/**
 * Light of the beam on every pixel, in counts per ms of this sensor, row-major: what an exposure without noise, black
 * level and room light collects. The beam's axis meets the centre of the pixel at (width/2, height/2).
 * @param z_mm where the sensor stands
 * @param measurements measurements taken so far, for pointing drift
 * @param readback_mm what the stage reads, where it differs from where it stands: the ranges of faults are in its terms
 * @param memory where the light goes, one per pixel; default: memory of its own
 */
export function lightOnSensor(
  scenario: Scenario,
  sensor: Sensor,
  z_mm: number,
  measurements: number,
  readback_mm = z_mm,
  memory?: Float32Array,
): Float32Array {
  const light = memory?.fill(0) ?? new Float32Array(sensor.width_px * sensor.height_px);
  const drift = drift_um(scenario, measurements);
  const axisColumn = sensor.width_px / 2 + drift.x_um / sensor.pixelPitch_um;
  const axisRow = sensor.height_px / 2 + drift.y_um / sensor.pixelPitch_um;
  const ghosts = scenario.faults
    .filter((fault) => fault.kind === "ghost")
    .filter((ghost) => actsAt(ghost, readback_mm));
  const copies = [
    { power: 1, column: axisColumn, row: axisRow },
    ...ghosts.map((ghost) => ({
      power: ghost.relative_power,
      column: axisColumn + (ghost.offset_x_m * 1e6) / sensor.pixelPitch_um,
      row: axisRow + (ghost.offset_y_m * 1e6) / sensor.pixelPitch_um,
    })),
  ];
  // Two-point Gauss–Legendre nodes of a pixel: exact for the second moments of an integral over its area.
  const node = 1 / (2 * Math.sqrt(3));
  const nodes = sensor.pixelResponse === "area" ? [-node, node] : [0];
  const profile = profileOf(scenario);
  for (const copy of copies) {
    for (const nodeColumn of nodes) {
      for (const nodeRow of nodes) {
        const spot = spotAt(scenario, sensor, z_mm, {
          power: copy.power / nodes.length ** 2,
          column: copy.column - nodeColumn,
          row: copy.row - nodeRow,
        });
        if (profile === undefined) addGaussian(light, sensor, spot);
        else addProfile(light, sensor, spot, profile);
      }
    }
  }
  for (const fault of scenario.faults) {
    if (fault.kind === "aperture" && actsAt(fault, readback_mm)) {
      truncate(light, sensor, axisColumn, axisRow, (fault.radius_m * 1e6) / sensor.pixelPitch_um);
    }
  }
  return light;
}

function spotAt(
  scenario: Scenario,
  sensor: Sensor,
  z_mm: number,
  copy: { power: number; column: number; row: number },
): Spot {
  const wX_px = beamRadius_um(scenario.x, z_mm) / sensor.pixelPitch_um;
  const wY_px = beamRadius_um(scenario.y, z_mm) / sensor.pixelPitch_um;
  const azimuth_rad = (scenario.azimuth_deg * Math.PI) / 180;
  // Rows count downwards, the azimuth counter-clockwise on the screen: the x axis points along (cos, −sin).
  const cos = Math.cos(azimuth_rad);
  const sin = Math.sin(azimuth_rad);
  return {
    column: copy.column,
    row: copy.row,
    uPerColumn: cos / wX_px,
    uPerRow: -sin / wX_px,
    vPerColumn: sin / wY_px,
    vPerRow: cos / wY_px,
    rate_counts_per_ms: (copy.power * scenario.power_counts_per_ms * sensor.countScale) / (wX_px * wY_px),
  };
}

/**
 * Adds (2/π) exp(−2(u² + v²)). Along a row the exponent is a parabola, so neighbouring pixels differ by a factor that
 * itself changes by a constant factor: two products per pixel, outwards from the row's largest.
 */
function addGaussian(light: Float32Array, sensor: Sensor, spot: Spot): void {
  const { width_px, height_px } = sensor;
  const a = 2 * (spot.uPerColumn ** 2 + spot.vPerColumn ** 2);
  const change = Math.exp(-2 * a);
  const amplitude = (2 / Math.PI) * spot.rate_counts_per_ms;
  for (let row = 0; row < height_px; row++) {
    const u = spot.uPerRow * (row - spot.row);
    const v = spot.vPerRow * (row - spot.row);
    const b = 2 * (u * spot.uPerColumn + v * spot.vPerColumn);
    const top = spot.column - b / a;
    const start = Math.min(width_px - 1, Math.max(0, Math.round(top)));
    const ahead = start - top;
    const startRate = amplitude * Math.exp(-2 * (u * u + v * v) + (b * b) / a - a * ahead * ahead);
    if (startRate < NEGLIGIBLE_counts_per_ms) continue;
    const offset = row * width_px;
    let rate = startRate;
    let factor = Math.exp(-a * (1 + 2 * ahead));
    for (let column = start; column < width_px && rate >= NEGLIGIBLE_counts_per_ms; column++) {
      light[offset + column] = (light[offset + column] as number) + rate;
      rate *= factor;
      factor *= change;
    }
    factor = Math.exp(-a * (1 - 2 * ahead));
    rate = startRate * factor;
    factor *= change;
    for (let column = start - 1; column >= 0 && rate >= NEGLIGIBLE_counts_per_ms; column--) {
      light[offset + column] = (light[offset + column] as number) + rate;
      rate *= factor;
      factor *= change;
    }
  }
}

function addProfile(light: Float32Array, sensor: Sensor, spot: Spot, profile: NormalisedProfile): void {
  const { density, reach } = profile;
  for (let row = 0, index = 0; row < sensor.height_px; row++) {
    const uRow = spot.uPerRow * (row - spot.row);
    const vRow = spot.vPerRow * (row - spot.row);
    for (let column = 0; column < sensor.width_px; column++, index++) {
      const u = uRow + spot.uPerColumn * (column - spot.column);
      const v = vRow + spot.vPerColumn * (column - spot.column);
      if (Math.abs(u) > reach || Math.abs(v) > reach) continue;
      light[index] = (light[index] as number) + spot.rate_counts_per_ms * density(u, v);
    }
  }
}

/** Takes the light outside a circle away; pixels on its rim keep the share that lies inside. */
function truncate(light: Float32Array, sensor: Sensor, column_px: number, row_px: number, radius_px: number): void {
  for (let row = 0, index = 0; row < sensor.height_px; row++) {
    for (let column = 0; column < sensor.width_px; column++, index++) {
      const inside_px = radius_px + 0.5 - Math.hypot(column - column_px, row - row_px);
      if (inside_px < 1) light[index] = (light[index] as number) * Math.max(0, inside_px);
    }
  }
}
