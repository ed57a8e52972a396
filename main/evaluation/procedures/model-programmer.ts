import { ProviderFailure } from "../../contenders/model-failure.ts";
import { type RunLimits, RunMeans } from "../../contenders/model-means.ts";
import type { TokenPrice } from "../../contenders/model-price.ts";
import type { ModelAnswer, ModelMessage, ModelProvider } from "../../contenders/model-provider.ts";
import { askPatiently, type Patience } from "../../contenders/model-retry.ts";
import { requestTokens } from "../../contenders/model-size.ts";
import { realWait } from "../../contenders/model-wait.ts";
import { procedureGuide } from "../../procedures/guide.ts";
import type { Programmer, WrittenProgram } from "./contenders.ts";

export interface ModelProgrammerOptions {
  readonly name: string;
  readonly provider: ModelProvider;
  readonly limits: RunLimits;
  /** Absent where it is not known: the cost is then unknown, and money limits nothing. */
  readonly price?: TokenPrice;
  /** Programs that it may write for a task. Every one but the last is tried out, and the error that it ends with is told. */
  readonly attempts: number;
  readonly parallel?: number;
  readonly patience?: Partial<Patience>;
}

const PATIENCE: Patience = { wait: realWait, timeout_ms: 240_000, attempts: 7 };
const PARALLEL = 4;

const INSTRUCTIONS = `Write the procedure that the operator asks for, in the language below. Answer with the whole program in one block
that begins with \`\`\` and ends with \`\`\`, and nothing that is no program inside. The names of results are those that the operator gives. Do what is
asked and nothing more: no further measurements, moves or darks.`;

const FENCE = /```[^\n`]*\n([\s\S]*?)```/g;

/** The program in an answer: its last block, or all of it where there is none. */
export function programIn(text: string): string {
  const blocks = [...text.matchAll(FENCE)].map(([, inside = ""]) => inside);
  return blocks.at(-1) ?? text.replaceAll("```", "");
}

/** A model that writes programs from the guide of the language and the task's words alone. */
export function modelProgrammer(options: ModelProgrammerOptions): Programmer {
  return {
    name: options.name,
    parallel: options.parallel ?? PARALLEL,
    costs: true,
    write: ({ prompt }, tryOut, signal) => new Writing(options, signal).write(prompt, tryOut),
  };
}

class Writing {
  readonly #options: ModelProgrammerOptions;
  readonly #signal: AbortSignal | undefined;
  readonly #means: RunMeans;
  readonly #messages: ModelMessage[] = [];

  constructor(options: ModelProgrammerOptions, signal: AbortSignal | undefined) {
    this.#options = options;
    this.#signal = signal;
    this.#means = new RunMeans(options.limits, options.price);
  }

  /** Throws `ProviderFailure` where the provider could not be had. */
  async write(prompt: string, tryOut: (program: string) => Promise<string | undefined>): Promise<WrittenProgram> {
    this.#messages.push({ from: "operator", text: prompt });
    let program = "";
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#ask();
      if ("exhausted" in answer) return this.#written(program, answer.exhausted);
      if (answer.stop === "refused") return this.#written(program, `the model refused: ${answer.text.slice(0, 500)}`);
      if (answer.stop === "cut_off") return this.#written(program, "the answer was cut off at its length limit");
      program = programIn(answer.text);
      if (attempt >= this.#options.attempts) return this.#written(program);
      const error = await tryOut(program);
      if (error === undefined) return this.#written(program);
      // Interfaces refuse messages without words.
      const text = answer.text.trim() === "" ? "(no program)" : answer.text;
      this.#messages.push({ from: "model", answer: { ...answer, text } });
      this.#messages.push({
        from: "operator",
        text: `The program ended with an error: ${error}\nWrite the whole program again.`,
      });
    }
  }

  async #ask(): Promise<ModelAnswer | { readonly exhausted: string }> {
    const { provider, patience } = this.#options;
    const conversation = {
      system: `${INSTRUCTIONS}\n\n${procedureGuide()}`,
      tools: [],
      messages: this.#messages,
    };
    const input = requestTokens(conversation);
    const leave = this.#means.leave(input);
    if ("exhausted" in leave) return leave;
    const reserved = { input, output: leave.max_output_tokens };
    try {
      const { answer } = await askPatiently({
        provider,
        request: { ...conversation, max_output_tokens: leave.max_output_tokens },
        patience: { ...PATIENCE, ...patience },
        ...(this.#signal === undefined ? {} : { signal: this.#signal }),
        onTimeout: () => this.#means.mayHaveCost(reserved),
      });
      this.#means.settle(answer.tokens, reserved);
      return answer;
    } catch (error) {
      if (error instanceof ProviderFailure && error.kind === "context_full") return { exhausted: error.message };
      throw error;
    }
  }

  #written(program: string, note?: string): WrittenProgram {
    const { model_calls, tokens, usd } = this.#means.usage();
    const told = this.#messages.flatMap((message) => {
      if (message.from === "operator") return [`**Operator**\n\n${message.text}`];
      return message.from === "model" ? [`**Model**\n\n${message.answer.text}`] : [];
    });
    return {
      program,
      turns: model_calls,
      ...(tokens === undefined
        ? {}
        : { tokens: tokens.input + tokens.cached_input + tokens.cache_write + tokens.output }),
      ...(usd === undefined ? {} : { usd }),
      transcript: `${[...told, `**Program that counts**\n\n\`\`\`\n${program}\n\`\`\``].join("\n\n")}\n`,
      ...(note === undefined ? {} : { note }),
    };
  }
}
