import { CONSTANTS, unknownProperty } from "./evaluate.ts";
import { FUNCTIONS, FUNCTION_NAMES } from "./functions.ts";
import { namesWithGuess } from "./nearest-name.ts";
import { type Place, ProcedureError } from "./procedure-error.ts";
import type { Expression } from "./syntax.ts";
import { PLAIN_NUMBER, TRUTH, type Type, UNKNOWN, describeType, listOf, quantityOf, TEXT } from "./types.ts";
import {
  type Dimension,
  NUMBER,
  combineDimensions,
  describeDimension,
  sameDimension,
  scaleDimension,
} from "./units.ts";
import { typeOfValue } from "./values.ts";

export type KnownNames = Map<string, Type>;

/** The type that an expression will have. @throws ProcedureError where it can have none. */
export function inferType(expression: Expression, names: KnownNames): Type {
  const { at } = expression;
  switch (expression.kind) {
    case "number":
      return quantityOf(expression.unit?.dimension ?? NUMBER);
    case "text":
      return TEXT;
    case "truth":
      return TRUTH;
    case "name": {
      const constant = CONSTANTS.get(expression.name);
      const type = names.get(expression.name) ?? (constant === undefined ? undefined : typeOfValue(constant));
      if (type !== undefined) return type;
      throw new ProcedureError("unknown_name", at, `unknown name "${expression.name}"`, {
        expected: namesWithGuess(expression.name, [...names.keys()]),
      });
    }
    case "list": {
      const [first, ...rest] = expression.items.map((item) => inferType(item, names));
      if (first === undefined) return listOf(UNKNOWN);
      return listOf(rest.every((type) => type.kind === first.kind) ? first : UNKNOWN);
    }
    case "comprehension":
      return comprehension(expression, names);
    case "property":
      return propertyType(inferType(expression.of, names), expression.name.text, expression.name.at);
    case "index": {
      const of = inferType(expression.of, names);
      expectDimension(inferType(expression.index, names), NUMBER, expression.index.at);
      if (of.kind === "list") return of.of;
      if (of.kind === "unknown") return UNKNOWN;
      throw mismatch(of, expression.of.at, "a list");
    }
    case "call":
      return call(expression, names);
    case "unary": {
      const of = inferType(expression.of, names);
      if (expression.operator === "not") return expectTruth(of, expression.of.at);
      dimensionOf(of, expression.of.at);
      return of;
    }
    case "binary":
      return binary(expression, names);
    case "convert": {
      const of = inferType(expression.of, names);
      expectDimension(of, expression.unit.dimension, expression.of.at);
      return quantityOf(expression.unit.dimension);
    }
  }
}

function mismatch(found: Type, at: Place, expected: string): ProcedureError {
  return new ProcedureError("wrong_type", at, `found ${describeType(found)}`, { expected });
}

/** @throws ProcedureError `wrong_type` where the value cannot be a condition. */
export function expectTruth(type: Type, at: Place): Type {
  if (type.kind === "truth" || type.kind === "unknown") return TRUTH;
  throw mismatch(type, at, "true or false, as a comparison gives it");
}

/** @throws ProcedureError `wrong_unit` or `wrong_type` where the value cannot have that dimension. */
export function expectDimension(type: Type, dimension: Dimension, at: Place): void {
  const found = dimensionOf(type, at, describeDimension(dimension));
  if (found === undefined || sameDimension(found, dimension)) return;
  throw new ProcedureError("wrong_unit", at, `found ${describeDimension(found)}`, {
    expected: describeDimension(dimension),
  });
}

/** @throws ProcedureError `wrong_type` where the value is no quantity. */
export function dimensionOf(type: Type, at: Place, expected = "a quantity"): Dimension | undefined {
  if (type.kind === "unknown") return undefined;
  if (type.kind === "quantity") return type.dimension;
  throw mismatch(type, at, expected);
}

function comprehension(expression: Extract<Expression, { kind: "comprehension" }>, names: KnownNames): Type {
  const { name, from, item, condition } = expression;
  const list = inferType(from, names);
  if (list.kind !== "list" && list.kind !== "unknown") throw mismatch(list, from.at, "a list");
  const inside: KnownNames = new Map(names).set(name.text, list.kind === "list" ? list.of : UNKNOWN);
  if (condition !== undefined) expectTruth(inferType(condition, inside), condition.at);
  return listOf(inferType(item, inside));
}

function propertyType(of: Type, name: string, at: Place): Type {
  if (of.kind === "unknown") return UNKNOWN;
  if (of.kind !== "record") throw mismatch(of, at, `a record that has the property "${name}"`);
  const type = of.fields.get(name);
  if (type === undefined) throw unknownProperty(name, at, of.what, [...of.fields.keys()]);
  return type;
}

function call({ name, inputs, at }: Extract<Expression, { kind: "call" }>, names: KnownNames): Type {
  const known = FUNCTIONS.get(name.text);
  if (known === undefined && name.text !== "known") {
    throw new ProcedureError("unknown_function", name.at, `unknown function "${name.text}"`, {
      expected: namesWithGuess(name.text, FUNCTION_NAMES),
    });
  }
  const { least, most, usage } = known ?? { least: 1, most: 1, usage: "known(value)" };
  if (inputs.length < least || inputs.length > most) {
    throw new ProcedureError("wrong_type", at, `${name.text} is given ${inputs.length} inputs`, { expected: usage });
  }
  const given = inputs.map((input) => ({ it: inferType(input, names), at: input.at }));
  return known === undefined ? TRUTH : known.type(given, at);
}

function binary(expression: Extract<Expression, { kind: "binary" }>, names: KnownNames): Type {
  const { operator, left, right } = expression;
  const a = inferType(left, names);
  const b = inferType(right, names);
  switch (operator) {
    case "and":
    case "or":
      expectTruth(a, left.at);
      return expectTruth(b, right.at);
    case "*":
    case "/": {
      const [first, second] = [dimensionOf(a, left.at), dimensionOf(b, right.at)];
      if (first === undefined || second === undefined) return { kind: "quantity" };
      return quantityOf(combineDimensions(first, second, operator === "*" ? 1 : -1));
    }
    case "^": {
      const base = dimensionOf(a, left.at);
      expectDimension(b, NUMBER, right.at);
      if (base !== undefined && sameDimension(base, NUMBER)) return PLAIN_NUMBER;
      const power = right.kind === "number" ? right.value : undefined;
      if (base === undefined || power === undefined || !Number.isInteger(power)) return { kind: "quantity" };
      return quantityOf(scaleDimension(base, power));
    }
    case "==":
    case "!=":
      if (a.kind !== "quantity" && b.kind !== "quantity") return TRUTH;
      sameQuantities(a, b, expression);
      return TRUTH;
    case "+":
    case "-": {
      const dimension = sameQuantities(a, b, expression);
      return dimension === undefined ? { kind: "quantity" } : quantityOf(dimension);
    }
    default:
      sameQuantities(a, b, expression);
      return TRUTH;
  }
}

function sameQuantities(
  a: Type,
  b: Type,
  { left, right }: Extract<Expression, { kind: "binary" }>,
): Dimension | undefined {
  const first = dimensionOf(a, left.at);
  const second = dimensionOf(b, right.at, first === undefined ? undefined : describeDimension(first));
  if (first !== undefined && second !== undefined && !sameDimension(first, second)) {
    throw new ProcedureError("wrong_unit", right.at, `found ${describeDimension(second)}`, {
      expected: describeDimension(first),
    });
  }
  return first ?? second;
}
