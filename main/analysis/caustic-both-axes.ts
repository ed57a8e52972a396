import { defaultWeights, fitCaustic } from "./caustic-fit.ts";
import type { CausticFit, CausticOptions, CausticPoint, FitFlag } from "./caustic-types.ts";
import { alignAxes, turningOfAxes } from "./general-astigmatism.ts";

/** Widths of one measurement along both principal axes; x is the axis closer to the sensor's rows. */
export interface WidthRecord {
  readonly id: string;
  /** Where the stage stood (readback, not setpoint). */
  readonly z_mm: number;
  readonly d4sigmaX_um?: number;
  readonly d4sigmaY_um?: number;
  readonly uX_um?: number;
  readonly uY_um?: number;
  /** Which dark was subtracted, and the parts of uX_um and uY_um that come from its noise: others share them. */
  readonly dark?: string;
  readonly uDarkX_um?: number;
  readonly uDarkY_um?: number;
  /** Direction of the x axis, (−45, 45]. */
  readonly azimuth_deg?: number;
  /** Minor over major width. */
  readonly ellipticity?: number;
  /** Why this record takes no part (refused frame, rejected by the operator); absent when it does. */
  readonly refused?: string;
}

export interface CausticOfBothAxes {
  readonly x: CausticFit;
  readonly y: CausticFit;
  /** Flags that belong to the beam and to neither axis alone. */
  readonly flags: readonly FitFlag[];
  /** Ids in the fit, in the order of the records. */
  readonly used: readonly string[];
  readonly leftOut: readonly { readonly id: string; readonly why: string }[];
}

/**
 * Fits both principal axes of a beam to a list of measurements. A record without usable widths is left out and named.
 * Axes are followed along z, so that a beam whose azimuth lies near ±45° does not exchange x and y between frames.
 */
export function fitBothAxes(records: readonly WidthRecord[], options: CausticOptions): CausticOfBothAxes {
  const leftOut: { id: string; why: string }[] = [];
  const usable: (WidthRecord & { readonly d4sigmaX_um: number; readonly d4sigmaY_um: number })[] = [];
  for (const record of records) {
    const why = whyNot(record);
    const { d4sigmaX_um, d4sigmaY_um } = record;
    if (why === undefined && d4sigmaX_um !== undefined && d4sigmaY_um !== undefined) {
      usable.push({ ...record, d4sigmaX_um, d4sigmaY_um });
    } else {
      leftOut.push({ id: record.id, why: why ?? "no widths" });
    }
  }
  const aligned = alignAxes(usable);
  const pointsX = aligned.map((record) =>
    pointOf(record, record.d4sigmaX_um, record.uX_um, record.uDarkX_um, record.d4sigmaY_um),
  );
  const pointsY = aligned.map((record) =>
    pointOf(record, record.d4sigmaY_um, record.uY_um, record.uDarkY_um, record.d4sigmaX_um),
  );
  const weights = options.weights ?? defaultWeights([...pointsX, ...pointsY]);
  const turning = turningOfAxes(aligned);
  return {
    x: fitCaustic(pointsX, { ...options, weights }),
    y: fitCaustic(pointsY, { ...options, weights }),
    flags: turning === undefined ? [] : [turning],
    used: aligned.map((record) => record.id),
    leftOut,
  };
}

function pointOf(
  { z_mm, dark }: WidthRecord,
  d_um: number,
  u_um: number | undefined,
  uDark_um: number | undefined,
  across_um: number,
): CausticPoint {
  return {
    z_mm,
    d_um,
    ...(u_um === undefined ? {} : { u_um }),
    ...(dark === undefined || uDark_um === undefined ? {} : { dark: { id: dark, u_um: uDark_um, across_um } }),
  };
}

/** Why a record cannot take part; undefined when it can. */
function whyNot(record: WidthRecord): string | undefined {
  if (record.refused !== undefined) return record.refused;
  if (!Number.isFinite(record.z_mm)) return `position ${record.z_mm} mm is not a number`;
  for (const [name, d_um] of [
    ["x", record.d4sigmaX_um],
    ["y", record.d4sigmaY_um],
  ] as const) {
    if (d_um === undefined) return `no ${name} width`;
    if (!(d_um > 0 && Number.isFinite(d_um))) return `${name} width ${d_um} µm is not a positive number`;
  }
  return undefined;
}
