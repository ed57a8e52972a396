import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import { PLAN_PROMPT_NAME } from "../contract/plan-prompt-name.ts";
import type { DeskAnswer } from "./model-conversation.ts";
import type { OfferedTool, ToolCall } from "./model-provider.ts";
import { contentOf } from "./tool-content.ts";

/** Longest silence that is waited out; progress restarts it. */
const CALL_TIMEOUT_MS = 60_000;
/** Most of malformed arguments that is passed on. */
const EXCERPT = 200;

/** The bench as a model sees it: the plan's prompt, the tools with their schemas, and answers with their pictures. */
export class ModelDesk {
  readonly #client: Client;
  readonly #signal: AbortSignal | undefined;

  constructor(client: Client, signal: AbortSignal | undefined) {
    this.#client = client;
    this.#signal = signal;
  }

  async tools(): Promise<OfferedTool[]> {
    const { tools } = await this.#client.listTools();
    return tools.map(({ name, description, inputSchema }) => ({ name, description: description ?? "", inputSchema }));
  }

  /** The plan's system prompt, which the server words for the tools that it offers. */
  async systemPrompt(): Promise<string> {
    const { messages } = await this.#client.getPrompt({ name: PLAN_PROMPT_NAME });
    return messages.map(({ content }) => (content.type === "text" ? content.text : "")).join("\n\n");
  }

  /** Makes a call as it is; also one that can only be refused, so that it stands in the log. Throws where the connection broke. */
  async call(call: ToolCall): Promise<DeskAnswer> {
    const malformed = "malformed" in call.arguments ? call.arguments.malformed : undefined;
    const given =
      "bound" in call.arguments ? { ...call.arguments.bound } : { malformed_arguments: malformed?.slice(0, EXCERPT) };
    const prefix = malformed === undefined ? "" : "The arguments are no JSON object. ";
    try {
      const result = await this.#client.callTool(
        { name: call.name, arguments: given },
        {
          timeout: CALL_TIMEOUT_MS,
          resetTimeoutOnProgress: true,
          onprogress: () => undefined,
          ...(this.#signal === undefined ? {} : { signal: this.#signal }),
        },
      );
      const isError = result.isError === true;
      const said = (result.structuredContent ?? {}) as { accepted?: unknown; status?: unknown };
      return {
        answer: { call, isError, ...contentOf(result.content, result.structuredContent, prefix) },
        finished: !isError && call.name === "finish" && said.accepted === true,
        running: !isError && said.status === "running",
      };
    } catch (error) {
      if (!ProtocolError.isInstance(error)) throw error;
      return {
        answer: { call, isError: true, text: prefix + error.message, pictures: [] },
        finished: false,
        running: false,
      };
    }
  }
}
