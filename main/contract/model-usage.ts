import { z } from "zod";

const tokens = z.number().int().nonnegative();

/** Tokens by kind, as they are priced. No token is counted twice, except that reasoning tokens are part of the output. */
export const tokensByKindSchema = z.object({
  input: tokens.describe("Read, not from a cache and not into one"),
  cached_input: tokens.describe("Read from a cache"),
  cache_write: tokens.describe("Read and written into a cache"),
  output: tokens.describe("Written, reasoning included"),
  reasoning: tokens.describe("The part of the output that was reasoning"),
});
export type TokensByKind = z.infer<typeof tokensByKindSchema>;

/** What a model used up in a run, so far. */
export const modelUsageSchema = z.object({
  provider: z.string(),
  model: z.string().describe("As it was asked for"),
  model_calls: z.number().int().nonnegative().describe("Answers of the model; attempts that got none do not count"),
  tokens: tokensByKindSchema.optional().describe("Absent where an answer came without its tokens"),
  usd: z.number().nonnegative().optional().describe("Absent where the price of the model or its tokens are not known"),
});
export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** One answer of a model and what came of it. */
export const modelTurnSchema = z.object({
  model_call: z.number().int().positive(),
  text: z.string(),
  calls: z.array(z.object({ tool: z.string(), outcome: z.enum(["answered", "refused", "not_made"]) })),
  stop: z.string().describe("Why the model stopped writing"),
  attempts: z.number().int().positive().describe("Requests it took to get the answer"),
  usage: modelUsageSchema.describe("Of the run up to here"),
});
export type ModelTurn = z.infer<typeof modelTurnSchema>;
