import { createModelContender } from "../../contenders/model-contender.ts";
import type { ModelProvider } from "../../contenders/model-provider.ts";
import { chosenProvider, type ModelChoice } from "../model-options.ts";
import { UsageError } from "../usage-error.ts";
import type { StartableContender } from "./started-contenders.ts";

/** What a model may use up in one drive from the window: as in the evaluation's plan. */
const LIMITS = { model_calls: 40, tokens: 1_500_000, usd_per_run: 0.5 } as const;

/** The model that the host was started with, as somebody whom the window may start; without one it says what is missing. */
export function agentOffer(choice: ModelChoice): StartableContender {
  const description = `A language model with the bench's tools and nothing else; at most ${LIMITS.model_calls} answers and $${LIMITS.usd_per_run}.`;
  let provider: ModelProvider;
  try {
    provider = chosenProvider(choice);
  } catch (error) {
    if (!(error instanceof UsageError) || choice.model !== undefined) throw error;
    const unavailable = "start the host with --model <name> and the key of its provider in the environment";
    return {
      offer: { contender: "agent", kind: "agent", description, unavailable },
      create: () => {
        throw error;
      },
    };
  }
  const { price } = choice;
  return {
    offer: { contender: "agent", kind: "agent", description: `${provider.model}. ${description}` },
    create: () =>
      createModelContender({ name: "agent", provider, limits: LIMITS, ...(price === undefined ? {} : { price }) }),
  };
}
