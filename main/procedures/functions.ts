import { type Place, ProcedureError } from "./procedure-error.ts";
import { PLAIN_NUMBER, TRUTH, type Type, UNKNOWN, describeType, listOf, quantityOf } from "./types.ts";
import { type Dimension, NUMBER, baseUnit, describeDimension, sameDimension, scaleDimension } from "./units.ts";
import { type Quantity, type Value, like, listValue, plainNumber, truthValue, typeOfValue } from "./values.ts";
import { UNCERTAIN } from "./wire-values.ts";

/** An input with its place in the text. */
export interface Placed<Thing> {
  readonly it: Thing;
  readonly at: Place;
}

export interface ProcedureFunction {
  readonly name: string;
  /** As the guide shows it. */
  readonly usage: string;
  readonly does: string;
  readonly least: number;
  readonly most: number;
  /** The type of what it gives. Throws ProcedureError where an input cannot be right. */
  type(inputs: readonly Placed<Type>[], call: Place): Type;
  apply(inputs: readonly Placed<Value>[], call: Place): Value;
}

/** Longest list that a program may make. */
export const LONGEST_LIST = 10_000;

const wrong = (at: Place, name: string, found: string, expected: string): ProcedureError =>
  new ProcedureError("wrong_type", at, `${name} is given ${found}`, { expected });

/** The dimension of a quantity, or of the quantities of a list; undefined where it is not known yet. */
function dimensionOf(name: string, { it, at }: Placed<Type>): Dimension | undefined {
  if (it.kind === "list") return dimensionOf(name, { it: it.of, at });
  if (it.kind === "unknown") return undefined;
  if (it.kind !== "quantity") throw wrong(at, name, describeType(it), "a quantity");
  return it.dimension;
}

/** The one dimension of all inputs. Throws `wrong_unit` where they differ. */
function commonDimension(name: string, inputs: readonly Placed<Type>[]): Dimension | undefined {
  let common: Dimension | undefined;
  for (const input of inputs) {
    const dimension = dimensionOf(name, input);
    if (common !== undefined && dimension !== undefined && !sameDimension(common, dimension)) {
      throw new ProcedureError("wrong_unit", input.at, `${name} is given ${describeDimension(dimension)}`, {
        expected: describeDimension(common),
      });
    }
    common ??= dimension;
  }
  return common;
}

const quantityType = (dimension: Dimension | undefined): Type =>
  dimension === undefined ? { kind: "quantity" } : quantityOf(dimension);

function needPlain(name: string, input: Placed<Type>): void {
  const dimension = dimensionOf(name, input);
  if (dimension !== undefined && !sameDimension(dimension, NUMBER)) {
    throw new ProcedureError("wrong_unit", input.at, `${name} is given ${describeDimension(dimension)}`, {
      expected: "a plain number or an angle",
    });
  }
}

function needList(name: string, { it, at }: Placed<Type>): Type {
  if (it.kind === "list") return it.of;
  if (it.kind === "unknown") return UNKNOWN;
  throw wrong(at, name, describeType(it), "a list");
}

function quantity(name: string, { it, at }: Placed<Value>): Quantity {
  if (it.kind === "quantity") return it;
  throw wrong(at, name, describeType(typeOfValue(it)), "a quantity");
}

/** Inputs of a function that takes either one list or the quantities themselves. */
function quantities(name: string, inputs: readonly Placed<Value>[], call: Place): [Quantity, ...Quantity[]] {
  const spread = inputs.flatMap(({ it, at }): Placed<Value>[] =>
    it.kind === "list" ? it.items.map((item) => ({ it: item, at })) : [{ it, at }],
  );
  commonDimension(
    name,
    spread.map(({ it, at }) => ({ it: typeOfValue(it), at })),
  );
  const [first, ...rest] = spread.map((one) => quantity(name, one));
  if (first === undefined) {
    throw new ProcedureError("out_of_range", call, `${name} is given an empty list`, {
      expected: "at least one quantity",
    });
  }
  return [first, ...rest];
}

/** Refuses what is no number, as the root of a negative one. */
function finite(name: string, value: number, at: Place): number {
  if (Number.isFinite(value)) return value;
  throw new ProcedureError("out_of_range", at, `${name} has no value there`, {
    expected: "a number inside its domain",
  });
}

/** A function of quantities of one dimension that gives another of it. */
function overOneDimension(
  name: string,
  usage: string,
  does: string,
  range: readonly [least: number, most: number],
  compute: (values: readonly number[]) => number,
): ProcedureFunction {
  return {
    name,
    usage,
    does,
    least: range[0],
    most: range[1],
    type: (inputs) => quantityType(commonDimension(name, inputs)),
    apply(inputs, call) {
      const all = quantities(name, inputs, call);
      return like(all[0], finite(name, compute(all.map(({ value }) => value)), call));
    },
  };
}

function ofPlainNumber(name: string, does: string, compute: (value: number) => number): ProcedureFunction {
  return {
    name,
    usage: `${name}(number)`,
    does,
    least: 1,
    most: 1,
    type(inputs) {
      for (const input of inputs) needPlain(name, input);
      return PLAIN_NUMBER;
    },
    apply(inputs, call) {
      for (const { it, at } of inputs) needPlain(name, { it: typeOfValue(it), at });
      const [{ value }] = quantities(name, inputs, call);
      return plainNumber(finite(name, compute(value), call));
    },
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Place of the smallest number that `sign` makes of a list. */
function placeOf(name: string, does: string, sign: number): ProcedureFunction {
  return {
    name,
    usage: `${name}(list)`,
    does,
    least: 1,
    most: 1,
    type(inputs) {
      for (const input of inputs) needList(name, input);
      commonDimension(name, inputs);
      return PLAIN_NUMBER;
    },
    apply(inputs, call) {
      const signed = quantities(name, inputs, call).map(({ value }) => sign * value);
      return plainNumber(signed.indexOf(Math.min(...signed)));
    },
  };
}

const EVERY = Number.POSITIVE_INFINITY;

const TABLE: readonly ProcedureFunction[] = [
  overOneDimension("abs", "abs(a)", "magnitude", [1, 1], ([a = Number.NaN]) => Math.abs(a)),
  overOneDimension("min", "min(a, b, …) or min(list)", "smallest", [1, EVERY], (all) => Math.min(...all)),
  overOneDimension("max", "max(a, b, …) or max(list)", "largest", [1, EVERY], (all) => Math.max(...all)),
  overOneDimension("sum", "sum(list)", "sum", [1, EVERY], sum),
  overOneDimension("mean", "mean(list)", "arithmetic mean", [1, EVERY], (all) => sum(all) / all.length),
  overOneDimension("median", "median(list)", "middle value", [1, EVERY], median),
  overOneDimension("hypot", "hypot(a, b)", "√(a² + b²)", [2, EVERY], (all) => Math.hypot(...all)),
  {
    name: "round",
    usage: "round(a) or round(a, step)",
    does: "nearest multiple of step, which a quantity with a unit needs",
    least: 1,
    most: 2,
    type(inputs) {
      const dimension = commonDimension("round", inputs);
      const [first] = inputs;
      if (inputs.length === 1 && first !== undefined) needPlain("round without a step", first);
      return quantityType(dimension);
    },
    apply(inputs, call) {
      const [first, step] = quantities("round", inputs, call);
      if (step === undefined) {
        if (!sameDimension(first.dimension, NUMBER)) {
          throw new ProcedureError("wrong_unit", call, "round without a step is given a quantity with a unit", {
            expected: "a step, as in round(a, 0.5 mm)",
          });
        }
        return like(first, Math.round(first.value));
      }
      if (step.value === 0) throw new ProcedureError("division_by_zero", call, "round is given the step 0");
      return like(first, Number((Math.round(first.value / step.value) * step.value).toPrecision(14)));
    },
  },
  ofPlainNumber("floor", "largest whole number that is not larger", Math.floor),
  ofPlainNumber("ceil", "smallest whole number that is not smaller", Math.ceil),
  ofPlainNumber("exp", "exponential", Math.exp),
  ofPlainNumber("log", "natural logarithm", Math.log),
  ofPlainNumber("sin", "sine", Math.sin),
  ofPlainNumber("cos", "cosine", Math.cos),
  ofPlainNumber("tan", "tangent", Math.tan),
  ofPlainNumber("atan", "arc tangent", Math.atan),
  {
    name: "sqrt",
    usage: "sqrt(a)",
    does: "square root; of mm^2 it is a length",
    least: 1,
    most: 1,
    type(inputs) {
      const dimension = commonDimension("sqrt", inputs);
      return quantityType(dimension === undefined ? undefined : halved(dimension, inputs[0]?.at));
    },
    apply(inputs, call) {
      const [{ value, dimension }] = quantities("sqrt", inputs, call);
      return { kind: "quantity", value: finite("sqrt", Math.sqrt(value), call), dimension: halved(dimension, call) };
    },
  },
  {
    name: "mod",
    usage: "mod(a, b)",
    does: "remainder of a / b, with the sign of b",
    least: 2,
    most: 2,
    type: (inputs) => quantityType(commonDimension("mod", inputs)),
    apply(inputs, call) {
      const [a, b] = quantities("mod", inputs, call);
      if (b === undefined || b.value === 0) {
        throw new ProcedureError("division_by_zero", inputs[1]?.at ?? call, "mod is given the divisor 0");
      }
      return like(a, a.value - b.value * Math.floor(a.value / b.value));
    },
  },
  {
    name: "len",
    usage: "len(list)",
    does: "number of items",
    least: 1,
    most: 1,
    type(inputs) {
      for (const input of inputs) needList("len", input);
      return PLAIN_NUMBER;
    },
    apply: ([list], call) => plainNumber(items("len", list, call).length),
  },
  {
    name: "append",
    usage: "append(list, item)",
    does: "the list with one more item at its end",
    least: 2,
    most: 2,
    type: ([list, item]) => (list === undefined ? UNKNOWN : (needList("append", list), listOf(item?.it ?? UNKNOWN))),
    apply([list, item], call) {
      const longer = [...items("append", list, call), ...(item === undefined ? [] : [item.it])];
      if (longer.length > LONGEST_LIST) {
        throw new ProcedureError("out_of_range", call, `a list of ${longer.length} items`, {
          expected: `at most ${LONGEST_LIST}`,
        });
      }
      return listValue(longer);
    },
  },
  {
    name: "linspace",
    usage: "linspace(from, to, count)",
    does: "list of count evenly spaced values, both ends included",
    least: 3,
    most: 3,
    type([from, to, count]) {
      if (count !== undefined) needPlain("linspace's count", count);
      const ends = [from, to].filter((one) => one !== undefined);
      return listOf(quantityType(commonDimension("linspace", ends)));
    },
    apply(inputs, call) {
      const [from, to] = quantities("linspace", inputs.slice(0, 2), call);
      const last = inputs[2];
      const count = last === undefined ? 0 : quantity("linspace's count", last).value;
      if (to === undefined || !Number.isInteger(count) || count < 2 || count > LONGEST_LIST) {
        throw new ProcedureError("out_of_range", last?.at ?? call, `linspace is given the count ${count}`, {
          expected: `a whole number from 2 to ${LONGEST_LIST}`,
        });
      }
      return listValue(
        Array.from({ length: count }, (_, i) =>
          like(from, Number((from.value + ((to.value - from.value) * i) / (count - 1)).toPrecision(14))),
        ),
      );
    },
  },
  {
    name: "sort",
    usage: "sort(list)",
    does: "the quantities of a list, the smallest first",
    least: 1,
    most: 1,
    type([list]) {
      if (list !== undefined) commonDimension("sort", [list]);
      return listOf(list === undefined ? UNKNOWN : needList("sort", list));
    },
    apply(inputs, call) {
      const [list] = inputs;
      if (list !== undefined && items("sort", list, call).length === 0) return list.it;
      return listValue([...quantities("sort", inputs, call)].sort((a, b) => a.value - b.value));
    },
  },
  placeOf("index_of_min", "place of the smallest value, from 0", 1),
  placeOf("index_of_max", "place of the largest value, from 0", -1),
  {
    name: "has_flag",
    usage: 'has_flag(measurement, "saturated")',
    does: "whether a measurement, or an axis of a fit, raised that flag",
    least: 2,
    most: 2,
    type([record, flag]) {
      if (record !== undefined && record.it.kind !== "unknown" && record.it.kind !== "record") {
        throw wrong(record.at, "has_flag", describeType(record.it), "a measurement");
      }
      if (flag !== undefined && flag.it.kind !== "unknown" && flag.it.kind !== "text") {
        throw wrong(flag.at, "has_flag", describeType(flag.it), 'the name of a flag, as "saturated"');
      }
      return TRUTH;
    },
    apply([record, flag], call) {
      const flags = record?.it.kind === "record" ? record.it.fields.get("flags") : undefined;
      if (flags?.kind !== "list" || flag?.it.kind !== "text") {
        throw wrong(record?.at ?? call, "has_flag", "something without flags", "a measurement and the name of a flag");
      }
      const { text } = flag.it;
      return truthValue(
        flags.items.some((one) => {
          const code = one.kind === "record" ? one.fields.get("code") : undefined;
          return code?.kind === "text" && code.text === text;
        }),
      );
    },
  },
  {
    name: "uncertain",
    usage: "uncertain(value, u)",
    does: "a value with its standard uncertainty, for finish",
    least: 2,
    most: 2,
    type(inputs) {
      commonDimension("uncertain", inputs);
      return UNCERTAIN;
    },
    apply(inputs, call) {
      const [value, u] = quantities("uncertain", inputs, call);
      const fields = new Map<string, Value>([
        ["value", value],
        ["u", u ?? plainNumber(0)],
      ]);
      return { kind: "record", type: UNCERTAIN, fields };
    },
  },
];

function halved(dimension: Dimension, at: Place | undefined): Dimension {
  if (dimension.every((exponent) => exponent % 2 === 0) || at === undefined) return scaleDimension(dimension, 0.5);
  throw new ProcedureError("wrong_unit", at, `the square root of ${describeDimension(dimension)} has no unit`, {
    expected: `a plain number or a square, not ${baseUnit(dimension)}`,
  });
}

function items(name: string, list: Placed<Value> | undefined, call: Place): readonly Value[] {
  if (list?.it.kind === "list") return list.it.items;
  throw wrong(list?.at ?? call, name, list === undefined ? "nothing" : describeType(typeOfValue(list.it)), "a list");
}

/** Every function but `known`, which looks at its input before it has a value. */
export const FUNCTIONS: ReadonlyMap<string, ProcedureFunction> = new Map(TABLE.map((one) => [one.name, one]));
export const FUNCTION_NAMES: readonly string[] = [...FUNCTIONS.keys(), "known"];
