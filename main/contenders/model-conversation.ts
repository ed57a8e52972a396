import type { ModelTurn } from "../contract/model-usage.ts";
import { GaveUp, NoMeans } from "./contender.ts";
import { ProviderFailure } from "./model-failure.ts";
import { withNewestPictures } from "./model-history.ts";
import { LoopGuard } from "./model-loop-guard.ts";
import { type RunLimits, RunMeans } from "./model-means.ts";
import type { TokenPrice } from "./model-price.ts";
import type { ModelAnswer, ModelMessage, ModelProvider, OfferedTool, ToolAnswer, ToolCall } from "./model-provider.ts";
import { askPatiently, type Patience } from "./model-retry.ts";
import { requestTokens } from "./model-size.ts";
import { realWait } from "./model-wait.ts";

/** A tool's answer, and what it means for the conversation. */
export interface DeskAnswer {
  readonly answer: ToolAnswer;
  /** The conversation has reached its end. */
  readonly finished: boolean;
  /** Work goes on behind the answer; asking after it again leads somewhere. */
  readonly running: boolean;
}

/** How a model's calls are made and what it may use up. */
export interface ModelMeans {
  readonly provider: ModelProvider;
  readonly limits: RunLimits;
  /** Absent where it is not known: the cost is then unknown, and money limits nothing. */
  readonly price?: TokenPrice;
  readonly patience?: Partial<Patience>;
}

export interface ConversationOptions extends ModelMeans {
  readonly system: string;
  /** The first words of the operator. */
  readonly opening: string;
  readonly tools: readonly OfferedTool[];
  readonly desk: { call(call: ToolCall): Promise<DeskAnswer> };
  /** What a model is told that called no tool, or the same ones again and again. */
  readonly words: { readonly idle: string; readonly circles: string };
  readonly signal?: AbortSignal | undefined;
  /** Is told of every answer of the model, with what has been used up so far. */
  readonly onTurn?: ((turn: ModelTurn) => void) | undefined;
}

const PATIENCE: Patience = { wait: realWait, timeout_ms: 240_000, attempts: 7 };
/** Answers in a row that hold no call that could be made. */
const MOST_IDLE_ANSWERS = 3;
/** Calls of one answer that are made; a model that asks for more has lost its way. */
const MOST_CALLS = 40;
/** Most of an answer without calls that stays in the conversation. */
const REMEMBERED_TEXT = 2000;

const CUT_OFF =
  "Your answer was cut off at its length limit, and none of its calls were made. Write less, and ask for fewer calls in one answer.";
const TOO_MANY = `Not made: at most ${MOST_CALLS} calls of one answer are made.`;

/**
 * Lets a model call tools until a call ends the conversation. Throws `GaveUp` when it refuses, goes in circles, does nothing or has used up
 * its means, and `ProviderFailure` where the provider could not be had, which says nothing of the model.
 */
export async function converse(options: ConversationOptions): Promise<void> {
  await new Conversation(options).drive();
}

class Conversation {
  readonly #options: ConversationOptions;
  readonly #means: RunMeans;
  readonly #guard = new LoopGuard();
  readonly #messages: ModelMessage[] = [];
  #idleAnswers = 0;
  /** Tokens of the latest request as it was reckoned and as it was told, which corrects the next reckoning. */
  #latest: { readonly reckoned: number; readonly told: number } | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#means = new RunMeans(options.limits, options.price);
  }

  async drive(): Promise<void> {
    this.#say(this.#options.opening);
    for (let finished = false; !finished; ) {
      const { answer, attempts } = await this.#ask();
      const calls: ModelTurn["calls"] = answer.calls.map(({ name }) => ({ tool: name, outcome: "not_made" as const }));
      try {
        finished = await this.#act(answer, calls);
      } finally {
        const { provider, model } = this.#options.provider;
        const usage = { provider, model, ...this.#means.usage() };
        const { text, stop } = answer;
        this.#options.onTurn?.({ model_call: usage.model_calls, text, calls, stop, attempts, usage });
      }
    }
  }

  async #ask(): Promise<{ answer: ModelAnswer; attempts: number }> {
    const messages = withNewestPictures(this.#messages);
    const conversation = { system: this.#options.system, tools: this.#options.tools, messages };
    const reckoned = requestTokens(conversation);
    const input =
      this.#latest === undefined ? reckoned : this.#latest.told + Math.max(0, reckoned - this.#latest.reckoned);
    const leave = this.#means.leave(input);
    if ("exhausted" in leave) {
      throw leave.asked ? new GaveUp(leave.exhausted) : new NoMeans(leave.exhausted);
    }
    const reserved = { input, output: leave.max_output_tokens };
    try {
      const asked = await askPatiently({
        provider: this.#options.provider,
        request: { ...conversation, max_output_tokens: leave.max_output_tokens },
        patience: { ...PATIENCE, ...this.#options.patience },
        signal: this.#options.signal,
        onTimeout: () => this.#means.mayHaveCost(reserved),
      });
      const { tokens } = asked.answer;
      this.#means.settle(tokens, reserved);
      if (tokens !== undefined) {
        this.#latest = { reckoned, told: tokens.input + tokens.cached_input + tokens.cache_write };
      }
      return asked;
    } catch (error) {
      if (error instanceof ProviderFailure && error.kind === "context_full") throw new GaveUp(error.message);
      throw error;
    }
  }

  /** Does what the answer asks for. Returns whether the run is finished. `outcomes` is filled in as calls are made. */
  async #act(answer: ModelAnswer, outcomes: ModelTurn["calls"]): Promise<boolean> {
    switch (answer.stop) {
      case "refused":
        throw new GaveUp(`the model refused: ${answer.text.slice(0, REMEMBERED_TEXT)}`);
      case "context_full":
        throw new GaveUp("the conversation does not fit into the model any more");
      case "cut_off":
        this.#idle({ ...answer, native: undefined }, CUT_OFF);
        return false;
      case "said":
        this.#idle(answer, this.#options.words.idle);
        return false;
      case "calls":
        return this.#makeCalls(answer, outcomes);
    }
  }

  #idle(answer: ModelAnswer, remark: string): void {
    this.#idleAnswers += 1;
    if (this.#idleAnswers >= MOST_IDLE_ANSWERS) {
      throw new GaveUp(`${this.#idleAnswers} answers in a row without a call that could be made`);
    }
    // An answer without words cannot be sent back: the interfaces refuse empty messages.
    const text = answer.text.slice(0, REMEMBERED_TEXT);
    if (text.trim() !== "") {
      this.#messages.push({ from: "model", answer: { text, calls: [], stop: answer.stop, native: answer.native } });
    }
    this.#say(remark);
  }

  async #makeCalls(answer: ModelAnswer, outcomes: ModelTurn["calls"]): Promise<boolean> {
    this.#idleAnswers = 0;
    const answers: ToolAnswer[] = [];
    let circles = false;
    for (const [i, call] of answer.calls.entries()) {
      if (i >= MOST_CALLS) {
        answers.push({ call, text: TOO_MANY, isError: true, pictures: [] });
        continue;
      }
      const made = await this.#options.desk.call(call);
      const outcome = outcomes[i];
      if (outcome !== undefined) outcome.outcome = made.answer.isError ? "refused" : "answered";
      if (made.finished) return true;
      answers.push(made.answer);
      circles = this.#inCircles(call, made.running) || circles;
    }
    this.#messages.push({ from: "model", answer });
    this.#messages.push({ from: "bench", answers, ...(circles ? { remark: this.#options.words.circles } : {}) });
    return false;
  }

  #inCircles(call: ToolCall, running: boolean): boolean {
    // Whoever waits for a job asks after it again and again.
    if (running) return false;
    const judgement = this.#guard.note(call);
    if (judgement === "endless") throw new GaveUp(`the same calls again and again, at last ${call.name}`);
    return judgement === "told";
  }

  /** Adds words of the operator; to the latest message where that is not the model's, since some servers want turns in turn. */
  #say(text: string): void {
    const latest = this.#messages.at(-1);
    if (latest === undefined || latest.from === "model") this.#messages.push({ from: "operator", text });
    else if (latest.from === "operator")
      this.#messages.splice(-1, 1, { from: "operator", text: `${latest.text}\n\n${text}` });
    else this.#messages.splice(-1, 1, { ...latest, remark: [latest.remark, text].filter(Boolean).join("\n\n") });
  }
}
