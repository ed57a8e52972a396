import { ProviderFailure } from "../../contenders/model-failure.ts";
import { LoopGuard } from "../../contenders/model-loop-guard.ts";
import { type RunLimits, RunMeans } from "../../contenders/model-means.ts";
import type { TokenPrice } from "../../contenders/model-price.ts";
import type {
  ModelAnswer,
  ModelMessage,
  ModelProvider,
  ToolAnswer,
  ToolCall,
} from "../../contenders/model-provider.ts";
import { askPatiently, type Patience } from "../../contenders/model-retry.ts";
import { requestTokens } from "../../contenders/model-size.ts";
import { realWait } from "../../contenders/model-wait.ts";
import type { DriverContext, LadderDriver, LoopResult } from "./ladder-driver.ts";
import { ENDINGS, isEnding, offeredTools, requestText, RULES } from "./model-instructions.ts";

export interface ModelDriverOptions {
  readonly provider: ModelProvider;
  /** Of one case. */
  readonly limits: RunLimits;
  /** Absent where it is not known: the cost is then unknown, and money limits nothing. */
  readonly price?: TokenPrice;
  readonly patience?: Partial<Patience>;
}

const PATIENCE: Patience = { wait: realWait, timeout_ms: 240_000, attempts: 7 };
/** Answers in a row without a call. */
const MOST_IDLE_ANSWERS = 2;
const IDLE = "You called no tool. Act through the tools, and end the case with one of those that begin with ladder_.";
const CIRCLES = "You go in circles. Do something else, or end the case.";
/** Most of an answer of the bench that is sent to a model. */
const LONGEST_TEXT = 12_000;
const EXCERPT = 200;

/** A language model as a driver of the ladder, named by the model. Throws `ProviderFailure` where the provider could not be had. */
export function createModelDriver(options: ModelDriverOptions): LadderDriver {
  return {
    name: options.provider.model,
    drive: (request, tools, context) => new Climb(options, request, tools, context).run(),
  };
}

class Climb {
  readonly #options: ModelDriverOptions;
  readonly #context: DriverContext;
  readonly #tools: ReturnType<typeof offeredTools>;
  readonly #means: RunMeans;
  readonly #guard = new LoopGuard();
  readonly #messages: ModelMessage[];
  #idle = 0;

  constructor(options: ModelDriverOptions, request: string, tools: readonly string[], context: DriverContext) {
    this.#options = options;
    this.#context = context;
    this.#tools = offeredTools(tools, context.trace !== undefined);
    this.#means = new RunMeans(options.limits, options.price);
    this.#messages = [{ from: "operator", text: requestText(request, context) }];
  }

  async run(): Promise<LoopResult> {
    for (;;) {
      const asked = await this.#ask();
      if (typeof asked === "string") return this.#ended({ refused: false, said: asked });
      const end = await this.#act(asked);
      if (end !== undefined) return end;
    }
  }

  /** The model's next answer, or why it cannot be had within the means. */
  async #ask(): Promise<ModelAnswer | string> {
    const conversation = { system: RULES, tools: this.#tools, messages: this.#messages };
    const input = requestTokens(conversation);
    const leave = this.#means.leave(input);
    if ("exhausted" in leave) return leave.exhausted;
    const reserved = { input, output: leave.max_output_tokens };
    try {
      const { answer } = await askPatiently({
        provider: this.#options.provider,
        request: { ...conversation, max_output_tokens: leave.max_output_tokens },
        patience: { ...PATIENCE, ...this.#options.patience },
        signal: this.#context.signal,
        onTimeout: () => this.#means.mayHaveCost(reserved),
      });
      this.#means.settle(answer.tokens, reserved);
      return answer;
    } catch (error) {
      if (error instanceof ProviderFailure && error.kind === "context_full") return error.message;
      throw error;
    }
  }

  async #act(answer: ModelAnswer): Promise<LoopResult | undefined> {
    if (answer.stop === "refused") return this.#ended({ refused: true, said: answer.text });
    if (answer.calls.length === 0) {
      this.#idle += 1;
      if (this.#idle >= MOST_IDLE_ANSWERS || answer.stop === "context_full") {
        return this.#ended({ refused: false, said: answer.text });
      }
      if (answer.text.trim() !== "") this.#messages.push({ from: "model", answer });
      this.#messages.push({ from: "operator", text: IDLE });
      return undefined;
    }
    this.#idle = 0;
    const answers: ToolAnswer[] = [];
    let remark: string | undefined;
    for (const call of answer.calls) {
      const end = this.#end(call);
      if (typeof end === "object") return end;
      answers.push(end === undefined ? await this.#call(call) : { call, text: end, isError: true, pictures: [] });
      const judgement = this.#guard.note(call);
      if (judgement === "endless") return this.#ended({ refused: false, said: "the same calls again and again" });
      if (judgement === "told") remark = CIRCLES;
    }
    this.#messages.push({ from: "model", answer });
    this.#messages.push({ from: "bench", answers, ...(remark === undefined ? {} : { remark }) });
    return undefined;
  }

  /** Makes a call as it is, also one that binds to nothing: that is what the ladder is about. */
  async #call(call: ToolCall): Promise<ToolAnswer> {
    const input =
      "bound" in call.arguments
        ? call.arguments.bound
        : { malformed_arguments: call.arguments.malformed.slice(0, EXCERPT) };
    const outcome = await this.#context.dispatch(call.name, input);
    const text = outcome.ok
      ? JSON.stringify(outcome.answer)
      : JSON.stringify({ code: outcome.code, message: outcome.message });
    return { call, text: text.slice(0, LONGEST_TEXT), isError: !outcome.ok, pictures: [] };
  }

  /** How the case ends with this call; a text where it should but its arguments do not fit; undefined where it does not. */
  #end({ name, arguments: given }: ToolCall): LoopResult | string | undefined {
    if (!isEnding(name)) return undefined;
    const input = "bound" in given ? given.bound : undefined;
    const parsed = ENDINGS[name].input.safeParse(input);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return `${name}: ${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? "the arguments do not fit"}`;
    }
    switch (name) {
      case "ladder_done": {
        const { said, goals, proof, readings } = ENDINGS.ladder_done.input.parse(input);
        return this.#ended({
          refused: false,
          goals,
          proof: proof.map((step) => ({ ...step, needs: step.needs.map((need) => ({ ...need, ok: true })) })),
          ...(said === undefined ? {} : { said }),
          ...(readings === undefined ? {} : { candidates: readings }),
        });
      }
      case "ladder_decline": {
        const { why, readings } = ENDINGS.ladder_decline.input.parse(input);
        return this.#ended({ refused: true, said: why, ...(readings === undefined ? {} : { candidates: readings }) });
      }
      case "ladder_recognise": {
        const { goals } = ENDINGS.ladder_recognise.input.parse(input);
        const [only, ...others] = goals;
        return this.#ended({
          refused: goals.length !== 1,
          recognition:
            only === undefined
              ? { kind: "reject" }
              : others.length === 0
                ? { kind: "goal", goal: only }
                : { kind: "ambiguous", goals: [...goals].sort() },
        });
      }
    }
  }

  #ended(end: Partial<LoopResult> & Pick<LoopResult, "refused">): LoopResult {
    const { model_calls, tokens, usd } = this.#means.usage();
    return {
      proof: [],
      goals: [],
      ...end,
      usage: {
        turns: model_calls,
        ...(tokens === undefined
          ? {}
          : { tokens: tokens.input + tokens.cached_input + tokens.cache_write + tokens.output }),
        ...(usd === undefined ? {} : { usd }),
      },
    };
  }
}
