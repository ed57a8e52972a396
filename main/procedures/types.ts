import { z } from "zod";
import { type Dimension, NUMBER, describeDimension, sameDimension, splitWireName } from "./units.ts";

/** A record's kind and properties, by the names that a program writes. */
export interface RecordType {
  readonly kind: "record";
  /** "a measurement", "a fit", …; "" where it has no name of its own. */
  readonly what: string;
  readonly fields: ReadonlyMap<string, Type>;
}

/** What is known of a value before the program runs. A quantity without a dimension may have any. */
export type Type =
  | { readonly kind: "quantity"; readonly dimension?: Dimension }
  | { readonly kind: "text" }
  | { readonly kind: "truth" }
  | { readonly kind: "list"; readonly of: Type }
  | RecordType
  | { readonly kind: "unknown" };

export const UNKNOWN: Type = { kind: "unknown" };
export const TEXT: Type = { kind: "text" };
export const TRUTH: Type = { kind: "truth" };
export const PLAIN_NUMBER: Type = { kind: "quantity", dimension: NUMBER };
export const quantityOf = (dimension: Dimension): Type => ({ kind: "quantity", dimension });
export const listOf = (of: Type): Type => ({ kind: "list", of });

/** Members of an answer that say how the call went, not what the bench is like. */
const CALL_MEMBERS = new Set(["run", "seq", "simulated", "status", "job", "image_code", "control"]);

/** The schema below `optional()`. */
export function withoutOptional(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional ? withoutOptional(schema.unwrap()) : schema;
}

/** The type that a value of the wire has in a program. `dimension` is that of the member's name, as `z_mm`. */
export function typeOfSchema(given: z.core.$ZodType, dimension: Dimension, what = ""): Type {
  const schema = withoutOptional(given);
  if (schema instanceof z.ZodNumber) return quantityOf(dimension);
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return TEXT;
  if (schema instanceof z.ZodBoolean) return TRUTH;
  if (schema instanceof z.ZodLiteral) return typeof schema.value === "boolean" ? TRUTH : TEXT;
  if (schema instanceof z.ZodArray) return listOf(typeOfSchema(schema.element, dimension, NAMES_OF_ITEMS[what] ?? ""));
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const options = schema.options.map((option) => typeOfSchema(option, dimension, what));
    const fields = options.flatMap((option) => (option.kind === "record" ? [...option.fields] : []));
    return { kind: "record", what, fields: new Map(fields) };
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape as Record<string, z.core.$ZodType>)
      .filter(([key]) => !CALL_MEMBERS.has(key))
      .map(([key, member]): [string, Type] => {
        const { name, unit } = splitWireName(key);
        return [name, typeOfSchema(member, unit?.dimension ?? dimension, NAMES_OF_MEMBERS[key] ?? key)];
      });
    return { kind: "record", what, fields: new Map(fields) };
  }
  return UNKNOWN;
}

const NAMES_OF_MEMBERS: Readonly<Record<string, string>> = { x: "an axis of the fit", y: "an axis of the fit" };
const NAMES_OF_ITEMS: Readonly<Record<string, string>> = {
  measurements: "a measurement",
  darks: "a dark",
  flags: "a flag",
  positions_mm: "a position",
  positions: "a position",
};

/** How a message calls a value of that type. */
export function describeType(type: Type): string {
  switch (type.kind) {
    case "quantity":
      return type.dimension === undefined ? "a quantity" : describeDimension(type.dimension);
    case "text":
      return "a text";
    case "truth":
      return "true or false";
    case "list":
      return "a list";
    case "record":
      return type.what === "" ? "a record" : type.what;
    case "unknown":
      return "a value";
  }
}

/** Whether a value of one type may stand where the other was; what is not known may be anything. */
export function compatible(a: Type, b: Type): boolean {
  if (a.kind === "unknown" || b.kind === "unknown") return true;
  if (a.kind === "quantity" && b.kind === "quantity") {
    return a.dimension === undefined || b.dimension === undefined || sameDimension(a.dimension, b.dimension);
  }
  if (a.kind === "list" && b.kind === "list") return compatible(a.of, b.of);
  if (a.kind === "record" && b.kind === "record") return a.what === b.what;
  return a.kind === b.kind;
}
