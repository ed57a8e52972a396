/** What a number in words may mean. A number without a unit is a plain count or, where the sentence asks for it, a length or a time. */
export interface QuantityReading {
  readonly kind: "length_mm" | "time_ms" | "plain";
  readonly value: number;
}

export interface Quantity {
  readonly readings: readonly QuantityReading[];
  /** Where it stands in the text. */
  readonly start: number;
  readonly end: number;
}

const UNITS: Readonly<Record<string, { readonly kind: "length_mm" | "time_ms"; readonly factor: number }>> = {
  m: { kind: "length_mm", factor: 1000 },
  metre: { kind: "length_mm", factor: 1000 },
  metres: { kind: "length_mm", factor: 1000 },
  cm: { kind: "length_mm", factor: 10 },
  centimetres: { kind: "length_mm", factor: 10 },
  mm: { kind: "length_mm", factor: 1 },
  millimetres: { kind: "length_mm", factor: 1 },
  µm: { kind: "length_mm", factor: 1e-3 },
  um: { kind: "length_mm", factor: 1e-3 },
  s: { kind: "time_ms", factor: 1000 },
  seconds: { kind: "time_ms", factor: 1000 },
  ms: { kind: "time_ms", factor: 1 },
  milliseconds: { kind: "time_ms", factor: 1 },
  µs: { kind: "time_ms", factor: 1e-3 },
  us: { kind: "time_ms", factor: 1e-3 },
  microseconds: { kind: "time_ms", factor: 1e-3 },
};

const COUNTING = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

const NUMBER =
  /(?<![\w.])(-?\d+(?:\.\d+)?)(?:\s*(metres|centimetres|millimetres|milliseconds|microseconds|seconds|mm|cm|µm|um|ms|µs|us|m|s))?(?![\w])/g;

/** Removes the noise of decimal arithmetic: 0.16 m are 160 mm. */
const clean = (value: number): number => Number(value.toPrecision(12));

/**
 * Every number of a text with its unit, in the units of the bench. In a list (`60, 120 and 180 mm`) the unit at its end holds for all.
 * Counting words up to ten are plain numbers.
 */
export function quantities(text: string): Quantity[] {
  const found = [...text.matchAll(NUMBER)].map((match) => ({
    value: Number(match[1]),
    unit: match[2] === undefined ? undefined : UNITS[match[2]],
    start: match.index,
    end: match.index + match[0].length,
  }));
  for (let place = found.length - 2; place >= 0; place--) {
    const [one, next] = [found[place], found[place + 1]];
    if (one === undefined || next === undefined || one.unit !== undefined) continue;
    if (/^\s*(,|and|,\s*and|or|to)\s*$/.test(text.slice(one.end, next.start))) one.unit = next.unit;
  }
  const numbers = found.map(
    ({ value, unit, start, end }): Quantity => ({
      readings: [
        unit === undefined ? { kind: "plain", value } : { kind: unit.kind, value: clean(value * unit.factor) },
      ],
      start,
      end,
    }),
  );
  const words = [...text.matchAll(/\b[a-z]+\b/gi)].flatMap((match): Quantity[] => {
    const value = COUNTING.indexOf(match[0].toLowerCase());
    if (value < 1) return [];
    return [{ readings: [{ kind: "plain", value }], start: match.index, end: match.index + match[0].length }];
  });
  return [...numbers, ...words].sort((a, b) => a.start - b.start);
}
