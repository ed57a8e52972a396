import { quantities } from "../quantities.ts";
import type { Axis, MeasurementPhrase, PlacePhrase, TimePhrase } from "./wish.ts";

/** Words of a clause, read from the left. What nothing has read at the end was not understood. */
export class Words {
  #rest: string;

  constructor(text: string) {
    this.#rest = text.trim();
  }

  /** Reads what the pattern finds at the left; the pattern begins with ^ and knows lower case. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    const found = pattern.exec(this.#rest.toLowerCase());
    if (found === null) return undefined;
    this.#rest = this.#rest.slice(found[0].length).replace(/^[\s,]+/, "");
    return found;
  }

  get ended(): boolean {
    return this.#rest === "";
  }
}

const NUMBER = String.raw`-?\d+(?:\.\d+)?`;
const LENGTH = String.raw`(?:mm|cm|m|µm|um|metres|centimetres|millimetres)`;
const TIME = String.raw`(?:ms|µs|us|s|seconds|milliseconds|microseconds)`;
const LENGTHS = new RegExp(
  String.raw`^(?:${NUMBER}\s*(?:${LENGTH}\b)?(?:,\s*and\s+|,\s*|\s+and\s+))*${NUMBER}\s*${LENGTH}\b`,
);
const DURATION = new RegExp(String.raw`^${NUMBER}\s*${TIME}\b`);
const FURTHER = new RegExp(String.raw`^(${NUMBER}\s*${LENGTH})\s+further on\b`);

const ORDINALS = ["first", "second", "third", "fourth", "fifth"];
const COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** A small whole number in digits or words. */
export const COUNT = String.raw`(\d+|${COUNTS.slice(1).join("|")})`;

export function countOf(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : COUNTS.indexOf(text);
}

const values = (text: string, kind: "length_mm" | "time_ms"): number[] =>
  quantities(text).flatMap(({ readings }) => readings.filter((one) => one.kind === kind).map((one) => one.value));

/** Reads one place, or a list of them. */
export function takePlaces(words: Words): PlacePhrase[] | undefined {
  const further = words.take(FURTHER);
  if (further !== undefined) {
    const [by_mm] = values(further[1] ?? "", "length_mm");
    return by_mm === undefined ? undefined : [{ kind: "further", by_mm }];
  }
  const listed = words.take(LENGTHS);
  if (listed !== undefined) return values(listed[0], "length_mm").map((z_mm) => ({ kind: "mm", z_mm }));
  if (words.take(/^(each of them|them|these|the suggested positions|all of them)\b/))
    return [{ kind: "suggested", place: "all" }];
  const nth = words.take(/^the (first|second|third|fourth|fifth) suggested position\b/);
  if (nth !== undefined) return [{ kind: "suggested", place: ORDINALS.indexOf(nth[1] ?? "") }];
  if (words.take(/^(there|the same place|that place)\b/)) return [{ kind: "there" }];
  if (words.take(/^where it was before the latest measurement\b/)) return [{ kind: "before" }];
  if (words.take(/^the middle of the travel\b/)) return [{ kind: "middle" }];
  const end = words.take(/^the (?:(lower|near|upper|far) )?end of the travel\b/);
  if (end !== undefined) {
    const side =
      end[1] === undefined ? {} : { side: /lower|near/.test(end[1]) ? ("lower" as const) : ("upper" as const) };
    return [{ kind: "end", ...side }];
  }
  const waist = words.take(
    new RegExp(String.raw`^(?:${COUNT} rayleigh lengths? beyond )?the waist(?: of (?:the )?([xy])(?: axis)?)?`),
  );
  if (waist === undefined) return undefined;
  const axis = waist[2] === undefined ? {} : { axis: waist[2] as Axis };
  return [{ kind: "waist", ...axis, rayleighs: waist[1] === undefined ? 0 : countOf(waist[1]) }];
}

/** Reads an exposure time. */
export function takeTime(words: Words): TimePhrase | undefined {
  const duration = words.take(DURATION);
  if (duration !== undefined) {
    const [exposure_ms] = values(duration[0], "time_ms");
    return exposure_ms === undefined ? undefined : { kind: "ms", exposure_ms };
  }
  if (words.take(/^the exposure of\b/) === undefined) return undefined;
  const measurement = takeMeasurement(words);
  return measurement === undefined ? undefined : { kind: "of", measurement };
}

const FLAGS: Readonly<Record<string, string>> = { saturated: "saturated", dim: "low_signal", clipped: "clipped" };

/** Reads what stands for one measurement or, with "every", for several. */
export function takeMeasurement(words: Words): MeasurementPhrase | undefined {
  const id = words.take(/^(?:measurement )?(m\d{3})\b/);
  if (id?.[1] !== undefined) return { kind: "id", id: id[1] };
  if (words.take(/^(it|that one)\b/)) return { kind: "it" };
  const every = words.take(/^every measurement that is (saturated|dim|clipped)\b/);
  if (every?.[1] !== undefined)
    return { kind: "described", every: true, use: "used", flag: FLAGS[every[1]] ?? every[1] };
  const found = words.take(
    /^(?:the )?(?:(first|second|third|fourth|fifth|last|latest) )?(?:(rejected|saturated|dim|clipped|widest) )?(?:measurement|one)\b/,
  );
  if (found === undefined) return undefined;
  const [, which, kind] = found;
  const place = words.take(/^at\b/) === undefined ? [] : takePlaces(words);
  const [at] = place ?? [];
  if (place === undefined || place.length > 1 || (at !== undefined && at.kind !== "mm")) return undefined;
  const ordinal = which === undefined ? {} : { ordinal: /last|latest/.test(which) ? -1 : ORDINALS.indexOf(which) + 1 };
  return {
    kind: "described",
    ...ordinal,
    ...(kind === "rejected" ? { use: "rejected" as const } : {}),
    ...(kind === "widest" ? { widest: true as const } : {}),
    ...(kind !== undefined && kind in FLAGS ? { flag: FLAGS[kind] ?? kind } : {}),
    ...(at === undefined ? {} : { z_mm: at.z_mm }),
  };
}
