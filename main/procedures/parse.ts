import { namesWithGuess, nearestName } from "./nearest-name.ts";
import { type Place, ProcedureError } from "./procedure-error.ts";
import type { BinaryOperator, Expression, Procedure, Statement, VerbArgument, VerbStatement, Word } from "./syntax.ts";
import { type Token, tokenize } from "./tokens.ts";
import { UNIT_NAMES, UNITS } from "./units.ts";
import { VERB_NAMES } from "./verbs.ts";

/** Words with a meaning of their own; they cannot be names. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  "let result for in to step while limit if else require and or not true false as into".split(" "),
);
const STATEMENT_WORDS = ["let", "result", "for", "while", "if", "require"];
/** Blocks and brackets inside each other; more is a mistake, and would only fill the stack. */
const DEEPEST = 60;
const LONGEST_CHAIN = 200;

const COMPARISONS: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "==", "!="]);

/**
 * Reads a program. Names, units and arguments of verbs are looked at by `checkProcedure`.
 *
 * @throws ProcedureError `syntax`, `unknown_verb` or `unknown_unit` at the first place that is wrong.
 */
export function parseProcedure(source: string): Procedure {
  return new Parser(tokenize(source)).procedure(source);
}

/** Reads one expression, as an assertion writes it. Throws as `parseProcedure` does. */
export function parseExpression(source: string): Expression {
  return new Parser(tokenize(source)).whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  procedure(source: string): Procedure {
    const statements = this.#statements(() => this.#token.kind === "end");
    return { source, statements };
  }

  whole(): Expression {
    const expression = this.#expression();
    if (this.#token.kind !== "end") throw this.#unexpected("the end of the expression");
    return expression;
  }

  // ---- tokens ----

  get #token(): Token {
    const token = this.#tokens[this.#next] ?? this.#tokens.at(-1);
    if (token === undefined) throw new RangeError("a program always has an end token");
    return token;
  }

  get #previousEnd(): number {
    return this.#tokens[this.#next - 1]?.at.end ?? 0;
  }

  #take(): Token {
    const token = this.#token;
    this.#next += 1;
    return token;
  }

  #is(text: string): boolean {
    const { kind, text: found } = this.#token;
    return (kind === "sign" || kind === "word") && found === text;
  }

  #atEndOfLine(): boolean {
    return this.#token.kind === "end_of_line";
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#next += 1;
    return true;
  }

  #expect(text: string, where: string): Token {
    if (!this.#is(text)) throw this.#unexpected(`${JSON.stringify(text)} ${where}`);
    return this.#take();
  }

  #unexpected(expected: string): ProcedureError {
    const { kind, text, at } = this.#token;
    const found =
      kind === "end"
        ? "the program ends here"
        : kind === "end_of_line"
          ? "the line ends here"
          : `found ${JSON.stringify(text)}`;
    return new ProcedureError("syntax", at, found, { expected });
  }

  #span(from: Place): Place {
    return { ...from, end: this.#previousEnd };
  }

  #deeper<Result>(work: () => Result): Result {
    this.#depth += 1;
    if (this.#depth > DEEPEST) {
      throw new ProcedureError("syntax", this.#token.at, "blocks and brackets are nested too deep", {
        expected: `at most ${DEEPEST} levels`,
      });
    }
    const result = work();
    this.#depth -= 1;
    return result;
  }

  /** A chain of operators is a tree as deep as it is long. */
  #checkLength(length: number): void {
    if (length <= LONGEST_CHAIN) return;
    throw new ProcedureError("syntax", this.#token.at, "the expression is too long", {
      expected: `at most ${LONGEST_CHAIN} operators in a row; a list and sum() hold more`,
    });
  }

  #name(what: string): Word {
    const { kind, text, at } = this.#token;
    if (kind !== "word") throw this.#unexpected(what);
    if (KEYWORDS.has(text)) {
      throw new ProcedureError("syntax", at, `"${text}" is a word of the language and cannot be a name`, {
        expected: what,
      });
    }
    this.#next += 1;
    return { text, at };
  }

  // ---- statements ----

  #statements(ended: () => boolean): Statement[] {
    const statements: Statement[] = [];
    for (;;) {
      while (this.#atEndOfLine()) this.#next += 1;
      if (ended()) return statements;
      statements.push(this.#deeper(() => this.#statement()));
      if (!this.#atEndOfLine() && !ended()) throw this.#unexpected("the end of the line");
    }
  }

  #block(where: string): Statement[] {
    this.#expect("{", where);
    const body = this.#statements(() => this.#is("}") || this.#token.kind === "end");
    this.#expect("}", "at the end of the block");
    return body;
  }

  #statement(): Statement {
    const { kind, text, at } = this.#token;
    if (kind !== "word") throw this.#unexpected(`a verb or one of ${STATEMENT_WORDS.join(", ")}`);
    switch (text) {
      case "let":
      case "result": {
        this.#take();
        const name = this.#name(`a name after ${text}`);
        this.#expect("=", `after the name`);
        const value = this.#expression();
        return { kind: text, at: this.#span(at), name, value };
      }
      case "for":
        return this.#for();
      case "while": {
        this.#take();
        const condition = this.#expression();
        this.#expect("limit", "and the most rounds, as in: while m.peak < 500 counts limit 8 {");
        const limit = this.#expression();
        const body = this.#block("before the body of the loop");
        return { kind: "while", at: this.#span(at), condition, limit, body };
      }
      case "if":
        return this.#if();
      case "require": {
        this.#take();
        const condition = this.#expression();
        this.#expect(",", "and a message after the condition");
        const message = this.#expression();
        return { kind: "require", at: this.#span(at), condition, message };
      }
      default:
        return this.#verb();
    }
  }

  #for(): Statement {
    const { at } = this.#take();
    const name = this.#name("a name after for");
    this.#expect("in", "after the name");
    const first = this.#expression();
    if (!this.#accept("to")) {
      const body = this.#block("before the body of the loop");
      return { kind: "for", at: this.#span(at), name, over: { list: first }, body };
    }
    const to = this.#expression();
    const step = this.#accept("step") ? this.#expression() : undefined;
    const body = this.#block("before the body of the loop");
    const over = { from: first, to, ...(step === undefined ? {} : { step }) };
    return { kind: "for", at: this.#span(at), name, over, body };
  }

  #if(): Statement {
    const { at } = this.#take();
    const branches = [{ condition: this.#expression(), body: this.#block("after the condition") }];
    let otherwise: Statement[] | undefined;
    while (otherwise === undefined && this.#acceptElse()) {
      if (this.#accept("if"))
        branches.push({ condition: this.#expression(), body: this.#block("after the condition") });
      else otherwise = this.#block("after else");
    }
    return { kind: "if", at: this.#span(at), branches, ...(otherwise === undefined ? {} : { otherwise }) };
  }

  /** `else` may stand on the line after the block. */
  #acceptElse(): boolean {
    const before = this.#next;
    while (this.#atEndOfLine()) this.#next += 1;
    if (this.#accept("else")) return true;
    this.#next = before;
    return false;
  }

  #verb(): VerbStatement {
    const verb = this.#take();
    if (!VERB_NAMES.includes(verb.text)) {
      const all = [...VERB_NAMES, ...STATEMENT_WORDS];
      if (this.#is("=")) {
        const guess = nearestName(verb.text, all);
        throw new ProcedureError("syntax", verb.at, `a line cannot begin with "${verb.text} ="`, {
          expected: `let ${verb.text} = …, or result ${verb.text} = …${guess === undefined ? "" : `; did you mean "${guess}"?`}`,
        });
      }
      throw new ProcedureError("unknown_verb", verb.at, `unknown verb "${verb.text}"`, {
        expected: namesWithGuess(verb.text, all),
      });
    }
    if (this.#is("(")) {
      throw this.#unexpected(`arguments without brackets, as in: ${verb.text} name = value, name = value`);
    }
    const inputs: VerbArgument[] = [];
    if (this.#token.kind === "word" && !this.#is("as") && !this.#is("into")) {
      do inputs.push(this.#argument(verb.text));
      while (this.#accept(","));
    }
    const { text: how } = this.#token;
    const keep =
      (how === "as" || how === "into") && this.#accept(how)
        ? { how, name: this.#name(`a name after ${how}`) }
        : undefined;
    return {
      kind: "verb",
      at: this.#span(verb.at),
      verb: { text: verb.text, at: verb.at },
      inputs,
      ...(keep === undefined ? {} : { keep: { how: keep.how as "as" | "into", name: keep.name } }),
    };
  }

  #argument(verb: string): VerbArgument {
    const name = this.#name(`an argument of ${verb}`);
    this.#expect("=", `after the argument "${name.text}"`);
    const value = this.#expression();
    return { name, value, at: this.#span(name.at) };
  }

  // ---- expressions, from loose to tight ----

  #expression(): Expression {
    return this.#deeper(() => {
      const of = this.#either();
      if (!this.#accept("in")) return of;
      const unit = this.#unit("a unit after in");
      return { kind: "convert", at: this.#span(of.at), of, unit };
    });
  }

  #unit(expected: string): NonNullable<ReturnType<typeof UNITS.get>> {
    const { kind, text, at } = this.#token;
    if (kind !== "word" && text !== "%") throw this.#unexpected(expected);
    const unit = UNITS.get(text);
    if (unit === undefined) {
      throw new ProcedureError("unknown_unit", at, `unknown unit "${text}"`, {
        expected: namesWithGuess(text, UNIT_NAMES),
      });
    }
    this.#next += 1;
    return unit;
  }

  #chain(operators: (text: string) => boolean, below: () => Expression): Expression {
    let left = below();
    for (let length = 0; ; length++) {
      this.#checkLength(length);
      const { kind, text } = this.#token;
      if ((kind !== "sign" && kind !== "word") || !operators(text)) return left;
      this.#take();
      const right = below();
      const operator = (text === "**" ? "^" : text) as BinaryOperator;
      left = { kind: "binary", at: this.#span(left.at), operator, left, right };
    }
  }

  #either(): Expression {
    return this.#chain(
      (text) => text === "or",
      () => this.#both(),
    );
  }

  #both(): Expression {
    return this.#chain(
      (text) => text === "and",
      () => this.#negation(),
    );
  }

  #negation(): Expression {
    const { at } = this.#token;
    if (!this.#accept("not")) return this.#comparison();
    return this.#deeper(() => {
      const of = this.#negation();
      return { kind: "unary", at: this.#span(at), operator: "not", of };
    });
  }

  #comparison(): Expression {
    const left = this.#sum();
    const { kind, text } = this.#token;
    if (kind !== "sign" || !COMPARISONS.has(text)) return left;
    this.#take();
    const right = this.#sum();
    if (this.#token.kind === "sign" && COMPARISONS.has(this.#token.text)) {
      throw this.#unexpected("one comparison at a time, joined by and");
    }
    return { kind: "binary", at: this.#span(left.at), operator: text as BinaryOperator, left, right };
  }

  #sum(): Expression {
    return this.#chain(
      (text) => text === "+" || text === "-",
      () => this.#product(),
    );
  }

  #product(): Expression {
    return this.#chain(
      (text) => text === "*" || text === "/",
      () => this.#signed(),
    );
  }

  #signed(): Expression {
    const { at } = this.#token;
    if (!this.#accept("-")) return this.#power();
    return this.#deeper(() => {
      const of = this.#signed();
      return { kind: "unary", at: this.#span(at), operator: "-", of };
    });
  }

  #power(): Expression {
    const left = this.#postfix();
    if (!this.#accept("^") && !this.#accept("**")) return left;
    return this.#deeper(() => {
      const right = this.#signed();
      return { kind: "binary", at: this.#span(left.at), operator: "^", left, right };
    });
  }

  #postfix(): Expression {
    let of = this.#primary();
    for (let length = 0; ; length++) {
      this.#checkLength(length);
      if (this.#accept(".")) {
        const { kind, text, at } = this.#token;
        if (kind !== "word") throw this.#unexpected("a property after the dot");
        this.#take();
        of = { kind: "property", at: this.#span(of.at), of, name: { text, at } };
      } else if (this.#accept("[")) {
        const index = this.#expression();
        this.#expect("]", "after the index");
        of = { kind: "index", at: this.#span(of.at), of, index };
      } else return of;
    }
  }

  #primary(): Expression {
    const { kind, text, at } = this.#token;
    if (kind === "number") return this.#quantity();
    if (kind === "text") {
      this.#take();
      return { kind: "text", at, text: JSON.parse(text) as string };
    }
    if (this.#accept("(")) {
      const inside = this.#expression();
      this.#expect(")", "to close the bracket");
      return { ...inside, at: this.#span(at) };
    }
    if (this.#accept("[")) return this.#list(at);
    if (kind !== "word") throw this.#unexpected("a value");
    if (text === "true" || text === "false") {
      this.#take();
      return { kind: "truth", at, value: text === "true" };
    }
    const name = this.#name("a value");
    if (!this.#accept("(")) return { kind: "name", at, name: text };
    const inputs: Expression[] = [];
    if (!this.#is(")")) {
      do inputs.push(this.#expression());
      while (this.#accept(","));
    }
    this.#expect(")", `to close the brackets of ${text}`);
    return { kind: "call", at: this.#span(at), name, inputs };
  }

  #quantity(): Expression {
    const { text, at } = this.#take();
    const value = Number(text);
    if (!Number.isFinite(value)) {
      throw new ProcedureError("out_of_range", at, `the number ${text} is too large`, { expected: "at most 1.79e308" });
    }
    const { kind, text: word } = this.#token;
    const hasUnit = word === "%" || (kind === "word" && !KEYWORDS.has(word));
    if (!hasUnit) return { kind: "number", at, value };
    const unit = this.#unit("a unit");
    return { kind: "number", at: this.#span(at), value, unit };
  }

  #list(at: Place): Expression {
    const items: Expression[] = [];
    if (!this.#is("]")) {
      const first = this.#expression();
      if (this.#accept("for")) return this.#comprehension(at, first);
      items.push(first);
      while (this.#accept(",") && !this.#is("]")) items.push(this.#expression());
    }
    this.#expect("]", "to close the list");
    return { kind: "list", at: this.#span(at), items };
  }

  #comprehension(at: Place, item: Expression): Expression {
    const name = this.#name("a name after for");
    this.#expect("in", "after the name");
    const from = this.#expression();
    const condition = this.#accept("if") ? this.#expression() : undefined;
    this.#expect("]", "to close the list");
    return {
      kind: "comprehension",
      at: this.#span(at),
      item,
      name,
      from,
      ...(condition === undefined ? {} : { condition }),
    };
  }
}
