import { z } from "zod";
import { type Place, ProcedureError } from "./procedure-error.ts";
import { type RecordType, type Type, describeType, withoutOptional } from "./types.ts";
import { NUMBER, type Unit, describeDimension, sameDimension, splitWireName } from "./units.ts";
import { type Value, inUnit, listValue, textValue, truthValue, typeOfValue, valueText } from "./values.ts";
import type { VerbInput } from "./verbs.ts";

const EMPTY: RecordType = { kind: "record", what: "", fields: new Map() };

/** An answer of the bench as a record of quantities; members that say how the call went are left out. */
export function recordFromWire(answer: object, type: RecordType): Value {
  return { kind: "record", type, fields: fieldsFromWire(answer, type, undefined) };
}

function fieldsFromWire(answer: object, type: RecordType, outer: Unit | undefined): Map<string, Value> {
  const fields = new Map<string, Value>();
  for (const [key, wire] of Object.entries(answer)) {
    const { name, unit = outer } = splitWireName(key);
    const known = type.fields.get(name);
    if (known === undefined || wire === undefined) continue;
    fields.set(name, valueFromWire(wire, known, unit));
  }
  return fields;
}

function valueFromWire(wire: unknown, type: Type, unit: Unit | undefined): Value {
  if (typeof wire === "number") {
    return unit === undefined
      ? { kind: "quantity", value: wire, dimension: NUMBER }
      : { kind: "quantity", value: wire * unit.size, dimension: unit.dimension, unit };
  }
  if (typeof wire === "boolean") return truthValue(wire);
  if (Array.isArray(wire)) {
    const of = type.kind === "list" ? type.of : EMPTY;
    return listValue(wire.map((item: unknown) => valueFromWire(item, of, unit)));
  }
  if (typeof wire === "object" && wire !== null) {
    const record = type.kind === "record" ? type : EMPTY;
    return { kind: "record", type: record, fields: fieldsFromWire(wire, record, unit) };
  }
  return textValue(String(wire));
}

/**
 * The argument of a verb as the bench takes it.
 *
 * @throws ProcedureError `wrong_unit`, `wrong_type` or `out_of_range` at the value.
 */
export function inputToWire(input: VerbInput, value: Value, at: Place): unknown {
  const wire = toWire(input, input.schema, value, at);
  const checked = (input.schema as z.ZodType).safeParse(wire);
  if (checked.success) return checked.data;
  throw new ProcedureError("out_of_range", at, `${input.name} = ${valueText(value)} is not allowed`, {
    expected: allowed(
      input,
      checked.error.issues.map((issue) => issue.message),
    ),
  });
}

/** What an argument may be, in words. */
function allowed({ schema, unit }: VerbInput, issues: readonly string[]): string {
  if (schema instanceof z.ZodEnum) return `one of ${schema.options.map((one) => JSON.stringify(one)).join(", ")}`;
  if (!(schema instanceof z.ZodNumber)) return issues.join("; ");
  const { minValue, maxValue } = schema;
  const name = unit === undefined ? "" : ` ${unit.name}`;
  const whole = schema.format === "safeint" || schema.format === "int32";
  const bound = (value: number | null, word: string): string[] =>
    value === null || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? [] : [`${word} ${value}${name}`];
  const above = schema.safeParse(minValue ?? 0).success ? "from" : "above";
  return [whole ? "a whole number" : "a number", ...bound(minValue, above), ...bound(maxValue, "to")].join(" ");
}

function toWire(input: VerbInput, given: z.core.$ZodType, value: Value, at: Place): unknown {
  const schema = withoutOptional(given);
  if (schema instanceof z.ZodNumber) {
    const { unit } = input;
    const dimension = unit?.dimension ?? NUMBER;
    if (value.kind !== "quantity") throw mismatch(input, value, describeDimension(dimension), at);
    if (!sameDimension(value.dimension, dimension)) {
      throw new ProcedureError("wrong_unit", at, `${input.name} = ${valueText(value)}`, {
        expected: describeDimension(dimension),
      });
    }
    return unit === undefined ? value.value : inUnit(value, unit);
  }
  if (schema instanceof z.ZodArray) {
    if (value.kind !== "list") throw mismatch(input, value, "a list", at);
    return value.items.map((item) => toWire(input, schema.element, item, at));
  }
  if (value.kind === "text") {
    // A fault by its kind alone.
    if (schema instanceof z.ZodObject && "kind" in schema.shape) return { kind: value.text };
    if (!(schema instanceof z.ZodObject)) return value.text;
  }
  if (value.kind === "truth" && schema instanceof z.ZodBoolean) return value.value;
  if (value.kind === "record") {
    const id = value.fields.get("measurement");
    if (schema instanceof z.ZodString && id?.kind === "text") return id.text;
    if (schema instanceof z.ZodObject && value.type.what === UNCERTAIN.what) {
      return Object.fromEntries(
        [...value.fields].flatMap(([name, field]) => (field.kind === "quantity" ? [[name, field.value]] : [])),
      );
    }
  }
  throw mismatch(input, value, wanted(schema), at);
}

/** A value with its standard uncertainty, as `uncertain(value, u)` makes it. */
export const UNCERTAIN: RecordType = {
  kind: "record",
  what: "a value with its uncertainty",
  fields: new Map([
    ["value", { kind: "quantity" }],
    ["u", { kind: "quantity" }],
  ]),
};

function wanted(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodObject) {
    return "kind" in schema.shape
      ? 'the kind of the fault as text, as "none"'
      : "uncertain(value, standard uncertainty)";
  }
  if (schema instanceof z.ZodString) return 'a measurement or a text, as "m001"';
  return schema instanceof z.ZodEnum
    ? `one of ${schema.options.map((one) => JSON.stringify(one)).join(", ")}`
    : "a text";
}

function mismatch(input: VerbInput, value: Value, expected: string, at: Place): ProcedureError {
  const code = value.kind === "quantity" ? "wrong_unit" : "wrong_type";
  return new ProcedureError(code, at, `${input.name} is given ${describeType(typeOfValue(value))}`, { expected });
}
