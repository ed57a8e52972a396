import { z } from "zod";
import { TOOLS, type ToolName } from "../contract/tools.ts";
import { type BenchClient, ToolRefusal } from "./bench-client.ts";
import type { Assignment, Contender } from "./contender.ts";

/** One call as it was made; `run` is left out, since every run has its own handle. */
export interface RecordedCall {
  readonly tool: ToolName;
  readonly input: Readonly<Record<string, unknown>>;
  readonly reason?: string;
}

/** Calls that the replay makes itself (`bench_open`, on the bench that is on offer) or does not need (a long call is waited for). */
const OWN_CALLS: ReadonlySet<string> = new Set(["bench_open", "job_status"]);

const callSchema = z.object({
  tool: z.string(),
  input: z.record(z.string(), z.unknown()).optional(),
  reason: z.string().optional(),
});
const eventLineSchema = z.object({ event: z.looseObject({ type: z.string() }) });

/**
 * Reads calls from lines of JSON, either `{"tool": …, "input": {…}, "reason": …}` or the events of a run's journal, of which the calls are
 * taken. `where` is named in errors.
 *
 * @throws TypeError naming the line and what was expected.
 */
export function readRecordedCalls(text: string, where: string): RecordedCall[] {
  return text.split("\n").flatMap((line, index): RecordedCall[] => {
    if (line.trim() === "") return [];
    const place = `${where}, line ${index + 1}`;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new TypeError(`${place}: not JSON; expected one call or one event of a journal`);
    }
    const event = eventLineSchema.safeParse(value);
    if (event.success && event.data.event.type !== "tool_called") return [];
    const call = callSchema.safeParse(event.success ? event.data.event : value);
    if (!call.success) throw new TypeError(`${place}: expected {"tool": …, "input": {…}, "reason": …}`);
    const { tool, input = {}, reason } = call.data;
    if (!(tool in TOOLS)) throw new TypeError(`${place}: there is no tool "${tool}"`);
    const name = tool as ToolName;
    // A reason may stand with any call of the file; tools that ask for none are not given it.
    const isAsked = "reason" in TOOLS[name].input.shape;
    return [{ tool: name, input, ...(reason === undefined || !isAsked ? {} : { reason }) }];
  });
}

/** Makes the calls again in their order, whatever is answered. What the bench refuses stands in the log and does not end the replay. */
export function recorded(calls: readonly RecordedCall[]): Contender {
  return {
    name: "recorded",
    async drive(client: BenchClient, assignment: Assignment): Promise<void> {
      const opening = calls.find((call) => call.tool === "bench_open");
      const { run } = await client.call("bench_open", {
        bench: assignment.bench,
        reason: opening?.reason ?? "recorded calls are made again",
      });
      for (const { tool, input, reason } of calls) {
        if (OWN_CALLS.has(tool)) continue;
        const asked = { ...input, run, ...(reason === undefined ? {} : { reason }) };
        try {
          await client.call(tool, asked);
        } catch (error) {
          if (!(error instanceof ToolRefusal)) throw error;
        }
      }
    },
  };
}
