import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { AnswerField, Submission } from "../contract/question.ts";
import type { DeskAnswer } from "./model-conversation.ts";
import type { OfferedTool, ToolCall } from "./model-provider.ts";
import { contentOf } from "./tool-content.ts";

/** Longest silence that is waited out; progress restarts it. */
const CALL_TIMEOUT_MS = 60_000;
/** Most of a resource that is shown. */
const RESOURCE_CHARACTERS = 40_000;

export const SUBMIT = "submit_answer";
const LIST_RESOURCES = "list_resources";
const READ_RESOURCE = "read_resource";

/** One call of a tool of the server, as it was made and answered. */
export interface MadeCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  readonly bad: boolean;
  readonly result: unknown;
}

export interface QuestionDeskOptions {
  readonly client: Client;
  readonly fields: readonly AnswerField[];
  readonly signal: AbortSignal;
  /** The connection has ended: what fails from then on is nobody's answer. */
  readonly gone: () => boolean;
  /** What the server said last on stderr. */
  readonly lastWords: () => string;
  readonly onCall?: (call: MadeCall) => void;
}

/** The server went away in the middle. Says nothing of whoever asked it. */
export class ServerGone extends Error {
  override readonly name = "ServerGone";
}

/**
 * A server as whoever answers a question sees it: every tool that the server lists, tools beside them to list and read its resources, and
 * one to hand in the answer.
 */
export class QuestionDesk {
  readonly #options: QuestionDeskOptions;
  readonly #calls: MadeCall[] = [];
  readonly #answers: z.ZodType<Submission>;
  #submission: Submission | undefined;

  constructor(options: QuestionDeskOptions) {
    this.#options = options;
    this.#answers = submissionFor(options.fields);
  }

  /** The calls of the server's tools so far. */
  get calls(): readonly MadeCall[] {
    return this.#calls;
  }

  /** What was handed in. */
  get submission(): Submission | undefined {
    return this.#submission;
  }

  /** What the server says of itself. */
  get instructions(): string | undefined {
    return this.#options.client.getInstructions();
  }

  /** @throws Error where the server has a tool by the name of a helper. */
  async tools(): Promise<OfferedTool[]> {
    const { tools } = await this.#options.client.listTools(undefined, { signal: this.#options.signal });
    const own = this.#helpers();
    const twice = tools.find(({ name }) => own.some((helper) => helper.name === name));
    if (twice !== undefined) throw new Error(`the server has a tool ${twice.name}; expected none of that name`);
    const listed = tools.map(({ name, description, inputSchema }) => ({
      name,
      description: description ?? "",
      inputSchema,
    }));
    return [...listed, ...own];
  }

  /** Makes a call as it is, also one that can only fail, so that it stands in the log. */
  async call(call: ToolCall): Promise<DeskAnswer> {
    if ("malformed" in call.arguments) {
      this.#log({ tool: call.name, arguments: {}, failed: true, bad: true, result: call.arguments.malformed });
      return answered(call, "The arguments are no JSON object.", true);
    }
    const given = call.arguments.bound;
    if (call.name === SUBMIT) return this.#submit(call, given);
    if (call.name === LIST_RESOURCES || call.name === READ_RESOURCE) return this.#resources(call, given);
    try {
      const result = await this.#options.client.callTool(
        { name: call.name, arguments: { ...given } },
        {
          timeout: CALL_TIMEOUT_MS,
          resetTimeoutOnProgress: true,
          onprogress: () => undefined,
          signal: this.#options.signal,
        },
      );
      const failed = result.isError === true;
      const { text, pictures } = contentOf(result.content, result.structuredContent);
      const said = result.structuredContent ?? readable(text);
      this.#log({ tool: call.name, arguments: given, failed, bad: failed && isBad(text), result: said });
      const running = !failed && valueOf(said, "status") === "running";
      return { answer: { call, isError: failed, text, pictures }, finished: false, running };
    } catch (error) {
      const text = this.#failure(error);
      this.#log({
        tool: call.name,
        arguments: given,
        failed: true,
        bad: ProtocolError.isInstance(error),
        result: text,
      });
      return answered(call, text, true);
    }
  }

  #log(call: MadeCall): void {
    this.#calls.push(call);
    this.#options.onCall?.(call);
  }

  /** Words for a call that failed. Throws where that is not the caller's doing. */
  #failure(error: unknown): string {
    this.#options.signal.throwIfAborted();
    const words = error instanceof Error ? error.message : String(error);
    if (this.#options.gone()) throw new ServerGone(`the server ended (${words}) ${this.#options.lastWords()}`.trim());
    return words;
  }

  #submit(call: ToolCall, given: unknown): DeskAnswer {
    const checked = this.#answers.safeParse(given);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      const text = `Not accepted: ${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? "does not fit"}`;
      return answered(call, text, true);
    }
    this.#submission ??= checked.data;
    return { ...answered(call, "Accepted."), finished: true };
  }

  async #resources(call: ToolCall, given: Readonly<Record<string, unknown>>): Promise<DeskAnswer> {
    const { client, signal } = this.#options;
    try {
      if (call.name === LIST_RESOURCES) {
        const { resources } = await client.listResources(undefined, { signal });
        const { resourceTemplates } = await client.listResourceTemplates(undefined, { signal });
        return answered(call, JSON.stringify({ resources, templates: resourceTemplates }));
      }
      const { contents } = await client.readResource({ uri: String(given["uri"]) }, { signal });
      const texts = contents.map((content) =>
        "text" in content
          ? content.text.slice(0, RESOURCE_CHARACTERS)
          : `[${content.mimeType ?? "binary"}, ${Buffer.byteLength(content.blob, "base64")} bytes]`,
      );
      return answered(call, texts.join("\n"));
    } catch (error) {
      return answered(call, this.#failure(error), true);
    }
  }

  #helpers(): OfferedTool[] {
    return [
      {
        name: LIST_RESOURCES,
        description: "The resources and resource templates of the server.",
        inputSchema: { type: "object", properties: {}, additionalProperties: false },
      },
      {
        name: READ_RESOURCE,
        description: "The text of a resource of the server.",
        inputSchema: {
          type: "object",
          properties: { uri: { type: "string" } },
          required: ["uri"],
          additionalProperties: false,
        },
      },
      {
        name: SUBMIT,
        description: "Hands in the answer and ends the task. The first accepted answer counts.",
        inputSchema: z.toJSONSchema(this.#answers),
      },
    ];
  }
}

function answered(call: ToolCall, text: string, isError = false): DeskAnswer {
  return { answer: { call, isError, text, pictures: [] }, finished: false, running: false };
}

const valueOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

/** What may be handed in for these fields: finite numbers in their units, or one of the words. */
function submissionFor(fields: readonly AnswerField[]): z.ZodType<Submission> {
  const values = fields.map(({ key, unit, choices, means }): [string, z.ZodType<number | string>] => {
    const value = choices === undefined ? z.number() : z.enum(choices);
    return [key, value.describe(unit === undefined || unit === "1" ? means : `${means}, in ${unit}`)];
  });
  return z.strictObject({
    values: z
      .strictObject(Object.fromEntries(values))
      .partial()
      .describe("The values that were asked for; leave out what cannot be had"),
    declined: z.boolean().describe("True when the request cannot be answered as asked"),
    concerns: z.array(z.string().max(4000)).max(50).describe("What the user has to know beside the values"),
    summary: z.string().max(8000).describe("The answer in words"),
  }) as unknown as z.ZodType<Submission>;
}

/** A result without structure: the text as JSON, or the text and the numbers in it. */
function readable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text, numbers: (text.match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? []).map(Number) };
  }
}

/** Whether a refusal says that the call does not bind; servers of the 2025 protocols say so in a result. */
function isBad(text: string): boolean {
  if (/MCP error -3260[12]/.test(text)) return true;
  return valueOf(readable(text), "code") === "bad_argument";
}
