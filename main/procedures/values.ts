import { type Dimension, NUMBER, type Unit, UNITS, baseUnit, sameDimension } from "./units.ts";
import { type RecordType, type Type, TEXT, TRUTH, UNKNOWN, listOf, quantityOf } from "./types.ts";

/** `value` is in the base units mm, ms, counts, px; `unit` is the one in which the quantity is told. */
export interface Quantity {
  readonly kind: "quantity";
  readonly value: number;
  readonly dimension: Dimension;
  readonly unit?: Unit;
}

export interface RecordValue {
  readonly kind: "record";
  readonly type: RecordType;
  readonly fields: ReadonlyMap<string, Value>;
}

/** Whatever a program computes with. */
export type Value =
  | Quantity
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "truth"; readonly value: boolean }
  | { readonly kind: "list"; readonly items: readonly Value[] }
  | RecordValue;

export const plainNumber = (value: number): Quantity => ({ kind: "quantity", value, dimension: NUMBER });
export const textValue = (text: string): Value => ({ kind: "text", text });
export const truthValue = (value: boolean): Value => ({ kind: "truth", value });
export const listValue = (items: readonly Value[]): Value => ({ kind: "list", items });

/** A quantity of the same dimension, told in the same unit. */
export const like = (model: Quantity, value: number): Quantity => ({ ...model, value });

export function typeOfValue(value: Value): Type {
  switch (value.kind) {
    case "quantity":
      return quantityOf(value.dimension);
    case "text":
      return TEXT;
    case "truth":
      return TRUTH;
    case "list":
      return listOf(value.items[0] === undefined ? UNKNOWN : typeOfValue(value.items[0]));
    case "record":
      return value.type;
  }
}

/** Digits that survive the way into the base units and back. */
const DIGITS = 14;

/** The number in a unit of its dimension, without the last digits that the conversion spoils. */
export function inUnit(quantity: Pick<Quantity, "value">, unit: Unit): number {
  return Number((quantity.value / unit.size).toPrecision(DIGITS));
}

export type ResultValue = { readonly value: number; readonly unit: string } | string | boolean | readonly ResultValue[];

/** A value as it stands in the results of a run, and in messages; a record is told by its kind alone. */
export function tellValue(value: Value): ResultValue {
  switch (value.kind) {
    case "quantity": {
      const { unit, dimension } = value;
      if (unit !== undefined) return { value: inUnit(value, unit), unit: unit.name };
      return { value: Number(value.value.toPrecision(DIGITS)), unit: baseUnit(dimension) };
    }
    case "text":
      return value.text;
    case "truth":
      return value.value;
    case "list":
      return value.items.map(tellValue);
    case "record":
      return value.type.what;
  }
}

/** `130 mm`, `"none"`, `true`, `[1, 2]` for a message. */
export function valueText(value: Value): string {
  const told = tellValue(value);
  const text = (one: ResultValue): string => {
    if (typeof one === "string") return value.kind === "record" ? one : JSON.stringify(one);
    if (typeof one === "boolean") return String(one);
    if ("value" in one) return `${Number(one.value.toPrecision(6))}${one.unit === "1" ? "" : ` ${one.unit}`}`;
    return `[${one.map(text).join(", ")}]`;
  };
  return text(told);
}

/** A quantity from a number and the name of its unit, as an assertion or a result states it. Undefined for an unknown unit. */
export function quantityFrom(value: number, unitName: string | undefined): Quantity | undefined {
  if (unitName === undefined || unitName === "1") return plainNumber(value);
  const unit = UNITS.get(unitName);
  return unit === undefined
    ? undefined
    : { kind: "quantity", value: value * unit.size, dimension: unit.dimension, unit };
}

export function isPlain(quantity: Quantity): boolean {
  return sameDimension(quantity.dimension, NUMBER);
}
