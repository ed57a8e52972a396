import { evaluate, CONSTANTS } from "./evaluate.ts";
import { type KnownNames, dimensionOf, expectDimension, expectTruth, inferType } from "./infer.ts";
import { namesWithGuess } from "./nearest-name.ts";
import { type Place, ProcedureError } from "./procedure-error.ts";
import type { Expression, Procedure, Statement, VerbArgument, VerbStatement, Word } from "./syntax.ts";
import { type Type, UNKNOWN, compatible, describeType, listOf } from "./types.ts";
import { NUMBER, describeDimension, sameDimension, splitWireName } from "./units.ts";
import { BENCH_TYPE, type Verb, type VerbInput, VERBS } from "./verbs.ts";
import { inputToWire } from "./wire-values.ts";

/**
 * Everything that can be known to be wrong before anything moves, in the order of the text: names, arguments, properties, functions,
 * units, and values written out that a verb does not take. An empty list means that the program may run.
 */
export function checkProcedure({ statements }: Procedure): ProcedureError[] {
  const check = new Check();
  check.block(statements);
  return check.errors;
}

class Check {
  readonly errors: ProcedureError[] = [];
  readonly #names: KnownNames = new Map([["bench", BENCH_TYPE]]);

  block(statements: readonly Statement[]): void {
    for (const statement of statements) this.#statement(statement);
  }

  /** Notes an error and goes on; undefined where there was one. */
  #try<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ProcedureError)) throw error;
      this.errors.push(error);
      return undefined;
    }
  }

  #typeOf(expression: Expression): Type {
    return this.#try(() => inferType(expression, this.#names)) ?? UNKNOWN;
  }

  #condition(expression: Expression): void {
    this.#try(() => expectTruth(inferType(expression, this.#names), expression.at));
  }

  /** A name keeps the kind of its values: a length never becomes a time. */
  #define(name: Word, type: Type): void {
    if (name.text === "bench" || CONSTANTS.has(name.text)) {
      this.errors.push(
        new ProcedureError("wrong_type", name.at, `"${name.text}" is given by the language`, {
          expected: "another name",
        }),
      );
      return;
    }
    const before = this.#names.get(name.text);
    if (before !== undefined && !compatible(before, type)) {
      this.errors.push(
        new ProcedureError(
          "wrong_type",
          name.at,
          `"${name.text}" was ${describeType(before)} and becomes ${describeType(type)}`,
          {
            expected: "another name for another kind of value",
          },
        ),
      );
      return;
    }
    this.#names.set(name.text, type);
  }

  #statement(statement: Statement): void {
    switch (statement.kind) {
      case "let":
        this.#define(statement.name, this.#typeOf(statement.value));
        return;
      case "result": {
        const type = this.#typeOf(statement.value);
        if (type.kind === "record") {
          this.#try(() => {
            throw new ProcedureError("wrong_type", statement.value.at, `a result is given ${describeType(type)}`, {
              expected: "one of its properties: a quantity, a text, true or false, or a list of these",
            });
          });
        }
        return;
      }
      case "verb":
        this.#verb(statement);
        return;
      case "for":
        this.#for(statement);
        return;
      case "while":
        this.#condition(statement.condition);
        this.#try(() => expectDimension(inferType(statement.limit, this.#names), NUMBER, statement.limit.at));
        this.block(statement.body);
        return;
      case "if":
        for (const { condition, body } of statement.branches) {
          this.#condition(condition);
          this.block(body);
        }
        this.block(statement.otherwise ?? []);
        return;
      case "require": {
        this.#condition(statement.condition);
        const type = this.#typeOf(statement.message);
        if (type.kind !== "text" && type.kind !== "unknown") {
          this.errors.push(
            new ProcedureError("wrong_type", statement.message.at, `the message is ${describeType(type)}`, {
              expected: "a text in double quotes",
            }),
          );
        }
      }
    }
  }

  #for({ name, over, body }: Extract<Statement, { kind: "for" }>): void {
    if ("list" in over) {
      const list = this.#typeOf(over.list);
      if (list.kind !== "list" && list.kind !== "unknown") {
        this.errors.push(
          new ProcedureError("wrong_type", over.list.at, `for runs over ${describeType(list)}`, {
            expected: "a list, or from to to, as in: for i in 1 to 5 {",
          }),
        );
      }
      this.#define(name, list.kind === "list" ? list.of : UNKNOWN);
    } else this.#define(name, this.#range(over));
    this.block(body);
  }

  #range({ from, to, step }: { readonly from: Expression; readonly to: Expression; readonly step?: Expression }): Type {
    return (
      this.#try(() => {
        const first = inferType(from, this.#names);
        const dimension = dimensionOf(first, from.at);
        const last = inferType(to, this.#names);
        if (dimension === undefined) return first;
        expectDimension(last, dimension, to.at);
        if (step !== undefined) expectDimension(inferType(step, this.#names), dimension, step.at);
        else if (!sameDimension(dimension, NUMBER)) {
          throw new ProcedureError(
            "missing_property",
            to.at,
            `a loop over ${describeDimension(dimension)} has no step`,
            {
              expected: "step and its size, as in: to 160 mm step 10 mm",
            },
          );
        }
        return first;
      }) ?? UNKNOWN
    );
  }

  #verb({ verb: written, inputs, keep }: VerbStatement): void {
    const verb = VERBS.get(written.text);
    if (verb === undefined) return;
    const given = new Set<string>();
    for (const input of inputs) {
      if (given.has(input.name.text)) {
        this.errors.push(
          new ProcedureError("unknown_property", input.name.at, `${input.name.text} is given twice`, {
            expected: `every argument of ${verb.name} once`,
          }),
        );
      }
      given.add(input.name.text);
      this.#try(() => this.#input(verb, input));
    }
    // Who mistyped an argument need not be told that it is missing too.
    const strange = inputs.some(({ name }) => !verb.inputs.has(name.text));
    const missing = strange
      ? undefined
      : [...verb.inputs.values()].find(({ name, required }) => required && !given.has(name));
    if (missing !== undefined) {
      this.errors.push(
        new ProcedureError("missing_property", written.at, `${verb.name} lacks ${missing.name}`, {
          expected: `${missing.name} = ${exampleOf(missing)}`,
        }),
      );
    }
    if (keep === undefined) return;
    this.#define(keep.name, keep.how === "as" ? verb.answer : listOf(verb.answer));
  }

  #input(verb: Verb, { name, value }: VerbArgument): void {
    const input = verb.inputs.get(name.text);
    const type = inferType(value, this.#names);
    if (input === undefined) throw unknownInput(verb, name);
    if (isWrittenOut(value)) {
      // What is written out can be tried at once.
      inputToWire(input, evaluate(value, { names: new Map(), step: () => undefined }), value.at);
      return;
    }
    const wanted = input.type;
    if (type.kind === "quantity" && wanted.kind === "quantity" && wanted.dimension !== undefined) {
      expectInput(input, type, wanted.dimension, value.at);
    } else if (
      type.kind === "list" &&
      wanted.kind === "list" &&
      wanted.of.kind === "quantity" &&
      type.of.kind === "quantity"
    ) {
      if (wanted.of.dimension !== undefined) expectInput(input, type.of, wanted.of.dimension, value.at);
    } else if (wanted.kind === "quantity" && type.kind !== "unknown") {
      throw new ProcedureError("wrong_type", value.at, `${input.name} is given ${describeType(type)}`, {
        expected: describeType(wanted),
      });
    }
  }
}

function expectInput(
  input: VerbInput,
  type: Type,
  dimension: NonNullable<VerbInput["unit"]>["dimension"],
  at: Place,
): void {
  if (type.kind !== "quantity" || type.dimension === undefined || sameDimension(type.dimension, dimension)) return;
  throw new ProcedureError("wrong_unit", at, `${input.name} is given ${describeDimension(type.dimension)}`, {
    expected: describeDimension(dimension),
  });
}

function unknownInput(verb: Verb, { text, at }: Word): ProcedureError {
  const known = [...verb.inputs.keys()];
  const plain = splitWireName(text).name;
  return new ProcedureError("unknown_property", at, `unknown argument "${text}" of ${verb.name}`, {
    expected:
      plain !== text && known.includes(plain)
        ? `"${plain}" with a unit after its value, as in: ${plain} = ${exampleOf(verb.inputs.get(plain))}`
        : namesWithGuess(text, known),
  });
}

/** Whether a value holds no name: it can be had before the program runs. */
function isWrittenOut(value: Expression): boolean {
  switch (value.kind) {
    case "number":
    case "text":
    case "truth":
      return true;
    case "unary":
    case "convert":
      return isWrittenOut(value.of);
    case "list":
      return value.items.every(isWrittenOut);
    default:
      return false;
  }
}

const EXAMPLES: Readonly<Record<string, string>> = {
  z: "130 mm",
  exposure: "1 ms",
  frames: "3",
  positions: "[110 mm, 130 mm]",
  count: "10",
  measurement: '"m001"',
  verdict: '"estimate_not_compliant"',
  explanation: '"why"',
};

function exampleOf(input: VerbInput | undefined): string {
  return (input && EXAMPLES[input.name]) ?? "…";
}
