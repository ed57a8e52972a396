/** A formula that cannot be read or reckoned. The message says what was wrong. */
export class FormulaError extends Error {
  override readonly name = "FormulaError";
}

const TOKEN = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|\d+))*)|([-+*/^(),]))/y;

const FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = {
  sqrt: Math.sqrt,
  abs: Math.abs,
  hypot: Math.hypot,
  min: Math.min,
  max: Math.max,
  round: Math.round,
};

const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI };

/** The value at a dotted path; numbers are indices of lists. Undefined where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((at, name) => {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    return (at as Readonly<Record<string, unknown>>)[name];
  }, value);
}

/**
 * The value of a formula: numbers, paths into `names`, `+ - * / ^`, brackets, and sqrt, abs, hypot, min, max, round. A formula that is a
 * path alone may also stand for a word.
 *
 * @throws FormulaError
 */
export function reckon(formula: string, names: Readonly<Record<string, unknown>>): number | string {
  const alone = /^\s*([A-Za-z_][\w.]*)\s*$/.exec(formula)?.[1];
  const word = alone === undefined ? undefined : valueAt(names, alone);
  if (typeof word === "string") return word;
  return new Reader(formula, names).whole();
}

class Reader {
  readonly #formula: string;
  readonly #names: Readonly<Record<string, unknown>>;
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(formula: string, names: Readonly<Record<string, unknown>>) {
    this.#formula = formula;
    this.#names = names;
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < formula.trimEnd().length) {
      const from = TOKEN.lastIndex;
      const found = TOKEN.exec(formula);
      if (found === null) throw new FormulaError(`"${formula}": cannot be read from "${formula.slice(from)}" on`);
      this.#tokens.push(found[0].trim());
    }
  }

  whole(): number {
    const value = this.#sum();
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) throw new FormulaError(`"${this.#formula}": expected an end and not "${rest}"`);
    if (!Number.isFinite(value)) throw new FormulaError(`"${this.#formula}" is no finite number`);
    return value;
  }

  #takes(...wanted: string[]): string | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined || !wanted.includes(token)) return undefined;
    this.#at += 1;
    return token;
  }

  #sum(): number {
    let value = this.#product();
    for (let sign = this.#takes("+", "-"); sign !== undefined; sign = this.#takes("+", "-")) {
      value = sign === "+" ? value + this.#product() : value - this.#product();
    }
    return value;
  }

  #product(): number {
    let value = this.#signed();
    for (let sign = this.#takes("*", "/"); sign !== undefined; sign = this.#takes("*", "/")) {
      value = sign === "*" ? value * this.#signed() : value / this.#signed();
    }
    return value;
  }

  #signed(): number {
    if (this.#takes("-") !== undefined) return -this.#signed();
    const base = this.#atom();
    return this.#takes("^") === undefined ? base : base ** this.#signed();
  }

  #atom(): number {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token === "(") return this.#closed([this.#sum()])[0] ?? Number.NaN;
    if (token === undefined || /^[-+*/^(),]$/.test(token)) {
      throw new FormulaError(
        `"${this.#formula}": expected a value and not ${token === undefined ? "its end" : `"${token}"`}`,
      );
    }
    if (/^\d/.test(token)) return Number(token);
    const known = Object.hasOwn(FUNCTIONS, token) ? FUNCTIONS[token] : undefined;
    if (known !== undefined && this.#takes("(") !== undefined) {
      const values = [this.#sum()];
      while (this.#takes(",") !== undefined) values.push(this.#sum());
      return known(...this.#closed(values));
    }
    const value = (Object.hasOwn(CONSTANTS, token) ? CONSTANTS[token] : undefined) ?? valueAt(this.#names, token);
    if (typeof value !== "number") {
      throw new FormulaError(`"${this.#formula}": ${token} is ${value === undefined ? "not known" : "no number"}`);
    }
    return value;
  }

  #closed(values: number[]): number[] {
    if (this.#takes(")") === undefined) throw new FormulaError(`"${this.#formula}": a bracket is not closed`);
    return values;
  }
}
