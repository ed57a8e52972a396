import type { Client } from "@modelcontextprotocol/client";
import { type BenchErrorShape, benchErrorSchema } from "../contract/error-codes.ts";
import { TOOLS, type ToolInput, type ToolName, type ToolOutput } from "../contract/tools.ts";

/** The bench said no. `code` is for the program, message and hint are for whoever reads the log. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
  readonly tool: string;
  readonly code: string;
  readonly hint: string;

  constructor(tool: string, refusal: Pick<BenchErrorShape, "message" | "hint"> & { code: string }) {
    super(`${tool}: ${refusal.message}`);
    this.tool = tool;
    this.code = refusal.code;
    this.hint = refusal.hint;
  }
}

/**
 * What a contender sees of a bench: the listed tools and nothing else. Long work is waited for, so that every call
 * resolves to the finished result. Throws `ToolRefusal` where the bench refuses.
 */
export interface BenchClient {
  readonly tools: readonly string[];
  /** The connection itself, for who needs schemas, prompts and pictures as they come over the wire. */
  readonly mcp: Client;
  call<Name extends ToolName>(name: Name, input: ToolInput<Name>): Promise<ToolOutput<Name>>;
}

/** Far longer than a call takes before the bench makes it a job, so that only a bench that is gone is given up. */
const CALL_TIMEOUT_MS = 600_000;

function firstText(content: unknown): string {
  if (!Array.isArray(content)) return "";
  for (const block of content as { type?: unknown; text?: unknown }[]) {
    if (block.type === "text" && typeof block.text === "string") return block.text;
  }
  return "";
}

function refusalFrom(tool: string, content: unknown): ToolRefusal {
  const text = firstText(content);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  const refusal = benchErrorSchema.safeParse(parsed);
  if (refusal.success) return new ToolRefusal(tool, refusal.data);
  return new ToolRefusal(tool, { code: "internal", message: text || "refused without a word", hint: "" });
}

/** Wraps a connected MCP client. */
export async function createBenchClient(client: Client): Promise<BenchClient> {
  const { tools } = await client.listTools();

  const callOnce = async (name: string, input: Record<string, unknown>): Promise<unknown> => {
    // Nobody watches, so no progress is asked for: it would make a stream of every answer.
    const result = await client.callTool({ name, arguments: input }, { timeout: CALL_TIMEOUT_MS });
    if (result.isError === true) throw refusalFrom(name, result.content);
    return result.structuredContent;
  };

  const finished = async (name: ToolName, run: string, job: string): Promise<unknown> => {
    for (;;) {
      const answer = TOOLS.job_status.output.parse(await callOnce("job_status", { run, job, wait_s: 30 }));
      if (answer.status === "done") return answer.result;
      if (answer.status === "failed") {
        throw new ToolRefusal(name, answer.error ?? { code: "internal", message: "the job failed", hint: "" });
      }
    }
  };

  return {
    tools: tools.map((tool) => tool.name),
    mcp: client,
    async call<Name extends ToolName>(name: Name, input: ToolInput<Name>): Promise<ToolOutput<Name>> {
      const answer = await callOnce(name, input);
      const { status, job, run } = answer as { status?: unknown; job?: unknown; run?: unknown };
      // The client has held the answer against the listed schema of the tool; what a job gives is inside another answer.
      if (status !== "running" || typeof job !== "string" || typeof run !== "string") return answer as ToolOutput<Name>;
      return TOOLS[name].output.parse(await finished(name, run, job)) as ToolOutput<Name>;
    },
  };
}
