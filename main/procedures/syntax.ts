import type { Place } from "./procedure-error.ts";
import type { Unit } from "./units.ts";

/** A word with its place. */
export interface Word {
  readonly text: string;
  readonly at: Place;
}

export type BinaryOperator = "+" | "-" | "*" | "/" | "^" | "<" | "<=" | ">" | ">=" | "==" | "!=" | "and" | "or";

export type Expression = { readonly at: Place } & (
  | { readonly kind: "number"; readonly value: number; readonly unit?: Unit }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "truth"; readonly value: boolean }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | {
      readonly kind: "comprehension";
      readonly item: Expression;
      readonly name: Word;
      readonly from: Expression;
      readonly condition?: Expression;
    }
  | { readonly kind: "property"; readonly of: Expression; readonly name: Word }
  | { readonly kind: "index"; readonly of: Expression; readonly index: Expression }
  | { readonly kind: "call"; readonly name: Word; readonly inputs: readonly Expression[] }
  | { readonly kind: "unary"; readonly operator: "-" | "not"; readonly of: Expression }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "convert"; readonly of: Expression; readonly unit: Unit }
);

export interface VerbArgument {
  readonly name: Word;
  readonly value: Expression;
  /** From the name to the end of the value. */
  readonly at: Place;
}

export interface VerbStatement {
  readonly kind: "verb";
  readonly at: Place;
  readonly verb: Word;
  readonly inputs: readonly VerbArgument[];
  /** `as` names the answer, `into` adds it to a list. */
  readonly keep?: { readonly how: "as" | "into"; readonly name: Word };
}

/** `at` runs from the first character of the statement to its last. */
export type Statement =
  | { readonly kind: "let" | "result"; readonly at: Place; readonly name: Word; readonly value: Expression }
  | VerbStatement
  | {
      readonly kind: "for";
      readonly at: Place;
      readonly name: Word;
      readonly over:
        | { readonly list: Expression }
        | { readonly from: Expression; readonly to: Expression; readonly step?: Expression };
      readonly body: readonly Statement[];
    }
  | {
      readonly kind: "while";
      readonly at: Place;
      readonly condition: Expression;
      readonly limit: Expression;
      readonly body: readonly Statement[];
    }
  | {
      readonly kind: "if";
      readonly at: Place;
      readonly branches: readonly { readonly condition: Expression; readonly body: readonly Statement[] }[];
      readonly otherwise?: readonly Statement[];
    }
  | { readonly kind: "require"; readonly at: Place; readonly condition: Expression; readonly message: Expression };

/** A procedure that was read; not yet checked. */
export interface Procedure {
  readonly source: string;
  readonly statements: readonly Statement[];
}

/** Every statement with those inside it, in the order of the text. */
export function allStatements(statements: readonly Statement[]): Statement[] {
  return statements.flatMap((statement) => {
    switch (statement.kind) {
      case "for":
      case "while":
        return [statement, ...allStatements(statement.body)];
      case "if":
        return [
          statement,
          ...statement.branches.flatMap(({ body }) => allStatements(body)),
          ...allStatements(statement.otherwise ?? []),
        ];
      default:
        return [statement];
    }
  });
}
