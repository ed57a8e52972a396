import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createModelContender } from "../contenders/model-contender.ts";
import { priceOf } from "../contenders/model-price.ts";
import type { ModelProvider } from "../contenders/model-provider.ts";
import type { Plan, PlanContender } from "../contract/plan.ts";
import { contenderDriver, type DriverContext } from "../evaluation/driver.ts";
import { RUNS } from "../evaluation/evaluation-folder.ts";
import type { WaitingContender } from "../evaluation/run-plan.ts";
import { readOutcome } from "../evaluation/run-unit.ts";
import { chosenProvider, type ModelChoice } from "./model-options.ts";
import { UsageError } from "./usage-error.ts";

/** Stands in a plan that leaves the model to the command. */
const FROM_COMMAND = "from-the-command-line";

/**
 * The models of a plan, for its evaluation: those whose plan names the model, and those whose model the command names. All of them
 * share the plan's number of parallel runs, so that a case runs with and without a tool side by side.
 *
 * @throws UsageError where the options contradict the plan, or the folder holds runs of another model.
 */
export function agentContenders(
  plan: Plan,
  choice: ModelChoice,
  out: string,
  by: readonly string[] | undefined,
): Record<string, WaitingContender> {
  const agents = plan.contenders.filter(({ provider }) => provider !== undefined);
  const asked = agents.filter(({ contender }) => by === undefined || by.includes(contender));
  const providers = new Map<string, ModelProvider>();
  const waiting: Record<string, WaitingContender> = {};
  const driver = contenderDriver((context) => contenderFor(context, providers, choice));
  const parallel = plan.stop_rule.parallel_runs;
  for (const planned of asked) {
    const named = plannedChoice(planned, choice);
    try {
      const provider = chosenProvider(named);
      refuseMixture(out, planned.contender, provider.model);
      providers.set(planned.contender, provider);
      waiting[planned.contender] = { parallel, driver };
    } catch (error) {
      // Without a model the other contenders can run all the same, unless it was asked for by name.
      if (!(error instanceof UsageError) || by !== undefined || choice.model !== undefined) throw error;
      waiting[planned.contender] = { parallel, driver, unavailable: error.message };
    }
  }
  return waiting;
}

/** What the plan says of the model, completed by the command. */
function plannedChoice(planned: PlanContender, choice: ModelChoice): ModelChoice {
  const fixed = planned.model === FROM_COMMAND ? undefined : planned.model;
  if (fixed !== undefined && choice.model !== undefined && choice.model !== fixed) {
    throw new UsageError(`--model ${choice.model}: the plan says ${fixed} for ${planned.contender}`);
  }
  const model = fixed ?? choice.model;
  const provider = fixed === undefined ? (choice.provider ?? planned.provider) : planned.provider;
  const effort = choice.effort ?? planned.effort;
  return {
    ...choice,
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(effort === undefined ? {} : { effort }),
  };
}

function contenderFor(
  { contender, plan }: DriverContext,
  providers: ReadonlyMap<string, ModelProvider>,
  choice: ModelChoice,
) {
  const provider = providers.get(contender.contender);
  if (provider === undefined || contender.limits === undefined) {
    throw new UsageError(
      `the plan gives ${contender.contender} no limits; expected model_calls, tokens and usd_per_run`,
    );
  }
  const price = choice.price ?? priceOf(provider.model, plan.prices);
  return createModelContender({
    name: contender.contender,
    provider,
    limits: contender.limits,
    ...(price === undefined ? {} : { price }),
  });
}

/** An evaluation compares contenders, so one of its names cannot stand for two models. */
function refuseMixture(out: string, contender: string, model: string): void {
  const runs = join(out, RUNS);
  if (!existsSync(runs)) return;
  for (const name of readdirSync(runs)) {
    if (!new RegExp(`-${contender}-e\\d+$`).test(name)) continue;
    const before = readOutcome(join(runs, name))?.model;
    if (before !== undefined && before !== model) {
      throw new UsageError(`${out} holds runs of ${contender} by ${before}, not ${model}; expected another --out`);
    }
  }
}
