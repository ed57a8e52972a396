import { z } from "zod";
import { evaluationRowSchema } from "./evaluation-row.ts";

/*
 * How an evaluation goes, line by line, in progress.jsonl of its folder: appended to and never changed. Window and terminal
 * read it; results are made from the runs and never from it. It may hold wall-clock times, results may not.
 */

const at = z.string().describe("Wall clock, ISO 8601");
const unit = { case: z.string(), contender: z.string(), epoch: z.number().int().positive() };

export const progressEventSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("evaluation_started"),
    at,
    plan: z.string(),
    plan_hash: z.string(),
    units: z.number().int().nonnegative().describe("Units that this start asks for"),
    kept: z.number().int().nonnegative().describe("Of those, units whose runs are there already"),
    jobs: z.number().int().positive(),
    exploratory: z.boolean(),
  }),
  z.object({ type: z.literal("unit_started"), at, ...unit, attempt: z.number().int().positive() }),
  /** A run's cap is set aside before it starts. */
  z.object({ type: z.literal("usd_reserved"), at, ...unit, usd: z.number().nonnegative() }),
  /** What the run did cost; `known` is false where no price is known and the cap stands for it. */
  z.object({ type: z.literal("usd_settled"), at, ...unit, usd: z.number().nonnegative(), known: z.boolean() }),
  /** The bench of the unit waits at an address for a client from outside. The token is not told here. */
  z.object({ type: z.literal("unit_offered"), at, ...unit, address: z.string() }),
  z.object({ type: z.literal("unit_ended"), at, row: evaluationRowSchema }),
  z.object({
    type: z.literal("evaluation_ended"),
    at,
    /** `complete`: every unit was run. `stopped`: some were not, by the stop rule or because they were called off. */
    state: z.enum(["complete", "stopped"]),
    usd: z.number().nonnegative(),
  }),
]);
export type ProgressEvent = z.infer<typeof progressEventSchema>;
