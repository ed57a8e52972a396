import Anthropic from "@anthropic-ai/sdk";
import type { TokensByKind } from "../contract/model-usage.ts";
import { directFetch } from "./model-fetch.ts";
import { isObject, notAnAnswer, toldTokens, withoutSecret } from "./model-answer-checks.ts";
import { failureFrom } from "./model-failure.ts";
import type { ModelAnswer, ModelMessage, ModelProvider, ModelRequest, ToolAnswer, ToolCall } from "./model-provider.ts";

export interface AnthropicOptions {
  readonly model: string;
  readonly key: string;
  /** Default: the vendor's own. */
  readonly baseUrl?: string;
  /** `low`, `medium`, `high`, `xhigh` or `max`; the model's own default when absent. */
  readonly effort?: string;
}

type MessageParam = Anthropic.MessageParam;
type BlockParam = Anthropic.ContentBlockParam;
type Effort = NonNullable<Anthropic.OutputConfig["effort"]>;

/** Up to here the provider may keep what it has read, for a tenth of the price. */
const CACHE = { type: "ephemeral" } as const;

/** The Messages interface, version 2023-06-01. */
export function createAnthropic({ model, key, baseUrl, effort }: AnthropicOptions): ModelProvider {
  const client = new Anthropic({
    apiKey: key,
    ...(baseUrl === undefined ? { baseURL: "https://api.anthropic.com" } : { baseURL: baseUrl }),
    // Retries and time limits are those of the loop, which keeps account of them.
    maxRetries: 0,
    logLevel: "off",
    fetch: directFetch,
  });
  return {
    provider: "anthropic",
    model,
    async ask(request, signal) {
      let message: unknown;
      try {
        message = await client.messages.create(
          {
            model,
            max_tokens: request.max_output_tokens,
            system: [{ type: "text", text: request.system, cache_control: CACHE }],
            tools: request.tools.map(({ name, description, inputSchema }) => ({
              name,
              description,
              input_schema: inputSchema as Anthropic.Tool.InputSchema,
            })),
            messages: toMessages(request),
            ...(effort === undefined ? {} : { output_config: { effort: effort as Effort } }),
          },
          { signal },
        );
      } catch (error) {
        throw failureFrom(error, key);
      }
      if (!isMessage(message)) throw notAnAnswer("message", message, key);
      return withoutSecret(toAnswer(message), key);
    },
  };
}

function toMessages({ messages }: ModelRequest): MessageParam[] {
  const params = messages.map(toMessage);
  // The end of this conversation and that of the one before: the next request finds the first of them.
  for (const param of params.filter(({ role }) => role === "user").slice(-2)) {
    const last = (param.content as BlockParam[]).at(-1);
    if (last !== undefined) Object.assign(last, { cache_control: CACHE });
  }
  return params;
}

function toMessage(message: ModelMessage): MessageParam {
  switch (message.from) {
    case "operator":
      return { role: "user", content: [{ type: "text", text: message.text }] };
    case "model":
      return { role: "assistant", content: echo(message.answer) };
    case "bench":
      return {
        role: "user",
        content: [
          ...message.answers.map(toToolResult),
          ...(message.remark === undefined ? [] : [{ type: "text" as const, text: message.remark }]),
        ],
      };
  }
}

/** The answer as it came, but for what the interface does not take back. */
function echo({ native, text }: ModelAnswer): BlockParam[] {
  if (native === undefined) return [{ type: "text", text }];
  return (native as Anthropic.ContentBlock[])
    .filter((block) => block.type !== "text" || block.text.trim() !== "")
    .map((block) => (block.type === "tool_use" ? { ...block, input: isObject(block.input) ? block.input : {} } : block))
    .map((block): BlockParam => block);
}

function toToolResult({ call, text, isError, pictures }: ToolAnswer): Anthropic.ToolResultBlockParam {
  return {
    type: "tool_result",
    tool_use_id: call.id,
    is_error: isError,
    content: [
      { type: "text", text: text === "" ? "(no text)" : text },
      ...pictures.map(({ media_type, base64 }) => ({
        type: "image" as const,
        source: { type: "base64" as const, media_type, data: base64 },
      })),
    ],
  };
}

function toAnswer(message: Anthropic.Message): ModelAnswer {
  const calls = message.content.flatMap((block) => (block.type === "tool_use" ? [toCall(block)] : []));
  const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  const tokens = tokensOf(message.usage);
  return {
    text,
    calls,
    stop: stopOf(message.stop_reason, calls.length),
    ...(tokens === undefined ? {} : { tokens }),
    native: message.content,
  };
}

function toCall({ id, name, input }: Anthropic.ToolUseBlock): ToolCall {
  return { id, name, arguments: isObject(input) ? { bound: input } : { malformed: JSON.stringify(input) } };
}

function stopOf(reason: Anthropic.StopReason | null, calls: number): ModelAnswer["stop"] {
  if (reason === "refusal") return "refused";
  if (reason === "max_tokens") return "cut_off";
  if (reason === "model_context_window_exceeded") return "context_full";
  return calls > 0 ? "calls" : "said";
}

function tokensOf(usage: unknown): TokensByKind | undefined {
  if (!isObject(usage)) return undefined;
  const details = usage["output_tokens_details"];
  return toldTokens({
    input: usage["input_tokens"],
    cached_input: usage["cache_read_input_tokens"],
    cache_write: usage["cache_creation_input_tokens"],
    output: usage["output_tokens"],
    reasoning: isObject(details) ? details["thinking_tokens"] : undefined,
  });
}

/** Blocks of kinds that are not known here are let pass, those that are known must be whole. */
function isMessage(message: unknown): message is Anthropic.Message {
  if (!isObject(message) || !Array.isArray(message["content"])) return false;
  return message["content"].every((block: unknown) => {
    if (!isObject(block) || typeof block["type"] !== "string") return false;
    if (block["type"] === "text") return typeof block["text"] === "string";
    if (block["type"] === "tool_use") return typeof block["id"] === "string" && typeof block["name"] === "string";
    return true;
  });
}
