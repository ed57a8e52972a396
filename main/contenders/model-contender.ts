import type { BenchClient } from "./bench-client.ts";
import type { Assignment, Contender } from "./contender.ts";
import { converse, type ModelMeans } from "./model-conversation.ts";
import { ModelDesk } from "./model-desk.ts";

export interface ModelContenderOptions extends ModelMeans {
  readonly name: string;
}

const WORDS = {
  idle: "You called no tool. Act through the tools; the run counts only when finish has been accepted. If you are done, call finish.",
  circles:
    "You go in circles: the same calls with the same arguments, again and again. Do something else, or call finish with what you have. The run is ended if this goes on.",
};

/**
 * A language model that drives the bench through its MCP tools, with the plan's system prompt as the server words it. Ends with an
 * accepted `finish`; gives up (`GaveUp`) when it refuses, goes in circles, does nothing or has used up its means. Throws
 * `ProviderFailure` where the provider could not be had, which says nothing of the model.
 */
export function createModelContender(options: ModelContenderOptions): Contender {
  return {
    name: options.name,
    kind: "agent",
    async drive(client: BenchClient, assignment: Assignment): Promise<void> {
      const desk = new ModelDesk(client.mcp, assignment.signal);
      const [system, tools] = await Promise.all([desk.systemPrompt(), desk.tools()]);
      const { bench, note, signal, onTurn } = assignment;
      const told = note === undefined ? "The operator left no note." : `The operator's note: "${note}"`;
      const opening = `Measure M² of the beam at the bench "${bench}". ${told}`;
      await converse({ ...options, system, tools, desk, opening, words: WORDS, signal, onTurn });
    },
  };
}
