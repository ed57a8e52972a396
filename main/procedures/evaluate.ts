import { FUNCTIONS, LONGEST_LIST, type Placed } from "./functions.ts";
import { namesWithGuess } from "./nearest-name.ts";
import { type Place, ProcedureError, type ProcedureErrorCode } from "./procedure-error.ts";
import type { BinaryOperator, Expression } from "./syntax.ts";
import { describeType } from "./types.ts";
import { NUMBER, combineDimensions, describeDimension, sameDimension, scaleDimension, splitWireName } from "./units.ts";
import {
  type Quantity,
  type RecordValue,
  type Value,
  isPlain,
  like,
  listValue,
  plainNumber,
  textValue,
  truthValue,
  typeOfValue,
  valueText,
} from "./values.ts";

/** Names with their values. `step` is called for everything that takes time; it throws where the program may take no more. */
export interface Scope {
  readonly names: Map<string, Value>;
  step(at: Place): void;
}

/** Names that every program begins with, beside `bench`. */
export const CONSTANTS: ReadonlyMap<string, Value> = new Map([["pi", plainNumber(Math.PI)]]);

/** Largest power that is taken; beyond it nothing but a mistake is left. */
const LARGEST_POWER = 100;

/** The value of an expression. @throws ProcedureError at the part that has none. */
export function evaluate(expression: Expression, scope: Scope): Value {
  const { at } = expression;
  switch (expression.kind) {
    case "number": {
      const { value, unit } = expression;
      return unit === undefined
        ? plainNumber(value)
        : { kind: "quantity", value: value * unit.size, dimension: unit.dimension, unit };
    }
    case "text":
      return textValue(expression.text);
    case "truth":
      return truthValue(expression.value);
    case "name":
      return nameValue(expression.name, at, scope);
    case "list":
      return listValue(expression.items.map((item) => evaluate(item, scope)));
    case "comprehension":
      return comprehension(expression, scope);
    case "property":
      return property(evaluate(expression.of, scope), expression.name.text, expression.name.at);
    case "index":
      return item(evaluate(expression.of, scope), evaluate(expression.index, scope), expression);
    case "call":
      return call(expression, scope);
    case "unary": {
      const of = evaluate(expression.of, scope);
      if (expression.operator === "not") return truthValue(!truth(of, expression.of.at));
      const quantity = quantityOf(of, expression.of.at);
      return like(quantity, -quantity.value);
    }
    case "binary":
      return binary(expression, scope);
    case "convert": {
      const quantity = quantityOf(evaluate(expression.of, scope), expression.of.at);
      const { unit } = expression;
      if (!sameDimension(quantity.dimension, unit.dimension)) {
        throw new ProcedureError("wrong_unit", at, `${valueText(quantity)} cannot be told in ${unit.name}`, {
          expected: `a unit of ${describeDimension(quantity.dimension)}`,
        });
      }
      return { ...quantity, unit };
    }
  }
}

/** A condition. @throws ProcedureError `wrong_type` where it is no truth. */
export function truth(value: Value, at: Place): boolean {
  if (value.kind === "truth") return value.value;
  throw mismatch(value, at, "true or false, as a comparison gives it");
}

function quantityOf(value: Value, at: Place): Quantity {
  if (value.kind === "quantity") return value;
  throw mismatch(value, at, "a quantity");
}

function mismatch(value: Value, at: Place, expected: string): ProcedureError {
  return new ProcedureError("wrong_type", at, `found ${describeType(typeOfValue(value))}`, { expected });
}

function nameValue(name: string, at: Place, { names }: Scope): Value {
  const value = names.get(name) ?? CONSTANTS.get(name);
  if (value !== undefined) return value;
  throw new ProcedureError("unknown_name", at, `"${name}" has no value here`, {
    expected: namesWithGuess(name, [...names.keys()]),
  });
}

function property(of: Value, name: string, at: Place): Value {
  if (of.kind !== "record") throw mismatch(of, at, `a record that has the property "${name}"`);
  const value = of.fields.get(name);
  if (value !== undefined) return value;
  if (of.type.fields.has(name)) {
    throw new ProcedureError("absent_value", at, `${of.type.what} has no ${name}${whyAbsent(of)}`, {
      expected: `known(….${name}) to be asked first`,
    });
  }
  throw unknownProperty(name, at, of.type.what, [...of.type.fields.keys()]);
}

/** An error for a property that no record of that kind has. */
export function unknownProperty(name: string, at: Place, what: string, known: readonly string[]): ProcedureError {
  const plain = splitWireName(name).name;
  const withUnit = plain !== name && known.includes(plain);
  return new ProcedureError(
    "unknown_property",
    at,
    `unknown property "${name}" of ${what === "" ? "a record" : what}`,
    {
      expected: withUnit ? `"${plain}", which carries its unit with it` : namesWithGuess(name, known),
    },
  );
}

/** The bench's own words on why something could not be had. */
function whyAbsent({ fields }: RecordValue): string {
  const why = fields.get("why");
  if (why?.kind === "text") return `: ${why.text}`;
  const reasons = fields.get("reasons");
  if (reasons?.kind !== "list" || reasons.items.length === 0) return "";
  return `: ${reasons.items.map((one) => (one.kind === "text" ? one.text : "")).join("; ")}`;
}

function item(of: Value, index: Value, { index: written, of: list }: Extract<Expression, { kind: "index" }>): Value {
  if (of.kind !== "list") throw mismatch(of, list.at, "a list");
  const { value } = quantityOf(index, written.at);
  const found = Number.isInteger(value) ? of.items[value < 0 ? of.items.length + value : value] : undefined;
  if (found !== undefined && isPlain(quantityOf(index, written.at))) return found;
  const { length } = of.items;
  throw new ProcedureError("out_of_range", written.at, `there is no item ${valueText(index)} in a list of ${length}`, {
    expected:
      length === 0 ? "a list with items" : `a whole number from 0 to ${length - 1}, or from -1 to count from the end`,
  });
}

function comprehension(expression: Extract<Expression, { kind: "comprehension" }>, scope: Scope): Value {
  const { name, from, condition, item: written } = expression;
  const list = evaluate(from, scope);
  if (list.kind !== "list") throw mismatch(list, from.at, "a list");
  const before = scope.names.get(name.text);
  const items: Value[] = [];
  for (const one of list.items) {
    scope.step(expression.at);
    scope.names.set(name.text, one);
    if (condition === undefined || truth(evaluate(condition, scope), condition.at))
      items.push(evaluate(written, scope));
  }
  if (before === undefined) scope.names.delete(name.text);
  else scope.names.set(name.text, before);
  return listValue(items);
}

const UNANSWERED: ReadonlySet<ProcedureErrorCode> = new Set(["absent_value", "out_of_range", "unknown_name"]);

function call({ name, inputs, at }: Extract<Expression, { kind: "call" }>, scope: Scope): Value {
  if (name.text === "known") {
    try {
      for (const input of inputs) evaluate(input, scope);
      return truthValue(true);
    } catch (error) {
      if (error instanceof ProcedureError && UNANSWERED.has(error.code)) return truthValue(false);
      throw error;
    }
  }
  const known = FUNCTIONS.get(name.text);
  if (known === undefined) throw new ProcedureError("unknown_function", name.at, `unknown function "${name.text}"`);
  const given = inputs.map((input): Placed<Value> => ({ it: evaluate(input, scope), at: input.at }));
  scope.step(at);
  const result = known.apply(given, at);
  if (result.kind === "list" && result.items.length > LONGEST_LIST) {
    throw new ProcedureError("out_of_range", at, `a list of ${result.items.length} items`, {
      expected: `at most ${LONGEST_LIST}`,
    });
  }
  return result;
}

function binary(expression: Extract<Expression, { kind: "binary" }>, scope: Scope): Value {
  const { operator, left: leftWritten, right: rightWritten, at } = expression;
  const left = evaluate(leftWritten, scope);
  if (operator === "and" || operator === "or") {
    const first = truth(left, leftWritten.at);
    if (first === (operator === "or")) return truthValue(first);
    return truthValue(truth(evaluate(rightWritten, scope), rightWritten.at));
  }
  const right = evaluate(rightWritten, scope);
  if ((operator === "==" || operator === "!=") && left.kind !== "quantity") {
    if (left.kind !== right.kind || (left.kind !== "text" && left.kind !== "truth")) {
      throw mismatch(right, rightWritten.at, `something that can equal ${describeType(typeOfValue(left))}`);
    }
    const same = valueText(left) === valueText(right);
    return truthValue(same === (operator === "=="));
  }
  return compute(operator, quantityOf(left, leftWritten.at), quantityOf(right, rightWritten.at), at, rightWritten.at);
}

function compute(operator: BinaryOperator, left: Quantity, right: Quantity, at: Place, rightAt: Place): Value {
  const finite = (quantity: Quantity): Quantity => {
    if (Number.isFinite(quantity.value)) return quantity;
    throw new ProcedureError("out_of_range", at, `${valueText(left)} ${operator} ${valueText(right)} has no value`, {
      expected: "a result that is a number",
    });
  };
  switch (operator) {
    case "*":
    case "/": {
      if (operator === "/" && right.value === 0) {
        throw new ProcedureError("division_by_zero", rightAt, `${valueText(left)} is divided by 0`, {
          expected: "a divisor other than 0",
        });
      }
      const value = operator === "*" ? left.value * right.value : left.value / right.value;
      const dimension = combineDimensions(left.dimension, right.dimension, operator === "*" ? 1 : -1);
      // Half of 130 mm is still told in mm.
      const unit =
        isPlain(right) && right.unit === undefined
          ? left.unit
          : isPlain(left) && operator === "*"
            ? right.unit
            : undefined;
      return finite({ kind: "quantity", value, dimension, ...(unit === undefined ? {} : { unit }) });
    }
    case "^": {
      if (!isPlain(right)) throw wrongUnit(right, rightAt, NUMBER);
      const whole = Number.isInteger(right.value) && Math.abs(right.value) <= LARGEST_POWER;
      if (!isPlain(left) && !whole) {
        throw new ProcedureError("wrong_unit", rightAt, `a quantity with a unit to the power ${valueText(right)}`, {
          expected: `a whole number up to ${LARGEST_POWER}, or sqrt`,
        });
      }
      if (left.value === 0 && right.value < 0) {
        throw new ProcedureError("division_by_zero", rightAt, "0 to a negative power", {
          expected: "a power of at least 0",
        });
      }
      const dimension = isPlain(left) ? NUMBER : scaleDimension(left.dimension, right.value);
      return finite({ kind: "quantity", value: left.value ** right.value, dimension });
    }
    default: {
      if (!sameDimension(left.dimension, right.dimension)) throw wrongUnit(right, rightAt, left.dimension);
      if (operator === "+") return finite(like(left, left.value + right.value));
      if (operator === "-") return finite(like(left, left.value - right.value));
      return truthValue(compare(operator, left.value, right.value));
    }
  }
}

function wrongUnit(found: Quantity, at: Place, expected: Quantity["dimension"]): ProcedureError {
  return new ProcedureError("wrong_unit", at, `found ${valueText(found)}`, { expected: describeDimension(expected) });
}

function compare(operator: BinaryOperator, a: number, b: number): boolean {
  switch (operator) {
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
    case "==":
      return a === b;
    default:
      return a !== b;
  }
}
