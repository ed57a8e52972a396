import { z } from "zod";
import type { Said } from "./brain.ts";
import type { Dialect } from "./stand-in.ts";

/* The chat-completions interface, as strict as the real one where a client could go wrong. */

const textPart = z.strictObject({ type: z.literal("text"), text: z.string() });
const imagePart = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.strictObject({ url: z.string().startsWith("data:image/png;base64,") }),
});
const messageSchema = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: z.string() }),
  z.strictObject({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(z.union([textPart, imagePart])).min(1)]),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.string().nullable(),
    reasoning_content: z.literal("thoughts").optional(),
    tool_calls: z
      .array(
        z.strictObject({
          id: z.string().min(1),
          type: z.literal("function"),
          function: z.strictObject({ name: z.string(), arguments: z.string() }),
        }),
      )
      .min(1)
      .optional(),
  }),
  z.strictObject({ role: z.literal("tool"), tool_call_id: z.string(), content: z.string() }),
]);
const bodySchema = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.number().int().positive().optional(),
  max_completion_tokens: z.number().int().positive().optional(),
  messages: z.array(messageSchema),
  tools: z.array(
    z.strictObject({
      type: z.literal("function"),
      function: z.strictObject({
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
        description: z.string(),
        parameters: z.looseObject({ type: z.literal("object") }),
      }),
    }),
  ),
  reasoning_effort: z.enum(["minimal", "low", "medium", "high"]).optional(),
});

export const openAiDialect: Dialect = {
  path: "/v1/chat/completions",
  read(raw, request) {
    const body = bodySchema.parse(raw);
    if ((body.max_tokens === undefined) === (body.max_completion_tokens === undefined)) {
      throw new Error("one of max_tokens and max_completion_tokens");
    }
    let open: string[] = [];
    for (const message of body.messages) {
      if (message.role === "tool") {
        if (open.shift() !== message.tool_call_id)
          throw new Error(`tool message ${message.tool_call_id} answers no call`);
        continue;
      }
      if (open.length > 0) throw new Error(`the calls ${open.join()} are not answered`);
      if (message.role !== "assistant") continue;
      open = (message.tool_calls ?? []).map((call) => call.id);
      if (open.length > 0 && message.reasoning_content === undefined) {
        throw new Error("reasoning_content must be passed back with its tool_calls");
      }
      for (const call of message.tool_calls ?? []) JSON.parse(call.function.arguments);
      if (message.content === null && open.length === 0) throw new Error("an assistant message without content");
    }
    if (open.length > 0) throw new Error(`the calls ${open.join()} are not answered`);
    const since = body.messages.slice(body.messages.findLastIndex(({ role }) => role === "assistant") + 1);
    const partsOf = (message: z.infer<typeof messageSchema>) =>
      message.role === "user" && typeof message.content !== "string" ? message.content : [];
    const wordsOf = (message: z.infer<typeof messageSchema>): string =>
      message.role !== "user"
        ? ""
        : typeof message.content === "string"
          ? message.content
          : message.content.map((part) => (part.type === "text" ? part.text : "")).join(" ");
    const system = body.messages[0];
    const first = body.messages[1];
    return {
      request,
      system: system?.role === "system" ? system.content : "",
      tools: body.tools.map((tool) => tool.function.name),
      task: first === undefined ? "" : wordsOf(first),
      results: since.flatMap((message) =>
        message.role === "tool" ? [{ id: message.tool_call_id, text: message.content }] : [],
      ),
      pictures: body.messages
        .flatMap(partsOf)
        .flatMap((part) =>
          part.type === "image_url" ? [Buffer.from(part.image_url.url.split(",")[1] ?? "", "base64")] : [],
        ),
      words: since.map(wordsOf).join(" "),
    };
  },
  write(said: Said, tokens) {
    const calls = said.calls ?? [];
    const refused = said.end === "refused";
    return {
      id: "chatcmpl-stand-in",
      object: "chat.completion",
      created: 0,
      model: "stand-in",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: refused ? null : (said.text ?? (calls.length > 0 ? null : "")),
            refusal: refused ? (said.text ?? "no") : null,
            reasoning_content: "thoughts",
            ...(calls.length === 0
              ? {}
              : {
                  tool_calls: calls.map((call, i) => ({
                    id: `call_${counter()}_${i}`,
                    type: "function",
                    function: {
                      name: call.name,
                      arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
                    },
                  })),
                }),
          },
          finish_reason: said.end === "cut_off" ? "length" : calls.length > 0 ? "tool_calls" : "stop",
          logprobs: null,
        },
      ],
      ...(said.unmetered === true
        ? {}
        : {
            usage: {
              prompt_tokens: tokens.input + tokens.cached_input + tokens.cache_write,
              completion_tokens: tokens.output,
              total_tokens: tokens.input + tokens.cached_input + tokens.cache_write + tokens.output,
              prompt_tokens_details: { cached_tokens: tokens.cached_input, cache_write_tokens: tokens.cache_write },
              completion_tokens_details: { reasoning_tokens: tokens.reasoning },
            },
          }),
    };
  },
  error: (status, message) => ({
    error: { message, type: status === 429 ? "requests" : "invalid_request_error", param: null, code: null },
  }),
};

let count = 0;
function counter(): number {
  count += 1;
  return count;
}
