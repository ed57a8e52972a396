import { z } from "zod";
import type { Said } from "./brain.ts";
import type { Dialect } from "./stand-in.ts";

/* The Messages interface, as strict as the real one where a client could go wrong. */

const cache = { cache_control: z.strictObject({ type: z.literal("ephemeral") }).optional() };
const text = z.strictObject({
  type: z.literal("text"),
  text: z.string().regex(/\S/, "text blocks must hold text"),
  ...cache,
});
const image = z.strictObject({
  type: z.literal("image"),
  source: z.strictObject({ type: z.literal("base64"), media_type: z.literal("image/png"), data: z.base64() }),
});
const toolUse = z.strictObject({
  type: z.literal("tool_use"),
  id: z.string().min(1),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
const thinking = z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.literal("signed") });
const toolResult = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  is_error: z.boolean().optional(),
  content: z.array(z.union([text, image])).min(1),
  ...cache,
});
const bodySchema = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.number().int().positive(),
  system: z.array(text),
  tools: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
      description: z.string(),
      input_schema: z.looseObject({ type: z.literal("object") }),
    }),
  ),
  messages: z.array(
    z.discriminatedUnion("role", [
      z.strictObject({ role: z.literal("user"), content: z.array(z.union([text, image, toolResult])).min(1) }),
      z.strictObject({ role: z.literal("assistant"), content: z.array(z.union([text, toolUse, thinking])).min(1) }),
    ]),
  ),
  output_config: z.strictObject({ effort: z.enum(["low", "medium", "high", "xhigh", "max"]) }).optional(),
});

export const anthropicDialect: Dialect = {
  path: "/v1/messages",
  read(raw, request) {
    const body = bodySchema.parse(raw);
    const marks = JSON.stringify(body).match(/"cache_control"/g) ?? [];
    if (marks.length > 4) throw new Error(`at most 4 cache_control blocks, not ${marks.length}`);
    body.messages.forEach((message, i) => {
      if (message.role !== "assistant") return;
      const used = message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
      const next = body.messages[i + 1];
      const answered = (next?.role === "user" ? next.content : []).flatMap((block) =>
        block.type === "tool_result" ? [block.tool_use_id] : [],
      );
      if (used.join() !== answered.join()) throw new Error(`tool_use ${used.join()} is answered by ${answered.join()}`);
    });
    const latest = body.messages.at(-1);
    if (latest?.role !== "user") throw new Error("the last message must be of the user");
    const first = body.messages[0]?.content[0];
    return {
      request,
      system: body.system.map((block) => block.text).join(),
      tools: body.tools.map((tool) => tool.name),
      task: first?.type === "text" ? first.text : "",
      results: latest.content.flatMap((block) =>
        block.type === "tool_result"
          ? [
              {
                id: block.tool_use_id,
                text: block.content.map((part) => (part.type === "text" ? part.text : "")).join(""),
              },
            ]
          : [],
      ),
      pictures: body.messages
        .flatMap((message) => (message.role === "user" ? message.content : []))
        .flatMap((block) => (block.type === "tool_result" ? block.content : []))
        .flatMap((part) => (part.type === "image" ? [Buffer.from(part.source.data, "base64")] : [])),
      words: latest.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    };
  },
  write(said: Said, tokens) {
    const calls = said.calls ?? [];
    const stop = { cut_off: "max_tokens", refused: "refusal", context_full: "model_context_window_exceeded" } as const;
    return {
      id: "msg_stand_in",
      type: "message",
      role: "assistant",
      model: "stand-in",
      content: [
        { type: "thinking", thinking: "", signature: "signed" },
        ...(said.text === undefined ? [] : [{ type: "text", text: said.text }]),
        ...calls.map((call, i) => ({
          type: "tool_use",
          id: `toolu_${counter()}_${i}`,
          name: call.name,
          input: call.arguments,
        })),
      ],
      stop_reason: said.end === undefined ? (calls.length > 0 ? "tool_use" : "end_turn") : stop[said.end],
      stop_sequence: null,
      ...(said.unmetered === true
        ? {}
        : {
            usage: {
              input_tokens: tokens.input,
              cache_read_input_tokens: tokens.cached_input,
              cache_creation_input_tokens: tokens.cache_write,
              output_tokens: tokens.output,
              output_tokens_details: { thinking_tokens: tokens.reasoning },
            },
          }),
    };
  },
  error: (status, message) => ({
    type: "error",
    error: {
      type: status === 429 ? "rate_limit_error" : status === 400 ? "invalid_request_error" : "api_error",
      message,
    },
  }),
};

let count = 0;
function counter(): number {
  count += 1;
  return count;
}
