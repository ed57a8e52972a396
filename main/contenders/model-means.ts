import type { ModelUsage, TokensByKind } from "../contract/model-usage.ts";
import type { ContenderLimits } from "../contract/plan.ts";
import { costOf, dearestInput, type TokenPrice } from "./model-price.ts";

export type RunLimits = Pick<ContenderLimits, "model_calls" | "tokens" | "usd_per_run">;

/** Answers longer than this are of no use to a bench. */
const LONGEST_ANSWER_TOKENS = 16_000;
/** With less than this left, an answer could not even hold its calls. */
const SHORTEST_ANSWER_TOKENS = 1024;

const NOTHING: TokensByKind = { input: 0, cached_input: 0, cache_write: 0, output: 0, reasoning: 0 };
const total = (tokens: TokensByKind): number => tokens.input + tokens.cached_input + tokens.cache_write + tokens.output;

/** Leave to ask, with the longest answer that the means can pay; or what has run out. */
export type Leave =
  | { readonly max_output_tokens: number }
  /** `asked`: whether anything was asked before; a run that could not even begin says nothing of the model. */
  | { readonly exhausted: string; readonly asked: boolean };

/**
 * What a run may use up, and what it has. Each request is reserved at its dearest before it is made, so that no answer can
 * carry a run past a limit; the length of the answer is cut to what is left. Where the price is not known, calls and tokens
 * alone limit the run and the cost stays unknown.
 */
export class RunMeans {
  readonly #limits: RunLimits;
  readonly #price: TokenPrice | undefined;
  #calls = 0;
  #tokens = NOTHING;
  /** Tokens of requests whose use was not told: they count against the limits and in no report. */
  #unreported: TokensByKind = NOTHING;
  #metered = true;

  constructor(limits: RunLimits, price: TokenPrice | undefined) {
    this.#limits = limits;
    this.#price = price;
  }

  /** `input_tokens` is an estimate from above. */
  leave(input_tokens: number): Leave {
    const { model_calls, tokens, usd_per_run } = this.#limits;
    const asked = this.#calls > 0 || total(this.#unreported) > 0;
    if (this.#calls >= model_calls) return { exhausted: `all ${model_calls} model calls are used`, asked };
    const set_aside = total(this.#unreported);
    const untold =
      set_aside === 0
        ? ""
        : `; tokens were not told for every request, so ${set_aside} of them are the most that these could use`;
    const verb = set_aside === 0 ? "are" : "count as";
    const used = total(this.#tokens) + total(this.#unreported);
    const byTokens = tokens - used - input_tokens;
    if (byTokens < SHORTEST_ANSWER_TOKENS) {
      return {
        exhausted: `of ${tokens} tokens ${used} ${verb} used, and the next request needs about ${input_tokens}${untold}`,
        asked,
      };
    }
    const lengths = [LONGEST_ANSWER_TOKENS, byTokens];
    if (this.#price !== undefined) {
      const spent = costOf(this.#tokens, this.#price) + costOf(this.#unreported, this.#price);
      const left = usd_per_run - spent - (input_tokens * dearestInput(this.#price)) / 1e6;
      const byMoney =
        this.#price.output === 0 ? (left < 0 ? 0 : LONGEST_ANSWER_TOKENS) : (left * 1e6) / this.#price.output;
      if (byMoney < SHORTEST_ANSWER_TOKENS) {
        return {
          exhausted: `of $${usd_per_run} a run $${spent.toFixed(4)} ${verb} spent, and the next request could pass it${untold}`,
          asked,
        };
      }
      lengths.push(Math.floor(byMoney));
    }
    return { max_output_tokens: Math.min(...lengths) };
  }

  /** An answer came. Without its tokens, the reservation counts against the limits and the use is unknown from here on. */
  settle(tokens: TokensByKind | undefined, reserved: { readonly input: number; readonly output: number }): void {
    this.#calls += 1;
    if (tokens === undefined) {
      this.#metered = false;
      this.mayHaveCost(reserved);
    } else {
      this.#tokens = sum(this.#tokens, tokens);
    }
  }

  /** A request got no answer in time, and may have been carried out all the same. */
  mayHaveCost(reserved: { readonly input: number; readonly output: number }): void {
    this.#unreported = sum(this.#unreported, { ...NOTHING, ...reserved });
  }

  usage(): Omit<ModelUsage, "provider" | "model"> {
    return {
      model_calls: this.#calls,
      ...(this.#metered ? { tokens: this.#tokens } : {}),
      ...(this.#metered && this.#price !== undefined ? { usd: costOf(this.#tokens, this.#price) } : {}),
    };
  }
}

function sum(a: TokensByKind, b: TokensByKind): TokensByKind {
  return {
    input: a.input + b.input,
    cached_input: a.cached_input + b.cached_input,
    cache_write: a.cache_write + b.cache_write,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  };
}
