import { type Command, InvalidArgumentError, Option } from "commander";
import { ModelKeys } from "../contenders/model-keys.ts";
import type { TokenPrice } from "../contenders/model-price.ts";
import type { ModelProvider } from "../contenders/model-provider.ts";
import { processKeys } from "./process-keys.ts";
import { UsageError } from "./usage-error.ts";

type ProviderName = ModelProvider["provider"];

/** The options of a command that can let a model drive. */
export interface ModelChoice {
  readonly model?: string;
  readonly provider?: ProviderName;
  readonly baseUrl?: string;
  readonly effort?: string;
  readonly price?: TokenPrice;
}

const PROVIDERS: readonly ProviderName[] = ["anthropic", "openai-compatible"];
const URL_VARIABLE = { anthropic: "ANTHROPIC_BASE_URL", "openai-compatible": "OPENAI_BASE_URL" } as const;
const VENDORS_URL = {
  anthropic: "https://api.anthropic.com",
  "openai-compatible": "https://api.openai.com/v1",
} as const;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export const MODEL_HELP = `
A model is asked over the network with the key in ANTHROPIC_API_KEY or OPENAI_API_KEY; the address may also stand in
ANTHROPIC_BASE_URL or OPENAI_BASE_URL. Keys are read from nowhere else, are not kept, and are handed to no other program.`;

/** Adds the options that say which model drives; `which` says what it is chosen for. */
export function addModelOptions(command: Command, which = "which model drives as agent or agent-noview"): Command {
  return command
    .option("--model <name>", which)
    .addOption(new Option("--provider <name>", "whose interface is spoken (default: anthropic)").choices(PROVIDERS))
    .option("--base-url <url>", "where it is spoken (default: the vendor's own address)")
    .option("--effort <level>", "how much the model thinks, in its provider's words (default: the model's own)")
    .option(
      "--price <list>",
      "USD per million tokens: input, cached input, cache write, output; without it the cost is unknown",
      priceList,
    );
}

/** Options that say something of a model alone, as the command hands them over. */
const OF_A_MODEL = {
  model: "--model",
  provider: "--provider",
  baseUrl: "--base-url",
  effort: "--effort",
  price: "--price",
  priceUnknown: "--price-unknown",
  maxCost: "--max-cost",
  maxCostPerTask: "--max-cost-per-task",
  maxUsd: "--max-usd",
} as const;

/**
 * Refuses options of a model where none takes part, since nothing would come of them. `wanted` is the option that lets one take part.
 *
 * @throws UsageError naming the first of them.
 */
export function refuseModelOptions(
  given: { readonly [Name in keyof typeof OF_A_MODEL]?: unknown },
  wanted: string,
): void {
  for (const [name, option] of Object.entries(OF_A_MODEL)) {
    if (given[name as keyof typeof OF_A_MODEL] !== undefined) {
      throw new UsageError(`${option} is for a model, and none takes part; expected ${wanted} beside it`);
    }
  }
}

/**
 * The model that the options name.
 *
 * @throws UsageError where they name none, or where its key is missing.
 */
export function chosenProvider(choice: ModelChoice): ModelProvider {
  const { model, provider = "anthropic", effort } = choice;
  if (model === undefined) throw new UsageError("no model is named; expected --model <name>");
  const url = addressOf(choice.baseUrl ?? process.env[URL_VARIABLE[provider]] ?? VENDORS_URL[provider]);
  const key = processKeys().keyFor(provider);
  if (key !== undefined && url.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    throw new UsageError(`--base-url ${url.href} would carry the key unencrypted; expected https, or no key`);
  }
  const options = { model, baseUrl: url.href.replace(/\/+$/, ""), ...(effort === undefined ? {} : { effort }) };
  const missing = `${ModelKeys.variable(provider)} is not set; expected the key of the provider there`;
  if (provider === "anthropic") {
    if (key === undefined) throw new UsageError(missing);
    // The interface's own path begins with the version.
    const baseUrl = options.baseUrl.replace(/\/v1$/, "");
    return whenAsked(provider, model, async () => {
      const { createAnthropic } = await import("../contenders/model-anthropic.ts");
      return createAnthropic({ ...options, key, baseUrl });
    });
  }
  if (key === undefined && options.baseUrl === VENDORS_URL[provider]) throw new UsageError(missing);
  return whenAsked(provider, model, async () => {
    const { createOpenAiCompatible } = await import("../contenders/model-openai.ts");
    return createOpenAiCompatible({ ...options, ...(key === undefined ? {} : { key }) });
  });
}

/** A provider whose vendor's library is loaded with the first request: most runs need none. */
function whenAsked(provider: ProviderName, model: string, load: () => Promise<ModelProvider>): ModelProvider {
  let loaded: Promise<ModelProvider> | undefined;
  return {
    provider,
    model,
    async ask(request, signal) {
      loaded ??= load();
      return (await loaded).ask(request, signal);
    },
  };
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new UsageError("--base-url is no address; expected one such as https://host/v1");
  }
  // What stands here would be printed in messages and kept by proxies.
  if (url.username !== "" || url.password !== "") throw new UsageError("--base-url holds a password; expected none");
  return url;
}

function priceList(text: string): TokenPrice {
  const [input, cached_input, cache_write, output, ...more] = text.split(",").map((part) => {
    const price = Number(part);
    return part.trim() !== "" && Number.isFinite(price) && price >= 0 ? price : undefined;
  });
  if (
    input === undefined ||
    cached_input === undefined ||
    cache_write === undefined ||
    output === undefined ||
    more.length > 0
  ) {
    throw new InvalidArgumentError("Expected four prices from 0, as in 3,0.3,3.75,15");
  }
  return { input, cached_input, cache_write, output };
}
