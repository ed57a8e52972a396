import type { TokensByKind } from "../contract/model-usage.ts";

/** A picture that a tool returned. */
export interface Picture {
  readonly media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  readonly base64: string;
}

/** What a model asked for. Arguments that are no JSON object are kept as they came. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: { readonly bound: Readonly<Record<string, unknown>> } | { readonly malformed: string };
}

export interface ToolAnswer {
  readonly call: ToolCall;
  readonly text: string;
  readonly isError: boolean;
  readonly pictures: readonly Picture[];
}

export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /**
   * `calls`: it waits for answers of tools. `said`: it only spoke, or not even that. `cut_off`: the length limit ended it in
   * the middle. `context_full`: the conversation does not fit into the model any more.
   */
  readonly stop: "calls" | "said" | "cut_off" | "refused" | "context_full";
  /** Absent where the provider does not tell. */
  readonly tokens?: TokensByKind;
  /** The answer in the provider's own form, to be sent back as it came: it may hold signed reasoning. */
  readonly native?: unknown;
}

export type ModelMessage =
  | { readonly from: "operator"; readonly text: string }
  | { readonly from: "model"; readonly answer: ModelAnswer }
  | { readonly from: "bench"; readonly answers: readonly ToolAnswer[]; readonly remark?: string };

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly system: string;
  readonly tools: readonly OfferedTool[];
  readonly messages: readonly ModelMessage[];
  readonly max_output_tokens: number;
}

/** A language model behind some vendor's interface. */
export interface ModelProvider {
  readonly provider: "anthropic" | "openai-compatible";
  readonly model: string;
  /** One request, no retry. Throws `ProviderFailure`. */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
}
