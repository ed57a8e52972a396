import { z } from "zod";
import { modelUsageSchema } from "../contract/model-usage.ts";

/** The smallest thing that is run: one case, one contender, one epoch. */
export interface Unit {
  readonly case: string;
  readonly contender: string;
  readonly epoch: number;
}

/** Name of a unit's run folder. */
export function unitId(unit: Unit): string {
  return `${unit.case}-${unit.contender}-e${unit.epoch}`;
}

const usage = modelUsageSchema.shape;

/**
 * How a unit ended, beside its journal. `failed`: the infrastructure broke, and the run says nothing of the contender. A contender that
 * gives up, or that the bench refuses, has completed without a verdict. `not_run`: its means did not allow a first request.
 */
export const unitOutcomeSchema = z.object({
  status: z.enum(["completed", "failed", "not_run"]),
  message: z.string().optional(),
  provider: usage.provider.optional(),
  model: usage.model.optional(),
  // What cannot be read is not known; it is no reason to lose the run.
  model_calls: usage.model_calls.optional().catch(undefined),
  tokens: usage.tokens.catch(undefined),
  usd: usage.usd.catch(undefined),
});
export type UnitOutcome = z.infer<typeof unitOutcomeSchema>;
