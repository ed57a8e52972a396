import type { BenchClient } from "./bench-client.ts";
import { ToolRefusal } from "./bench-client.ts";
import type { Assignment, Contender } from "./contender.ts";

/**
 * Says `iso_compliant` without measuring anything. Most cases of a plan have that verdict, so its share of right answers is
 * the floor that every other share must be read against. The bench refuses it for lack of coverage: the attempt
 * stands in the log, and the claim is what is scored.
 */
export const constant: Contender = {
  name: "constant",
  async drive(client: BenchClient, assignment: Assignment): Promise<void> {
    const { run } = await client.call("bench_open", { bench: assignment.bench, reason: "always the same answer" });
    try {
      await client.call("finish", { run, verdict: "iso_compliant", explanation: "The same answer for every beam." });
    } catch (error) {
      if (!(error instanceof ToolRefusal)) throw error;
    }
  },
};
