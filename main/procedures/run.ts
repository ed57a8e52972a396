import type { ToolInput, ToolName, ToolOutput } from "../contract/tools.ts";
import { checkProcedure } from "./check.ts";
import { type Scope, evaluate, truth } from "./evaluate.ts";
import { LONGEST_LIST } from "./functions.ts";
import { type Place, ProcedureError, type ProcedureErrorCode } from "./procedure-error.ts";
import type { Expression, Procedure, Statement, VerbStatement } from "./syntax.ts";
import { describeDimension, sameDimension } from "./units.ts";
import {
  type Quantity,
  type ResultValue,
  type Value,
  isPlain,
  like,
  plainNumber,
  tellValue,
  valueText,
} from "./values.ts";
import { BENCH_TYPE, type Verb, VERBS } from "./verbs.ts";
import { inputToWire, recordFromWire } from "./wire-values.ts";

/**
 * What a procedure acts through: the bench's verbs, each of which resolves to its finished answer. A session in the same program and a client
 * on the other side of a connection both fit. A refusal is an Error with `code` and `hint`; anything else that is thrown passes through.
 */
export interface ProcedureBench {
  call<Name extends ToolName>(name: Name, input: ToolInput<Name>): Promise<ToolOutput<Name>>;
}

export interface RunProcedureOptions {
  /** The bench to open, by a name from `bench_status`. */
  readonly bench: string;
  /** Stands in the bench's log as the reason of every call that has none of its own. Default "procedure". */
  readonly title?: string;
  /** Statements, rounds and calls of functions in all. Default 20 000. */
  readonly steps?: number;
  /** Bench time after which no verb is begun; needs `now_ms`. */
  readonly time_s?: number;
  /** The bench's clock. */
  readonly now_ms?: () => number;
  /** Asked before every verb; true ends the procedure there. */
  readonly interrupted?: () => boolean;
  /** Is told of every verb before it is called, with the values of its arguments. */
  readonly onVerb?: (line: number, text: string) => void;
}

export interface ProcedureFault {
  readonly code: ProcedureErrorCode;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly expected?: string;
  readonly bench_code?: string;
}

/** How a run ended. What was named before an error is there all the same. */
export interface ProcedureOutcome {
  readonly ok: boolean;
  readonly error?: ProcedureFault;
  readonly results: Readonly<Record<string, ResultValue>>;
  readonly values: ReadonlyMap<string, Value>;
  readonly verbs: number;
  readonly steps: number;
}

export const DEFAULT_STEPS = 20_000;
/** Rounds of one loop. */
const MOST_ROUNDS = 10_000;

/**
 * Checks a procedure, opens the bench and runs it. Nothing is called where the check finds anything. Rejects only with what
 * is no refusal of the bench.
 */
export async function runProcedure(
  procedure: Procedure,
  bench: ProcedureBench,
  options: RunProcedureOptions,
): Promise<ProcedureOutcome> {
  const [first] = checkProcedure(procedure);
  if (first !== undefined) {
    return { ok: false, error: faultOf(first), results: {}, values: new Map(), verbs: 0, steps: 0 };
  }
  return new Run(procedure, bench, options).whole();
}

/** An error as it stands in an outcome. */
export function faultOf({ code, line, column, message, expected, benchCode }: ProcedureError): ProcedureFault {
  return {
    code,
    line,
    column,
    message,
    ...(expected === undefined ? {} : { expected }),
    ...(benchCode === undefined ? {} : { bench_code: benchCode }),
  };
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

function refusalIn(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("hint" in error)) return undefined;
  const { code, hint, message } = error;
  return typeof code === "string" && typeof hint === "string" ? { code, hint, message } : undefined;
}

class Run {
  readonly #procedure: Procedure;
  readonly #bench: ProcedureBench;
  readonly #options: RunProcedureOptions;
  readonly #scope: Scope;
  readonly #results = new Map<string, Value>();
  #handle = "";
  #steps = 0;
  #verbs = 0;

  constructor(procedure: Procedure, bench: ProcedureBench, options: RunProcedureOptions) {
    this.#procedure = procedure;
    this.#bench = bench;
    this.#options = options;
    const most = options.steps ?? DEFAULT_STEPS;
    this.#scope = {
      names: new Map(),
      step: (at) => {
        this.#steps += 1;
        if (this.#steps <= most) return;
        throw new ProcedureError("step_limit", at, `the program has taken ${most} steps and goes on`, {
          expected: "an end before that",
        });
      },
    };
  }

  async whole(): Promise<ProcedureOutcome> {
    let error: ProcedureError | undefined;
    try {
      await this.#open();
      await this.#block(this.#procedure.statements);
    } catch (thrown) {
      if (!(thrown instanceof ProcedureError)) throw thrown;
      error = thrown;
    }
    return {
      ok: error === undefined,
      ...(error === undefined ? {} : { error: faultOf(error) }),
      results: Object.fromEntries([...this.#results].map(([name, value]) => [name, tellValue(value)])),
      values: this.#results,
      verbs: this.#verbs,
      steps: this.#steps,
    };
  }

  get #title(): string {
    return this.#options.title ?? "procedure";
  }

  async #open(): Promise<void> {
    const at = this.#procedure.statements[0]?.at ?? { line: 1, column: 1, start: 0, end: 0 };
    const opened = await this.#called("bench_open", at, [], () =>
      this.#bench.call("bench_open", { bench: this.#options.bench, reason: `${this.#title} begins` }),
    );
    this.#handle = opened.run;
    this.#scope.names.set("bench", recordFromWire(opened, BENCH_TYPE));
  }

  async #block(statements: readonly Statement[]): Promise<void> {
    for (const statement of statements) {
      this.#scope.step(statement.at);
      await this.#statement(statement);
    }
  }

  async #statement(statement: Statement): Promise<void> {
    const { names } = this.#scope;
    switch (statement.kind) {
      case "let":
        names.set(statement.name.text, evaluate(statement.value, this.#scope));
        return;
      case "result":
        this.#results.set(statement.name.text, evaluate(statement.value, this.#scope));
        return;
      case "verb":
        return this.#verb(statement);
      case "for":
        for (const value of this.#rounds(statement)) {
          this.#scope.step(statement.at);
          names.set(statement.name.text, value);
          await this.#block(statement.body);
        }
        return;
      case "while":
        return this.#while(statement);
      case "if": {
        const taken = statement.branches.find(({ condition }) => this.#holds(condition));
        return this.#block(taken?.body ?? statement.otherwise ?? []);
      }
      case "require": {
        if (this.#holds(statement.condition)) return;
        const message = evaluate(statement.message, this.#scope);
        throw new ProcedureError(
          "requirement_failed",
          statement.at,
          message.kind === "text" ? message.text : valueText(message),
        );
      }
    }
  }

  #holds(condition: Expression): boolean {
    return truth(evaluate(condition, this.#scope), condition.at);
  }

  #quantity(expression: Expression): Quantity {
    const value = evaluate(expression, this.#scope);
    if (value.kind === "quantity") return value;
    throw new ProcedureError("wrong_type", expression.at, `found ${valueText(value)}`, { expected: "a quantity" });
  }

  #rounds({ over }: Extract<Statement, { kind: "for" }>): readonly Value[] {
    if ("list" in over) {
      const list = evaluate(over.list, this.#scope);
      if (list.kind === "list") return list.items;
      throw new ProcedureError("wrong_type", over.list.at, `for runs over ${valueText(list)}`, { expected: "a list" });
    }
    const from = this.#quantity(over.from);
    const to = this.#quantity(over.to);
    const step = over.step === undefined ? plainNumber(1) : this.#quantity(over.step);
    const stepAt = over.step?.at ?? over.to.at;
    for (const [end, at] of [
      [to, over.to.at],
      [step, stepAt],
    ] as const) {
      if (sameDimension(end.dimension, from.dimension)) continue;
      throw new ProcedureError("wrong_unit", at, `found ${valueText(end)}`, {
        expected: describeDimension(from.dimension),
      });
    }
    if (step.value === 0) {
      throw new ProcedureError("loop_bound", stepAt, "a step of 0 never reaches the end", { expected: "another step" });
    }
    // An end that is missed by rounding alone is reached.
    const count = Math.floor((to.value - from.value) / step.value + 1e-9) + 1;
    if (count > MOST_ROUNDS) {
      throw new ProcedureError("loop_bound", stepAt, `the loop would take ${count} rounds`, {
        expected: `at most ${MOST_ROUNDS}`,
      });
    }
    return Array.from({ length: Math.max(0, count) }, (_, i) =>
      like(from, Number((from.value + i * step.value).toPrecision(14))),
    );
  }

  async #while({ condition, limit, body, at }: Extract<Statement, { kind: "while" }>): Promise<void> {
    const most = this.#quantity(limit);
    if (!isPlain(most) || !Number.isInteger(most.value) || most.value < 1 || most.value > MOST_ROUNDS) {
      throw new ProcedureError("loop_bound", limit.at, `the limit of the loop is ${valueText(most)}`, {
        expected: `a whole number from 1 to ${MOST_ROUNDS}`,
      });
    }
    for (let round = 0; this.#holds(condition); round++) {
      if (round >= most.value) {
        throw new ProcedureError(
          "loop_bound",
          condition.at,
          `the loop ran ${most.value} times and its condition still holds`,
          {
            expected: "the condition to end it, or a larger limit",
          },
        );
      }
      this.#scope.step(at);
      await this.#block(body);
    }
  }

  async #verb(statement: VerbStatement): Promise<void> {
    const verb = VERBS.get(statement.verb.text);
    if (verb === undefined) return;
    const input: Record<string, unknown> = { run: this.#handle };
    const told: string[] = [];
    for (const { name, value: written } of statement.inputs) {
      const known = verb.inputs.get(name.text);
      if (known === undefined) continue;
      const value = evaluate(written, this.#scope);
      const wire = inputToWire(known, value, written.at);
      input[known.key] = wire;
      // A measurement is told by its id.
      told.push(`${known.name} = ${value.kind === "record" ? JSON.stringify(wire) : valueText(value)}`);
    }
    const { line } = statement.at;
    if (verb.inputs.has("reason")) input["reason"] ??= `${this.#title}, line ${line}`;
    this.#checkLeave(statement.at);
    this.#verbs += 1;
    this.#options.onVerb?.(line, `${verb.name} ${told.join(", ")}`.trim());
    const answer = await this.#called(verb.name, statement.verb.at, this.#placesOf(verb, statement), () =>
      this.#bench.call(verb.name, input as ToolInput<typeof verb.name>),
    );
    this.#keep(statement, recordFromWire(answer, verb.answer));
  }

  #keep({ keep }: VerbStatement, answer: Value): void {
    if (keep === undefined) return;
    const { names } = this.#scope;
    if (keep.how === "as") {
      names.set(keep.name.text, answer);
      return;
    }
    const before = names.get(keep.name.text);
    const items = before?.kind === "list" ? before.items : [];
    if (items.length >= LONGEST_LIST) {
      throw new ProcedureError("out_of_range", keep.name.at, `${keep.name.text} is full`, {
        expected: `at most ${LONGEST_LIST} items`,
      });
    }
    names.set(keep.name.text, { kind: "list", items: [...items, answer] });
  }

  /** Wire names with the places of their values: the bench's messages begin with the argument that was wrong. */
  #placesOf(verb: Verb, { inputs }: VerbStatement): (readonly [string, Place])[] {
    return inputs.flatMap(({ name, value }) => {
      const known = verb.inputs.get(name.text);
      return known === undefined ? [] : [[known.key, value.at] as const];
    });
  }

  /** Whether another verb may begin. */
  #checkLeave(at: Place): void {
    const { time_s, now_ms, interrupted } = this.#options;
    if (interrupted?.() === true)
      throw new ProcedureError("interrupted", at, "the procedure was interrupted before this");
    if (time_s === undefined || now_ms === undefined || now_ms() <= time_s * 1000) return;
    throw new ProcedureError("time_limit", at, `${time_s} s of bench time have passed`, {
      expected: "an end before that",
    });
  }

  /** Turns a refusal of the bench into an error at its place, in the bench's own words. */
  async #called<Result>(
    tool: ToolName,
    at: Place,
    places: readonly (readonly [string, Place])[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === undefined) throw error;
      const { code, hint } = refusal;
      const message = refusal.message.startsWith(`${tool}: `)
        ? refusal.message.slice(tool.length + 2)
        : refusal.message;
      const [, place = at] = places.find(([key]) => message.startsWith(key)) ?? [];
      const ofLimits = code === "out_of_limits" || code === "keep_out_zone";
      throw new ProcedureError(
        ofLimits ? "out_of_range" : "bench_refused",
        place,
        `${tool}: ${message}. ${hint}`.trim(),
        {
          benchCode: code,
        },
      );
    }
  }
}
