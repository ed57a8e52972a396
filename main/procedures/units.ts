/** Exponents of length, time, counts and pixels. Angles are plain numbers (1 rad = 1), so that an angle times a length is a length. */
export type Dimension = readonly [length: number, time: number, counts: number, pixels: number];

export const NUMBER: Dimension = [0, 0, 0, 0];

/** A unit that a program may write: its dimension, and its size in the base units mm, ms, counts and px. */
export interface Unit {
  readonly name: string;
  readonly dimension: Dimension;
  readonly size: number;
}

const LENGTH: Dimension = [1, 0, 0, 0];
const TIME: Dimension = [0, 1, 0, 0];
const COUNTS: Dimension = [0, 0, 1, 0];
const PIXELS: Dimension = [0, 0, 0, 1];

const unit = (name: string, dimension: Dimension, size: number): Unit => ({ name, dimension, size });

const WRITTEN: readonly Unit[] = [
  unit("nm", LENGTH, 1e-6),
  unit("um", LENGTH, 1e-3),
  unit("mm", LENGTH, 1),
  unit("cm", LENGTH, 10),
  unit("m", LENGTH, 1000),
  unit("us", TIME, 1e-3),
  unit("ms", TIME, 1),
  unit("s", TIME, 1000),
  unit("min", TIME, 60_000),
  unit("counts", COUNTS, 1),
  unit("px", PIXELS, 1),
  unit("urad", NUMBER, 1e-6),
  unit("mrad", NUMBER, 1e-3),
  unit("rad", NUMBER, 1),
  unit("deg", NUMBER, Math.PI / 180),
  unit("%", NUMBER, 0.01),
];

/** Every unit by the name that a program writes; `µm` and `µs` are taken too. */
export const UNITS: ReadonlyMap<string, Unit> = new Map([
  ...WRITTEN.map((one): [string, Unit] => [one.name, one]),
  // Keyboards have two signs for micro.
  ...["µ", "μ"].flatMap((micro): [string, Unit][] => [
    [`${micro}m`, unit("um", LENGTH, 1e-3)],
    [`${micro}s`, unit("us", TIME, 1e-3)],
    [`${micro}rad`, unit("urad", NUMBER, 1e-6)],
  ]),
]);

export const UNIT_NAMES: readonly string[] = WRITTEN.map((one) => one.name);

/** Units at the end of a wire name, the longest first: `stage_velocity_mm_s`, `d4sigma_x_um`. */
const SUFFIXES: readonly Unit[] = [
  unit("mm/s", [1, -1, 0, 0], 1e-3),
  ...["mrad", "counts", "deg", "um", "mm", "nm", "ms", "px", "s"].flatMap((name) => UNITS.get(name) ?? []),
];

/** Splits a wire name into its plain name and its unit; without a unit the value is a plain number. */
export function splitWireName(key: string): { readonly name: string; readonly unit?: Unit } {
  for (const one of SUFFIXES) {
    const ending = `_${one.name.replace("/", "_")}`;
    if (key.endsWith(ending) && key.length > ending.length) return { name: key.slice(0, -ending.length), unit: one };
  }
  return { name: key };
}

export function sameDimension(a: Dimension, b: Dimension): boolean {
  return a.every((exponent, i) => exponent === b[i]);
}

/** Exponents of a product of powers: a + factor · b. */
export function combineDimensions(a: Dimension, b: Dimension, factor = 1): Dimension {
  return [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2], a[3] + factor * b[3]];
}

export function scaleDimension(a: Dimension, factor: number): Dimension {
  // Adding zero turns −0 into 0.
  return [a[0] * factor + 0, a[1] * factor + 0, a[2] * factor + 0, a[3] * factor + 0];
}

/** The unit in which a quantity is told when nothing better is known. */
export function baseUnit(dimension: Dimension): string {
  const names = ["mm", "ms", "counts", "px"];
  const part = (sign: number): string =>
    dimension
      .flatMap((exponent, i) => {
        const power = exponent * sign;
        if (power <= 0) return [];
        return [power === 1 ? (names[i] ?? "") : `${names[i] ?? ""}^${power}`];
      })
      .join("*");
  const over = part(1);
  const under = part(-1);
  if (under === "") return over === "" ? "1" : over;
  return `${over === "" ? "1" : over}/${under}`;
}

/** What a dimension is called in a message, with units that a program may write. */
export function describeDimension(dimension: Dimension): string {
  const known: readonly [Dimension, string][] = [
    [NUMBER, "a plain number"],
    [LENGTH, "a length (um, mm, m)"],
    [TIME, "a time (us, ms, s)"],
    [COUNTS, "an amount of light (counts)"],
    [PIXELS, "a number of pixels (px)"],
  ];
  return known.find(([one]) => sameDimension(one, dimension))?.[1] ?? `a quantity in ${baseUnit(dimension)}`;
}
