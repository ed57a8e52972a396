import type { Measurement } from "../../../contract/tools.ts";
import type { Knowledge } from "./knowledge.ts";
import { Refused } from "./refused.ts";
import type { Axis, MeasurementPhrase, PlacePhrase, TimePhrase } from "./wish.ts";

/** Two waists that lie closer than this many Rayleigh lengths are one place. */
const ONE_WAIST = 0.5;
const MICROMETRE_mm = 1e-3;

const rounded = (z_mm: number): number => Math.round(z_mm / MICROMETRE_mm) * MICROMETRE_mm;
/** Without the noise of binary fractions. */
const tidy = (z_mm: number): number => Number(rounded(z_mm).toFixed(3));

/** What was spoken of last. */
export interface Spoken {
  readonly places_mm: readonly number[];
  readonly measurement?: string;
}

/** One reading of a phrase, and the calls whose answers it rests on. */
export interface Reading<Value> {
  readonly value: Value;
  readonly uses: readonly number[];
}

/** Whether a place can only be found from a fit, or from suggestions. */
export const placeNeeds = (place: PlacePhrase): "fitted" | "suggested" | undefined =>
  place.kind === "waist" ? "fitted" : place.kind === "suggested" ? "suggested" : undefined;

/**
 * All readings of a place; one place that stands for several (`each of them`) is one reading of several positions.
 *
 * @throws Refused where there is none.
 */
export function placeReadings(place: PlacePhrase, known: Knowledge, spoken: Spoken): Reading<readonly number[]>[] {
  const one = (...places_mm: number[]): Reading<readonly number[]>[] => [{ value: places_mm, uses: [] }];
  const { min, max } = known.bench.limits_mm;
  switch (place.kind) {
    case "mm":
      return one(place.z_mm);
    case "middle":
      return one(tidy((min + max) / 2));
    case "end":
      if (place.side !== undefined) return one(place.side === "lower" ? min : max);
      return [...one(min), ...one(max)];
    case "there":
      if (spoken.places_mm.length === 0) throw new Refused("no place was spoken of before");
      return one(...spoken.places_mm);
    case "further": {
      const from_mm = spoken.places_mm.at(-1) ?? known.z_mm;
      if (from_mm === undefined) throw new Refused("there is nothing to go on from");
      return one(tidy(from_mm + place.by_mm));
    }
    case "before": {
      const before = known.measurements.at(-2);
      if (before === undefined) throw new Refused("there are not two measurements");
      return one(before.z_requested_mm);
    }
    case "suggested": {
      const { suggested } = known;
      if (suggested === undefined) throw new Refused("nothing has been suggested");
      const chosen =
        place.place === "all" ? suggested.positions_mm : suggested.positions_mm.slice(place.place, place.place + 1);
      if (chosen.length === 0) throw new Refused("there is no such suggestion");
      return [{ value: chosen, uses: [suggested.call] }];
    }
    case "waist":
      return waistReadings(place.axis, place.rayleighs, known);
  }
}

function waistReadings(axis: Axis | undefined, rayleighs: number, known: Knowledge): Reading<readonly number[]>[] {
  const { fit } = known;
  if (fit === undefined) throw new Refused("there is no fit to find a waist in");
  const at = (name: Axis): { readonly z_mm: number; readonly rayleigh_mm: number } => {
    const result = fit.fit[name];
    if (!result.determined) throw new Refused(`axis ${name} has no waist yet: ${result.why}`);
    return { z_mm: tidy(result.z0_mm + rayleighs * result.rayleigh_mm), rayleigh_mm: result.rayleigh_mm };
  };
  const uses = [fit.call];
  if (axis !== undefined) return [{ value: [at(axis).z_mm], uses }];
  const [x, y] = [at("x"), at("y")];
  if (Math.abs(x.z_mm - y.z_mm) <= ONE_WAIST * Math.min(x.rayleigh_mm, y.rayleigh_mm)) {
    return [{ value: [tidy((x.z_mm + y.z_mm) / 2)], uses }];
  }
  return [
    { value: [x.z_mm], uses },
    { value: [y.z_mm], uses },
  ];
}

const hasFlag = (one: Measurement, flag: string): boolean => one.flags.some(({ code }) => code === flag);

/** The widest along each axis; two where the axes do not agree. */
function widest(list: readonly Measurement[]): Measurement[] {
  const along = (width: (one: Measurement) => number | undefined): Measurement | undefined =>
    [...list].sort((a, b) => (width(b) ?? 0) - (width(a) ?? 0))[0];
  const found = [along((one) => one.d4sigma_x_um), along((one) => one.d4sigma_y_um)];
  return [...new Set(found.filter((one) => one !== undefined))];
}

/**
 * All readings of what stands for a measurement; with "every", one reading of all that fit.
 *
 * @throws Refused where there is none.
 */
export function measurementReadings(
  phrase: MeasurementPhrase,
  known: Knowledge,
  spoken: Spoken,
): readonly (readonly string[])[] {
  const all = known.measurements;
  if (phrase.kind === "id") {
    if (!all.some((one) => one.measurement === phrase.id)) throw new Refused(`there is no measurement ${phrase.id}`);
    return [[phrase.id]];
  }
  if (phrase.kind === "it") {
    if (spoken.measurement === undefined) throw new Refused("no measurement was spoken of before");
    return [[spoken.measurement]];
  }
  const { ordinal, every = false, use, flag, z_mm } = phrase;
  const fitting = all.filter(
    (one) =>
      (use === undefined || one.use === use) &&
      (flag === undefined || hasFlag(one, flag)) &&
      (z_mm === undefined || one.z_requested_mm === z_mm),
  );
  const chosen = phrase.widest === true ? widest(fitting) : fitting;
  const ids = chosen.map((one) => one.measurement);
  if (every && ids.length > 0) return [ids];
  const picked =
    ordinal === undefined ? ids : [ids.at(ordinal > 0 ? ordinal - 1 : ordinal)].filter((id) => id !== undefined);
  if (picked.length === 0) throw new Refused("there is no such measurement");
  return picked.map((id) => [id]);
}

/** All readings of an exposure time. */
export function timeReadings(time: TimePhrase, known: Knowledge, spoken: Spoken): number[] {
  if (time.kind === "ms") return [time.exposure_ms];
  const found = measurementReadings(time.measurement, known, spoken).flat();
  return [
    ...new Set(known.measurements.filter((one) => found.includes(one.measurement)).map((one) => one.exposure_ms)),
  ];
}
