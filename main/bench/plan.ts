import { predictDiameter } from "../analysis/caustic-predict.ts";
import type { CausticFit, DeterminedCaustic } from "../analysis/caustic-types.ts";
import { BenchError } from "../contract/error-codes.ts";
import type { Measurement, ToolOutput } from "../contract/tools.ts";
import type { Limits } from "./limits.ts";

/** What planning looks at. Nothing moves. */
export interface PlanningState {
  readonly limits: Limits;
  readonly velocity_mm_s: number;
  readonly acceleration_mm_s2: number;
  /** Where the stage stands; absent while it does not know. */
  readonly z_mm?: number;
  readonly exposure_ms: number;
  readonly fullScale_counts: number;
  /** Half the smaller sensor side: wider beams are flagged `beam_too_large`. */
  readonly largestWidth_um: number;
  readonly x: CausticFit;
  readonly y: CausticFit;
  /** Those in the fit. */
  readonly used: readonly Measurement[];
}

type Zone = "near" | "far" | "between";
type Axis = "x" | "y";

/** Share of full scale that a suggested exposure aims at: bright, with room for a wrong guess. */
const AIM = 0.7;
/** ISO 11146-1:2021, 9 counts to one and from two Rayleigh lengths; suggestions stay clear of both in case the fit moves. */
const NEAR_RAYLEIGH = 0.9;
const FAR_RAYLEIGH = 2.3;
/** Closer positions tell the same thing twice. */
const SPACING_RAYLEIGH = 0.15;
const NEEDED = 5;
const NEEDED_IN_ALL = 10;

/** Duration of one move with a trapezoidal profile, in s. 125 mm at 20 mm/s and 100 mm/s²: 6.45 s. */
export function moveDuration_s(distance_mm: number, velocity_mm_s: number, acceleration_mm_s2: number): number {
  const distance = Math.abs(distance_mm);
  const ramps_mm = (velocity_mm_s * velocity_mm_s) / acceleration_mm_s2;
  return distance >= ramps_mm
    ? distance / velocity_mm_s + velocity_mm_s / acceleration_mm_s2
    : 2 * Math.sqrt(distance / acceleration_mm_s2);
}

/** Peak counts × width x × width y / exposure: the same at every place of one beam, since its power is. Median of what was seen. */
function brightness(state: PlanningState): number | undefined {
  const seen = state.used
    .filter((one) => one.saturated_fraction === 0 && one.peak_counts > 0)
    .flatMap(({ peak_counts, d4sigma_x_um, d4sigma_y_um, exposure_ms }) =>
      d4sigma_x_um === undefined || d4sigma_y_um === undefined
        ? []
        : [(peak_counts * d4sigma_x_um * d4sigma_y_um) / exposure_ms],
    )
    .sort((a, b) => a - b);
  return seen[Math.floor(seen.length / 2)];
}

interface Expected {
  readonly d4sigma_x_um?: number;
  readonly d4sigma_y_um?: number;
  readonly peak_counts?: number;
  readonly suggested_exposure_ms?: number;
}

/** What the present fit expects at a place. Peak counts are those at the present exposure, however far above full scale. */
function expectedAt(state: PlanningState, bright: number | undefined, z_mm: number): Expected {
  const dx_um = state.x.determined ? predictDiameter(state.x, z_mm).d_um : undefined;
  const dy_um = state.y.determined ? predictDiameter(state.y, z_mm).d_um : undefined;
  const widths = {
    ...(dx_um === undefined ? {} : { d4sigma_x_um: dx_um }),
    ...(dy_um === undefined ? {} : { d4sigma_y_um: dy_um }),
  };
  if (dx_um === undefined || dy_um === undefined || bright === undefined) return widths;
  const perMs = bright / (dx_um * dy_um);
  const { min, max } = state.limits.exposure_ms;
  const wanted_ms = Math.min(max, Math.max(min, (AIM * state.fullScale_counts) / perMs));
  return {
    ...widths,
    peak_counts: perMs * state.exposure_ms,
    suggested_exposure_ms: Math.min(max, Math.max(min, Number(wanted_ms.toPrecision(3)))),
  };
}

function zoneOf(fit: DeterminedCaustic, z_mm: number, near = 1, far = 2): Zone {
  const distance = Math.abs(z_mm - fit.z0_mm.value) / fit.rayleigh_mm.value;
  if (distance <= near) return "near";
  return distance >= far ? "far" : "between";
}

type Estimate = Pick<ToolOutput<"estimate_scan">, "time_s" | "travel_mm" | "positions">;

/**
 * Time and travel of a list of positions in the order given, at the present exposure, and what the present fit expects
 * there. A position that is not allowed is named and left out of time and travel.
 */
export function estimateScan(state: PlanningState, positions_mm: readonly number[], frames: number): Estimate {
  const bright = brightness(state);
  let at_mm = state.z_mm;
  let time_s = 0;
  let travel_mm = 0;
  const positions = positions_mm.map((z_mm) => {
    const refusal = state.limits.moveRefusal(z_mm, at_mm);
    if (refusal !== undefined) return { z_mm, allowed: false, why_not: refusal.message };
    const distance_mm = at_mm === undefined ? 0 : Math.abs(z_mm - at_mm);
    travel_mm += distance_mm;
    time_s += moveDuration_s(distance_mm, state.velocity_mm_s, state.acceleration_mm_s2);
    time_s += (frames * state.exposure_ms) / 1000;
    at_mm = z_mm;
    return {
      z_mm,
      allowed: true,
      ...expectedAt(state, bright, z_mm),
      ...(state.x.determined ? { zone_x: zoneOf(state.x, z_mm) } : {}),
      ...(state.y.determined ? { zone_y: zoneOf(state.y, z_mm) } : {}),
    };
  });
  return { time_s, travel_mm, positions };
}

interface Need {
  readonly axis: Axis;
  readonly fit: DeterminedCaustic;
  readonly zone: "near" | "far";
  have: number;
}

const isFor = (need: Need, z_mm: number): boolean => zoneOf(need.fit, z_mm, NEAR_RAYLEIGH, FAR_RAYLEIGH) === need.zone;

/** Where the stage may go and the beam fits the sensor, on a grid much finer than the spacing. */
function candidates(state: PlanningState, fits: readonly DeterminedCaustic[]): number[] {
  const { min, max } = state.limits.position_mm;
  const finest_mm = Math.min(...fits.map((fit) => fit.rayleigh_mm.value)) / 20;
  const steps = Math.min(5000, Math.max(1, Math.ceil((max - min) / Math.max(finest_mm, 1e-3))));
  const places: number[] = [];
  for (let i = 0; i <= steps; i++) {
    const z_mm = Number((min + ((max - min) * i) / steps).toFixed(3));
    if (state.limits.moveRefusal(z_mm, state.z_mm) !== undefined) continue;
    if (fits.every((fit) => predictDiameter(fit, z_mm).d_um <= state.largestWidth_um)) places.push(z_mm);
  }
  return places;
}

type Suggestion = Pick<ToolOutput<"suggest_positions">, "positions" | "still_missing">;

/**
 * Positions that complete the ISO coverage of both axes, at most `count`, ascending. Each next one serves as many needs as
 * any place can and, among those, stands farthest from what is there already. Throws `not_enough_data` without a fit.
 */
export function suggestPositions(state: PlanningState, count: number): Suggestion {
  const { x, y } = state;
  if (!x.determined || !y.determined) {
    const why = [x, y].flatMap((fit) => (fit.determined ? [] : [fit.why]));
    throw new BenchError(
      "not_enough_data",
      `Positions follow from a fit of both axes, and there is none: ${[...new Set(why)].join(" ")}`,
      "Measure at a few positions along the whole travel first.",
    );
  }
  const needs: Need[] = (["x", "y"] as const).flatMap((axis) => {
    const fit = axis === "x" ? x : y;
    return [
      { axis, fit, zone: "near" as const, have: fit.iso.near },
      { axis, fit, zone: "far" as const, have: fit.iso.far },
    ];
  });
  const places = candidates(state, [x, y]);
  const apart_mm = SPACING_RAYLEIGH * Math.min(x.rayleigh_mm.value, y.rayleigh_mm.value);
  const taken_mm = state.used.map((measurement) => measurement.z_actual_mm);
  const chosen: { readonly z_mm: number; readonly serves: string }[] = [];
  for (;;) {
    const unmet = needs.filter((need) => need.have < NEEDED);
    const short = x.iso.positions + chosen.length < NEEDED_IN_ALL;
    if (unmet.length === 0 && !short) break;
    let best: { z_mm: number; served: Need[]; score: number } | undefined;
    for (const z_mm of places) {
      const free_mm = Math.min(Number.POSITIVE_INFINITY, ...taken_mm.map((other) => Math.abs(other - z_mm)));
      if (free_mm < apart_mm) continue;
      const served = (unmet.length > 0 ? unmet : needs).filter((need) => isFor(need, z_mm));
      if (served.length === 0) continue;
      const score = served.length + Math.min(0.9, free_mm / (10 * apart_mm));
      if (best === undefined || score > best.score) best = { z_mm, served, score };
    }
    if (best === undefined) break;
    for (const need of best.served) need.have += 1;
    taken_mm.push(best.z_mm);
    chosen.push({ z_mm: best.z_mm, serves: best.served.map((need) => `${need.zone} ${need.axis}`).join(", ") });
  }
  const bright = brightness(state);
  const positions = chosen
    .slice(0, count)
    .sort((a, b) => a.z_mm - b.z_mm)
    .map(({ z_mm, serves }) => {
      const { suggested_exposure_ms } = expectedAt(state, bright, z_mm);
      return { z_mm, serves, ...(suggested_exposure_ms === undefined ? {} : { suggested_exposure_ms }) };
    });
  return {
    positions,
    still_missing: needs
      .filter((need) => need.have < NEEDED)
      .map(
        (need) =>
          `axis ${need.axis}: ${NEEDED - need.have} more ${
            need.zone === "near" ? "within one Rayleigh length of the waist" : "beyond two Rayleigh lengths"
          }, and nowhere inside the limits is room for them`,
      ),
  };
}
