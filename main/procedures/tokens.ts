import { type Place, ProcedureError } from "./procedure-error.ts";

export type TokenKind = "number" | "text" | "word" | "sign" | "end_of_line" | "end";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: Place;
}

const SPACE = /[ \t\r\u00a0]+/y;
const COMMENT = /#[^\n]*/y;
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_µμ][A-Za-z0-9_µμ]*/y;
const TEXT = /"(?:[^"\\\n]|\\["\\nt])*"/y;
const SIGN = /<=|>=|==|!=|\*\*|[-+*/^<>=(){}[\],.;%]/y;
/** What people and other languages write where this one has something else. */
const FOREIGN: readonly (readonly [RegExp, string])[] = [
  [/'/y, 'text in double quotes, as "none"'],
  [/\/\//y, "a comment that begins with #"],
  [/:/y, "= between a name and its value, and { } around a block"],
  [/[&|]/y, "and, or"],
  [/!/y, "not, or != for unequal"],
  [/"/y, 'a closing " on the same line'],
];

/** Longest program that is read, in characters. */
export const LONGEST_PROGRAM = 100_000;

/**
 * Splits a program into tokens. Line ends inside ( ) and [ ], and after a comma or an operator, do not count.
 *
 * @throws ProcedureError `syntax` at the first character that begins nothing.
 */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  let line = 1;
  let lineStart = 0;
  let open = 0;
  const place = (start: number, end: number): Place => ({ line, column: start - lineStart + 1, start, end });
  if (source.length > LONGEST_PROGRAM) {
    throw new ProcedureError("syntax", place(0, 0), `the program has ${source.length} characters`, {
      expected: `at most ${LONGEST_PROGRAM}`,
    });
  }
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = offset;
    return pattern.exec(source)?.[0];
  };
  const add = (kind: TokenKind, text: string): void => {
    tokens.push({ kind, text, at: place(offset, offset + text.length) });
    offset += text.length;
  };
  while (offset < source.length) {
    const skipped = take(SPACE) ?? take(COMMENT);
    if (skipped !== undefined) {
      offset += skipped.length;
      continue;
    }
    if (source[offset] === "\n") {
      if (open === 0 && endsStatement(tokens.at(-1))) add("end_of_line", "\n");
      else offset += 1;
      line += 1;
      lineStart = offset;
      continue;
    }
    const foreign = FOREIGN.find(
      ([pattern]) => take(pattern) !== undefined && take(TEXT) === undefined && take(SIGN) !== "!=",
    );
    if (foreign !== undefined) {
      const found = JSON.stringify(source[offset]);
      throw new ProcedureError("syntax", place(offset, offset + 1), `${found} means nothing here`, {
        expected: foreign[1],
      });
    }
    const number = take(NUMBER);
    const word = take(WORD);
    const text = take(TEXT);
    const sign = take(SIGN);
    if (number !== undefined) add("number", number);
    else if (word !== undefined) add("word", word);
    else if (text !== undefined) add("text", text);
    else if (sign === ";") add("end_of_line", sign);
    else if (sign !== undefined) {
      if (sign === "(" || sign === "[") open += 1;
      if (sign === ")" || sign === "]") open = Math.max(0, open - 1);
      add("sign", sign);
    } else {
      const found = JSON.stringify(String.fromCodePoint(source.codePointAt(offset) ?? 0));
      throw new ProcedureError("syntax", place(offset, offset + 1), `the character ${found} means nothing here`, {
        expected: "a statement, a name, a number or an operator",
      });
    }
  }
  tokens.push({ kind: "end", text: "", at: place(offset, offset) });
  return tokens;
}

const GOES_ON = new Set([",", "+", "-", "*", "/", "^", "**", "<", "<=", ">", ">=", "==", "!=", "=", "(", "["]);

function endsStatement(last: Token | undefined): boolean {
  return last !== undefined && last.kind !== "end_of_line" && !(last.kind === "sign" && GOES_ON.has(last.text));
}
