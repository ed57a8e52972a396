import OpenAI from "openai";
import type { TokensByKind } from "../contract/model-usage.ts";
import { directFetch } from "./model-fetch.ts";
import { isObject, notAnAnswer, toldTokens, withoutSecret } from "./model-answer-checks.ts";
import { failureFrom } from "./model-failure.ts";
import type { ModelAnswer, ModelMessage, ModelProvider, ModelRequest, ToolCall } from "./model-provider.ts";

export interface OpenAiCompatibleOptions {
  readonly model: string;
  /** Absent for servers that want none. */
  readonly key?: string;
  /** Default: the vendor's own. Ends before `/chat/completions`. */
  readonly baseUrl?: string;
  /** `minimal`, `low`, `medium`, `high` and what else the model takes; its own default when absent. */
  readonly effort?: string;
}

type Completion = OpenAI.ChatCompletion;
type Message = OpenAI.ChatCompletionMessage;
type MessageParam = OpenAI.ChatCompletionMessageParam;
type Effort = NonNullable<OpenAI.ReasoningEffort>;
/** The vendor renamed the limit; most other servers know the old name, and some models only the new one. */
type LengthLimit = "max_tokens" | "max_completion_tokens";

const OWN_URL = "https://api.openai.com/v1";
/** Fields in which servers hand out a model's reasoning and want it back with the next request. */
const REASONING_FIELDS = ["reasoning_content", "reasoning_details"] as const;

/** The chat-completions interface, which many servers offer. */
export function createOpenAiCompatible(options: OpenAiCompatibleOptions): ModelProvider {
  const { model, key = "", baseUrl = OWN_URL, effort } = options;
  const client = new OpenAI({
    // The library refuses to start without one.
    apiKey: key === "" ? "none" : key,
    baseURL: baseUrl,
    // Retries and time limits are those of the loop, which keeps account of them.
    maxRetries: 0,
    logLevel: "off",
    fetch: directFetch,
    organization: null,
    project: null,
  });
  let limit: LengthLimit = baseUrl === OWN_URL ? "max_completion_tokens" : "max_tokens";

  const complete = async (request: ModelRequest, signal: AbortSignal): Promise<Completion> =>
    client.chat.completions.create(
      {
        model,
        messages: [{ role: "system", content: request.system }, ...request.messages.flatMap(toMessages)],
        tools: request.tools.map(({ name, description, inputSchema }) => ({
          type: "function",
          function: { name, description, parameters: inputSchema },
        })),
        [limit]: request.max_output_tokens,
        ...(effort === undefined ? {} : { reasoning_effort: effort as Effort }),
      },
      { signal },
    );

  return {
    provider: "openai-compatible",
    model,
    async ask(request, signal) {
      let completion: unknown;
      try {
        completion = await complete(request, signal).catch((error: unknown) => {
          if (!refusesLimit(error, limit)) throw error;
          limit = limit === "max_tokens" ? "max_completion_tokens" : "max_tokens";
          return complete(request, signal);
        });
      } catch (error) {
        throw failureFrom(error, key);
      }
      return withoutSecret(toAnswer(completion, key), key);
    },
  };
}

function refusesLimit(error: unknown, limit: LengthLimit): boolean {
  return error instanceof OpenAI.BadRequestError && error.message.includes(limit);
}

function toMessages(message: ModelMessage): MessageParam[] {
  switch (message.from) {
    case "operator":
      return [{ role: "user", content: message.text }];
    case "model":
      return [echo(message.answer)];
    case "bench": {
      const results = message.answers.map(
        ({ call, text, isError }): MessageParam => ({
          role: "tool",
          tool_call_id: call.id,
          content: isError ? `Error: ${text}` : text,
        }),
      );
      // Results are text alone in this interface, so pictures follow as a message of the user.
      const shown = message.answers.flatMap(({ call, pictures }) =>
        pictures.flatMap(({ media_type, base64 }) => [
          { type: "text" as const, text: `The picture that ${call.name} (call ${call.id}) returned:` },
          { type: "image_url" as const, image_url: { url: `data:${media_type};base64,${base64}` } },
        ]),
      );
      const remark = message.remark === undefined ? [] : [{ type: "text" as const, text: message.remark }];
      const beside = [...shown, ...remark];
      return beside.length === 0 ? results : [...results, { role: "user", content: beside }];
    }
  }
}

function echo({ text, calls, native }: ModelAnswer): MessageParam {
  const given = (native ?? {}) as Readonly<Record<string, unknown>>;
  const reasoning = Object.fromEntries(
    REASONING_FIELDS.flatMap((field) => (given[field] === undefined ? [] : [[field, given[field]]])),
  );
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: "function" as const,
            // Servers parse what they are sent back, and some fail on their own malformed arguments.
            function: {
              name: call.name,
              arguments: "bound" in call.arguments ? JSON.stringify(call.arguments.bound) : "{}",
            },
          })),
        }),
    ...reasoning,
  };
}

/** Some servers send the text in parts. */
function textOf(content: unknown): string | undefined {
  if (!Array.isArray(content)) return typeof content === "string" ? content : undefined;
  return content
    .map((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

/** What an answer needs of a message; each call must name its tool. */
function isMessage(message: unknown): message is Partial<Message> {
  if (!isObject(message)) return false;
  const { content, tool_calls } = message;
  if (content !== undefined && content !== null && typeof content !== "string" && !Array.isArray(content)) return false;
  if (tool_calls === undefined || tool_calls === null) return true;
  return (
    Array.isArray(tool_calls) &&
    tool_calls.every((call: unknown) => {
      if (!isObject(call)) return false;
      const named = call["type"] === "custom" ? call["custom"] : call["function"];
      return isObject(named) && typeof named["name"] === "string";
    })
  );
}

function toAnswer(completion: unknown, key: string): ModelAnswer {
  const { choices, usage } = (isObject(completion) ? completion : {}) as { choices?: unknown; usage?: unknown };
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
  const message = isObject(choice) ? choice["message"] : undefined;
  if (!isObject(choice) || !isMessage(message)) throw notAnAnswer("completion", completion, key);
  const calls = (message.tool_calls ?? []).map(toCall);
  const tokens = tokensOf(usage);
  const refused = typeof message.refusal === "string" && message.refusal !== "";
  return {
    text: textOf(message.content) ?? (refused ? (message.refusal ?? "") : ""),
    calls,
    stop: refused ? "refused" : stopOf(choice["finish_reason"], calls.length),
    ...(tokens === undefined ? {} : { tokens }),
    native: message,
  };
}

function toCall(call: OpenAI.ChatCompletionMessageToolCall, index: number): ToolCall {
  const id = call.id === "" ? `call_${index}` : ((call.id as string | undefined) ?? `call_${index}`);
  if (call.type === "custom") return { id, name: call.custom.name, arguments: { malformed: call.custom.input } };
  const { name, arguments: given } = call.function;
  return { id, name, arguments: parsed(given) };
}

/** Some servers send no text at all for a call without arguments, and some an object in place of its text. */
function parsed(given: unknown): ToolCall["arguments"] {
  if (given === "" || given === undefined || given === null) return { bound: {} };
  let value: unknown = given;
  if (typeof given === "string") {
    try {
      value = JSON.parse(given);
    } catch {
      return { malformed: given };
    }
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { bound: value as Readonly<Record<string, unknown>> } : { malformed: JSON.stringify(given) };
}

function stopOf(reason: unknown, calls: number): ModelAnswer["stop"] {
  if (reason === "content_filter") return "refused";
  if (reason === "length") return "cut_off";
  return calls > 0 ? "calls" : "said";
}

/** The interface counts cached tokens into the prompt, and reasoning into the completion. */
function tokensOf(usage: unknown): TokensByKind | undefined {
  if (!isObject(usage)) return undefined;
  const { prompt_tokens_details: read, completion_tokens_details: written } = usage;
  const told = toldTokens({
    input: usage["prompt_tokens"],
    cached_input: isObject(read) ? read["cached_tokens"] : undefined,
    cache_write: isObject(read) ? read["cache_write_tokens"] : undefined,
    output: usage["completion_tokens"],
    reasoning: isObject(written) ? written["reasoning_tokens"] : undefined,
  });
  return told && { ...told, input: Math.max(0, told.input - told.cached_input - told.cache_write) };
}
